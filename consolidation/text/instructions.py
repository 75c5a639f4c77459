"""
Standing instructions: what somebody tells the bot to do from now on ("never suggest docker to me", "call me Sam").

Precision comes first. What is wanted of one text alone ("write it without emojis"), what somebody does ("I always
forget my keys"), what others said, proverbs, quotations and pasted texts do not count. Closed classes of words, in the
languages of ``speech_acts``: how people instruct is in ``instruction_words``, of what in ``instruction_subjects``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from consolidation.text.code import without_code
from consolidation.text.instruction_subjects import LIFTS, MANNERS, REPORTS, TO_ME, TOPICS
from consolidation.text.instruction_words import WORDS
from consolidation.text.quotation import own_lines
from consolidation.text.sentences import sentences
from consolidation.text.speech_acts import is_request
from consolidation.text.task_kinds import task_kinds
from consolidation.text.words import ignoring_case

if TYPE_CHECKING:
    from collections.abc import Iterator

    from consolidation.text.instruction_words import Words

_LONGEST_MESSAGE = 700  # characters; a longer one was pasted, or tells a story
LONGEST_SENTENCE = 240
_MOST_CLAUSES = 8  # of a sentence, that are looked at
_QUOTED = re.compile(r"\"[^\"\n]{3,400}\"|“[^”\n]{3,400}”|„[^“”\n]{3,400}[“”]|«[^»\n]{3,400}»|「[^」\n]{3,400}」")
_PASTED = re.compile(r"[:：]\s{0,3}$")  # a line or sentence that ends so introduces a text
_INTRODUCED = re.compile(r"[:：](?!//)")
_CLAUSES = re.compile(r"[,;،؛，；、–—]\s{0,3}|\s-\s")
_WORD, _END = r"\b", r"(?!\w)"
_QUESTION = re.compile(r"[?？؟]\s{0,3}$")


@dataclass(frozen=True, slots=True)
class Instruction:
    """
    One standing instruction, in the words of its sentence.

    ``manners`` are those of the bot's talk that it is about, such as "length" or "emoji"; ``tasks`` the kinds of task.
    ``is_bound``: it holds only where its own subject, or its kind of task, comes up. ``is_lifted``: it takes back an
    earlier one.
    """

    text: str
    manners: frozenset[str] = frozenset()
    tasks: frozenset[str] = frozenset()
    is_bound: bool = False
    is_lifted: bool = False


class _Forms(NamedTuple):
    """The ways in which people instruct in one language; the marked ones alone say that somebody is spoken to."""

    marked: re.Pattern[str]
    unmarked: re.Pattern[str]
    bound: re.Pattern[str]
    asks: re.Pattern[str]


def instructs(text: str, *, language: str) -> bool:
    """Whether a person's *text* gives the bot a standing instruction, or takes one back."""
    return next(_instructions(text, language), None) is not None


def instructions(text: str, *, language: str) -> tuple[Instruction, ...]:
    """The standing instructions in a person's *text*, in their order."""
    return tuple(_instructions(text, language))


def _instructions(text: str, language: str) -> Iterator[Instruction]:
    if len(text) > 4 * _LONGEST_MESSAGE:
        return
    own = own_lines("\n".join(without_code(text)))
    if len(own) > _LONGEST_MESSAGE:
        return
    for sentence in sentences(own, language=language):
        if len(sentence) <= LONGEST_SENTENCE and (found := _instruction(sentence)) is not None:
            yield found
        if _PASTED.search(sentence) and not _is_rule(sentence):
            return  # what follows is a text that somebody pasted


def _instruction(sentence: str) -> Instruction | None:
    plain = _QUOTED.sub(" ", sentence.replace("’", "'")).strip()
    if ignoring_case(LIFTS).match(plain):
        return None if _QUESTION.search(plain) else _about(sentence, plain, is_lifted=True)
    return next(filter(None, (_given(sentence, plain, begins) for begins in _beginnings(plain))), None)


def _given(sentence: str, plain: str, begins: int) -> Instruction | None:
    """What the clause of *plain* that begins there instructs, if it does."""
    for forms in _every_form():
        found: Instruction | None = None
        if forms.bound.match(plain, begins):
            found = _about(sentence, plain, is_bound=True)
        elif forms.marked.match(plain, begins):
            found = _about(sentence, plain)
        elif forms.unmarked.match(plain, begins):
            about = _about(sentence, plain)
            found = about if about.manners or about.tasks or TO_ME.search(plain, begins) else None
        if found is not None:
            # "Can you always answer in German?" requests, "never use pandas?" asks.
            is_asked = _QUESTION.search(plain) is not None and not forms.asks.match(plain, begins)
            return None if is_asked else found
    return None


def _about(sentence: str, plain: str, *, is_bound: bool = False, is_lifted: bool = False) -> Instruction:
    manners = frozenset(name for name, pattern in MANNERS.items() if pattern.search(plain))
    tasks = task_kinds(plain)
    if "translation" in tasks:
        manners -= {"language"}
    is_bound = is_bound or (not manners and TOPICS.search(plain) is not None)
    return Instruction(sentence, manners, tasks, is_bound=is_bound, is_lifted=is_lifted)


def _beginnings(sentence: str) -> Iterator[int]:
    """
    Where a clause of *sentence* begins that its writer says themselves.

    Not behind what others said, nor behind a colon that introduces a text, nor behind a request: what stands there is
    of the one text that is wanted.
    """
    introduced = _INTRODUCED.search(sentence)
    is_rule = introduced is not None and _is_rule(sentence[: introduced.end()])
    end = len(sentence) if introduced is None or is_rule else introduced.start()
    yield 0
    starts = [found.end() for found in islice(_CLAUSES.finditer(sentence), _MOST_CLAUSES)]
    for start in sorted({*starts, *([introduced.end()] if is_rule and introduced else [])}):
        said = sentence[:start]
        if start >= end or ignoring_case(REPORTS).search(said) or is_request(said):
            return
        spaces = len(sentence) - start - len(sentence[start:].lstrip())
        yield start + spaces


def _is_rule(lead: str) -> bool:
    """Whether what ends with a colon says that a rule follows: "from now on:", "new rule:"."""
    return any(ignoring_case(words.rules).search(lead) for words in WORDS.values())


@cache
def _every_form() -> tuple[_Forms, ...]:
    return tuple(map(_forms, WORDS.values()))


def _forms(words: Words) -> _Forms:
    end = _END if words.has_spaces else ""
    polite = rf"(?:(?:{words.polite}){end}[\s,:!]{{0,3}}){{0,5}}"
    always, later, verbs = f"(?:{words.always})", f"(?:{words.from_now})", f"(?:{words.verbs}){end}"
    gap = r"[^.!?;:,，、،؛\n]{0,60}?"
    apart = rf"\s{{0,3}}{_WORD if words.has_spaces else ''}"
    return _Forms(
        marked=ignoring_case(f"{polite}(?:{words.fixed})"),
        unmarked=ignoring_case(
            f"{polite}(?:(?:{always}|{later}){apart}[,:，、]?{apart}{polite}{verbs}"
            f"|{verbs}{gap}(?:{always}|{later})|{later}{apart}[,:，、]?{apart}{polite}(?:{words.only}))"
        ),
        bound=ignoring_case(f"{polite}(?:{words.when})"),
        asks=ignoring_case(rf"{polite}(?:{words.asks})"),
    )
