"""A mind of which only some turns count: those that a filter leaves in, and what rests on them. Only for reading."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import anyio.to_thread

from consolidation.corrections.correction_log import CorrectionLog
from consolidation.text.names import name_key
from consolidation.transcript.log import Transcript
from service.index.text_of_turns import TextOfTurns
from service.ports.graph import VectorHits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consolidation.corrections.record import Line
    from consolidation.corrections.standing import Standing, Statement
    from consolidation.kernel.turns import StoredTurn
    from service.index.turn_fields import TurnFilter
    from service.mind.minds import Mind
    from service.ports.embedder import Vectors
    from service.ports.graph import MindGraph, StoredEntity, VectorHit

_DEPTH = 20  # times as many are asked for, since many may be of other turns


async def mind_of_turns(mind: Mind, wanted: TurnFilter) -> Mind:
    """
    *mind* as if only the turns that *wanted* leaves in had been posted, as far as memories go.

    An entity counts where these turns alone tell of it, and what a person said where it puts these turns right. Notes
    and observations do not. The story stays as it is. Raises IndexUnusable, HomeFault, OSError.
    """
    text = await anyio.to_thread.run_sync(lambda: TextOfTurns(mind.text, wanted=_under_all_names(mind, wanted)))
    return replace(
        mind,
        transcript=_TranscriptOfTurns(mind.transcript, text),
        text=text,
        corrections=_CorrectionsOfTurns(mind.corrections, mind.transcript, text),
        graph=cast("MindGraph", _GraphOfTurns(mind.graph, text)),
        is_of_some_turns=True,
    )


def _under_all_names(mind: Mind, wanted: TurnFilter) -> TurnFilter:
    """*wanted* with all names under which its speakers spoke, where people merged or renamed them."""
    if not wanted.speakers:
        return wanted
    standing = mind.corrections.standing()
    keys = [found for name in wanted.speakers if len(found := standing.keys_of(name)) > 1]
    if not keys:
        return wanted
    others = sorted(name for name in mind.text.speakers() if any(name_key(name) in found for found in keys))
    return replace(wanted, speakers=tuple(dict.fromkeys((*wanted.speakers, *others))))


class _TranscriptOfTurns(Transcript):
    """What is read of a transcript, without the other turns."""

    def __init__(self, transcript: Transcript, text: TextOfTurns) -> None:
        self._whole = transcript
        self._positions = transcript.positions
        self._text = text

    def read_now(self, sequences: Sequence[int]) -> tuple[StoredTurn, ...]:
        """Those of these turns that count, in the order asked for. Raises TranscriptUnreadable."""
        known = self._text.known(sequences)
        return self._whole.read_now([one for one in sequences if one in known])


class _CorrectionsOfTurns(CorrectionLog):
    """What people decided; what they said only where it puts turns right that count."""

    def __init__(self, log: CorrectionLog, transcript: Transcript, text: TextOfTurns) -> None:
        self._log = log
        self._transcript = transcript
        self._text = text

    def standing(self) -> Standing:
        """What stands."""
        found = self._log.standing()
        said, statements = (tuple(filter(self._counts, ones)) for ones in (found.said, found.statements))
        return replace(found, said=said, statements=statements)

    def lines(self) -> tuple[Line, ...]:
        """Every decision, oldest first."""
        return self._log.lines()

    def _counts(self, statement: Statement) -> bool:
        found = [self._transcript.positions.sequence_of(turn_id) for turn_id in statement.turn_ids]
        sequences = [one for one in found if one is not None]
        return bool(sequences) and self._text.known(sequences).issuperset(sequences)


class _GraphOfTurns:
    """What recall asks of a graph, without other turns; facts are told from those by their turns."""

    def __init__(self, graph: MindGraph, text: TextOfTurns) -> None:
        self._graph = graph
        self._text = text

    async def nearest(self, vectors: Vectors, /, *, turns: int, facts: int, entities: int) -> tuple[VectorHits, ...]:
        found = await self._graph.nearest(vectors, turns=turns * _DEPTH, facts=facts * _DEPTH, entities=entities)
        known = self._text.known(int(hit.key) for hits in found for hit in hits.turns)
        return tuple(
            VectorHits(tuple(hit for hit in hits.turns if int(hit.key) in known)[:turns], hits.facts, hits.entities)
            for hits in found
        )

    async def missing_until(self) -> int:
        return await self._graph.missing_until()

    async def likeness(self, episodes: Sequence[str], /, *, among: Sequence[str]) -> tuple[Mapping[str, float], ...]:
        return await self._graph.likeness(episodes, among=among)

    async def facts_around(self, entities: Sequence[str], vector: Vectors, /, *, limit: int) -> tuple[VectorHit, ...]:
        return await self._graph.facts_around(entities, vector, limit=limit * _DEPTH)

    async def entities(self, uuids: Sequence[str], /) -> tuple[StoredEntity, ...]:
        found = await self._graph.entities(uuids)

        def told() -> tuple[StoredEntity, ...]:
            return tuple(one for one in found if self._text.tells_all_of(one.name))

        return await anyio.to_thread.run_sync(told)
