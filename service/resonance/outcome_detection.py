"""
What can be seen of a flashback in the talk that followed: the bot used it, or the person denied it.

Both are told only when they are sure. A word counts for a flashback if neither the message it was found for nor the
turn's own words have it: else it would be their word, not the memory's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.text.names import names
from consolidation.text.words import content_stems, content_words, tokens
from service.retrieval.lead_words import told_words

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from service.mind.trace_document import ShownTrace, TraceDocument

_SURE = 2  # telling words, where a name or a number counts for two
_SHARE, _MANY = 0.5, 4  # of all telling words of a flashback, or so many of them
_FEW_WORDS = 2  # of a denial that says nothing else


def used_in(trace: TraceDocument, *, own: str, answer: str) -> tuple[str, ...]:
    """The ids of the flashbacks whose telling words the *answer* repeats; *own* are the person's words in the turn."""
    said = content_stems(answer, language=trace.language)
    found = []
    for shown in trace.shown:
        telling = _telling(shown, trace, own=own)
        shared = telling.keys() & said
        is_much = len(shared) >= _SHARE * len(telling) or len(shared) >= _MANY
        if is_much and sum(telling[stem] for stem in shared) >= _SURE:
            found.append(shown.id)
    return tuple(found)


def contradicted_by(denial: str, trace: TraceDocument, *, used: AbstractSet[str]) -> tuple[str, ...]:
    """
    The id of the one flashback of *trace* that a person's *denial* of the answer means; none where it may be another.

    *used* are those that the denied answer used. A denial of few words ("no, that is wrong") means the one that was
    used. A longer one means the one that it shares words with.
    """
    said = content_stems(denial, language=trace.language)
    meant = []
    for shown in trace.shown:
        weights = _weights(shown, trace.language)
        weight = sum(weights[stem] for stem in weights.keys() & said)
        if weight >= (1 if shown.id in used else _SURE):
            meant.append(shown.id)
    if not meant and len(said) <= _FEW_WORDS:
        meant = sorted(used)
    return tuple(meant) if len(meant) == 1 else ()


def _telling(shown: ShownTrace, trace: TraceDocument, *, own: str) -> dict[str, int]:
    """The stems of a flashback that only it brought into the talk, each with how much it tells."""
    others = content_stems(f"{trace.message}\n{own}", language=trace.language)
    return {stem: weight for stem, weight in _weights(shown, trace.language).items() if stem not in others}


def _weights(shown: ShownTrace, language: str) -> dict[str, int]:
    """The stems of a flashback, each with how much it tells."""
    named = {word for name in names(shown.text, language=language) for word in tokens(name)}
    words, told = content_words(shown.text, language=language), told_words(shown.text)
    return {stem: 2 if word in named or word.isdecimal() else 1 for word, stem in words.items() if word in told}
