"""
``rules.md``: what an agent learnt the hard way, a rule a line, each with the dream that made it.

A rule that names no dream, or that a person changed, is a person's and never goes. Above the most that are kept, the
oldest of ours go first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.dreams.writings import MOST_DELETED, line_digest
from consolidation.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

MOST_RULES = 15
_LINE = re.compile(r"^\ufeff?- (.+?)(?: \(dream (\d{1,9})\))?$")
_SAME_BEGINNING, _SAME_PART = 30, 40  # characters
_HEAD = "# Rules"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule, and the number of the dream that made it; None where a person wrote it."""

    text: str
    dream: int | None = None

    @property
    def line(self) -> str:
        """The line of the file."""
        return f"- {self.text}" + (f" (dream {self.dream})" if self.dream is not None else "")

    @property
    def digest(self) -> str:
        """What tells this line from one that a person changed."""
        return line_digest(self.line)

    @property
    def beginning(self) -> str:
        """The digest of its first characters, whichever dream made it: rules that begin alike say the same."""
        return line_digest(_beginning(self.text))


def read_rules(text: str) -> tuple[Rule, ...]:
    """The rules of a file, in its order."""
    found = (_LINE.match(line) for line in text.splitlines())
    return tuple(Rule(one[1].strip(), int(one[2]) if one[2] else None) for one in found if one)


def deleted_rules(text: str, *, left: AbstractSet[str], before: Iterable[str]) -> tuple[str, ...]:
    """
    The beginnings of our rules that a person deleted from *text*, now or *before*, the newest first.

    *left* are those that a dream left there. A file that they emptied is begun anew.
    """
    if not text.strip():
        return ()
    present = {rule.beginning for rule in read_rules(text)}
    gone = (*sorted(left - present), *(one for one in before if one not in present))
    return tuple(dict.fromkeys(gone))[:MOST_DELETED]


def changed_rules(
    text: str,
    *,
    add: Iterable[str],
    remove: Iterable[str],
    dream: int,
    ours: AbstractSet[str],
    deleted: Iterable[str] = (),
) -> tuple[str, tuple[Rule, ...]]:
    """
    *text* with what a dream adds to the rules and takes away, and the rules that are new.

    A rule that begins like one that stands, or that a person *deleted*, is not added. Only *ours* (digests) are taken
    away. Where there are more than ``MOST_RULES``, the oldest of ours go.
    """
    removed = [_plain(one) for one in remove]
    rules = list(read_rules(text))
    gone = {one for one in rules if one.digest in ours and any(_is_named(one, wanted) for wanted in removed)}
    new: list[Rule] = []
    for words in add:
        rule = Rule(" ".join(words.split()), dream)
        if (
            rule.text
            and rule.beginning not in deleted
            and not any(_is_alike(rule, one) for one in (*rules, *new) if one not in gone)
        ):
            new.append(rule)
    left = [one for one in rules if one not in gone]
    for oldest in sorted((one for one in left if one.digest in ours), key=lambda one: one.dream or 0):
        if len(left) + len(new) <= MOST_RULES:
            break
        left.remove(oldest)
        gone.add(oldest)
    new = new[: max(MOST_RULES - len(left), 0)]
    return _written(text, gone={one.line for one in gone}, new=new), tuple(new)


def without_rules(text: str, lines: AbstractSet[str]) -> str:
    """*text* without these lines."""
    return _written(text, gone=lines, new=[])


def with_rules(text: str, lines: Iterable[str]) -> str:
    """*text* with these lines at its end, as far as they are not in it."""
    present = set(text.splitlines())
    new = (rule for line in lines if line not in present for rule in read_rules(line))
    return _written(text, gone=frozenset(), new=list(new))


def _written(text: str, *, gone: AbstractSet[str], new: list[Rule]) -> str:
    lines = [line for line in text.splitlines() if line not in gone]
    if lines == text.splitlines() and not new:
        return text
    if not any(line.strip() for line in lines):
        lines = [_HEAD, ""] if new else []
    return "".join(f"{line}\n" for line in (*lines, *(one.line for one in new)))


def _plain(text: str) -> str:
    return " ".join(tokens(text))


def _is_alike(rule: Rule, known: Rule) -> bool:
    return _beginning(rule.text) == _beginning(known.text)


def _beginning(text: str) -> str:
    return _plain(text)[:_SAME_BEGINNING]


def _is_named(rule: Rule, wanted: str) -> bool:
    return bool(wanted) and wanted[:_SAME_PART] in _plain(rule.text)
