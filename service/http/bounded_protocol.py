"""
uvicorn's HTTP protocol with what it lacks: a deadline for headers, and a bound on connections.

Whoever opens connections and sends nothing, or a header a letter at a time, would hold them for ever.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import structlog
from uvicorn.protocols.http.h11_impl import H11Protocol

from service.access.addresses import address_group

if TYPE_CHECKING:
    import asyncio

    import h11
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

log = structlog.get_logger()


class BoundedProtocol(H11Protocol):
    """One connection. A request's headers must be complete *header_seconds* after the last answer or the connecting."""

    def __init__(self, *args: Any, header_seconds: float, most_connections: int, **more: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*args, **more)
        self.waits_since: float | None = None
        self._header_seconds = header_seconds
        self._most_connections = most_connections
        self._deadline: asyncio.TimerHandle | None = None

    @property
    def group(self) -> str:
        """The address it comes from."""
        return address_group(self.client[0] if self.client else None)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Begin, and make room where there are too many."""
        super().connection_made(transport)
        self._await_headers()
        if len(self.connections) > self._most_connections:
            self._make_room()

    def handle_events(self) -> None:
        """Read what came; the deadline ends with the headers."""
        super().handle_events()
        cycle: RequestResponseCycle | None = self.cycle  # None until the first request, whatever its annotation says
        if cycle is not None and not cycle.response_complete:
            self._stop_waiting()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection on: a WebSocket has its own end."""
        self._stop_waiting()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it was sent already."""
        self._await_headers()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_headers(self) -> None:
        self._stop_waiting()
        self.waits_since = self.loop.time()
        self._deadline = self.loop.call_later(self._header_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        self.waits_since = None
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            log.info("connection.timed_out", address=self.group)
            self.transport.abort()

    def _all(self) -> list[BoundedProtocol]:
        """All connections of the server, this one too, but for WebSockets, which are never closed to make room."""
        return [one for one in self.connections if isinstance(one, BoundedProtocol)]

    def _make_room(self) -> None:
        """Close what has waited longest, of the address with most connections; this one, if none waits."""
        waiting = [one for one in self._all() if one.waits_since is not None]
        counts = Counter(one.group for one in waiting)
        chosen = min(waiting, key=lambda one: (-counts[one.group], one.waits_since), default=self)
        log.warning("connection.refused", address=chosen.group, connections=len(self.connections))
        self.connections.discard(chosen)
        chosen.transport.abort()
