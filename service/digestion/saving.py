"""
The indexing and the saving lane: turns become findable as they were said, before any model reads them.

Indexing is full text alone, so that a graph that hangs keeps nothing from being found by its words; saving is the
graph and its vectors, and never runs ahead of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import GraphUnavailable
from service.digestion.episodes import as_episode, as_indexed
from service.recall.neighbourhood import asks, leaning

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from consolidation.kernel.turns import Kept
    from consolidation.workspace import Workspace
    from service.digestion.steps import Steps
    from service.minds import Mind
    from service.ports import Embedder, Episode, EpisodicGraph, Identity, Passage, Vector

_BATCH = 32


class Saving:
    """Moves two cursors of a mind, full text's and the graph's ``saved``, a lane each, each behind its own write."""

    def __init__(
        self,
        graph: EpisodicGraph,
        *,
        embedder: Embedder,
        identity: Callable[[], Awaitable[Identity]],
        uuid_of: Callable[[str, str], str],
        arriving: Callable[[Workspace], Awaitable[None]],
        steps: Steps,
    ) -> None:
        """
        Bind to where episodes go; *uuid_of* names an episode by mind and turn.

        *arriving* is called before a graph is first looked at: an imported mind may have to take its own over.
        """
        self._graph = graph
        self._embedder = embedder
        self._identity = identity
        self._uuid_of = uuid_of
        self._arriving = arriving
        self._steps = steps
        self._prepared: set[str] = set()

    async def step(self, mind: Mind) -> bool:
        """Save the next turns that are indexed; True while there are more. Raises GraphUnavailable, EmbedderFault."""
        try:
            return await self._save(mind)
        except GraphUnavailable:
            self._prepared.discard(mind.mind_id)  # it may come back emptied
            raise

    def forget(self, mind_id: str) -> None:
        """Know a mind's graph no more."""
        self._prepared.discard(mind_id)

    async def index(self, mind: Mind) -> bool:
        """Put the next turns into full text; True while there are more."""
        cursor = mind.health.indexed = await anyio.to_thread.run_sync(mind.text.cursor, "turns")
        turns = await mind.transcript.after(cursor, limit=_BATCH)
        if not turns:
            return False
        with self._steps.working("indexing", mind, turns):
            told = [(kept, await before(mind, kept, limit=2)) for kept in turns if kept.is_remembered]
            await anyio.to_thread.run_sync(self._put_words, mind, told, turns[-1].sequence)
        mind.health.indexed = turns[-1].sequence
        return len(turns) == _BATCH

    def _put_words(self, mind: Mind, told: Sequence[tuple[Kept, Sequence[Kept]]], cursor: int) -> None:
        fallback = next(iter(mind.text.languages()), "en")
        indexed = [as_indexed(kept, uuid=self._uuid(mind, kept), before=lead, fallback=fallback) for kept, lead in told]
        mind.text.add_turns(indexed, cursor=cursor)

    async def _save(self, mind: Mind) -> bool:
        if mind.mind_id not in self._prepared:
            await self._arriving(mind.workspace)
        cursor = mind.health.saved = (await self._graph.progress(mind.mind_id)).saved
        if cursor == 0 or mind.mind_id not in self._prepared:
            progress = mind.health.progress = await self._graph.prepare(mind.mind_id, embedder=await self._identity())
            mind.transcript.never_below(max(progress.saved, progress.extracted))
            self._prepared.add(mind.mind_id)
        indexed = await anyio.to_thread.run_sync(mind.text.cursor, "turns")
        turns = [kept for kept in await mind.transcript.after(cursor, limit=_BATCH) if kept.sequence <= indexed]
        if not turns:
            return False
        with self._steps.working("saving", mind, turns):
            await self._put_meanings(mind, turns)
        mind.health.saved = turns[-1].sequence
        return len(turns) == _BATCH

    async def _put_meanings(self, mind: Mind, turns: Sequence[Kept]) -> None:
        own: dict[str, Vector] = {}
        leaning: dict[str, Vector] = {}
        episodes = [self._episode(mind, kept) for kept in turns if kept.is_remembered]
        vectors = await self._vectors(passage for episode in episodes for passage in episode.passages)
        for kept, episode in zip((kept for kept in turns if kept.is_remembered), episodes, strict=True):
            lead = [self._episode(mind, earlier) for earlier in await before(mind, kept, limit=3)]
            passages = [passage for earlier in lead for passage in earlier.passages][-3:]
            vectors |= await self._vectors(passage for passage in passages if passage.uuid not in vectors)
            own |= {passage.uuid: vectors[passage.uuid] for passage in episode.passages}
            leaning |= _leaning([*passages, *episode.passages], vectors, start=max(len(passages) - 1, 0))
        await self._graph.save(mind.mind_id, episodes, own=own, leaning=leaning, cursor=turns[-1].sequence)

    async def lean_anew(self, mind: Mind, turns: Sequence[Kept]) -> dict[str, Vector]:
        """Leaning vectors by passage of *turns*, in order, and of the last before each: a neighbour has gone."""
        leaning: dict[str, Vector] = {}
        for kept in turns:
            lead = [self._episode(mind, earlier) for earlier in await before(mind, kept, limit=3)]
            passages = [passage for earlier in lead for passage in earlier.passages][-3:]
            own = self._episode(mind, kept).passages
            vectors = await self._vectors((*passages, *own))
            leaning |= _leaning([*passages, *own], vectors, start=max(len(passages) - 1, 0))
        return leaning

    async def index_again(self, mind: Mind, turns: Sequence[Kept]) -> None:
        """Write into full text anew what *turns* have before them."""
        told = [(kept, await before(mind, kept, limit=2)) for kept in turns]
        await anyio.to_thread.run_sync(self._put_words, mind, told, 0)

    async def _vectors(self, passages: Iterable[Passage]) -> dict[str, Vector]:
        asked = tuple(passages)
        if not asked:
            return {}
        rows = await self._embedder.embed([passage.text for passage in asked])
        return {passage.uuid: row for passage, row in zip(asked, rows, strict=True)}

    def _episode(self, mind: Mind, kept: Kept) -> Episode:
        return as_episode(kept, uuid=self._uuid(mind, kept))

    def _uuid(self, mind: Mind, kept: Kept) -> str:
        return self._uuid_of(mind.mind_id, kept.turn.turn_id)


async def before(mind: Mind, kept: Kept, *, limit: int) -> tuple[Kept, ...]:
    """The last remembered turns before *kept* in its session, oldest first."""
    earlier = await mind.transcript.before_in_session(kept.turn.session_id, kept.sequence, limit=limit)
    return tuple(one for one in earlier if one.is_remembered)


def _leaning(passages: Sequence[Passage], vectors: Mapping[str, Vector], *, start: int) -> dict[str, Vector]:
    """Leaning vectors from passage *start* on: the last one before a turn gains a neighbour, its own are new."""
    import numpy as np

    rows = np.stack([vectors[passage.uuid] for passage in passages])
    questions = [asks(passage.text) for passage in passages]
    return {passages[at].uuid: leaning(rows, questions, at=at) for at in range(start, len(passages))}
