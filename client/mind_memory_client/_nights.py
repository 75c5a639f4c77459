"""What people look at of an agent's nights: how tired it was, dreams taken back. Both clients have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mind_memory_client._endpoints import AsModel, Endpoint
from mind_memory_client.fatigue import Fatigue
from mind_memory_client.sleep import Dream

if TYPE_CHECKING:
    from mind_memory_client._transport import AsyncTransport, Transport

FATIGUE = Endpoint("GET", "/v1/minds/{mind_id}/fatigue", AsModel(Fatigue))
UNDO_DREAM = Endpoint("POST", "/v1/minds/{mind_id}/dreams/{dream}/undo", AsModel(Dream))
REDO_DREAM = Endpoint("DELETE", "/v1/minds/{mind_id}/dreams/{dream}/undo", AsModel(Dream))


class NightCalls:
    """An agent's nights, for the client that blocks."""

    _transport: Transport

    def fatigue(self, mind: str, *, days: int | None = None) -> Fatigue:
        """Read how tired an agent was, and when it slept, in the last 7 days unless *days* says how many, up to 90."""
        return self._transport.send(FATIGUE.call(mind_id=mind, query={"days": days}))

    def undo_dream(self, mind: str, *, dream: int) -> Dream:
        """
        Take the dream of this number back: its lines leave the agent's files, and it no longer counts.

        A person's lines stay, and so do the briefing, the priorities and the diary. ``redo_dream`` restores it.
        """
        return self._transport.send(UNDO_DREAM.call(mind_id=mind, dream=str(dream)))

    def redo_dream(self, mind: str, *, dream: int) -> Dream:
        """Let a dream count again that was taken back, with its lines."""
        return self._transport.send(REDO_DREAM.call(mind_id=mind, dream=str(dream)))


class AsyncNightCalls:
    """An agent's nights, for the client that is awaited."""

    _transport: AsyncTransport

    async def fatigue(self, mind: str, *, days: int | None = None) -> Fatigue:
        """Read how tired an agent was, and when it slept, in the last 7 days unless *days* says how many, up to 90."""
        return await self._transport.send(FATIGUE.call(mind_id=mind, query={"days": days}))

    async def undo_dream(self, mind: str, *, dream: int) -> Dream:
        """
        Take the dream of this number back: its lines leave the agent's files, and it no longer counts.

        A person's lines stay, and so do the briefing, the priorities and the diary. ``redo_dream`` restores it.
        """
        return await self._transport.send(UNDO_DREAM.call(mind_id=mind, dream=str(dream)))

    async def redo_dream(self, mind: str, *, dream: int) -> Dream:
        """Let a dream count again that was taken back, with its lines."""
        return await self._transport.send(REDO_DREAM.call(mind_id=mind, dream=str(dream)))
