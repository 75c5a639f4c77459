"""Who posts a webhook, with what comes back; and the outbox: every delivery that is not made yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Posted:
    """The answer to a delivery: its status, and how many seconds it asks to wait."""

    status: int
    retry_after: float | None = None


class NotPosted(Exception):
    """Nobody answered, or the address may not be asked; the text says why, without words of anybody."""


class WebhookPoster(Protocol):
    """Posts deliveries to addresses outside."""

    async def post(self, url: str, /, *, body: bytes, headers: Mapping[str, str]) -> Posted:
        """Post *body* once; redirects are not followed. Raises NotPosted."""
        ...


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event for one endpoint; ``id`` is the same in each attempt."""

    id: str
    endpoint: str
    mind_id: str
    kind: str
    at: datetime
    body: str
    attempts: int = 0
    turn_id: str | None = None
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class EndpointState:
    """How the deliveries to an endpoint stand."""

    waiting: int
    given_up: int
    delivered: int
    oldest_waiting_at: datetime | None
    next_attempt_at: datetime | None
    delivered_at: datetime | None
    failed_at: datetime | None
    error: str | None


@dataclass(frozen=True, slots=True)
class RemovedEndpoint:
    """An endpoint that is not configured any more, how many events it has, and whether they were dropped."""

    name: str
    events: int
    is_dropped: bool


@dataclass(frozen=True, slots=True)
class Noted:
    """
    How far the stores of a mind were read: a position for each endpoint and source, where there is one.

    ``generation`` grows when something of the mind is erased. What is read after this was asked is noted under it.
    """

    positions: Mapping[tuple[str, str], str]
    generation: int = 0


@dataclass(frozen=True, slots=True)
class Due:
    """What to send to an endpoint now; where that is nothing, when to look again, as far as it is known."""

    delivery: Delivery | None = None
    next_at: datetime | None = None


class WebhookOutbox(Protocol):
    """
    Every delivery that is not made yet, and how far the stores of each mind were read for each endpoint.

    A position moves in the write that adds what was read behind it, and only from where it was read. So an event is
    noted once, whatever is killed when, and whoever else reads the same mind. Safe to use from several threads. Every
    method blocks, and raises a MemoryFault where the outbox can not be read or written.
    """

    def register(self, names: Iterable[str], /, *, now: datetime) -> None:
        """Know the endpoints that are configured, and since when nobody has another one any more."""
        ...

    def drop_removed(self, *, before: datetime) -> tuple[RemovedEndpoint, ...]:
        """Drop endpoints that were removed *before*, with their events; return all that nobody has any more."""
        ...

    def since(self, name: str, /) -> datetime:
        """From when on an endpoint is told of what happens: when it was configured, first or after it was dropped."""
        ...

    def noted(self, mind_id: str, /) -> Noted:
        """How far the stores of a mind were read. Ask before the mind is looked at."""
        ...

    def advance(
        self,
        endpoint: str,
        mind_id: str,
        source: str,
        /,
        *,
        deliveries: Iterable[Delivery],
        before: str | None,
        position: str,
        generation: int,
    ) -> bool:
        """
        Have *deliveries* made, which a store of a mind proves between two positions, and move there, in one write.

        False, and nothing is noted, where the position is not the one *before* any more, or something of the mind was
        erased since *generation*: whoever asked looks at the mind again.
        """
        ...

    def due(self, endpoint: str, /, *, now: datetime) -> Due:
        """The oldest delivery to an endpoint whose time has come, where this process sends to it."""
        ...

    def is_due(self, delivery: Delivery, /) -> bool:
        """Whether a delivery that was due is to be made still, and by this process."""
        ...

    def made(self, delivery: Delivery, /, *, now: datetime) -> None:
        """A delivery was made: it is forgotten."""
        ...

    def failed(self, delivery: Delivery, error: str, /, *, now: datetime, due: datetime | None, rests: bool) -> None:
        """
        An attempt failed; the next one is *due*. None gives up.

        Where the endpoint *rests*, nothing else is sent to it before.
        """
        ...

    def drop(self, delivery: Delivery, /) -> None:
        """Make a delivery no more."""
        ...

    def retry(self, endpoint: str, /, *, now: datetime) -> int:
        """Have everything that waits, or was given up, sent now. Returns how much that is."""
        ...

    def forget(self, mind_id: str, /) -> None:
        """Drop all that is of a mind: it is erased."""
        ...

    def forget_turns(self, mind_id: str, turn_ids: Iterable[str], /, *, session_id: str | None) -> None:
        """Drop what is of turns, and of a session where it is erased as a whole."""
        ...

    def state(self, endpoint: str, /) -> EndpointState:
        """How the deliveries to an endpoint stand."""
        ...
