"""
The arm "days": turns that tell of the days to come which a query asks for, whatever words they share with it.

What put one of them off later ("they moved the dentist to Thursday") is found with it, and being newer it leads.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from consolidation.text.dates import without_dates
from consolidation.text.language import detect
from consolidation.text.subjectless import subject_words
from service.index.text_ranking import TextQuery
from service.ingest.episodes import own_words
from service.retrieval.counted_ahead import without_ahead
from service.retrieval.days_told import asked_values, is_put_off

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from service.mind.minds import Mind
    from service.resonance.search_round import WordHits
    from service.retrieval.days_to_come import DaysToCome
    from service.retrieval.fusion import Hits

_MOST = 40  # turns of the days asked for, newest first, that are read
_MOST_PUT_OFF = 5  # of those, the newest that are looked for in what came later
_LATER = 20  # turns that share words with one
_RARE = 0.4  # of the rarity of a word that stands in one turn alone, as in ``successors``


def telling_of_days(
    mind: Mind, asked: Sequence[DaysToCome | None], words: Sequence[WordHits], *, timezone: tzinfo, language: str
) -> tuple[Hits, ...]:
    """
    How well the days that turns tell of are those *asked* for, 0…1, by query. Of a query that wants something else than
    what is on, only those among the *words* found of it. Reads index and transcript. Raises HomeFault.
    """
    found: list[Hits] = []
    for days, hits in zip(asked, words, strict=True):
        if days is None or not days.is_searched:
            found.append({})
            continue
        sequences = mind.text.turns_of_days(asked_values(days.spans), limit=_MOST)
        if not days.is_open:
            shared = {hit.number for hit in (*hits.turns, *hits.concepts)}
            sequences = tuple(one for one in sequences if one in shared)
        found.append(_fitting(mind, days, sequences, timezone=timezone, language=language))
    return tuple(found)


def _fitting(
    mind: Mind, days: DaysToCome, sequences: Sequence[int], *, timezone: tzinfo, language: str
) -> dict[int, float]:
    fits: dict[int, float] = {}
    told: dict[int, str] = {}
    for turn in mind.transcript.read_now(sequences):
        own = own_words(turn)
        said_on = turn.occurred_at.astimezone(timezone).date()
        fit = days.told_in(own, said_on=said_on, language=detect(own, fallback=language))
        if fit > 0:
            fits[turn.sequence], told[turn.sequence] = fit, own
    for sequence in sorted(told, reverse=True)[:_MOST_PUT_OFF]:
        for later in _put_off(mind, sequence, told[sequence], language=language):
            fits[later] = max(fits[sequence], fits.get(later, 0.0))
    return fits


def _put_off(mind: Mind, sequence: int, text: str, *, language: str) -> tuple[int, ...]:
    """The later turns that put off, or call off, what *text* tells, and share a rare word with it."""
    bare = without_ahead(without_dates(text))
    spoken = detect(text, fallback=language)
    stems = tuple(subject_words(bare, language=spoken).values())
    every = max(len(mind.transcript.positions), 2)
    rare = tuple(
        stem
        for stem, count in mind.text.turn_counts(stems).items()
        if math.log(every / max(count, 1)) > _RARE * math.log(every)
    )
    if not rare:
        return ()
    [hits] = mind.text.search_all([TextQuery("turns", rare, _LATER)])
    later = tuple(hit.number for hit in hits if hit.number > sequence)
    sharing = mind.text.stems_in(later, rare)
    turns = mind.transcript.read_now([one for one in later if sharing.get(one)])
    return tuple(turn.sequence for turn in turns if is_put_off(own_words(turn)))
