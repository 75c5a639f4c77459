"""From facts that were found to the turns that told them: the best fact of each turn, of those that hold. Blocks."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from service.resonance.fusion import COSINES, WORDS, normalised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.ports import Near
    from service.recall.text_index import TextIndex
    from service.recall.text_ranking import Hit


class Told(NamedTuple):
    """A fact that a turn told: its uuid, its words, how well it fits, 0…1."""

    uuid: str
    text: str
    score: float


def told_by_turns(text: TextIndex, hits: Sequence[Hit], near: Sequence[Near], now: datetime) -> dict[int, Told]:
    """The best fact of each turn, by words and by meaning together; facts that no longer hold are left out."""
    numbers = text.fact_numbers([one.key for one in near])
    by_words = normalised({hit.number: hit.score for hit in hits}, scale=WORDS)
    by_meaning = normalised({numbers[one.key]: one.similarity for one in near if one.key in numbers}, scale=COSINES)
    scores = {
        number: (by_words.get(number, 0.0) + by_meaning.get(number, 0.0)) / 2 for number in by_words.keys() | by_meaning
    }
    return _best_of_turns(text, scores, now)


def told_around(text: TextIndex, near: Sequence[Near], now: datetime) -> dict[int, float]:
    """How well the facts around an entity fit, by turn that told one."""
    numbers = text.fact_numbers([one.key for one in near])
    scores = normalised({numbers[one.key]: one.similarity for one in near if one.key in numbers}, scale=COSINES)
    return {sequence: told.score for sequence, told in _best_of_turns(text, scores, now).items()}


def _best_of_turns(text: TextIndex, scores: Mapping[int, float], now: datetime) -> dict[int, Told]:
    rows = text.facts(tuple(scores))
    holding = {number: str(row[4]) for number, row in rows.items() if _holds(row[6], now)}
    episodes = dict(zip(holding, json.loads(f"[{','.join(holding.values())}]"), strict=True))
    sequences = text.sequences(tuple({uuid for told_in in episodes.values() for uuid in told_in}))
    best: dict[int, Told] = {}
    for number, told_in in episodes.items():
        fact = Told(str(rows[number][0]), str(rows[number][1]), scores[number])
        for sequence in (sequences[uuid] for uuid in told_in if uuid in sequences):
            if sequence not in best or fact.score > best[sequence].score:
                best[sequence] = fact
    return best


def _holds(invalid_at: object, now: datetime) -> bool:
    return invalid_at is None or datetime.fromisoformat(str(invalid_at)) > now
