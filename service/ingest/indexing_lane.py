"""
The indexing lane: turns become findable by their words, in full text beside the mind.

It needs neither graph nor model nor embedder, so that a graph that hangs keeps no turn from being found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from service.ingest.agreement import PAGE, first_other
from service.ingest.episodes import as_indexed, uuid_of
from service.mind.health import LaneName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.turns import StoredTurn
    from service.ingest.lane_telemetry import LaneTelemetry
    from service.mind.minds import Mind

_BATCH = 32
_TURNS_BEFORE = 2  # of a session are indexed with a turn: what it answers, and what came before that


class IndexingLane:
    """Moves full text's cursor ``turns``, in the write that adds the turns."""

    name = LaneName.INDEXING
    uses_graph = False

    def __init__(self, *, telemetry: LaneTelemetry) -> None:
        self._telemetry = telemetry
        self._compared: set[str] = set()

    async def step(self, mind: Mind) -> bool:
        """Put the next turns into full text; True while there are more."""
        state = mind.health.lanes[self.name]
        if mind.mind_id not in self._compared:
            await _go_back_to_transcript(mind)
            self._compared.add(mind.mind_id)
        state.cursor = await anyio.to_thread.run_sync(mind.text.cursor, "turns")
        turns = await mind.transcript.after(state.cursor, limit=_BATCH)
        if not turns:
            return False
        with self._telemetry.step(self.name, mind, turns):
            await self._index(mind, [turn for turn in turns if turn.is_remembered], cursor=turns[-1].sequence)
        state.cursor = turns[-1].sequence
        return len(turns) == _BATCH

    def forget(self, mind_id: str) -> None:
        """Compare a mind's full text with its transcript again before its next step."""
        self._compared.discard(mind_id)

    async def index_again(self, mind: Mind, turns: Sequence[StoredTurn]) -> None:
        """Write *turns* into full text anew: a turn before them has gone. The cursor stays."""
        await self._index(mind, turns, cursor=0)

    async def _index(self, mind: Mind, turns: Sequence[StoredTurn], *, cursor: int) -> None:
        with_context = [(turn, await mind.turns_before(turn, limit=_TURNS_BEFORE)) for turn in turns]
        await anyio.to_thread.run_sync(_write, mind, with_context, cursor)


async def _go_back_to_transcript(mind: Mind) -> None:
    """Take out of full text the turns that the transcript has otherwise, and move its cursor before them."""

    async def episodes_until(sequence: int) -> tuple[tuple[int, str], ...]:
        return await anyio.to_thread.run_sync(lambda: mind.text.episodes_until(sequence, limit=PAGE))

    cursor = await anyio.to_thread.run_sync(mind.text.cursor, "turns")
    first = await first_other(mind, cursor, episodes_until)
    if first is not None:
        positions, to = mind.transcript.positions, first - 1
        lasts = positions.sessions_at(to, below=first, limit=positions.sessions())
        before = [sequence for _, sequence in lasts]
        await anyio.to_thread.run_sync(lambda: mind.text.go_back(to, before=before))


def _write(mind: Mind, with_context: Sequence[tuple[StoredTurn, Sequence[StoredTurn]]], cursor: int) -> None:
    fallback = mind.text.main_language()
    indexed = [
        as_indexed(turn, uuid=uuid_of(mind, turn), before=before, fallback=fallback) for turn, before in with_context
    ]
    mind.text.add_turns(indexed, cursor=cursor)
