"""What memory holds about a question: memories, each with its state, and which of them can contradict each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import anyio.to_thread

from consolidation.corrections.record import What
from consolidation.kernel.turns import Speaker
from consolidation.text.language import detect, primary_subtag
from consolidation.text.names import keyphrases
from consolidation.text.sentences import sentences
from consolidation.text.words import tokens
from service.retrieval.lead_words import led_in, told_words
from service.retrieval.put_right import put_right_in
from service.retrieval.remembered import Kind, Remembered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from service.mind.minds import Mind
    from service.retrieval.remember import Recall
    from service.retrieval.time_window import TimeWindow

type State = Literal["holding", "ended", "planned", "said", "wrong"]

_MOST_SENTENCES = 3  # of a question, that are searched for by themselves
_DERIVED_SHARE = 0.9  # what a query made of the question counts, of the question itself
_FACTS, _TURNS = frozenset[Kind]({"fact"}), frozenset[Kind]({"episode", "observation"})
_ENTITIES, _MOST_ENTITIES = frozenset[Kind]({"entity"}), 100  # that are looked at for those of which a person wrote
_ROLES = frozenset(role.value for role in Speaker)
_LEAST_SHARE = 0.3  # of the best score of a search: what scores lower is near by chance
_MOST_FOLLOWED, _LEAST_FOLLOWED = 2, 0.5  # facts whose names are followed, and the least score of one
_MOST_NAMES, _FOLLOWED_SHARE = 3, 0.5  # names that are followed, and how much what is found by them counts


@dataclass(frozen=True, slots=True)
class Evidence:
    """
    A memory that bears on a question. Facts hold, end or begin, and what a person wrote of an entity holds; everything
    else was ``said``.

    ``wrong`` is what a person said is so, or otherwise.
    """

    memory: Remembered
    state: State


async def find_evidence(
    recall: Recall,
    mind: Mind,
    question: str,
    *,
    language: str,
    window: TimeWindow,
    now: datetime,
    limit: int,
    asker: str = "",
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """
    At most *limit* memories about *question*, best first, and what was unavailable.

    What was said in *window* counts; its ``at`` asks what held then. *asker* is the name of who asks. Who said each is
    told in *language*, a tag.

    "Where does my mother live?" finds who she is, and by her name what else is known. What is summed up of an entity
    is among them only where a person wrote it: what a model summed up does not say what ended.
    """
    best: dict[str, Remembered] = {}
    unavailable: list[str] = []
    written = (await put_right_in(mind)).written()

    async def search(query: str, kinds: frozenset[Kind], *, share: float, is_said_only: bool = False) -> None:
        most = max(limit, _MOST_ENTITIES) if kinds == _ENTITIES else limit
        found, degraded = await recall.remember(mind, query, kinds=kinds, window=window, limit=most, asker=asker)
        unavailable.extend(degraded)
        found = tuple(one for one in found if one.kind != "entity" or one.written is not None)
        near = (one for one in found if one.score >= _LEAST_SHARE * found[0].score)
        for memory in (one for one in near if one.statement is not None or not is_said_only):
            scored = replace(memory, score=round(memory.score * share, 4))
            best[memory.id] = max(best.get(memory.id, scored), scored, key=lambda one: one.score)

    for query, share in queries_of(question, language=language).items():
        await search(query, _FACTS, share=share)  # apart from turns, of which a search takes one for the fact it tells
        await search(query, _TURNS, share=share)
        if written:
            await search(query, _ENTITIES, share=share)
    if _lacks_an_edit(best.values()):  # a turn that was edited tells no fact that is near the question
        await search(question, _FACTS | _TURNS, share=1.0, is_said_only=True)
    for name in await anyio.to_thread.run_sync(followed_names, tuple(best.values()), question, mind.text.names_in):
        await search(name, _FACTS, share=_FOLLOWED_SHARE)
        if written:
            await search(name, _ENTITIES, share=_FOLLOWED_SHARE)
    ranked = sorted(best.values(), key=lambda one: (one.is_held_back, one.tells_wrong, one.is_contradicted, -one.score))
    told = (_led_in(one, language=language) for one in _telling(ranked)[:limit])
    evidence = tuple(Evidence(one, state_of(one, at=window.at or now)) for one in told)
    return evidence, tuple(dict.fromkeys(unavailable))


def _led_in(memory: Remembered, *, language: str) -> Remembered:
    """*memory* with the words of *language* for who said it, also in what it rests on."""
    sources = tuple(replace(one, excerpt=led_in(one.excerpt, language=language)) for one in memory.sources)
    return replace(memory, text=led_in(memory.text, language=language), sources=sources)


def _lacks_an_edit(found: Collection[Remembered]) -> bool:
    """Whether something is *found* and not what a person put in its place."""
    corrections = [made for one in found for made in one.corrections if made.target.kind != "entity"]
    edits = {made.id for made in corrections if made.what is What.EDIT}
    return not edits <= {one.statement.id for one in found if one.statement is not None}


def queries_of(question: str, *, language: str) -> Mapping[str, float]:
    """
    What is searched for, and how much of its score counts: the question, its sentences, and what it is about.

    *language*, a tag, is the question's where a few words do not tell.
    """
    language = detect(question, fallback=primary_subtag(language))
    parts = sentences(question, language=language)
    derived = (*(parts[:_MOST_SENTENCES] if len(parts) > 1 else ()), " ".join(keyphrases(question, language=language)))
    return {**{one: _DERIVED_SHARE for one in derived if one.strip()}, question: 1.0}


def followed_names(
    found: Sequence[Remembered], question: str, names_in: Callable[[str], Iterable[tuple[str, str]]]
) -> tuple[str, ...]:
    """
    The names that the best facts bring and the question does not have, those of roles left out.

    *names_in* finds known entities in a text: uuid and name.
    """
    asked = set(tokens(question))
    facts = [one for one in found if one.kind == "fact" and one.score >= _LEAST_FOLLOWED]
    best = sorted(facts, key=lambda one: -one.score)[:_MOST_FOLLOWED]
    brought = [name for fact in best for name in (*fact.names, *(name for _, name in names_in(fact.text)))]
    names = dict.fromkeys(name for name in brought if name.casefold() not in _ROLES)
    return tuple(name for name in names if not set(tokens(name)) <= asked)[:_MOST_NAMES]


def state_of(memory: Remembered, *, at: datetime) -> State:
    """How a memory stands at an instant. One that a person only muted stands as it did."""
    if memory.tells_wrong or (memory.is_held_back and not is_muted(memory)):
        return "wrong"
    if memory.written is not None:
        return "holding"
    if memory.kind != "fact":
        return "said"
    if memory.invalid_at is not None and memory.invalid_at <= at:
        return "ended"
    return "planned" if memory.valid_at is not None and memory.valid_at > at else "holding"


def is_muted(memory: Remembered) -> bool:
    """Whether a person said that it, or something that it tells, shall never come up by itself."""
    return any(one.what is What.MUTE for one in memory.corrections)


def is_sound(one: Evidence) -> bool:
    """Whether nobody said that it is wrong, and nothing found it wrong."""
    return one.state != "wrong" and not one.memory.is_contradicted


def unsettled(evidence: Sequence[Evidence], places: Iterable[int]) -> frozenset[int]:
    """
    Those of *places* that can contradict another of them: both are sound, and claim the same time.

    What ended and what took its place are both true, and so are what holds and what is planned. A turn does not
    contradict what it told.
    """
    sound = [place for place in places if is_sound(evidence[place])]
    pairs = combinations(sound, 2)
    return frozenset(place for pair in pairs if _claim_one_time(evidence, *pair) for place in pair)


def _told_in(memory: Remembered) -> frozenset[int]:
    return frozenset(source.sequence for source in memory.sources)


def _claim_one_time(evidence: Sequence[Evidence], one: int, other: int) -> bool:
    if not _told_in(evidence[one].memory).isdisjoint(_told_in(evidence[other].memory)):
        return False
    first, second = (_Span.of(evidence[place], evidence) for place in (one, other))
    return first.is_planned == second.is_planned and first.reaches(second) and second.reaches(first)


@dataclass(frozen=True, slots=True)
class _Span:
    """The time that a memory claims; None is open."""

    since: datetime | None
    until: datetime | None
    is_planned: bool

    @classmethod
    def of(cls, one: Evidence, evidence: Iterable[Evidence]) -> _Span:
        """A turn ends with the last of the facts that it told, as far as they are known here."""
        memory = one.memory
        told_in = _told_in(memory)
        others = (two.memory for two in evidence if two.memory.kind == "fact")
        facts = [fact for fact in others if not told_in.isdisjoint(_told_in(fact))]
        ends = [fact.invalid_at for fact in ([memory] if memory.kind == "fact" else facts)]
        known = [end for end in ends if end is not None]
        until = max(known) if known and len(known) == len(ends) else None
        return cls(memory.valid_at or memory.occurred_at, until, one.state == "planned")

    def reaches(self, other: _Span) -> bool:
        """Whether it has not ended before the *other* begins."""
        return self.until is None or other.since is None or self.until > other.since


def _telling(memories: Sequence[Remembered]) -> tuple[Remembered, ...]:
    """*memories* without the turns that say no more than a fact does."""
    facts = [told_words(one.text) for one in memories if one.kind == "fact"]
    return tuple(
        one for one in memories if one.kind != "episode" or not any(told_words(one.text) <= words for words in facts)
    )


def texts_of(evidence: Iterable[Evidence]) -> tuple[str, ...]:
    """The words of each, on one line."""
    return tuple(" ".join(one.memory.text.split()) for one in evidence)
