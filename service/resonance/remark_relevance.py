"""
Phase 3's measure for remarks and requests: would this one memory change what is said next?

A question is answered by what is stored or it is not: one probability for all that was found (``relevance``). A remark
has no answer; several things may bear on it, and most that are near it do not. So each memory is weighed by itself.

The weights were fitted on 2,000 memories that came up in five made-up lives of a year, in four languages, each marked
by a reader: 2 where a friend would answer otherwise for knowing it, 1 where it is on the very subject, else 0; and on
small talk, to which nothing is worth saying. See tests/benchmarks/README.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.resonance.relevance import chance, logistic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.resonance.relevance import Evidence, Topic
    from service.retrieval.moment import FragmentKind

_UNKNOWN_COSINE = 0.2  # used where there are no comparable vectors
_BRIEF_WORDS = 8.0
_CHORES = frozenset({"code", "language", "how to", "sum", "trivia", "saying"})

WEIGHTS: Mapping[str, float] = {
    "any": -1.09,
    "cosine": 1.50,
    "words": 0.88,
    "words around": 0.68,
    "concepts": 0.08,
    "same name": 0.58,
    "score": 1.81,
    "only asks": -0.38,
    "brief": -0.59,
    "size": -2.39,
    "fact": 0.69,
    "entity": 0.50,
    "small talk": -0.50,
    "chore": -0.67,
    "request": -0.54,
    "other remark": -0.19,
}


@dataclass(frozen=True, slots=True)
class Told:
    """
    What is known of a memory besides the evidence for it.

    ``stems`` of the message stand in its own turn, not only around it. ``shares_name``: it names somebody or something
    that the message names. ``score`` is the search's, 0…1. ``only_asks``: the person tells nothing in its turn.
    ``statement_words``: how many words tell something there; None where it does not rest on a turn.
    """

    kind: FragmentKind
    score: float
    stems: frozenset[str] = frozenset()
    shares_name: bool = False
    only_asks: bool = False
    statement_words: int | None = None


def is_weighed_by_memory(topic: Topic) -> bool:
    """
    Whether a message is a remark or a request with something to bear on it.

    A chore is not, nor is what asks for something that was said: a list, a time, "remember".
    """
    intent = topic.intent
    asks_for_list = intent.kind == "request" and intent.wants_list
    asks = intent.kind.endswith("question") or intent.recalls or asks_for_list or topic.names_time
    return not (asks or topic.is_chore)


def changes_answer(topic: Topic, evidence: Evidence, told: Told, *, turns: int) -> float:
    """How likely one memory changes what is said to the message, in 0…1; *turns* is how many the mind has."""
    return logistic(sum(WEIGHTS[name] * value for name, value in _features(topic, evidence, told, turns=turns).items()))


def _features(topic: Topic, evidence: Evidence, told: Told, *, turns: int) -> dict[str, float]:
    own = math.log1p(sum(topic.stems[stem] for stem in told.stems if stem in topic.stems))
    near = math.log1p(sum(topic.stems[stem] for stem in evidence.words if stem in topic.stems))
    brief = 0.0 if told.statement_words is None else math.exp(-told.statement_words / _BRIEF_WORDS)
    tasks = topic.intent.tasks
    return {
        "any": 1.0,
        "cosine": _UNKNOWN_COSINE if evidence.cosine is None else evidence.cosine,
        "words": own,
        "words around": max(near - own, 0.0),
        "concepts": evidence.by_concepts / 4,
        "same name": float(told.shares_name),
        "score": told.score,
        "only asks": float(told.only_asks),
        "brief": brief,
        "size": chance(turns),
        "fact": float(told.kind in {"fact", "observation"}),
        "entity": float(told.kind == "entity"),
        "small talk": float("small talk" in tasks),
        "chore": float(not _CHORES.isdisjoint(tasks)),
        "request": float(topic.intent.kind == "request"),
        "other remark": float(topic.intent.kind == "other remark"),
    }
