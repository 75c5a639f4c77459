"""
One round of queries, and what its arms share: the vectors, what the graph has near them, the hits of full text.

Each is asked for once, by the first arm that needs it: one embedding call and a few statements a round, however many
queries. What does not answer in time is left out and named; full text alone still remembers.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio.to_thread

from consolidation.kernel.errors import EmbedderFault, GraphFault
from consolidation.text.concepts import answered_by, concepts
from consolidation.text.dates import month_names
from consolidation.text.names import name_key
from consolidation.text.speech_acts import with_question_mark
from consolidation.text.subjectless import subject_words
from consolidation.text.words import content_words
from service.index.text_ranking import TextHit, TextQuery
from service.mind.index_lag import INDEX_BEHIND
from service.ports.graph import VectorHits
from service.resonance.days_arm import telling_of_days
from service.retrieval.days_to_come import days_to_come
from service.retrieval.facts import FoundFacts, found_facts, neighbour_scores
from service.retrieval.fusion import DEPTH
from service.retrieval.periods import period, without_period
from service.retrieval.put_right import NOTHING_PUT_RIGHT
from service.retrieval.queries import is_entity, named_in, without_people
from service.retrieval.tellers import ROLES, called_by_given_name

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
    from datetime import tzinfo

    from service.index.text_index import TextIndex
    from service.mind.minds import Mind
    from service.ports.embedder import Embedder, Vectors
    from service.ports.graph import VectorHit
    from service.resonance.arms import Switches
    from service.retrieval.days_to_come import DaysToCome
    from service.retrieval.facts import TurnFact
    from service.retrieval.fusion import Hits
    from service.retrieval.periods import Period
    from service.retrieval.put_right import PutRight

_FACTS = 60
_ENTITIES = 6  # from which a traversal begins
_TELLING_WORDS = 12  # a turn that states so many words tells something
_BESIDE = 0.5  # how much a concept counts that may answer the one asked for
_MEANT = 5  # entities that a query may mean without naming them


class KnownNames(NamedTuple):
    """
    The names in some queries that a mind knows, entities as uuid and name; the languages to stem the queries in.

    ``put_right`` is what people decided of entities, facts and turns. ``meant`` are the uuids of those whom the queries
    do not name: whom "my sister" is.
    """

    people: frozenset[str] = frozenset()
    entities: tuple[tuple[str, str], ...] = ()
    languages: tuple[str, ...] = ()
    put_right: PutRight = NOTHING_PUT_RIGHT
    meant: frozenset[str] = frozenset()


class WordHits(NamedTuple):
    """
    The turns and the facts that full text found of one query; ``concepts`` are turns by what words mean, or that may
    answer what they mean.

    ``most`` is about what a turn with all words of the query would score.
    """

    turns: tuple[TextHit, ...]
    concepts: tuple[TextHit, ...]
    facts: tuple[TextHit, ...]
    most: float


class SearchRound:
    """The queries of one round, in one mind; to be closed when its arms have answered."""

    def __init__(
        self,
        queries: Sequence[str],
        *,
        mind: Mind,
        names: KnownNames,
        language: str,
        now: datetime,
        timezone: tzinfo,
        seconds: float | None,
        embedder: Embedder,
        switches: Switches,
    ) -> None:
        """The embedder and the graph have *seconds* from now on (None: no limit)."""
        self.queries = tuple(queries)
        self.mind = mind
        self.names = names
        self.language = language
        self.now = now
        self.timezone = timezone
        self.seconds = seconds
        self.switches = switches
        self._until = None if seconds is None else asyncio.get_running_loop().time() + seconds
        self._embedder = embedder
        # Names of people drown in a vector what is said about them. The ranking takes them as a cue instead.
        left_out = names.people if switches.names else frozenset[str]()
        self._bare = [without_people(query, left_out) or query for query in self.queries]
        self._degraded: dict[str, None] = {}
        self._asked: dict[str, asyncio.Task[Any]] = {}

    @property
    def text(self) -> TextIndex:
        """The full text of the mind."""
        return self.mind.text

    @property
    def degraded(self) -> tuple[str, ...]:
        """What did not answer, or was not asked for lack of time."""
        return tuple(self._degraded)

    async def words(self) -> tuple[WordHits, ...]:
        """What full text finds, by query. Raises IndexUnusable."""
        return await self._once(self._search_words)

    async def told_in_periods(self) -> tuple[Hits, ...]:
        """The turns of the period that each query names, by how much they state, 0…1. Raises IndexUnusable."""
        now = self.now.astimezone(self.timezone)
        named = [
            period(query, today=now.date(), language=self.language, timezone=self.timezone) for query in self.queries
        ]
        if not any(named):
            return ({},) * len(self.queries)
        return await anyio.to_thread.run_sync(_in_periods, self.text, named, now)

    async def telling_of_days(self) -> tuple[Hits, ...]:
        """The turns that tell of the days to come which each query asks for, 0…1. Raises HomeFault."""
        asked = self._ahead()
        if not any(one is not None and one.is_searched for one in asked):
            return ({},) * len(self.queries)
        words = await self.words()
        find = partial(telling_of_days, self.mind, asked, words, timezone=self.timezone, language=self.language)
        return await anyio.to_thread.run_sync(find)

    async def vectors(self) -> Vectors | None:
        """
        A row a query; None where the embedder does not answer in time, or is left out.

        It is left out while the turns of the mind get their vectors, oldest first: those that have some would stand
        before newer ones that say what holds now.
        """
        return await self._once(self._embed)

    async def near(self) -> tuple[VectorHits, ...]:
        """What the graph has near each query; nothing where it, or the embedder, does not answer in time."""
        return await self._once(self._ask_near)

    async def around(self) -> tuple[VectorHit, ...]:
        """The facts around the entities that the queries name, nearest to the first query first."""
        return await self._once(self._ask_around)

    async def facts(self) -> tuple[Mapping[int, TurnFact], ...]:
        """The best fact of each turn that told one which fits, by query. Raises IndexUnusable."""
        return tuple(found.best for found in (await self._once(self._find_facts))[0])

    async def replaced(self) -> tuple[Mapping[int, int], ...]:
        """By query: turns whose best fact has ended, each with that which told what holds. Raises IndexUnusable."""
        return tuple(found.replaced for found in (await self._once(self._find_facts))[0])

    async def neighbours(self) -> Hits:
        """How well the facts around what the queries name fit, by the turns that told them. Raises IndexUnusable."""
        return (await self._once(self._find_facts))[1]

    def degrade(self, *rungs: str) -> None:
        """Name what did not answer."""
        self._degraded.update(dict.fromkeys(rungs))

    def close(self) -> None:
        """Let go of what is still asked."""
        for task in self._asked.values():
            task.cancel()

    async def _once[T](self, ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
        task: asyncio.Task[T] | None = self._asked.get(ask.__name__)
        if task is None:
            task = self._asked[ask.__name__] = asyncio.ensure_future(ask())
        return await asyncio.shield(task)  # an arm that gives up does not take it from the others

    async def _search_words(self) -> tuple[WordHits, ...]:
        asked = tuple(zip(self._bare, self._ahead(), strict=True))
        return await anyio.to_thread.run_sync(_by_words, self.text, asked, self.names.languages)

    def _ahead(self) -> tuple[DaysToCome | None, ...]:
        """The days to come that each query asks for."""
        today, language = self.now.astimezone(self.timezone).date(), self.language
        return tuple(
            days_to_come(query, today=today, language=language, timezone=self.timezone) for query in self.queries
        )

    async def _embed(self) -> Vectors | None:
        if not self.switches.vectors:
            return None
        if self.seconds is not None and self.seconds <= 0:
            self.degrade("vectors_skipped")
            return None
        if await self._lacks_turns():
            self.degrade(INDEX_BEHIND)
            return None
        try:
            async with asyncio.timeout_at(self._until):
                return await self._embedder.embed_queries([with_question_mark(query) for query in self._bare])
        except (EmbedderFault, TimeoutError):
            self.degrade("embedder_unavailable")
            return None

    async def _lacks_turns(self) -> bool:
        with suppress(GraphFault):  # it is named where its vectors are searched
            return await self.mind.graph.missing_until() > 0
        return False

    async def _ask_near(self) -> tuple[VectorHits, ...]:
        vectors = await self.vectors()
        if vectors is not None:
            async with self._asking_graph():
                return await self.mind.graph.nearest(vectors, turns=DEPTH, facts=_FACTS, entities=_MEANT)
        return (VectorHits(),) * len(self.queries)

    async def _ask_around(self) -> tuple[VectorHit, ...]:
        uuids = [uuid for uuid, _ in self.names.entities[:_ENTITIES]]
        vectors = await self.vectors() if uuids else None
        if vectors is not None:
            async with self._asking_graph():
                return await self.mind.graph.facts_around(uuids, vectors[:1], limit=_FACTS)
        return ()

    @asynccontextmanager
    async def _asking_graph(self) -> AsyncIterator[None]:
        """Ask the graph inside while there is time; a failure is named, and goes no further."""
        try:
            async with asyncio.timeout_at(self._until):
                yield
        except EmbedderFault:  # the graph's vectors are of another embedder
            self.degrade("embedder_unavailable")
        except (GraphFault, TimeoutError):
            self.degrade("graph_unavailable")

    async def _find_facts(self) -> tuple[tuple[FoundFacts, ...], Hits]:
        words, near, around = await asyncio.gather(self.words(), self.near(), self.around())
        pairs = [(one.facts, found.facts) for one, found in zip(words, near, strict=True)]
        text, now, put_right = self.text, self.now, self.names.put_right

        def find() -> tuple[tuple[FoundFacts, ...], Hits]:
            facts = _facts(text, pairs, now, put_right) if self.switches.facts else (FoundFacts({}, {}),) * len(pairs)
            return facts, neighbour_scores(text, around, now, put_right=put_right) if around else {}

        return await anyio.to_thread.run_sync(find)


def known_names(
    text: TextIndex,
    queries: Sequence[str],
    language: str,
    put_right: PutRight = NOTHING_PUT_RIGHT,
    *,
    by_relation: Sequence[str] = (),
) -> KnownNames:
    """
    The known names in *queries*, and those that a person said mean the same; the languages are *language* and the
    mind's main ones. Queries *by_relation* have the name of whom "my sister" is in its place. Raises IndexUnusable.
    """
    speakers = {name_key(name): name for name in text.speakers() if name_key(name) not in ROLES}

    def entities(asked: Sequence[str]) -> list[tuple[str, str]]:
        alike = [key for query in asked for key in put_right.standing.alike(query)]
        whole = [pair for query in (*asked, *alike) for pair in text.names_in(query)]
        first = [pair for query in asked for pair in text.by_first_name(query, language=language)]
        return [pair for pair in (*whole, *first) if is_entity(pair[1])]

    named, meant = entities(queries), entities(by_relation)
    every = dict.fromkeys((*named, *meant))
    keys = {name_key(name) for _, name in every}
    asked = (*queries, *by_relation)
    words = {word for query in asked for word in name_key(query).split()}
    people = {name for key, name in speakers.items() if key in keys or set(key.split()) <= words}
    people |= {name for query in asked for name in named_in(query, speakers.values())}
    return KnownNames(
        frozenset(people) | called_by_given_name(asked, speakers.values(), put_right, known=keys),
        tuple(every),
        tuple(dict.fromkeys((language, *text.languages()))),
        put_right,
        frozenset(uuid for uuid, _ in every) - {uuid for uuid, _ in named},
    )


def _by_words(
    text: TextIndex, queries: Iterable[tuple[str, DaysToCome | None]], languages: Sequence[str]
) -> tuple[WordHits, ...]:
    """Search for each query, and for the month by its names where it asks for a date to come."""
    asked, weighed = [], []
    for query, ahead in queries:
        date = ahead.hint if ahead is not None else None
        bare = without_period(query, keeps_dates=date is not None)
        month = " ".join(month_names(date.month)) if date else ""
        named = (stem for code in languages for stem in content_words(month, language=code).values())
        wanted = tuple(dict.fromkeys((*_wanted(bare, languages), *named)))
        meant = {concept for code in languages for concept in concepts(query, language=code)}
        asked += [
            TextQuery("turns", wanted, DEPTH),
            TextQuery("concepts", tuple(sorted(meant)), DEPTH),
            TextQuery("concepts", tuple(sorted(answered_by(meant))), DEPTH),
            TextQuery("facts", wanted, _FACTS),
        ]
        weighed.append(subject_stems(bare, language=languages[0]) if languages else wanted)
    found = text.search_all(asked)
    most = text.weights("turns", weighed)
    by_meaning = map(_both, found[1::4], found[2::4])
    return tuple(map(WordHits, found[::4], by_meaning, found[3::4], most))


def _both(meant: Sequence[TextHit], beside: Sequence[TextHit]) -> tuple[TextHit, ...]:
    """Turns by the concepts that are *meant* and by those that may answer them, which count for less, best first."""
    scores = Counter({one.number: one.score for one in meant})
    scores.update({one.number: _BESIDE * one.score for one in beside})
    return tuple(map(TextHit._make, scores.most_common(DEPTH)))


def subject_stems(text: str, *, language: str) -> tuple[str, ...]:
    """The stems of the words of *text* that say what it is about; possibly none."""
    return tuple(subject_words(text, language=language).values())


def _wanted(query: str, languages: Sequence[str]) -> tuple[str, ...]:
    """
    What *query* is about, as stems of each language of the mind.

    The first one is the query's own: to the others "what did the" are words like all others, and say nothing.
    """
    telling = subject_words(query, language=languages[0]).keys() if languages else ()
    stems = (
        stem for code in languages for word, stem in subject_words(query, language=code).items() if word in telling
    )
    return tuple(dict.fromkeys(stems))


def _in_periods(text: TextIndex, periods: Iterable[Period | None], now: datetime) -> tuple[Hits, ...]:
    found: list[Hits] = []
    for named in periods:
        if named is None:
            found.append({})
            continue
        first = datetime.combine(named.first, time(), now.tzinfo).astimezone(UTC)
        last = datetime.combine(named.last + timedelta(1), time(), now.tzinfo).astimezone(UTC)
        stated = text.turns_between(first, last, limit=DEPTH)
        found.append({sequence: min(1.0, words / _TELLING_WORDS) for sequence, words in stated.items()})
    return tuple(found)


def _facts(
    text: TextIndex,
    pairs: Iterable[tuple[Sequence[TextHit], Sequence[VectorHit]]],
    now: datetime,
    put_right: PutRight,
) -> tuple[FoundFacts, ...]:
    return tuple(found_facts(text, hits, near, now, put_right=put_right) for hits, near in pairs)
