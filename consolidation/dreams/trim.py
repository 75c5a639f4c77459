"""
Trims an agent's context window: the newest messages stay, and the others become a digest of one line each.

A call of a tool and its result are never parted. Messages are the caller's own mappings, which nothing here changes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from consolidation.dreams.window import characters_of, name_of, parts_of, storable, tool_names
from consolidation.text.injected_blocks import DIGEST_END, DIGEST_HEADER, digests_in, one_line, without_injected
from consolidation.text.noise import is_blank

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from consolidation.dreams.window import Part

    type Json = Mapping[str, Any]

KEEP = 20  # messages
MAX_CHARACTERS = 100_000
MOST_LINES = 80  # of a digest, with the two marks around it
_LONGEST_LINE, _SHORTEST_SHARE = 160, 40  # characters
_LOOKED_AT = 1_000  # characters of a part; a line shows less
_SYSTEM, _OPENING = frozenset({"system", "developer"}), frozenset({"user", "assistant", "thought"})
_OLDER = re.compile(r"- (\d{1,9}) older messages")
_FAILED = re.compile(
    r"\s{0,20}(?:\w{0,40}(?:error|exception)\b|fail(?:ed|ure)?\b|fatal\b|traceback\b"
    r'|\{\s{0,20}"(?:error"\s{0,8}:(?!\s{0,8}(?:null|false|""|\{\}))|(?:ok|success)"\s{0,8}:\s{0,8}false))',
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Trimmed:
    """A window in two: what stays and what goes, each in its order."""

    kept: tuple[Json, ...]
    dropped: tuple[Json, ...]


def trim(
    messages: Sequence[Json], *, keep: int, max_characters: int, together: Collection[int] = frozenset()
) -> Trimmed:
    """
    Keep the system messages that *messages* begin with, and the newest *keep* of the others.

    Fewer stay where these exceed *max_characters*, more where the window would begin between a call and its result, or
    with another message than one of the assistant or the user. What belongs together with the newest message stays
    whole, unless *keep* is 0. Neighbours whose places are in *together* are not parted. A digest of an earlier trim
    goes with the first message that goes.
    """
    opening = next((at for at, one in enumerate(messages) if one["role"] not in _SYSTEM), len(messages))
    body = messages[opening:]
    start = _start(body, _cuts(body, {at - opening for at in together}), keep=keep, max_characters=max_characters)
    if start == 0:
        return Trimmed(tuple(messages), ())
    old = [is_digest(one) for one in messages[:opening]]
    stays = [one for one, was_ours in zip(messages, old, strict=False) if not was_ours]
    goes = [one for one, was_ours in zip(messages, old, strict=False) if was_ours]
    return Trimmed((*stays, *body[start:]), (*goes, *body[:start]))


def digest(dropped: Sequence[Json]) -> str:
    """
    Return what *dropped* messages held, a line for each, oldest first; "" for none.

    It has at most 80 lines, of which the first and the last are our marks. Where there are more, the oldest messages
    are only counted. Lines of an earlier digest among the messages are taken over.
    """
    if not dropped:
        return ""
    tools, older, lines = tool_names(dropped), 0, list[str]()
    for message in dropped:
        if not is_digest(message):
            lines.append(_line(message, tools))
            continue
        for line in digests_in(_said(message)):
            counted = _OLDER.match(line)
            older += int(counted[1]) if counted else 0
            lines += () if counted else (_shortened(one_line(line[2:]), _LONGEST_LINE),)
    room = MOST_LINES - 2
    if older or len(lines) > room:
        room -= 1
        older += max(len(lines) - room, 0)
        lines = [f"{older} older messages are not listed here", *lines[-room:]]
    return storable("\n".join((DIGEST_HEADER, *(f"- {line}" for line in lines), DIGEST_END)))


def is_digest(message: Json) -> bool:
    """Whether *message* is nothing but a digest that an earlier trim gave."""
    text = _said(message) if message["role"] not in {"tool", "function"} else ""
    return DIGEST_HEADER in text and bool(digests_in(text)) and is_blank(without_injected(text))


def _start(body: Sequence[Json], cuts: Sequence[int], *, keep: int, max_characters: int) -> int:
    """The place of the first message of *body* that stays; one of *cuts*, which begin with 0."""
    newest = max(cut for cut in cuts if cut <= max(len(body) - keep, 0))
    left = [*accumulate((characters_of(one) for one in reversed(body)), initial=0)][::-1]  # from each place to the end
    last = cuts[-1] if keep == 0 else max(cut for cut in cuts if cut < max(len(body), 1))
    return next((cut for cut in cuts if newest <= cut <= last and left[cut] <= max_characters), max(newest, last))


def _cuts(body: Sequence[Json], bound: Collection[int]) -> list[int]:
    """The places at which *body* may be cut, ascending: 0 among them, and its end unless a call waits for a result."""
    parts, end = [parts_of(one) for one in body], len(body)
    ties = [0] * (end + 2)
    for first, last in _ties(parts):
        ties[first + 1] += 1
        ties[last + 1] -= 1
    crossed = list(accumulate(ties))

    def is_cut(at: int) -> bool:
        if crossed[at] or (at - 1 in bound and (at in bound or at == end)):
            return False
        return at == end or _opens(body[at], parts[at])

    return [0, *filter(is_cut, range(1, end + 1))]


def _opens(message: Json, parts: Sequence[Part]) -> bool:
    """Whether a window may begin with *message*."""
    return message["role"] in _OPENING and not any(one.kind == "result" for one in parts)


def _ties(parts: Sequence[Sequence[Part]]) -> Iterator[tuple[int, int]]:
    """
    Pairs of places that stay together: a call and each of its results.

    A result whose call is not there stays with what precedes it. Calls at the end that wait for a result stay with it.
    """
    calls: dict[str, int] = {}
    caller, waiting = -1, 0
    for at, found in enumerate(parts):
        results = [one.call_id for one in found if one.kind == "result"]
        called = [one.call_id for one in found if one.kind == "call"]
        for one in results:
            yield calls.get(one, max(at - 1, 0)), at
        waiting = max(waiting - len(results), 0) if results else 0
        if called:
            calls |= {one: at for one in called if one}
            caller, waiting = at, waiting + len(called)
    if waiting:
        yield caller, len(parts)


def _line(message: Json, tools: Mapping[str, str]) -> str:
    """*message* in one line that closes and opens no block of ours."""
    shown = [one for one in parts_of(message) if one.kind != "said" or not is_blank(without_injected(one.text))]
    speaker = _speaker(message)
    if not shown:
        return one_line(f"{speaker}: (nothing in words)")
    share = max(_LONGEST_LINE // len(shown), _SHORTEST_SHARE)
    told = "; ".join(_shortened(_told(one, speaker, tools), share) for one in shown[:_LONGEST_LINE])
    return _shortened(told, _LONGEST_LINE)


def _speaker(message: Json) -> str:
    """The role, and behind it the name in quotes, which no name has itself: it never reads as another part."""
    name = name_of(message)
    return f'{message["role"]} "{name}"' if name else str(message["role"])


def _told(part: Part, speaker: str, tools: Mapping[str, str]) -> str:
    name = part.name or tools.get(part.call_id, "")
    if part.kind == "said":
        return one_line(f"{speaker}: {without_injected(part.text)[:_LOOKED_AT]}")
    text = part.text[:_LOOKED_AT]
    if part.kind == "call":
        return one_line(f"call: {name[:_LONGEST_LINE] or 'a tool'}({text})")
    if part.kind == "thought":
        return one_line(f"thought: {text}")
    mark = "FAIL" if part.is_failed or _FAILED.match(text) else "result"
    return one_line(f"{mark} {name[:_LONGEST_LINE]}".rstrip() + f": {text}")


def _said(message: Json) -> str:
    return "\n".join(one.text for one in parts_of(message) if one.kind == "said")


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
