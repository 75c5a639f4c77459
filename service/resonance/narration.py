"""
Phase 5: does it change what is said next? If so, told in the first person and the language of the moment.

The model judges and rewrites in one call; what it writes is checked here against the words it was given, and
where a name, a number or a date does not stand in them, the plain fragment is used instead.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from consolidation.kernel.names import names
from consolidation.kernel.ports import Ask
from consolidation.kernel.words import tokens
from prompts.responses import Narration
from service.recall.dates import days_named
from service.resonance.moment import Flashback

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from consolidation.kernel.ports import LanguageModel, Reply
    from service.resonance.moment import Fragment, Label, Moment

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_CAPITALS_MEAN_NAMES = re.compile(r"^(?!de\b|de-)")  # German writes every noun with a capital
_LONGEST_LINE = 600


async def narrate(
    candidates: Sequence[tuple[Fragment, Label]],
    *,
    moment: Moment,
    voice: Mapping[str, str],
    model: LanguageModel,
    overrides: Path | None,
) -> Reply[Narration]:
    """Ask the model for a verdict and a telling of each candidate. Raises ModelFault."""
    words = {
        **voice,
        "language": moment.language,
        "now": moment.now.astimezone(moment.timezone).strftime("%A, %Y-%m-%d %H:%M"),
        "message": moment.message,
        "recent": moment.recent,
        "candidates": tuple(
            {"number": number, "label": label.text, "text": " ".join(fragment.text.split())}
            for number, (fragment, label) in enumerate(candidates, start=1)
        ),
    }
    return await model.answer(Ask("narration", Narration, words, overrides))


def plain(candidates: Sequence[tuple[Fragment, Label]]) -> tuple[Flashback, ...]:
    """Every candidate, in the words it was said in."""
    return tuple(Flashback(fragment, label, fragment.text) for fragment, label in candidates)


def told(
    narration: Narration,
    candidates: Sequence[tuple[Fragment, Label]],
    *,
    language: str,
    known_names: Callable[[str], Sequence[str]],
) -> tuple[tuple[Flashback, ...], Mapping[str, str]]:
    """
    What surfaces, checked, in the candidates' order; and why a telling was refused or a fragment dropped, by id.

    *known_names* finds the names of the mind's entities in a text. A candidate without a verdict stays as it is.
    """
    lines = {line.number: line for line in narration.lines}
    flashbacks, reasons = [], {}
    for number, (fragment, label) in enumerate(candidates, start=1):
        line = lines.get(number)
        if line is not None and not line.surfaces:
            reasons[fragment.id] = "narration: would not change what is said next"
            continue
        text = line.text.strip() if line is not None else ""
        invented = invention(text, source=f"{fragment.text} {label.text}", language=language, known_names=known_names)
        if invented:
            reasons[fragment.id] = f"telling refused: {invented}"
        is_retold = bool(text) and not invented
        flashbacks.append(Flashback(fragment, label, text if is_retold else fragment.text, is_retold=is_retold))
    return tuple(flashbacks), reasons


def invention(text: str, *, source: str, language: str, known_names: Callable[[str], Sequence[str]]) -> str:
    """What in *text* does not stand in *source*: a number, a day, a name; empty when nothing was invented. Pure."""
    if len(text) > _LONGEST_LINE:
        return "it is longer than two sentences"
    there = set(tokens(source))
    numbers = {tokens(number) for number in _NUMBER.findall(source)}
    for number in _NUMBER.findall(text):
        if tokens(number) not in numbers:
            return f"the number {number} is not in the source"
    for day in sorted(days_named(text) - days_named(source)):
        return f"{day} is not in the source"
    suspects = [*known_names(text), *(names(text) if _CAPITALS_MEAN_NAMES.match(language) else ())]
    for name in suspects:
        missing = [word for word in tokens(name) if word not in there]
        if missing:
            return f"the name {name!r} is not in the source"
    return ""
