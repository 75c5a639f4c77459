"""
The graph of one mind on FalkorDB: our own writes (episodes, cursors, parked turns) and extraction.

Its vectors are beside the mind, and are written there first, so that whatever is in the graph has its vectors.

A cursor lives in the graph that it describes and moves in the same statement as what it counts, only from where it was
read, and only in a graph that was prepared: a graph that was emptied from outside begins again at 0, one whose server
fell back to an older state goes on from there. All writes of an operation carry the epoch of the claim with which it
began (`leased_graph.py`), and those of an extraction that of its attempt. Every statement may run twice, because
FalkorDB can fail to answer after it has obeyed.
"""

from __future__ import annotations

import asyncio
import os
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import EmbedderMismatch, GraphUnavailable
from service.adapters.falkordb import reindex as reindexing
from service.adapters.falkordb.fact_limit import retire_oldest_facts
from service.adapters.falkordb.forgetting import forget
from service.adapters.falkordb.leased_graph import LeasedGraph
from service.adapters.falkordb.reads import GraphReads
from service.adapters.falkordb.schema import has_grown, index_keys, mark_of, prepare
from service.adapters.falkordb.settling import follow, settle
from service.erasure.ports import Tainted
from service.index.mind_vectors import FACTS
from service.ports.graph import Extracted, episode_uuid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from consolidation.kernel.turns import Message
    from service.adapters.falkordb.connection import GraphConnection
    from service.adapters.falkordb.leased_graph import Claim
    from service.index.mind_vectors import MindVectors
    from service.ingest.extraction_prompts import TurnReaders
    from service.ports.embedder import Embedder, EmbedderIdentity, Vector, Vectors
    from service.ports.graph import Episode, Parked, Progress, VectorHit, VectorHits

_ELSEWHERE = "the graph is not where it was: emptied, or its server fell back; it is caught up from the transcript"
_LOOK_EVERY = 40  # writes
_GRAPHITI = "service.adapters.falkordb.graphiti"
_SWITCHES = {"GRAPHITI_TELEMETRY_ENABLED": "false", "SEMAPHORE_LIMIT": "8"}
# Each move says from where it goes. Where the cursor stands at the goal already, the statement runs a second time.
_MOVE_SAVED = """
MATCH (:Meta {name: 'embedder'})
MERGE (c:Cursor {name: 'saved'}) ON CREATE SET c.sequence = 0
WITH c WHERE c.sequence IN [$after, $sequence]
SET c.sequence = $sequence, c.turn_id = $turn_id
RETURN c.sequence
"""
# Episodes first, each once: a MERGE that meets a new node in several rows sets what it has of the last of them.
_SAVE = """
MATCH (:Meta {name: 'embedder'})
MERGE (c:Cursor {name: 'saved'}) ON CREATE SET c.sequence = 0
WITH c WHERE c.sequence IN [$after, $sequence]
UNWIND $episodes AS e
MERGE (n:Episodic {uuid: e.uuid})
ON CREATE SET n.name = e.name, n.group_id = $group, n.source = 'message', n.source_description = e.session,
  n.content = e.content, n.entity_edges = [], n.created_at = e.at, n.valid_at = e.at
WITH c, count(n) AS episodes
WHERE episodes > 0
UNWIND $passages AS p
MERGE (q:Passage {uuid: p.uuid})
SET q.episode = p.episode, q.sequence = p.sequence
WITH c, count(q) AS passages
WHERE passages > 0
SET c.sequence = $sequence, c.turn_id = $turn_id
RETURN passages
"""
_BEGIN_ATTEMPT = """
MATCH (n:Episodic {uuid: $uuid})
MERGE (a:Attempt {episode: $uuid})
SET a.count = coalesce(a.count, 0) + 1
WITH n, a
OPTIONAL MATCH (n)-[r:MENTIONS]->()
DELETE r
WITH DISTINCT a
RETURN a.count
"""
_UNDO_ATTEMPT = "MATCH (a:Attempt {episode: $uuid}) SET a.count = a.count - 1"
_FORGET_HALF_DONE = """
MATCH ()-[e:RELATES_TO]->()
WHERE e.episodes = [$uuid]
WITH e, e.uuid AS uuid
DELETE e
RETURN uuid
"""
_MARK_EXTRACTED = """
MATCH (:Meta {name: 'embedder'})
MERGE (c:Cursor {name: 'extracted'}) ON CREATE SET c.sequence = 0
WITH c WHERE c.sequence IN [$after, $sequence]
OPTIONAL MATCH (p:Passage {sequence: $sequence})
OPTIONAL MATCH (a:Attempt {episode: p.episode})
DELETE a
WITH c, count(p) AS done
SET c.sequence = $sequence, c.turn_id = $turn_id
RETURN done
"""
_PARK_BEHIND = """
MATCH (:Meta {name: 'embedder'})
MERGE (p:Parked {sequence: $sequence})
SET p.turn_id = $turn_id, p.error = $error, p.attempts = $attempts, p.parked_at = $parked_at
RETURN p.sequence
"""
_PARK = """
MATCH (:Meta {name: 'embedder'})
MERGE (c:Cursor {name: 'extracted'}) ON CREATE SET c.sequence = 0
WITH c WHERE c.sequence IN [$after, $sequence]
MERGE (p:Parked {sequence: $sequence})
SET p.turn_id = $turn_id, p.error = $error, p.attempts = $attempts, p.parked_at = $parked_at,
  c.sequence = $sequence, c.turn_id = $turn_id
RETURN c.sequence
"""
_WEIGH = """
UNWIND $facts AS fact
MATCH ()-[e:RELATES_TO {uuid: fact}]->()
UNWIND $weights AS weight
WITH e, weight WHERE e.fact = weight.text AND coalesce(e.importance, 0.0) < weight.importance
SET e.importance = weight.importance
"""
_UNPARK = "MATCH (p:Parked {sequence: $sequence}) DELETE p"
_EPISODES_ABOVE = """
MATCH (p:Passage) WHERE p.sequence > $to RETURN p.episode AS episode
UNION
UNWIND $left AS episode
OPTIONAL MATCH (p:Passage {episode: episode})
WITH episode, count(p) AS passages WHERE passages = 0
RETURN episode
"""
_UNPARK_ABOVE = "MATCH (p:Parked) WHERE p.sequence > $to DELETE p"
_GO_BACK = """
MATCH (:Meta {name: 'embedder'})
MATCH (c:Cursor) WHERE c.sequence > $to
SET c.sequence = $to, c.turn_id = $turn_id
RETURN c.name
"""
_FORGET_ATTEMPTS = "MATCH (a:Attempt {episode: $uuid}) DELETE a"


class FalkorMindGraph(GraphReads):
    """The graph of one mind: written by statements of ours, and by Graphiti what extraction finds."""

    def __init__(
        self,
        connection: GraphConnection,
        *,
        mind_id: str,
        name: str,
        vectors: MindVectors,
        readers: TurnReaders,
        embedder: Embedder,
        claim: Callable[[], Claim | None],
        dies_with_us: bool,
    ) -> None:
        """
        *claim* returns our claim of the mind, None where minds are not leased. Raises Fenced where we have none.

        *dies_with_us* says that a kill of this process kills the server, too.
        """
        super().__init__(connection, name=name, vectors=vectors)
        self.mind_id = mind_id
        self._claim = claim
        self._dies_with_us = dies_with_us
        self._prepared_at: int | None = None  # the epoch under which it was prepared last
        self._begun: dict[str, LeasedGraph] = {}  # the episode that is attempted
        self._readers = readers
        self._embedder = embedder
        self._writes = 0
        self._has_keys = False  # that are indexed
        self._mismatch: EmbedderMismatch | None = None
        self._is_checked = False  # whether the vectors are of our embedder

    async def prepare(self, *, embedder: EmbedderIdentity) -> Progress:
        """Make sentinel, indexes and identity, settle the vectors, and return how far the graph is."""
        graph = self.leased()
        try:
            mark = await prepare(graph, embedder=embedder)
        except EmbedderMismatch as error:
            self._mismatch = error
            raise
        self._mismatch, self._is_checked = None, True
        self._has_keys = False  # it may have been emptied from outside
        await self._index_keys(graph)
        # Under another claim, others may have written what these vectors lack.
        is_doubtful = graph.epoch != self._prepared_at
        await settle(
            graph, self.vectors, embedder=self._embedder, identity=embedder, mark=mark, is_doubtful=is_doubtful
        )
        self._prepared_at = graph.epoch
        return await self.progress()

    def leased(self) -> LeasedGraph:
        """Return the graph under the claim that we have of the mind now. Raises Fenced where we have none."""
        return LeasedGraph(self._connection, self.name, claim=self._claim())

    async def follow(self, *, embedder: EmbedderIdentity) -> int:
        """Make the vectors fit a graph that another service writes, as far as its own words go."""
        graph = LeasedGraph(self._connection, self.name, claim=None)  # it is only read
        try:
            mark = await mark_of(graph, embedder=embedder)
        except EmbedderMismatch as error:
            self._mismatch = error
            raise
        if not mark:
            return 0
        self._mismatch, self._is_checked = None, True
        return await follow(graph, self.vectors, embedder=self._embedder, identity=embedder, mark=mark)

    async def keep_vectors(
        self, episodes: Sequence[Episode], /, *, own: Mapping[str, Vector], leaning: Mapping[str, Vector]
    ) -> None:
        """Keep the vectors of episodes that another service has saved."""
        await anyio.to_thread.run_sync(self._keep_turns, episodes, own, leaning)

    async def note_missing(self, until: int, /) -> None:
        """Note it beside the vectors."""
        await anyio.to_thread.run_sync(self.vectors.note_missing, until)

    async def reindex(self, *, embedder: EmbedderIdentity, advanced: Callable[[int], None]) -> int:
        """Embed everything anew with the embedder this graph was opened with."""
        if await self.identity() is None:
            raise GraphUnavailable("there is no graph that could be embedded anew")
        return await reindexing.reindex(
            self.leased(),
            self.vectors,
            embedder=self._embedder,
            identity=embedder,
            advanced=advanced,
        )

    async def save(
        self,
        episodes: Sequence[Episode],
        /,
        *,
        own: Mapping[str, Vector],
        leaning: Mapping[str, Vector],
        after: int,
        cursor: int,
        turn_id: str,
    ) -> None:
        """Save episodes and passages and move the cursor ``saved``, in one statement; their vectors before it."""
        passages = [
            {"uuid": passage.uuid, "episode": episode.uuid, "sequence": episode.sequence}
            for episode in episodes
            for passage in episode.passages
        ]
        graph = self._prepared()
        await anyio.to_thread.run_sync(self._keep_turns, episodes, own, leaning)
        words = {
            "group": self.name,
            "after": after,
            "sequence": cursor,
            "turn_id": turn_id,
            "episodes": [_episodic(episode) for episode in episodes if episode.passages],
            "passages": passages,
        }
        await _move_cursor(graph, _SAVE if passages else _MOVE_SAVED, words)
        await self._grow(graph)

    async def set_leaning(self, leaning: Mapping[str, Vector], /) -> None:
        """Give passages that are there other leaning vectors."""
        await anyio.to_thread.run_sync(self.vectors.lean, leaning)

    def _keep_turns(
        self, episodes: Sequence[Episode], own: Mapping[str, Vector], leaning: Mapping[str, Vector]
    ) -> None:
        self.vectors.lean({uuid: vector for uuid, vector in leaning.items() if uuid not in own})
        if own and not self.vectors.mark:
            raise GraphUnavailable(_ELSEWHERE)
        if own:
            sequences = {one.uuid: episode.sequence for episode in episodes for one in episode.passages}
            self.vectors.put_turns(own, leaning, sequences=sequences)

    async def begin_attempt(self, episode: str, /) -> int:
        """Count an attempt, and clear what an earlier one left half done. Raises EmbedderMismatch."""
        await self._check_vectors()
        graph = self._prepared()
        self._begun = {episode: graph}
        rows = await graph.write(_BEGIN_ATTEMPT, {"uuid": episode})
        if not rows:
            raise GraphUnavailable("the graph has lost a raw episode; it is saved again")
        attempt = int(rows[0][0])
        if attempt > 1:
            gone = await graph.write(_FORGET_HALF_DONE, {"uuid": episode})
            await self._forget_facts([str(row[0]) for row in gone])
        return attempt

    async def undo_attempt(self, episode: str, /) -> None:
        """Take back an attempt that never began."""
        await self.leased().write(_UNDO_ATTEMPT, {"uuid": episode})

    async def extract(self, episode: Episode, /, *, previous: Sequence[Message]) -> Extracted:
        """Extract entities and facts with Graphiti."""
        silence_graphiti(dimension=self._embedder.dimension)
        graphiti = await anyio.to_thread.run_sync(import_module, _GRAPHITI)
        await self._check_vectors()
        graph = self._begun.pop(episode.uuid, None) or self._prepared()
        with self._readers.reading(self.mind_id) as reader:
            facts, entities = await graphiti.add_episode(
                await self._connection.client(),
                graph,
                episode,
                previous=previous,
                reader=reader,
                embedder=self._embedder,
                vectors=self.vectors,
            )
        await self._grow(graph)
        await _weigh(graph, facts, reader.importance)
        await self._forget_facts(await retire_oldest_facts(graph, facts))
        found = await asyncio.gather(self.facts(facts), self.entities(entities))
        return Extracted(*found, dropped=reader.dropped)

    async def mark_extracted(self, sequence: int, /, *, turn_id: str, after: int) -> None:
        """Move the cursor ``extracted``."""
        words = {"after": after, "sequence": sequence, "turn_id": turn_id}
        await _move_cursor(self.leased(), _MARK_EXTRACTED, words)

    async def go_back(self, *, to: int, turn_id: str) -> None:
        """Remove what is above *to*, also of turns that the cursors name and no passage does, and move the cursors."""
        graph = self.leased()
        if await self.identity() is None:
            raise GraphUnavailable(_ELSEWHERE)
        known = await self.progress()
        named = ((known.saved, known.saved_turn), (known.extracted, known.extracted_turn))
        left = [episode_uuid(self.mind_id, turn) for sequence, turn in named if turn and sequence > to]
        above = await graph.read(_EPISODES_ABOVE, {"to": to, "left": left})
        await forget(graph, self.vectors, [str(row[0]) for row in above], Tainted(), mind_id=self.mind_id)
        await graph.write(_UNPARK_ABOVE, {"to": to})
        await graph.write(_GO_BACK, {"to": to, "turn_id": turn_id})

    async def park(self, parked: Parked, /, *, after: int | None = None) -> None:
        """Record a parked turn and, unless it lies behind it, move the cursor ``extracted`` to it."""
        words = {
            "after": after,
            "sequence": parked.sequence,
            "turn_id": parked.turn_id,
            "error": parked.error,
            "attempts": parked.attempts,
            "parked_at": parked.parked_at.isoformat(),
        }
        await _move_cursor(self.leased(), _PARK_BEHIND if after is None else _PARK, words)

    async def unpark(self, parked: Parked, /) -> None:
        """Forget that a turn was parked, and its attempts."""
        graph = self.leased()
        await graph.write(_UNPARK, {"sequence": parked.sequence})
        uuid = episode_uuid(self.mind_id, parked.turn_id)
        await graph.write(_FORGET_ATTEMPTS, {"uuid": uuid})
        if self._dies_with_us:  # nobody else knows that the turn was to be read again
            await self._connection.until_written()

    async def nearest(self, vectors: Vectors, /, *, turns: int, facts: int, entities: int) -> tuple[VectorHits, ...]:
        """Return what is near each vector. Raises EmbedderMismatch."""
        await self._check_vectors()
        return await super().nearest(vectors, turns=turns, facts=facts, entities=entities)

    def _prepared(self) -> LeasedGraph:
        """Return the graph under our claim, under which it was prepared. Raises GraphUnavailable."""
        graph = self.leased()
        if graph.epoch is not None and graph.epoch != self._prepared_at:
            raise GraphUnavailable("the graph was not prepared since this mind was claimed")
        return graph

    async def _grow(self, graph: LeasedGraph) -> None:
        """Now and then, look whether the graph has grown so far that its keys need indexes."""
        self._writes += 1
        if self._writes % _LOOK_EVERY == 0:
            await self._index_keys(graph)

    async def _index_keys(self, graph: LeasedGraph) -> None:
        if not self._has_keys and await has_grown(graph):
            await index_keys(graph)
            self._has_keys = True

    async def _forget_facts(self, uuids: Sequence[str]) -> None:
        """Take the vectors of facts that are gone, or are not compared any more."""
        if uuids:
            await anyio.to_thread.run_sync(self.vectors.remove, FACTS, uuids)

    async def facts_around(self, entities: Sequence[str], vector: Vectors, /, *, limit: int) -> tuple[VectorHit, ...]:
        """Return facts one and two steps from *entities*. Raises EmbedderMismatch for vectors of another embedder."""
        await self._check_vectors()
        return await super().facts_around(entities, vector, limit=limit)

    async def close(self) -> None:
        """Close the files of the vectors."""
        await anyio.to_thread.run_sync(self.vectors.close)

    async def _check_vectors(self) -> None:
        """Raise EmbedderMismatch where the vectors are of another embedder, also before the graph was prepared."""
        if self._mismatch is not None:
            raise EmbedderMismatch(str(self._mismatch))
        if not self._is_checked:
            await self._compared(partial(self.vectors.check, self._embedder.stored_name), queries=0)


async def _move_cursor(graph: LeasedGraph, cypher: str, words: Mapping[str, object]) -> None:
    """Run a statement that moves a cursor. Raises GraphUnavailable where nothing moved."""
    if not await graph.write(cypher, words):
        raise GraphUnavailable(_ELSEWHERE)


async def _weigh(graph: LeasedGraph, facts: Sequence[str], importance: Mapping[str, float]) -> None:
    """Let facts (uuids) be as important as a model says of their words, and never less than before."""
    if importance:
        weights = [{"text": text, "importance": weight} for text, weight in importance.items()]
        await graph.write(_WEIGH, {"facts": list(facts), "weights": weights})


def _episodic(episode: Episode) -> dict[str, object]:
    return {
        "uuid": episode.uuid,
        "name": f"turn {episode.sequence}",
        "session": episode.session_id,
        "content": episode.text,
        "at": episode.occurred_at.isoformat(),
    }


def silence_graphiti(*, dimension: int) -> None:
    """Turn Graphiti's telemetry off and set the dimension of its vectors, before it is imported: it reads both then."""
    os.environ.update(_SWITCHES, EMBEDDING_DIM=str(dimension))
