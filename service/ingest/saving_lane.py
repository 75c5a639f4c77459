"""
The saving lane: turns become findable by their meaning, as episodes and vectors in the graph.

No model reads them yet. It never runs ahead of the indexing lane. A passage has two vectors: its own, and one that
leans towards its neighbours, mixed from vectors that are there already. A graph that holds other turns than the
transcript goes back to the last that both have. While many turns lack vectors, all are found by their words alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import EmbedderMismatch, GraphUnavailable
from service.index.neighbourhood import asks, leaning
from service.ingest.agreement import erased_turn_in_graph, graph_parts_at, turn_id_at
from service.ingest.episodes import as_episode, uuid_of
from service.mind.health import LaneName
from service.ports.embedder import is_other_version
from service.ports.shared_home import SOLE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from consolidation.kernel.turns import StoredTurn
    from consolidation.workspace import Workspace
    from service.ingest.indexing_lane import IndexingLane
    from service.ingest.lane_telemetry import LaneTelemetry
    from service.mind.minds import Mind
    from service.ports.embedder import Embedder, EmbedderIdentity, Vector
    from service.ports.graph import Episode, Passage, Progress
    from service.ports.shared_home import Custody

log = structlog.get_logger()

_BATCH = 32
_NEIGHBOURS = 3  # turns, and passages, before a turn that it leans on


class SavingLane:
    """Moves the graph's cursor ``saved``, in the write that saves the episodes."""

    name = LaneName.SAVING
    uses_graph = True

    def __init__(
        self,
        *,
        embedder: Embedder,
        indexing: IndexingLane,
        adopt_graph: Callable[[Workspace], Awaitable[None]],
        telemetry: LaneTelemetry,
        custody: Custody = SOLE,
    ) -> None:
        """
        *indexing* is the lane before this one, *adopt_graph* is called before a mind's graph is first used: an imported
        mind may have one to take over. Of a mind that is in another process's *custody*, the lane only makes the
        vectors that are beside the mind here.
        """
        self._custody = custody
        self._embedder = embedder
        self._indexing = indexing
        self._adopt_graph = adopt_graph
        self._telemetry = telemetry
        self._prepared: set[str] = set()
        self._tried: dict[str, tuple[int, int]] = {}  # by mind: the first turn of the last try, and what was saved

    async def step(self, mind: Mind) -> bool:
        """Save the next turns that are indexed; True while there are more. Raises GraphUnavailable, EmbedderFault."""
        news, last = mind.health.news, mind.transcript.positions.last
        if self._custody.holds(mind.mind_id):
            mind.health.followed = news
        try:
            has_more = await self._save_next(mind)
        except GraphUnavailable:
            self._prepared.discard(mind.mind_id)  # it may come back emptied
            raise
        if not has_more and mind.health.has_news:
            is_indexed = await anyio.to_thread.run_sync(mind.text.cursor, "turns") >= last
            mind.health.followed = news if is_indexed else mind.health.followed  # else the lane before wakes this one
        return has_more

    def forget(self, mind_id: str) -> None:
        """Prepare a mind's graph again before it is used next."""
        self._prepared.discard(mind_id)
        self._tried.pop(mind_id, None)

    async def lean_again(self, mind: Mind, turns: Sequence[StoredTurn]) -> dict[str, Vector]:
        """The leaning vectors, by uuid of passage, of *turns* and of the passage before each: a neighbour has gone."""
        leaning: dict[str, Vector] = {}
        for turn in turns:
            before = await self._passages_before(mind, turn)
            own = _episode(mind, turn).passages
            leaning |= _leaning(before, own, await self._vectors((*before, *own)))
        return leaning

    async def _save_next(self, mind: Mind) -> bool:
        state = mind.health.lanes[self.name]
        if self._custody.is_shared and mind.mind_id not in self._prepared and await self._follow(mind):
            return True
        if not self._custody.holds(mind.mind_id):
            self._prepared.discard(mind.mind_id)
            return False
        if mind.mind_id not in self._prepared:
            await self._adopt_graph(mind.workspace)
        progress = await mind.graph.progress()
        parts_at = await graph_parts_at(mind, progress, custody=self._custody)
        if parts_at is None and (mind.mind_id not in self._prepared or progress.saved < state.cursor):
            parts_at = await erased_turn_in_graph(mind)
        if parts_at is not None:  # first: embedding it anew drops the passages, which say what is above
            await self._go_back(mind, parts_at)
            progress = await mind.graph.progress()
        if progress.saved == 0 or mind.mind_id not in self._prepared:
            identity, before = await self._embedder.identity(), progress.saved
            progress = await _prepared(mind, identity)
            mind.health.parked, mind.health.embedder = progress.parked, identity.embedder
            mind.transcript.never_below(max(progress.saved, progress.extracted))
            is_anew = not progress.saved and max(before, progress.extracted) > 0
            await _note_missing(mind, reached=progress.saved, is_anew=is_anew)
            self._prepared.add(mind.mind_id)
        saved = state.cursor = progress.saved
        indexed = await anyio.to_thread.run_sync(mind.text.cursor, "turns")
        turns = [turn for turn in await mind.transcript.after(saved, limit=_BATCH) if turn.sequence <= indexed]
        if not turns:
            await _forget_missing(mind, reached=saved)
            return False
        with self._telemetry.step(self.name, mind, turns):
            await self._save(mind, turns, after=saved)
        state.cursor = turns[-1].sequence
        await _forget_missing(mind, reached=state.cursor)
        return len(turns) == _BATCH

    async def _follow(self, mind: Mind) -> bool:
        """Make the vectors of turns that another process has saved; True while there are more."""
        saved = mind.health.lanes[self.name].cursor = (await mind.graph.progress()).saved
        try:
            first = await mind.graph.follow(embedder=await self._embedder.identity()) if saved else 0
        except EmbedderMismatch:
            if await _found_of_other_version(mind, await self._embedder.identity()) is None:
                raise
            return False  # whoever has the mind makes its vectors anew
        if saved:
            await _note_missing(mind, reached=first - 1 if first else saved)
        indexed = await anyio.to_thread.run_sync(mind.text.cursor, "turns")
        if not first or first > indexed:  # what the transcript does not have, nobody can embed
            return False
        if self._tried.get(mind.mind_id) == (first, saved):  # the same attempt changed nothing
            await mind.graph.note_missing(0)
            return False
        last = max(saved, first)  # it may have been saved in between
        turns = [turn for turn in await mind.transcript.after(first - 1, limit=_BATCH) if turn.sequence <= last]
        episodes, own, leaning = await self._embedded(mind, turns)
        await mind.graph.keep_vectors(episodes, own=own, leaning=leaning)
        self._tried[mind.mind_id] = (first, saved)
        has_more = len(turns) == _BATCH
        await _forget_missing(mind, reached=turns[-1].sequence if has_more else last)
        return has_more

    async def _go_back(self, mind: Mind, parts_at: int) -> None:
        """Take out of graph and full text what they hold from *parts_at* on, which the transcript has otherwise."""
        log.warning("graph.parted", mind_id=mind.mind_id, sequence=parts_at)
        to = parts_at - 1
        await mind.graph.go_back(to=to, turn_id=await turn_id_at(mind, to))
        self._indexing.forget(mind.mind_id)
        while await self._indexing.step(mind):
            pass

    async def _save(self, mind: Mind, turns: Sequence[StoredTurn], *, after: int) -> None:
        episodes, own, leaning = await self._embedded(mind, turns)
        last = turns[-1]
        await mind.graph.save(
            episodes, own=own, leaning=leaning, after=after, cursor=last.sequence, turn_id=last.turn.turn_id
        )

    async def _embedded(
        self, mind: Mind, turns: Sequence[StoredTurn]
    ) -> tuple[list[Episode], dict[str, Vector], dict[str, Vector]]:
        """The episodes of *turns*, and the own and leaning vectors of their passages by uuid."""
        own: dict[str, Vector] = {}
        leaning: dict[str, Vector] = {}
        remembered = [turn for turn in turns if turn.is_remembered]
        episodes = [_episode(mind, turn) for turn in remembered]
        vectors = await self._vectors(passage for episode in episodes for passage in episode.passages)
        for turn, episode in zip(remembered, episodes, strict=True):
            before = await self._passages_before(mind, turn)
            vectors |= await self._vectors(passage for passage in before if passage.uuid not in vectors)
            own |= {passage.uuid: vectors[passage.uuid] for passage in episode.passages}
            leaning |= _leaning(before, episode.passages, vectors)
        return episodes, own, leaning

    async def _passages_before(self, mind: Mind, turn: StoredTurn) -> list[Passage]:
        """The last passages before *turn* in its session, oldest first."""
        turns = await mind.turns_before(turn, limit=_NEIGHBOURS)
        return [passage for earlier in turns for passage in _episode(mind, earlier).passages][-_NEIGHBOURS:]

    async def _vectors(self, passages: Iterable[Passage]) -> dict[str, Vector]:
        asked = tuple(passages)
        if not asked:
            return {}
        rows = await self._embedder.embed([passage.text for passage in asked])
        return {passage.uuid: row for passage, row in zip(asked, rows, strict=True)}


async def _found_of_other_version(mind: Mind, ours: EmbedderIdentity) -> str | None:
    """The stored name of another version of our embedder that made the vectors of *mind*; None where it was another."""
    found = await mind.graph.identity()
    is_ours = found is not None and is_other_version(found.embedder, configured=ours.embedder)
    return found.embedder if found is not None and is_ours else None


async def _prepared(mind: Mind, ours: EmbedderIdentity) -> Progress:
    """Prepare the graph of *mind*. What another version of our embedder made is made anew, as are its turns."""
    try:
        return await mind.graph.prepare(embedder=ours)
    except EmbedderMismatch:
        if (found := await _found_of_other_version(mind, ours)) is None:
            raise
    log.info("graph.embedding_anew", mind_id=mind.mind_id, was=found)
    await mind.graph.reindex(embedder=ours, advanced=lambda _: None)
    return await mind.graph.prepare(embedder=ours)


async def _note_missing(mind: Mind, *, reached: int, is_anew: bool = False) -> None:
    """
    Note that turns after *reached* lack vectors, so that those before them are not found by theirs meanwhile.

    A few are saved in one write; they are noted only where all vectors are made *anew*.
    """
    last = mind.transcript.positions.last
    if is_anew or last - reached > _BATCH:
        await mind.graph.note_missing(last)
    else:
        await _forget_missing(mind, reached=reached)


async def _forget_missing(mind: Mind, *, reached: int) -> None:
    """Let turns be found by their vectors again, once all up to the one that was noted have them."""
    if reached >= min(await mind.graph.missing_until(), mind.transcript.positions.last):
        await mind.graph.note_missing(0)


def _episode(mind: Mind, turn: StoredTurn) -> Episode:
    return as_episode(turn, uuid=uuid_of(mind, turn))


def _leaning(before: Sequence[Passage], own: Sequence[Passage], vectors: Mapping[str, Vector]) -> dict[str, Vector]:
    """Leaning vectors of a turn's *own* passages, and of the last one *before* them, which gains a neighbour."""
    import numpy as np

    passages = [*before, *own]
    rows = np.stack([vectors[passage.uuid] for passage in passages])
    questions = [asks(passage.text) for passage in passages]
    first = max(len(before) - 1, 0)
    return {passages[at].uuid: leaning(rows, questions, at=at) for at in range(first, len(passages))}
