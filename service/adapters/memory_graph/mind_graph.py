"""The graph of one mind in memory: every read and every write of the port, each in one step of the event loop."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from consolidation.kernel.errors import EmbedderMismatch, GraphUnavailable
from service.adapters.memory_graph import extraction
from service.adapters.memory_graph.content import FACTS, Content, instant, joined
from service.adapters.memory_graph.erasure import forget
from service.archive.graph_rows import Row
from service.erasure.ports import Tainted
from service.ports.embedder import EmbedderIdentity, check_embedder
from service.ports.graph import (
    MOST_MENTIONS,
    MOST_STEPPING_STONES,
    MOST_STEPS,
    Extracted,
    GraphSize,
    Parked,
    Progress,
    VectorHit,
    VectorHits,
    episode_uuid,
    passage_uuid,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from consolidation.kernel.turns import Message
    from service.adapters.memory_graph.fence import Fence
    from service.ingest.extraction_prompts import TurnReaders
    from service.ports.embedder import Embedder, Vector, Vectors
    from service.ports.graph import Episode, StoredEntity, StoredFact

    type Similarities = NDArray[np.float64]

_PAGE = 200  # texts embedded at once


class MemoryMindGraph:
    """The graph of one mind; *reach* returns what the server holds, or raises GraphUnavailable."""

    def __init__(
        self,
        reach: Callable[[], dict[str, Content]],
        *,
        mind_id: str,
        readers: TurnReaders,
        embedder: Embedder,
        fence: Fence,
    ) -> None:
        self.mind_id = mind_id
        self._reach = reach
        self._readers = readers
        self._embedder = embedder
        self._mismatch: EmbedderMismatch | None = None
        self._is_checked = False  # whether the vectors are of our embedder
        self._fence = fence
        self._prepared_at: int | None = None  # the epoch under which it was prepared last
        self._begun: dict[str, int | None] = {}  # the episode that is attempted, and under which epoch

    # Prepared, or not.

    async def prepare(self, *, embedder: EmbedderIdentity) -> Progress:
        """Note the embedder and return how far the graph is. Raises EmbedderMismatch."""
        epoch = self._fence.epoch()
        self._fence.enter(self.mind_id, epoch=epoch)
        content = self._reach().setdefault(self.mind_id, Content())
        content.identity = content.identity or embedder
        try:
            check_embedder(content.identity, configured=embedder)
        except EmbedderMismatch as error:
            self._mismatch = error
            raise
        self._mismatch, self._is_checked, self._prepared_at = None, True, epoch
        return await self.progress()

    async def identity(self) -> EmbedderIdentity | None:
        """Return which embedder made the vectors."""
        return self.content().identity

    async def follow(self, *, embedder: EmbedderIdentity) -> int:
        """Check the embedder: vectors lie with what they are of."""
        if (known := await self.identity()) is not None:
            check_embedder(known, configured=embedder)
            self._is_checked = True
        return 0

    async def keep_vectors(
        self, _episodes: Sequence[Episode], /, *, own: Mapping[str, Vector], leaning: Mapping[str, Vector]
    ) -> None:
        """Nothing: whoever saved the episodes has kept them."""

    async def note_missing(self, until: int, /) -> None:
        """Note it with what the graph holds."""
        self.content().missing_until = until

    async def missing_until(self) -> int:
        """Return what was noted last."""
        return self.content().missing_until

    async def reindex(self, *, embedder: EmbedderIdentity, advanced: Callable[[int], None]) -> int:
        """Embed facts and names anew, and let go of the passages."""
        epoch, count = self._fence.epoch(), 0
        content = self._prepared(epoch)
        for kind, words, vector in (("RELATES_TO", "fact", "fact_embedding"), ("Entity", "name", "name_embedding")):
            rows = tuple(content.all(kind))
            for start in range(0, len(rows), _PAGE):
                page = rows[start : start + _PAGE]
                made = await self._embedder.embed([row.properties[words] or " " for row in page])
                content = self._prepared(epoch)
                for row, found in zip(page, made, strict=True):
                    content.put(Row(kind, row.properties, {vector: found}, row.ends))
                count += len(page)
                advanced(len(page))
        for row in tuple(content.all("RELATED_TO")):
            content.put(Row(row.kind, row.properties, {}, row.ends))
        content.rows["Passage"].clear()
        content.missing_until = 0
        content.put(Row("Cursor", {"name": "saved", "sequence": 0}))
        content.identity = embedder
        return count

    async def progress(self) -> Progress:
        """Return the cursors and the parked turns."""
        content = self.content()
        parked = sorted(content.all("Parked"), key=lambda row: int(row.key))
        saved, extracted = content.cursor("saved"), content.cursor("extracted")
        turns = content.turn_at("saved"), content.turn_at("extracted")
        return Progress(saved, extracted, tuple(map(_parked, parked)), *turns)

    async def size(self) -> GraphSize:
        """Count episodes, entities and facts."""
        rows = self.content().rows
        return GraphSize(len(rows["Episodic"]), len(rows["Entity"]), sum(len(rows[kind]) for kind in FACTS))

    # Saving.

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
        """Save episodes and passages, and move the cursor ``saved``."""
        content = self._prepared(self._claimed())
        _require(content, "saved", after, cursor)
        await self.set_leaning({uuid: vector for uuid, vector in leaning.items() if uuid not in own})
        for episode in episodes:
            if episode.passages and episode.uuid not in content.rows["Episodic"]:
                content.put(_episodic(episode))
            for passage in episode.passages:
                properties = {"uuid": passage.uuid, "episode": episode.uuid, "sequence": episode.sequence}
                vectors = {"embedding": own[passage.uuid], "leaning": leaning[passage.uuid]}
                content.put(Row("Passage", properties, vectors))
        _move(content, "saved", cursor, turn_id)

    async def set_leaning(self, leaning: Mapping[str, Vector], /) -> None:
        """Give passages that are there other leaning vectors."""
        content = self.content()
        for uuid, vector in leaning.items():
            row = content.rows["Passage"].get(uuid)
            if row is not None:
                content.put(Row(row.kind, row.properties, {**row.vectors, "leaning": vector}))

    # Extraction.

    async def begin_attempt(self, episode: str, /) -> int:
        """Count an attempt, and remove what an earlier one left half done. Raises EmbedderMismatch."""
        self._check_vectors()
        epoch = self._claimed()
        self._begun = {episode: epoch}
        content = self._entered(epoch)
        if episode not in content.rows["Episodic"]:
            raise GraphUnavailable("the graph has lost a raw episode; it is saved again")
        known = content.rows["Attempt"].get(episode)
        attempt = (int(known.properties["count"]) if known is not None else 0) + 1
        content.put(Row("Attempt", {"episode": episode, "count": attempt}))
        content.remove("MENTIONS", [row.key for row in content.all("MENTIONS") if joined(row)[0] == episode])
        if attempt > 1:
            half_done = [row.key for row in content.all("RELATES_TO") if row.properties["episodes"] == [episode]]
            content.remove("RELATES_TO", half_done)
        return attempt

    async def undo_attempt(self, episode: str, /) -> None:
        """Take back an attempt."""
        content = self._entered(self._fence.epoch())
        known = content.rows["Attempt"].get(episode)
        if known is not None:
            content.change(known, count=known.properties["count"] - 1)

    async def extract(self, episode: Episode, /, *, previous: Sequence[Message]) -> Extracted:
        """Extract entities and facts by the rules of ``extraction``."""
        self._check_vectors()
        epoch = self._begun.pop(episode.uuid) if episode.uuid in self._begun else self._claimed()
        prepared = partial(self._prepared, epoch)
        with self._readers.reading(self.mind_id) as reader:
            facts, entities = await extraction.extract(
                prepared, episode, previous=previous, reader=reader, embedder=self._embedder
            )
        _weigh(prepared(), facts, reader.importance)
        return Extracted(await self.facts(facts), await self.entities(entities), dropped=reader.dropped)

    async def mark_extracted(self, sequence: int, /, *, turn_id: str, after: int) -> None:
        """Move the cursor ``extracted``, and forget the attempts at its episode."""
        content = self._prepared(self._fence.epoch())
        _require(content, "extracted", after, sequence)
        done = {row.properties["episode"] for row in content.all("Passage") if row.properties["sequence"] == sequence}
        content.remove("Attempt", done)
        _move(content, "extracted", sequence, turn_id)

    async def go_back(self, *, to: int, turn_id: str) -> None:
        """Remove what is above *to*, and set back the cursors."""
        content = self._prepared(self._fence.epoch())
        cursors = [name for name in ("saved", "extracted") if content.cursor(name) > to]
        left = {episode_uuid(self.mind_id, content.turn_at(name)) for name in cursors}
        above = left - {row.properties["episode"] for row in content.all("Passage")}
        above |= {row.properties["episode"] for row in content.all("Passage") if row.properties["sequence"] > to}
        forget(content, above, Tainted(), mind_id=self.mind_id)
        content.remove("Parked", [row.key for row in content.all("Parked") if row.properties["sequence"] > to])
        for name in cursors:
            _move(content, name, to, turn_id)

    async def park(self, parked: Parked, /, *, after: int | None = None) -> None:
        """Record a parked turn and, unless it lies behind it, move the cursor ``extracted`` to it."""
        content = self._prepared(self._fence.epoch())
        if after is not None:
            _require(content, "extracted", after, parked.sequence)
            _move(content, "extracted", parked.sequence, parked.turn_id)
        said = {"turn_id": parked.turn_id, "error": parked.error, "attempts": parked.attempts}
        at = parked.parked_at.isoformat()
        content.put(Row("Parked", {"sequence": parked.sequence, **said, "parked_at": at}))

    async def unpark(self, parked: Parked, /) -> None:
        """Forget that a turn was parked, and its attempts."""
        content = self._entered(self._fence.epoch())
        content.remove("Parked", [parked.sequence])
        content.remove("Attempt", [episode_uuid(self.mind_id, parked.turn_id)])

    # Reading.

    async def episodes_until(self, sequence: int, /, *, limit: int) -> tuple[tuple[int, str], ...]:
        """Return the newest saved episodes up to a sequence."""
        told = {(row.properties["sequence"], row.properties["episode"]) for row in self.content().all("Passage")}
        return tuple(sorted((one for one in told if one[0] <= sequence), key=lambda one: -one[0])[:limit])

    async def lowest_saved(self, sequences: Sequence[int], /) -> int | None:
        """Return the lowest of *sequences* of which an episode is saved."""
        saved = {row.properties["sequence"] for row in self.content().all("Passage")}
        return min(saved.intersection(sequences), default=None)

    async def nearest(self, vectors: Vectors, /, *, turns: int, facts: int, entities: int) -> tuple[VectorHits, ...]:
        """Compare all vectors with each query. Raises EmbedderMismatch."""
        self._check_vectors()
        content = self.content()
        return tuple(
            VectorHits(
                _turns_near(content, query)[:turns],
                _near(content.all("RELATES_TO"), "fact_embedding", query)[:facts],
                _near(content.all("Entity"), "name_embedding", query)[:entities],
            )
            for query in vectors
        )

    async def likeness(self, episodes: Sequence[str], /, *, among: Sequence[str]) -> tuple[Mapping[str, float], ...]:
        """Compare the first passages of *among* with that of each of *episodes*."""
        known = self.content().rows["Passage"]
        own = {uuid: known[passage_uuid(uuid)].vectors["embedding"] for uuid in among if passage_uuid(uuid) in known}
        return tuple(
            {uuid: float(vector @ known[passage_uuid(one)].vectors["embedding"]) for uuid, vector in own.items()}
            if passage_uuid(one) in known
            else {}
            for one in episodes
        )

    async def facts_around(self, entities: Sequence[str], vector: Vectors, /, *, limit: int) -> tuple[VectorHit, ...]:
        """Follow the nearest facts of *entities* for two steps. Raises EmbedderMismatch."""
        self._check_vectors()
        content, best = self.content(), dict[str, VectorHit]()
        origins = list(entities)
        for most in (MOST_STEPS, limit):
            hits, others = _step(content, origins, vector[0], most=most)
            best |= {hit.key: hit for hit in hits}
            origins = [uuid for uuid in dict.fromkeys(others) if uuid not in entities][:MOST_STEPPING_STONES]
        return tuple(sorted(best.values(), key=_by_similarity)[:limit])

    async def facts(self, uuids: Sequence[str], /) -> tuple[StoredFact, ...]:
        """Return those of the facts that exist and are compared."""
        content = self.content()
        known = content.rows["RELATES_TO"]
        return tuple(content.fact(known[uuid]) for uuid in dict.fromkeys(uuids) if uuid in known)

    async def entities(self, uuids: Sequence[str], /) -> tuple[StoredEntity, ...]:
        """Return those of the entities that exist."""
        content = self.content()
        known = content.rows["Entity"]
        found = [known[uuid] for uuid in dict.fromkeys(uuids) if uuid in known]
        return tuple(content.entity(row, most_episodes=MOST_MENTIONS) for row in found)

    async def knowledge(self, *, after: int, limit: int) -> Extracted:
        """Return a page of facts and of entities, each by uuid."""
        content, page = self.content(), slice(after, after + limit)
        facts = sorted(content.all(*FACTS), key=lambda row: str(row.key))[page]
        entities = sorted(content.all("Entity"), key=lambda row: str(row.key))[page]
        return Extracted(
            tuple(content.fact(row) for row in facts), tuple(content.entity(row, most_episodes=0) for row in entities)
        )

    async def close(self) -> None:
        """Nothing of it is open."""

    def content(self) -> Content:
        """Return what the graph holds; nothing, and nothing that could be written to, where there is none."""
        return self._reach().get(self.mind_id) or Content()

    def _claimed(self) -> int | None:
        """Return the epoch of our claim, under which the graph was prepared. Raises GraphUnavailable."""
        epoch = self._fence.epoch()
        if epoch is not None and epoch != self._prepared_at:
            raise GraphUnavailable("the graph was not prepared since this mind was claimed")
        return epoch

    def _entered(self, epoch: int | None) -> Content:
        """Return what the graph holds, to be written to. Raises Fenced."""
        self._fence.enter(self.mind_id, epoch=epoch)
        return self.content()

    def _prepared(self, epoch: int | None) -> Content:
        """Return what a graph holds that is ready for writes. Raises GraphUnavailable, Fenced."""
        content = self._entered(epoch)
        if content.identity is None:
            raise GraphUnavailable("the graph was emptied from outside; it is built again from the transcript")
        return content

    def _check_vectors(self) -> None:
        """Raise EmbedderMismatch where the vectors are of another embedder, also before the graph was prepared."""
        if self._mismatch is not None:
            raise EmbedderMismatch(str(self._mismatch))
        if not self._is_checked and (found := self.content().identity) is not None:
            check_embedder(found, configured=EmbedderIdentity(self._embedder.stored_name, found.dimension))


def _require(content: Content, cursor: str, *places: int) -> None:
    """Raise GraphUnavailable unless *cursor* is at one of *places*."""
    if content.cursor(cursor) not in places:
        raise GraphUnavailable("the graph is not where it was")


def _move(content: Content, cursor: str, sequence: int, turn_id: str) -> None:
    content.put(Row("Cursor", {"name": cursor, "sequence": sequence, "turn_id": turn_id}))


def _episodic(episode: Episode) -> Row:
    at = episode.occurred_at.isoformat()
    return Row(
        "Episodic",
        {
            "uuid": episode.uuid,
            "name": f"turn {episode.sequence}",
            "source": "message",
            "source_description": episode.session_id,
            "content": episode.text,
            "entity_edges": [],
            "created_at": at,
            "valid_at": at,
        },
    )


def _parked(row: Row) -> Parked:
    given, at = row.properties, instant(row.properties["parked_at"])
    assert at is not None  # noqa: S101 - park wrote it, or an archive that was checked
    return Parked(given["sequence"], given["turn_id"], given["error"], given["attempts"], at)


def _turns_near(content: Content, query: Vector) -> tuple[VectorHit, ...]:
    """All turns by their leaning vectors; of a turn's passages, the nearest counts."""
    passages = tuple(content.all("Passage"))
    best: dict[str, VectorHit] = {}
    for row, similarity, own in zip(
        passages, _cosines(passages, "leaning", query), _cosines(passages, "embedding", query), strict=True
    ):
        key = str(row.properties["sequence"])
        known = best.get(key, VectorHit(key, -1.0, -1.0))
        best[key] = VectorHit(key, max(known.similarity, float(similarity)), max(known.own, float(own)))
    return tuple(sorted(best.values(), key=_by_similarity))


def _near(rows: Iterable[Row], vector: str, query: Vector) -> tuple[VectorHit, ...]:
    compared = tuple(row for row in rows if vector in row.vectors)
    cosines = _cosines(compared, vector, query)
    hits = (VectorHit(str(row.key), float(one), float(one)) for row, one in zip(compared, cosines, strict=True))
    return tuple(sorted(hits, key=_by_similarity))


def _step(
    content: Content, origins: Sequence[str], query: Vector, *, most: int
) -> tuple[tuple[VectorHit, ...], list[str]]:
    """The nearest facts that touch *origins*, and the entities at their other ends, in the same order."""
    ends: list[tuple[Row, str]] = []
    for row in content.all("RELATES_TO"):
        source, target = joined(row)
        ends += [(row, other) for origin, other in {(source, target), (target, source)} if origin in origins]
    hits = {hit.key: hit for hit in _near((row for row, _ in ends), "fact_embedding", query)}
    nearest = sorted((one for one in ends if one[0].key in hits), key=lambda one: -hits[str(one[0].key)].similarity)
    return tuple(hits[str(row.key)] for row, _ in nearest[:most]), [other for _, other in nearest[:most]]


def _cosines(rows: Sequence[Row], vector: str, query: Vector) -> Similarities:
    import numpy as np  # 80 ms that a start has no need of

    if not rows:
        return np.zeros(0)
    matrix = np.stack([row.vectors[vector] for row in rows]).astype(np.float64)
    found: Similarities = matrix @ query / (np.linalg.norm(matrix, axis=1) * np.linalg.norm(query))
    return found


def _by_similarity(hit: VectorHit) -> float:
    return -hit.similarity


def _weigh(content: Content, facts: Sequence[str], importance: Mapping[str, float]) -> None:
    """Let facts (uuids) be as important as a model says of their words, and never less than before."""
    for uuid in facts:
        row = content.rows["RELATES_TO"].get(uuid)
        weight = importance.get(str(row.properties["fact"])) if row is not None else None
        if row is not None and weight is not None and weight > (row.properties.get("importance") or 0.0):
            content.change(row, importance=weight)
