"""
From facts that were found to the turns that told them: the best fact of each turn, of those that still hold; and for
what has ended, the turn that told what took its place.

Everything here reads the index: call it in a worker thread. It raises IndexUnusable.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from consolidation.corrections.standing import UNDECIDED, Decided
from consolidation.text.language import detect
from consolidation.text.words import content_stems
from service.retrieval.fusion import COSINES, normalised, words_and_meaning
from service.retrieval.lead_words import READ_SHARE, is_read
from service.retrieval.put_right import NOTHING_PUT_RIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.index.text_index import TextIndex
    from service.index.text_ranking import TextHit
    from service.ports.graph import VectorHit
    from service.retrieval.put_right import PutRight

_MIDNIGHT = "T00:00:00"  # of a time that is known by its day


class TurnFact(NamedTuple):
    """
    A fact that a turn told: its uuid, its words, how well it fits, 0…1, and its importance, where it was judged.

    Where a person decided that it is not to come up by itself, ``instead`` is the turn's best fact that may.
    """

    uuid: str
    text: str
    score: float
    importance: float | None = None
    decided: Decided = UNDECIDED
    instead: TurnFact | None = None


class _Ended(NamedTuple):
    """A fact that a turn told and that has ended: how well it fits, when it ended, its words, the names it joins."""

    score: float
    at: str
    words: str
    joins: tuple[str, str]

    def is_like(self, other: _Ended) -> bool:
        """Whether both have a word in common, besides the name of whom both tell: of a person much is told."""
        language = detect(f"{self.words} {other.words}", fallback="en")
        source = self.joins[0] if self.joins[0] == other.joins[0] else ""
        own, others = (content_stems(one.words, language=language) for one in (self, other))
        return bool((own & others) - content_stems(source, language=language))


class FoundFacts(NamedTuple):
    """
    What was found of facts, by the sequence of a turn.

    ``best`` is the best fact that it told and that holds. ``replaced`` has the turns whose best fact has ended, each
    with the later turn that told what took its place.
    """

    best: Mapping[int, TurnFact]
    replaced: Mapping[int, int]


def found_facts(
    text: TextIndex,
    hits: Sequence[TextHit],
    near: Sequence[VectorHit],
    now: datetime,
    *,
    put_right: PutRight = NOTHING_PUT_RIGHT,
) -> FoundFacts:
    """The facts of each turn, found by words (*hits*) and by meaning (*near*) in equal parts, as they are *now*."""
    numbers = text.fact_numbers([one.key for one in near])
    scores = words_and_meaning(
        {hit.number: hit.score for hit in hits},
        {numbers[one.key]: one.similarity for one in near if one.key in numbers},
    )
    best, ended = _of_turns(text, scores, now, put_right)
    return FoundFacts(best, _replaced(text, ended, now, put_right))


def neighbour_scores(
    text: TextIndex, near: Sequence[VectorHit], now: datetime, *, put_right: PutRight = NOTHING_PUT_RIGHT
) -> dict[int, float]:
    """How well the facts around some entities fit, by the turns that told them, 0…1."""
    numbers = text.fact_numbers([one.key for one in near])
    scores = normalised({numbers[one.key]: one.similarity for one in near if one.key in numbers}, scale=COSINES)
    return {sequence: fact.score for sequence, fact in _of_turns(text, scores, now, put_right)[0].items()}


def _of_turns(
    text: TextIndex, scores: Mapping[int, float], now: datetime, put_right: PutRight
) -> tuple[dict[int, TurnFact], dict[int, _Ended]]:
    """The best fact of each turn that holds; and the best one that has ended of those in which nothing fits as well."""
    rows = text.facts(tuple(scores))
    episodes = dict(zip(rows, json.loads(f"[{','.join(str(row[4]) for row in rows.values())}]"), strict=True))
    sequences = text.sequences(tuple({uuid for uuids in episodes.values() for uuid in uuids}))
    best: dict[int, TurnFact] = {}
    ended: dict[int, _Ended] = {}
    for number, uuids in episodes.items():
        text_of_fact = str(rows[number][1])
        share = READ_SHARE if is_read(text_of_fact) else 1.0
        importance = rows[number][7]
        judged = float(str(importance)) if importance is not None else None
        told_in = [sequences[uuid] for uuid in uuids if uuid in sequences]
        joins = (str(rows[number][2]), str(rows[number][3]))
        decided = put_right.fact(text_of_fact, told_in, joins=joins) if put_right else UNDECIDED
        if not (_holds(rows[number][6], now) or decided.is_right):
            over = _Ended(share * scores[number], str(rows[number][6]), text_of_fact, joins)
            ended.update({one: max(over, ended.get(one, over), key=lambda found: found.score) for one in told_in})
            continue
        fact = TurnFact(str(rows[number][0]), text_of_fact, share * scores[number], judged, decided)
        for sequence in told_in:
            best[sequence] = _better(best[sequence], fact) if sequence in best else fact
    return best, {one: over for one, over in ended.items() if one not in best or over.score > best[one].score}


def _replaced(text: TextIndex, ended: Mapping[int, _Ended], now: datetime, put_right: PutRight) -> dict[int, int]:
    """By turn whose fact *ended*: the later turn that told what took its place, or the place of that, and so on."""
    found: dict[int, int] = {}
    for sequence, over in ended.items():
        since: _Ended | None = over
        asked = set[str]()
        while since is not None and since.at not in asked:
            asked.add(since.at)
            since, later = _told_since(text, since, now, put_right)
            if later > sequence:
                found[sequence] = later
    return found


def _told_since(text: TextIndex, over: _Ended, now: datetime, put_right: PutRight) -> tuple[_Ended | None, int]:
    """
    What took the place of the fact that is *over*: of these facts the one that ended last, None where one holds or
    there is none; and the newest turn that told one, or 0. Many things begin on one day, so where only the day is
    known, they have to be alike.
    """
    ends: list[_Ended] = []
    newest, is_holding = 0, False
    for row in text.facts_since(over.at):
        fact = _Ended(0.0, str(row[6]), str(row[1]), (str(row[2]), str(row[3])))
        if _MIDNIGHT in over.at and not over.is_like(fact):
            continue
        told_in = tuple(text.sequences(tuple(json.loads(str(row[4])))).values())
        if put_right and put_right.fact(fact.words, told_in, joins=fact.joins).held_back:
            continue
        newest = max(newest, *told_in, 0)
        if _holds(row[6], now):
            is_holding = True
        else:
            ends.append(fact)
    return (None if is_holding else max(ends, key=lambda one: one.at, default=None)), newest


def _better(one: TurnFact, other: TurnFact) -> TurnFact:
    """The better of two facts of a turn; a better one that may not come up has the other one instead."""
    first, second = (other, one) if other.score > one.score else (one, other)
    if not first.decided.held_back:
        return first
    left = [fact for fact in (first.instead, second, second.instead) if fact is not None and not fact.decided.held_back]
    return first._replace(instead=max(left, key=lambda fact: fact.score, default=None))


def _holds(invalid_at: object, now: datetime) -> bool:
    return invalid_at is None or datetime.fromisoformat(str(invalid_at)) > now
