"""
Phase 3's gate: is anything stored that the message means? If not, silence.

A calibrated probability over what the message wants (a question about a life, a task, a remark) and what was found: how
near the nearest turn is, and how much of what the message is about stands in the best turns.
The weights were fitted on made-up lives and on LoCoMo: see tests/benchmarks/README.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.retrieval.intent import KINDS, TASKS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from service.retrieval.intent import Intent

DEPTH = 4  # of the best fragments, the evidence of so many counts
_TYPICAL_COSINE = 0.45  # used for the nearest cosine where there are no comparable vectors
# The cosine from which a turn without a word in common may be meant, and from which it clearly is.
_NEAR, _CLEARLY_NEAR = 0.1, 0.2
_MANY_STEMS = 8
# How near something has to be where nobody ever spoke of what is asked, or of the relative who is: at .3 instead of .2,
# of 480 questions to minds of 10 or 20 turns 39 fewer are answered, and of 240 that nothing answers 5 more meet silence
# (`--only small_minds`); what is told of a sister is near a question about a brother.
UNHEARD, UNHEARD_RELATIVE = 0.2, 0.45
_ASKED_BEFORE = 0.45  # of a query: it was asked before, and there was no answer
_CHORES = frozenset({"code", "language", "sum", "trivia"})  # tasks that anybody may ask for
_FEWEST_TURNS, _MOST_TURNS = 15, 20_000  # outside, the growth of chance cosines was not measured

WEIGHTS: Mapping[str, float] = {
    "personal remark": 0.60,
    "personal question": 0.94,
    "other question": 0.36,
    "request": -0.62,
    "other remark": -1.23,
    "task: code": -1.5,
    "task: language": -1.81,
    "task: how to": -1.87,
    "task: sum": -1.46,
    "task: trivia": -1.39,
    "task: small talk": -2.08,
    "task: saying": -1.32,
    "first person": 1.06,
    "recalls": 1.13,
    "names known": 0.24,
    "names unknown": -0.98,
    "asks of a name": 1.5,
    "period": 2.50,
    "plan": 2.50,
    "stems": 0.87,
    "no stems": -0.17,
    "cosine": 2.5,
    "cosine, personal question": 1.5,
    "words found": 1.25,
    "words missed": -0.37,
    "share of words": 0.68,
    "share of words, personal question": 0.29,
    "concepts": 0.33,
    "share of concepts": 0.73,
    "share of concepts, personal question": -0.14,
    "size": -3.61,
}


@dataclass(frozen=True, slots=True)
class Topic:
    """
    What a query is about: its stems, each with how rare it is, its concepts, and what it wants.

    ``names_period`` where it asks for a time, ``looks_ahead`` where it asks for one that is or may be yet to come,
    ``names_plan`` where it tells of one; ``has_unknown_name`` where it names somebody unknown; ``unanswered``, 0…1, is
    how much of it was asked before and not answered. ``attributes`` are those of a person's papers that it asks for.
    ``is_saying``: it says hardly more than a saying. ``is_personal``: it speaks of a life, not only to its reader.
    ``asks_of_name``: it asks for nothing but somebody or something that the mind knows by name: "who is Wren?"
    ``least_near`` is the cosine that something needs where nobody ever spoke of what it is about, else 0.
    """

    stems: Mapping[str, float]
    concepts: frozenset[str]
    intent: Intent
    names_known: bool = False
    names_period: bool = False
    looks_ahead: bool = False
    names_plan: bool = False
    has_unknown_name: bool = False
    unanswered: float = 0.0
    attributes: frozenset[str] = frozenset()
    is_saying: bool = False
    is_personal: bool = True
    asks_of_name: bool = False
    least_near: float = 0.0

    @property
    def names_time(self) -> bool:
        """Whether it asks for a time, gone or yet to come."""
        return self.names_period or self.looks_ahead

    @property
    def asks_what_is_on(self) -> bool:
        """Whether it asks for days to come, and for nothing in particular."""
        return self.looks_ahead and not (self.stems or self.concepts)

    @property
    def is_chore(self) -> bool:
        """Whether it wants a sum, code, a translation or a joke, and says nothing of a time or of what was said."""
        is_wanted = is_chore(self.intent, has_subject=bool(self.stems))
        return is_wanted and not (self.intent.recalls or self.names_time)

    @property
    def needs_no_memory(self) -> bool:
        """Whether it is a chore that nothing stored can help with, whatever words they share."""
        return self.is_chore and not (self.is_personal or self.names_known)


@dataclass(frozen=True, slots=True)
class Evidence:
    """
    What speaks for one fragment: how near it is, and the stems and concepts of the query in and around its turn.

    ``cosine`` is None without vectors. ``by_concepts`` is its score in the arm of concepts, 0 where it has none.
    ``is_in_period``: it was told in the time that the query names, or close to it; or it names the day yet to come.
    """

    cosine: float | None
    words: frozenset[str] = frozenset()
    concepts: frozenset[str] = frozenset()
    by_concepts: float = 0.0
    is_in_period: bool = False


def is_chore(intent: Intent, *, has_subject: bool) -> bool:
    """
    Whether a message wants what anybody may ask for: a sum, code, a translation, a joke.

    Words of sums ("how many …") are in questions about a life, too: then it has a subject.
    """
    is_sum = "sum" in intent.tasks and not has_subject
    return is_sum or (intent.kind == "request" and not _CHORES.isdisjoint(intent.tasks))


def content_weights(words: Mapping[str, str], *, rarity: Callable[[str], float]) -> dict[str, float]:
    """The rarity of each stem of *words* (stem by word), without numbers and single letters."""
    return {
        stem: rarity(word)
        for word, stem in words.items()
        if not (word.isdigit() or (len(word) == 1 and word.isascii()))
    }


def features(topic: Topic, best: Sequence[Evidence], *, turns: int) -> dict[str, float]:
    """What the gate weighs, by name; *best* is the evidence of the best fragments, best first."""
    intent, few = topic.intent, best[:DEPTH]
    mass = sum(topic.stems.values())
    found = max((sum(topic.stems[one] for one in each.words if one in topic.stems) for each in few), default=0.0)
    meant = max((len(each.concepts & topic.concepts) for each in few), default=0)
    cosines = [each.cosine for each in few if each.cosine is not None]
    cosine = max(cosines) if cosines else _TYPICAL_COSINE
    is_personal_question = float(intent.kind == "personal question")
    share = found / mass if mass else 0.0
    share_meant = meant / len(topic.concepts) if topic.concepts else 0.0
    return {
        **{kind: float(intent.kind == kind) for kind in KINDS},
        **{f"task: {task}": float(task in intent.tasks) for task in TASKS},
        "first person": float(intent.is_first_person),
        "recalls": float(intent.recalls),
        "names known": float(topic.names_known),
        "names unknown": float(topic.has_unknown_name),
        "asks of a name": float(topic.asks_of_name and found == mass),
        "period": float(topic.names_time and any(each.is_in_period for each in few)),
        "plan": float(topic.names_plan and bool(found or meant)),
        "stems": min(len(topic.stems), _MANY_STEMS) / _MANY_STEMS,
        "no stems": float(not topic.stems),
        "cosine": cosine,
        "cosine, personal question": cosine * is_personal_question,
        "words found": math.log1p(found) / 2,
        "words missed": math.log1p(max(mass - found, 0.0)) / 2,
        "share of words": share,
        "share of words, personal question": share * is_personal_question,
        "concepts": max((each.by_concepts for each in few), default=0.0) / 4,
        "share of concepts": share_meant,
        "share of concepts, personal question": share_meant * is_personal_question,
        "size": chance(turns),
    }


def chance(turns: int) -> float:
    """How near the nearest of so many turns is by chance, in 0…2: the more there are, the nearer."""
    return math.sqrt(2 * math.log1p(min(max(turns, _FEWEST_TURNS), _MOST_TURNS))) / 4


def probability(topic: Topic, best: Sequence[Evidence], *, turns: int) -> float:
    """How likely something stored is meant, in 0…1; *best* is the evidence of the best fragments, best first."""
    if not best or topic.needs_no_memory or topic.unanswered >= _ASKED_BEFORE:
        return 0.0
    if topic.least_near and all(each.cosine is None or each.cosine < topic.least_near for each in best[:DEPTH]):
        return 0.0
    return logistic(sum(WEIGHTS.get(name, 0.0) * value for name, value in features(topic, best, turns=turns).items()))


def logistic(log_odds: float) -> float:
    """The probability, in 0…1, that these log odds mean."""
    return 1 / (1 + math.exp(-max(min(log_odds, 30.0), -30.0)))


def is_meant(topic: Topic, evidence: Evidence, *, is_clear: bool = False) -> bool:
    """
    Whether one fragment may be meant: it shares a subject with the query, or it is near, or in the period named.

    With *is_clear*, without a word in common it has to be clearly near.
    """
    if topic.names_time and evidence.is_in_period:
        return True
    least = _CLEARLY_NEAR if is_clear else _NEAR
    is_near = evidence.cosine is not None and evidence.cosine >= least
    if not (topic.stems or topic.concepts):
        return (is_near or not is_clear or evidence.cosine is None) and not topic.names_time
    return is_near or bool(evidence.concepts) or any(stem in evidence.words for stem in topic.stems)
