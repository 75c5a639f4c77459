"""
Phase 2's arms: each way to find turns is one row of ARMS, and its function.

A function is given a `SearchRound` and answers with the hits of each of its queries, in order. It may take what other
arms take, too (`words`, `near`, `facts`, `neighbours`: asked for once), or ask for something of its own.

What is found beside turns (entities, the journal's notes) has arms as well: a `FragmentArm` makes fragments itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from service.retrieval.fragments import as_source
from service.retrieval.fusion import CONCEPTS, COSINES, SHARES, WHOLES, ArmHits, TraitWeights
from service.retrieval.intent import intent_of
from service.retrieval.put_right import NOTHING_PUT_RIGHT

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from consolidation.kernel.turns import StoredTurn
    from service.resonance.call import PreTurnCall
    from service.resonance.search_round import SearchRound
    from service.retrieval.facts import TurnFact
    from service.retrieval.fusion import Hits, Ranked, Scale
    from service.retrieval.moment import Fragment, Source
    from service.retrieval.put_right import PutRight

_LEAST_WORDS = 1.0  # in a mind of a few turns no word is rare enough to mean much


@dataclass(frozen=True, slots=True)
class TurnArm:
    """A way to find turns: its name in traces, how it searches, how much it counts, and what its scores mean."""

    name: str
    search: Callable[[SearchRound], Awaitable[Sequence[Hits]]]
    weight: float
    scale: Scale


async def by_words(search: SearchRound) -> Sequence[Hits]:
    """Turns that hold words of the query, or whose neighbours do: how much of what it asks they hold, about 0…1."""
    return [
        {hit.number: hit.score / max(hits.most, _LEAST_WORDS) for hit in hits.turns} for hits in await search.words()
    ]


async def by_vectors(search: SearchRound) -> Sequence[Hits]:
    """Turns that mean what the query means, each with its neighbours."""
    leans = search.switches.leaning
    return [
        {int(one.key): one.similarity if leans else one.own for one in found.turns} for found in await search.near()
    ]


async def by_concepts(search: SearchRound) -> Sequence[Hits]:
    """Turns whose words mean what words of the query mean: a cat for a pet, in any language."""
    return [{hit.number: hit.score for hit in hits.concepts} for hits in await search.words()]


async def by_period(search: SearchRound) -> Sequence[Hits]:
    """Turns of the period that a query names; those that state more are better."""
    return await search.told_in_periods()


async def by_days(search: SearchRound) -> Sequence[Hits]:
    """Turns that tell of the days to come that a query asks for, whatever words they share."""
    return await search.telling_of_days()


async def by_facts(search: SearchRound) -> Sequence[Hits]:
    """Turns that told a fact which fits the query."""
    return [{sequence: fact.score for sequence, fact in facts.items()} for facts in await search.facts()]


async def by_neighbours(search: SearchRound) -> Sequence[Hits]:
    """Turns that told a fact within two steps of an entity that the first query names."""
    return [await search.neighbours(), *({} for _ in search.queries[1:])]


ARMS = (
    TurnArm("words", by_words, weight=1.0, scale=WHOLES),
    TurnArm("vectors", by_vectors, weight=1.0, scale=COSINES),
    TurnArm("concepts", by_concepts, weight=0.25, scale=CONCEPTS),
    TurnArm("period", by_period, weight=0.1, scale=SHARES),
    TurnArm("days", by_days, weight=1.5, scale=SHARES),
    TurnArm("facts", by_facts, weight=0.1, scale=SHARES),
    TurnArm("neighbours", by_neighbours, weight=0.1, scale=SHARES),
)


@dataclass(frozen=True, slots=True)
class Switches:
    """What takes part in a search: everything as shipped, except in an ablation."""

    arms: tuple[TurnArm, ...] = ARMS
    weights: TraitWeights = field(default_factory=TraitWeights)
    vectors: bool = True
    facts: bool = True
    leaning: bool = True
    names: bool = True
    journal: bool = True


@dataclass(frozen=True, slots=True)
class QueryHits:
    """
    What one query found: turns by arm, each turn's own cosine, the best fact of each turn.

    ``replaced`` are turns whose best fact has ended, each with the turn that told what took its place.
    """

    query: str
    arms: tuple[ArmHits, ...] = ()
    cosines: Mapping[int, float] = field(default_factory=dict)
    facts: Mapping[int, TurnFact] = field(default_factory=dict)
    replaced: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """
    All that a call searched for: its queries, each with its trust (0…1), and the known names in them.

    ``entities`` are names by uuid; those in ``meant`` stand in no query: they are whom "my sister" is. ``people`` have
    spoken themselves; ``degraded`` is what did not answer; ``words`` are those of all queries. ``before`` has the turns
    before short ones, by sequence; what the bot said in those that are ``denied`` was wrong. ``put_right`` is what
    people decided. ``ranked`` are the turns that were found, by sequence; the best has a score of 1.
    """

    call: PreTurnCall
    queries: Mapping[str, float]
    entities: Mapping[str, str]
    people: frozenset[str]
    degraded: frozenset[str]
    words: frozenset[str]
    before: Mapping[int, StoredTurn] = field(default_factory=dict)
    denied: frozenset[int] = frozenset()
    put_right: PutRight = NOTHING_PUT_RIGHT
    ranked: Mapping[int, Ranked] = field(default_factory=dict)
    meant: frozenset[str] = frozenset()

    @property
    def named(self) -> Mapping[str, str]:
        """The names that stand in the queries, by uuid: what holds one is boosted."""
        return {uuid: name for uuid, name in self.entities.items() if uuid not in self.meant}

    def source_of(self, turn: StoredTurn) -> Source:
        """A turn as the source of a fragment, with an excerpt of what may be told of it for these queries."""
        moment = self.call.moment
        intent = intent_of(moment.message, language=moment.language, names_known=bool(self.entities))
        return as_source(
            self.put_right.tellable(turn).turn,
            wanted=self.words,
            language=moment.language,
            before=self._before(turn.sequence),
            is_denied=turn.sequence in self.denied,
            recalls_answer=intent.recalls_answer,
        )

    def _before(self, sequence: int) -> StoredTurn | None:
        before = self.before.get(sequence)
        if before is None:
            return None
        left = self.put_right.tellable(before)
        return None if left.is_spent else left.turn


@dataclass(frozen=True, slots=True)
class FragmentEvidence:
    """What speaks for a note or an observation: its stems, and how near it is to each query."""

    stems: frozenset[str]
    cosines: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FragmentHits:
    """
    The fragments that an arm found beside turns.

    ``evidence`` is needed of notes and observations, by id; ``searched`` is among how many of them it was looked.
    ``turns`` are those that observations rest on, by sequence.
    """

    fragments: tuple[Fragment, ...] = ()
    evidence: Mapping[str, FragmentEvidence] = field(default_factory=dict)
    searched: int = 0
    turns: Mapping[int, StoredTurn] = field(default_factory=dict)


class FragmentArm[Found](Protocol):
    """Finds what is not a turn. What does not answer in time is left out, and named in *search* (`degrade`)."""

    async def search(self, search: SearchRound) -> Found:
        """What the queries of one round find."""
        ...

    async def fragments(self, found: Sequence[Found], terms: SearchTerms) -> FragmentHits:
        """What all rounds found, as fragments."""
        ...
