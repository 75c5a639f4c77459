"""
Phase 5: would it change what is said next? If so, it is told in the first person and the language of the moment.

The model judges and rewrites in one call. What it writes is checked here against the words it was given: where a name,
a number or a date is not in them, where it retells nothing of them, or says otherwise, the plain fragment is used.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from consolidation.kernel.ports import Ask
from consolidation.kernel.turns import Speaker
from consolidation.text.dates import days_named
from consolidation.text.given_names import unproven_names
from consolidation.text.names import names
from consolidation.text.strange_names import strange_names
from consolidation.text.words import tokens
from prompts.responses import Narration
from service.resonance.retelling import fault_of_retelling, say_the_same
from service.resonance.retold_sense import fault_of_sense, misattributed, told_of_another
from service.retrieval.lead_words import without_lead, wording
from service.retrieval.moment import Flashback
from service.retrieval.tellers import asker_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from consolidation.kernel.ports import LanguageModel, Reply
    from service.retrieval.moment import Fragment, LabelledFragment, Moment, Shortlist

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_CAPITALS_MEAN_NAMES = re.compile(r"^(?!de\b|de-)")  # German writes every noun with a capital
_LONGEST_LINE = 600
_RUN = 5  # words in a row that are somebody's own


async def ask_for_narration(
    shortlist: Shortlist[LabelledFragment],
    *,
    moment: Moment,
    voice: Mapping[str, str],
    model: LanguageModel,
    overrides: Path | None,
    on_part: Callable[[Narration], None] | None,
) -> Reply[Narration]:
    """
    Ask the model which of *shortlist* surface, and for its words; *on_part* hears what has come so far.

    Raises ModelFault.
    """
    words = {
        **voice,
        "language": moment.told_in,
        "now": moment.local_now.strftime("%A, %Y-%m-%d %H:%M"),
        "acts": moment.acts,
        "asker": asker_of(moment),
        "message": moment.typed,
        "recent": moment.recent,
        "candidates": tuple(
            {"number": number, "label": label.text, "text": fragment.told(" ".join(fragment.text.split()))}
            for number, (fragment, label) in enumerate(shortlist.every, start=1)
        ),
        "most": shortlist.limit,
    }
    return await model.answer(Ask("narration", Narration, words, overrides, on_part=on_part))


def plain(labelled: Sequence[LabelledFragment]) -> tuple[Flashback, ...]:
    """Every fragment in its own words."""
    return tuple(Flashback(fragment, label, fragment.text) for fragment, label in labelled)


def chosen_numbers(narration: Narration, shortlist: Shortlist[LabelledFragment]) -> tuple[int, ...]:
    """
    The numbers of what surfaces of *shortlist*, what matters most first.

    An older copy of the prompt has a verdict in each line. There, what has none surfaces if it would without a model.
    """
    numbers = range(1, len(shortlist.every) + 1)
    if narration.chosen is not None:
        return tuple(number for number in dict.fromkeys(narration.chosen) if number in numbers)
    verdicts = {line.number: line.surfaces for line in narration.lines if line.surfaces is not None}
    return tuple(number for number in numbers if verdicts.get(number, number <= len(shortlist.first)))


def checked(
    narration: Narration,
    shortlist: Shortlist[LabelledFragment],
    *,
    language: str,
    known_names: Callable[[str], Sequence[str]],
    asker: str = "",
    is_partial: bool = False,
) -> tuple[tuple[Flashback, ...], Mapping[str, str]]:
    """
    What surfaces, what matters most first; and why a fragment was dropped or its narration refused, by id.

    The best score goes to the first. *known_names* finds the names of the mind's entities in a text, and *asker* is the
    name of who asks. What surfaces and has no line stays as it is. Of an answer that *is_partial*, lines alone judge
    nothing but what they tell.
    """
    every = dict(enumerate(shortlist.every, start=1))
    numbers = chosen_numbers(narration, shortlist)
    lines = {line.number: line.text.strip() for line in narration.lines}
    scores = sorted((every[number].fragment.score for number in numbers), reverse=True)
    judged = {line.number for line in narration.lines if line.surfaces is not None}
    chosen = narration.chosen
    is_whole = chosen is not None and (chosen == narration.surfaces or not is_partial)
    reasons = {
        fragment.id: "narration: would not change what is said next"
        for number, (fragment, _) in every.items()
        if number not in numbers and (is_whole or number in judged)
    }
    flashbacks: list[Flashback] = []
    for number, score in zip(numbers, scores, strict=True):
        fragment, label = every[number]
        text = lines.get(number, "")
        source = f"{fragment.text} {label.text}"
        fault = text and (
            _foreign(fragment)
            or fault_of_retelling(text, fragment, language=language)
            or invention(text, source=source, language=language, known_names=known_names)
            or fault_of_sense(text, fragment, language=language)
            or misattributed(text, fragment, named=names_in(text, language=language, known_names=known_names))
            or told_of_another(text, fragment, asker=asker, language=language)
            or _borrowed(text, fragment)
            or _repeated(text, fragment, told=flashbacks)
        )
        if fault:
            reasons[fragment.id] = f"narration refused: {fault}"
        is_plain = not text or bool(fault)
        ranked = replace(fragment, score=score)
        flashbacks.append(Flashback(ranked, label, fragment.text if is_plain else text, is_rewritten=not is_plain))
    return tuple(flashbacks), reasons


def _foreign(fragment: Fragment) -> str:
    """Whether a line would retell another mind's memory, of another person maybe, as this one's."""
    return "it is of another mind, and stays in its own words" if fragment.mind_id else ""


def _repeated(text: str, fragment: Fragment, *, told: Sequence[Flashback]) -> str:
    """Whether *text* was told for another memory that says something else."""
    is_repeated = any(
        one.is_rewritten and say_the_same(one.text, text) and wording(one.fragment.text) != wording(fragment.text)
        for one in told
    )
    return "it repeats another line" if is_repeated else ""


def _borrowed(text: str, fragment: Fragment) -> str:
    """Whether *text* may be telling as a person's words what another said, or what was only read."""
    if fragment.is_read:
        return "it was only read, and stays in its own words"
    found = _runs(text)
    for message in fragment.said:
        if message.role is Speaker.USER:
            found -= _runs(message.content)
    is_borrowed = any(found & _runs(one.content) for one in fragment.said if one.role is not Speaker.USER)
    return "it repeats what no person said" if is_borrowed else ""


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = tokens(text)
    return frozenset(words[at : at + _RUN] for at in range(len(words) - _RUN + 1))


def invention(text: str, *, source: str, language: str, known_names: Callable[[str], Sequence[str]]) -> str:
    """What in *text* is not in *source*: a number, a day, a name; empty when nothing was invented."""
    if len(text) > _LONGEST_LINE:
        return "it is longer than two sentences"
    numbers = {tokens(number) for number in _NUMBER.findall(source)}
    for number in _NUMBER.findall(text):
        if tokens(number) not in numbers:
            return f"the number {number} is not in the source"
    for day in sorted(days_named(text) - days_named(source)):
        return f"{day} is not in the source"
    named = names_in(text, language=language, known_names=known_names)
    for name in strange_names(named, text, (source, without_lead(source)), known_names=known_names):
        return f"the name {name!r} is not in the source"
    return ""


def names_in(text: str, *, language: str, known_names: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """The names in *text*: those that are known, what has a capital where that marks a name, and what else is one."""
    with_capitals = names(text) if _CAPITALS_MEAN_NAMES.match(language) else ()
    return (*known_names(text), *with_capitals, *unproven_names(text, language=language))
