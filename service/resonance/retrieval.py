"""
Phase 2b: every arm for every query, at once: words from full text, meanings and facts from the graph, people's notes.

One embedding call and a few statements a round, however many queries. What does not answer in time is left out
and named; full text alone still remembers.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import anyio.to_thread

from consolidation.kernel.errors import EmbedderFault, GraphFault
from consolidation.kernel.turns import Speaker
from consolidation.kernel.words import stems
from service.recall.text_names import name_key
from service.resonance.facts import told_around, told_by_turns
from service.resonance.fusion import DEPTH, Arms
from service.resonance.notes import Noted
from service.resonance.queries import without_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from service.minds import Mind
    from service.ports import Embedder, EpisodicGraph, Near, NearBy, Vectors
    from service.recall.text_index import TextIndex
    from service.recall.text_ranking import Hit
    from service.resonance.facts import Told
    from service.resonance.notes import Notes

_FACTS = 60
_ENTITIES = 6  # from which a traversal begins
_AKIN, _SAME = 5, 0.6  # entities a query may mean without naming them, and how near it must be to their names
_ROLES = frozenset(name_key(role) for role in Speaker)


@dataclass(frozen=True, slots=True)
class Switches:
    """Which arms are asked: all of them, except in an ablation."""

    vectors: bool = True
    facts: bool = True
    traversal: bool = True
    leaning: bool = True
    names: bool = True
    journal: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """What one query found: the arms by turn, each turn's own cosine, the best fact of each turn."""

    query: str
    arms: Arms = field(default_factory=Arms)
    cosines: Mapping[int, float] = field(default_factory=dict)
    facts: Mapping[int, Told] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What all queries found, the known names in them, entities meant without their name, what did not answer."""

    found: tuple[Found, ...]
    people: frozenset[str]
    entities: tuple[tuple[str, str], ...]
    akin: tuple[tuple[str, str], ...] = ()
    degraded: tuple[str, ...] = ()
    noted: Noted = field(default_factory=Noted)


@dataclass(frozen=True, slots=True)
class _Known:
    people: frozenset[str]
    entities: tuple[tuple[str, str], ...]
    languages: tuple[str, ...]


class Retrieval:
    """Asks full text, embedder, graph and journal of one mind."""

    def __init__(
        self, graph: EpisodicGraph, *, embedder: Embedder, switches: Switches, notes: Notes | None = None
    ) -> None:
        """Bind to what is asked; without *notes*, the journal is not."""
        self._notes = notes if switches.journal else None
        self._graph = graph
        self._embedder = embedder
        self._switches = switches

    async def search(
        self, queries: Sequence[str], *, mind: Mind, language: str, now: datetime, seconds: float | None
    ) -> Retrieved:
        """What *queries* find within *seconds* (None: no limit). Never raises for an outside failure."""
        if not queries:
            return Retrieved((), frozenset(), ())
        known = await anyio.to_thread.run_sync(_known, mind.text, tuple(queries), language)
        stripped = known.people if self._switches.names else frozenset()
        asked = [without_names(query, stripped) or query for query in queries]
        meaning: asyncio.Future[Vectors | None] = asyncio.get_running_loop().create_future()
        words, (near, around, degraded), noted = await asyncio.gather(
            anyio.to_thread.run_sync(_by_words, mind.text, asked, known.languages),
            self._by_meaning(mind, asked, known, seconds, meaning),
            self._by_notes(mind, queries, language, seconds, meaning),
        )
        found = await anyio.to_thread.run_sync(self._joined, mind.text, queries, words, near, around, now)
        told = (*degraded, *noted.degraded)
        return Retrieved(found, known.people, known.entities, _akin(mind.text, near), told, noted)

    async def _by_notes(
        self,
        mind: Mind,
        queries: Sequence[str],
        language: str,
        seconds: float | None,
        meaning: asyncio.Future[Vectors | None],
    ) -> Noted:
        if self._notes is None:
            return Noted()
        return await self._notes.search(mind, queries, language=language, meaning=meaning, seconds=seconds)

    async def _by_meaning(
        self,
        mind: Mind,
        asked: Sequence[str],
        known: _Known,
        seconds: float | None,
        meaning: asyncio.Future[Vectors | None],
    ) -> tuple[tuple[NearBy, ...], tuple[Near, ...], tuple[str, ...]]:
        try:
            return await self._near(mind, asked, known, seconds, meaning)
        finally:
            if not meaning.done():
                meaning.set_result(None)

    async def _near(
        self,
        mind: Mind,
        asked: Sequence[str],
        known: _Known,
        seconds: float | None,
        meaning: asyncio.Future[Vectors | None],
    ) -> tuple[tuple[NearBy, ...], tuple[Near, ...], tuple[str, ...]]:
        if not self._switches.vectors:
            return (), (), ()
        if seconds is not None and seconds <= 0:
            return (), (), ("vectors_skipped",)
        waited_for = "embedder_unavailable"
        try:
            async with asyncio.timeout(seconds):
                vectors = await self._embedder.embed(asked)
                meaning.set_result(vectors)
                waited_for = "graph_unavailable"
                uuids = [uuid for uuid, _ in known.entities[:_ENTITIES]] if self._switches.traversal else []
                near, around = await asyncio.gather(
                    self._graph.near(mind.mind_id, vectors, turns=DEPTH, facts=_FACTS, entities=_AKIN),
                    self._graph.neighbours(mind.mind_id, uuids, vectors[:1], limit=_FACTS),
                )
                return near, around, ()
        except EmbedderFault:
            return (), (), ("embedder_unavailable",)
        except (GraphFault, TimeoutError):
            return (), (), (waited_for,)

    def _joined(
        self,
        text: TextIndex,
        queries: Sequence[str],
        words: Sequence[_Words],
        near: Sequence[NearBy],
        around: Sequence[Near],
        now: datetime,
    ) -> tuple[Found, ...]:
        joined = []
        for number, query in enumerate(queries):
            by_words = words[number]
            by_meaning = near[number] if near else None
            near_facts = by_meaning.facts if by_meaning else ()
            told = told_by_turns(text, by_words.facts, near_facts, now) if self._switches.facts else {}
            arms = Arms(
                words={hit.number: hit.score for hit in by_words.turns},
                vectors=self._vectors(by_meaning),
                facts={sequence: fact.score for sequence, fact in told.items()},
                neighbours=told_around(text, around, now) if number == 0 else {},
            )
            cosines = {int(one.key): one.own for one in by_meaning.turns} if by_meaning else {}
            joined.append(Found(query, arms, cosines, told))
        return tuple(joined)

    def _vectors(self, near: NearBy | None) -> dict[int, float]:
        arm = near.turns if near else ()
        return {int(one.key): one.similarity if self._switches.leaning else one.own for one in arm}


class _Words(NamedTuple):
    turns: tuple[Hit, ...]
    facts: tuple[Hit, ...]


def _known(text: TextIndex, queries: tuple[str, ...], language: str) -> _Known:
    """The known names in the queries, and the languages to stem them in: theirs, and the mind's main ones."""
    speakers = {name_key(name): name for name in text.speakers() if name_key(name) not in _ROLES}
    named = [pair for query in queries for pair in text.named(query) if name_key(pair[1]) not in _ROLES]
    here = {name_key(name) for _, name in named}
    words = {word for query in queries for word in name_key(query).split()}
    people = frozenset(name for key, name in speakers.items() if key in here or set(key.split()) <= words)
    return _Known(people, tuple(dict.fromkeys(named)), tuple(dict.fromkeys((language, *text.languages()))))


def _akin(text: TextIndex, near: Sequence[NearBy]) -> tuple[tuple[str, str], ...]:
    """The entities whose names mean what a query says: uuid and name."""
    uuids = tuple(dict.fromkeys(one.key for by_meaning in near for one in by_meaning.entities if one.own >= _SAME))
    rows = text.entities(tuple(text.entity_numbers(uuids).values())) if uuids else {}
    return tuple((str(uuid), str(name)) for uuid, name, *_ in rows.values() if name_key(str(name)) not in _ROLES)


def _by_words(text: TextIndex, asked: Sequence[str], languages: Sequence[str]) -> tuple[_Words, ...]:
    found = []
    for query in asked:
        wanted = tuple(stem for code in languages for stem in stems(query, language=code))
        found.append(_Words(text.search("turns", wanted, limit=DEPTH), text.search("facts", wanted, limit=_FACTS)))
    return tuple(found)
