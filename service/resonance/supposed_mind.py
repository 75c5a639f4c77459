"""A mind as a what-if call supposes it: as it was known at an earlier time, or without its graph. Only for reading."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, cast

import anyio.to_thread

from consolidation.corrections.correction_log import CorrectionsAsOf
from consolidation.kernel.errors import GraphUnavailable
from consolidation.transcript.as_of import TranscriptAsOf, last_accepted
from service.index.text_as_of import TextAsOf
from service.mind.outcomes import OutcomesAsOf
from service.ports.graph import VectorHit, VectorHits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from service.mind.minds import Mind
    from service.ports.embedder import Vectors
    from service.ports.graph import MindGraph, StoredEntity
    from service.retrieval.moment import WhatIf

_DEPTH = 20  # times as many are asked for, since many may be later


async def supposed(mind: Mind, what_if: WhatIf) -> Mind:
    """
    *mind* as *what_if* supposes it; its files are shared, and none is written.

    The story, and what is remembered of entities, have no past that could be looked up: the story stays as it is, and
    entities do not surface. Raises TranscriptUnreadable.
    """
    if what_if.as_of is not None:
        mind = await _as_of(mind, what_if.as_of)
    if "graph" in what_if.without:
        mind = replace(mind, graph=cast("MindGraph", _NoGraph()))
    return mind


async def _as_of(mind: Mind, instant: datetime) -> Mind:
    last = await last_accepted(mind.transcript, instant)
    transcript = await anyio.to_thread.run_sync(lambda: TranscriptAsOf(mind.transcript, last=last, instant=instant))
    text = TextAsOf(mind.text, last=last, instant=instant)
    return replace(
        mind,
        transcript=transcript,
        as_of=instant,
        text=text,
        outcomes=OutcomesAsOf(mind.outcomes, instant=instant),
        corrections=CorrectionsAsOf(mind.corrections, instant=instant),
        graph=cast("MindGraph", _GraphAsOf(mind.graph, text)),
    )


class _GraphAsOf:
    """What recall asks of a graph, without turns that came later; facts are told from later ones by their turns."""

    def __init__(self, graph: MindGraph, text: TextAsOf) -> None:
        self._graph = graph
        self._text = text

    async def nearest(self, vectors: Vectors, /, *, turns: int, facts: int, entities: int) -> tuple[VectorHits, ...]:
        found = await self._graph.nearest(vectors, turns=turns * _DEPTH, facts=facts * _DEPTH, entities=entities)
        keys = {int(hit.key) for hits in found for hit in hits.turns}
        known = await anyio.to_thread.run_sync(self._text.known, keys)
        return tuple(
            VectorHits(tuple(hit for hit in hits.turns if int(hit.key) in known)[:turns], hits.facts) for hits in found
        )

    async def missing_until(self) -> int:
        return await self._graph.missing_until()

    async def likeness(self, episodes: Sequence[str], /, *, among: Sequence[str]) -> tuple[Mapping[str, float], ...]:
        return await self._graph.likeness(episodes, among=among)

    async def facts_around(self, entities: Sequence[str], vector: Vectors, /, *, limit: int) -> tuple[VectorHit, ...]:
        return await self._graph.facts_around(entities, vector, limit=limit * _DEPTH)

    async def entities(self, uuids: Sequence[str], /) -> tuple[StoredEntity, ...]:
        del uuids  # their summaries know what came later
        return ()


class _NoGraph:
    """A graph that is away."""

    async def nearest(self, *_: Any, **__: Any) -> NoReturn:  # noqa: ANN401 - whatever is asked
        raise GraphUnavailable("the call leaves it out")

    likeness = facts_around = entities = missing_until = nearest
