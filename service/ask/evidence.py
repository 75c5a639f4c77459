"""
What memory holds about a question: memories, each with its state, and what contradicts what.

A fact that took another's place began when the other ended, and is about the same: the graph ends facts so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from consolidation.text.names import keyphrases
from consolidation.text.sentences import sentences
from service.retrieval.lead_words import told_words
from service.retrieval.remember import KINDS, Kind, Remembered, TimeWindow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from service.mind.minds import Mind
    from service.retrieval.remember import Recall

type State = Literal["holding", "ended", "planned", "said"]

_MOST_SENTENCES = 3  # of a question, that are searched for by themselves
# By itself, since a search leaves out facts whose turn says the same, and only facts know until when they hold.
_SEARCHED = (frozenset[Kind]({"fact"}), KINDS - {"fact"})
_DERIVED_SHARE = 0.9  # what a query made of the question counts, of the question itself


@dataclass(frozen=True, slots=True)
class Evidence:
    """A memory that bears on a question. Only facts hold, end or begin; everything else was ``said``."""

    memory: Remembered
    state: State


async def find_evidence(
    recall: Recall, mind: Mind, question: str, *, language: str, at: datetime | None, now: datetime, limit: int
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """At most *limit* memories about *question*, best first, and what was unavailable. *at* asks what held then."""
    best: dict[str, Remembered] = {}
    unavailable: list[str] = []
    for query, share in queries_of(question, language=language).items():
        for kinds in _SEARCHED:
            found, degraded = await recall.remember(mind, query, kinds=kinds, window=TimeWindow(at=at), limit=limit)
            unavailable += degraded
            for memory in found:
                scored = replace(memory, score=round(memory.score * share, 4))
                if memory.id not in best or best[memory.id].score < scored.score:
                    best[memory.id] = scored
    ranked = _telling(sorted(best.values(), key=lambda one: -one.score))[:limit]
    evidence = tuple(Evidence(one, state_of(one, at=at or now)) for one in ranked)
    return evidence, tuple(dict.fromkeys(unavailable))


def queries_of(question: str, *, language: str) -> Mapping[str, float]:
    """What is searched for, and how much of its score counts: the question, its sentences, and what it is about."""
    parts = sentences(question, language=language)
    derived = (*(parts[:_MOST_SENTENCES] if len(parts) > 1 else ()), " ".join(keyphrases(question, language=language)))
    return {**{one: _DERIVED_SHARE for one in derived if one.strip()}, question: 1.0}


def state_of(memory: Remembered, *, at: datetime) -> State:
    """How a memory stands at an instant."""
    if memory.kind != "fact":
        return "said"
    if memory.invalid_at is not None and memory.invalid_at <= at:
        return "ended"
    return "planned" if memory.valid_at is not None and memory.valid_at > at else "holding"


def contradicting(evidence: Sequence[Evidence]) -> tuple[frozenset[int], ...]:
    """The places of facts of which one ended when the other began, about the same."""
    facts = [(place, one.memory) for place, one in enumerate(evidence) if one.memory.kind == "fact"]
    return tuple(
        frozenset({one, other})
        for (one, first), (other, second) in combinations(facts, 2)
        if _took_its_place(first, second) or _took_its_place(second, first)
    )


def _took_its_place(later: Remembered, earlier: Remembered) -> bool:
    is_same_instant = earlier.invalid_at is not None and earlier.invalid_at == later.valid_at
    return is_same_instant and not _names(later).isdisjoint(_names(earlier))


def _names(memory: Remembered) -> frozenset[str]:
    return frozenset(name.casefold() for name in memory.names)


def _telling(memories: Sequence[Remembered]) -> tuple[Remembered, ...]:
    """*memories* without the turns that say no more than a fact does, and entities of which no more is known."""
    facts = [told_words(one.text) for one in memories if one.kind == "fact"]
    turns = [one for one in memories if one.kind == "episode" and not _is_said(one.text, facts)]
    said = [*facts, *(told_words(one.text) for one in turns)]
    entities = [one for one in memories if one.kind == "entity" and not _is_said(_summary(one), said)]
    left = {one.id for one in (*turns, *entities)}
    return tuple(one for one in memories if one.id in left or one.kind in {"fact", "observation"})


def _is_said(text: str, said: Sequence[frozenset[str]]) -> bool:
    return all(any(told_words(line) <= words for words in said) for line in text.splitlines())


def _summary(entity: Remembered) -> str:
    name, *_ = entity.names
    return entity.text.removeprefix(name).removeprefix(": ")


def texts_of(evidence: Iterable[Evidence]) -> tuple[str, ...]:
    """The words of each, on one line."""
    return tuple(" ".join(one.memory.text.split()) for one in evidence)
