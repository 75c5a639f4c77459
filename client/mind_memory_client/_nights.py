"""What people look at of an agent's nights: how tired it was. Both clients have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mind_memory_client._endpoints import AsModel, Endpoint
from mind_memory_client.fatigue import Fatigue

if TYPE_CHECKING:
    from mind_memory_client._transport import AsyncTransport, Transport

FATIGUE = Endpoint("GET", "/v1/minds/{mind_id}/fatigue", AsModel(Fatigue))


class NightCalls:
    """An agent's nights, for the client that blocks."""

    _transport: Transport

    def fatigue(self, mind: str, *, days: int | None = None) -> Fatigue:
        """Read how tired an agent was, and when it slept, in the last 7 days unless *days* says how many, up to 90."""
        return self._transport.send(FATIGUE.call(mind_id=mind, query={"days": days}))


class AsyncNightCalls:
    """An agent's nights, for the client that is awaited."""

    _transport: AsyncTransport

    async def fatigue(self, mind: str, *, days: int | None = None) -> Fatigue:
        """Read how tired an agent was, and when it slept, in the last 7 days unless *days* says how many, up to 90."""
        return await self._transport.send(FATIGUE.call(mind_id=mind, query={"days": days}))
