"""
Reads what happened in minds into the outbox, from the durable stores of each (`sources.py`).

An event that is published only says that there is something to read: one that a kill kept from being published is told
all the same, once its mind is open. Where several machines share the home, the one that works on a mind reads it.
"""

from __future__ import annotations

import asyncio
import math
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog
from anyio import CapacityLimiter

from consolidation.kernel.errors import GraphUnavailable, MemoryFault, MindNotFound
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from service.webhooks.endpoint import delivery_of
from service.webhooks.sources import sources

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    from consolidation.kernel.ports import Clock
    from service.mind.events import MindEvent
    from service.mind.minds import Mind, Minds
    from service.ports.webhooks import Noted, WebhookOutbox
    from service.webhooks.endpoint import WebhookEndpoint
    from service.webhooks.sources import EventSource

    type VersionOf = Callable[[str], int]

_TRIES = 2  # of a look at a mind that somebody else has looked at meanwhile

log = structlog.get_logger()


class _Moved(Exception):
    """Somebody else has noted what comes behind a position, or something of the mind was erased."""


@dataclass(frozen=True, slots=True)
class _Mark:
    """How a mind was when it was read: under which claim of ours, and up to which version."""

    epoch: int | None
    version: int


@dataclass(slots=True)
class _News:
    """Which kinds of events a mind has that are not read yet, and what keeps it open until they are."""

    kinds: set[str] = field(default_factory=set)
    stays_open: ExitStack = field(default_factory=ExitStack)


class Comparison:
    """Compares what each mind's stores say with what is noted of it, and notes the rest."""

    def __init__(
        self,
        endpoints: Sequence[WebhookEndpoint],
        *,
        outbox: WebhookOutbox,
        minds: Minds,
        clock: Clock,
        sweep_seconds: float,
        wake: Callable[[str], None],
        version_of: VersionOf | None,
    ) -> None:
        """
        *wake* is called with the name of an endpoint for which something was noted.

        *version_of* says up to which version this machine has a mind, where several machines share the home.
        """
        self._endpoints = tuple(endpoints)
        self._outbox = outbox
        self._minds = minds
        self._clock = clock
        self._sweep_seconds = sweep_seconds
        self._wake = wake
        self._version_of = version_of
        self._sources = sources(clock)
        self._thread = CapacityLimiter(1)
        self._heard: dict[str, _News] = {}
        self._read_at: dict[str, _Mark] = {}  # minds of which everything was read, each with how it was then
        self._failed_at: dict[str, float] = {}
        self._noticed = asyncio.Event()

    def hear(self, mind_id: str, event: MindEvent) -> None:
        """Read the stores of a mind soon; until then, it stays open. Where another machine works on it, that does."""
        if not any(one.wants(mind_id, event.kind) for one in self._endpoints):
            return
        if not self._minds.custody.holds(mind_id):
            self._leave(mind_id)
            self._want(mind_id)
            return
        if mind_id not in self._heard:
            self._heard[mind_id] = _News()
            self._heard[mind_id].stays_open.enter_context(self._minds.held(mind_id))
        self._heard[mind_id].kinds.add(event.kind)
        self._noticed.set()

    def has_news(self, mind_id: str) -> bool:
        """Whether something of a mind that this process works on may not be noted yet. Then it is read soon."""
        is_read = mind_id not in self._heard and self._read_at.get(mind_id) == self._mark(mind_id)
        if not is_read:
            self._read_at.pop(mind_id, None)
            self._noticed.set()
        return not is_read

    def version_read(self, mind_id: str) -> int | None:
        """The version of a mind up to which everything that happened is noted; None where that is not known."""
        mark = self._read_at.get(mind_id)
        return mark.version if mark is not None else None

    def forget(self, mind_id: str) -> None:
        """Drop what is in memory of a mind: it is erased."""
        self._failed_at.pop(mind_id, None)
        self._read_at.pop(mind_id, None)
        if (news := self._heard.pop(mind_id, None)) is not None:
            news.stays_open.close()

    async def run(self) -> None:
        """Read what happened in minds into the outbox, for ever: first of every open mind, then of those with news."""
        while True:
            self._noticed.clear()
            opened = {mind.mind_id for mind in self._minds.opened()}
            self._read_at = {mind_id: mark for mind_id, mark in self._read_at.items() if mind_id in opened}
            for mind_id in sorted((opened - self._read_at.keys()) | self._heard.keys()):
                if not self._minds.custody.holds(mind_id):
                    if self._leave(mind_id):
                        self._want(mind_id)
                elif not self._has_just_failed(mind_id):
                    await self._compare(mind_id)
            await until_set(self._noticed, seconds=self._sweep_seconds)

    async def _compare(self, mind_id: str) -> None:
        """Read what happened in one mind, where it was read before only what it was heard of."""
        news, known = self._heard.pop(mind_id, None) or _News(), self._read_at.pop(mind_id, None)
        mark = known or self._mark(mind_id)
        with news.stays_open, self._minds.held(mind_id), self._minds.gate.enter(mind_id):
            is_read = await self._compared(mind_id, news.kinds if known is not None else None)
        if is_read:
            self._read_at[mind_id] = mark
            self._failed_at.pop(mind_id, None)
        else:
            self._failed_at[mind_id] = self._clock.monotonic()

    def _leave(self, mind_id: str) -> bool:
        """Let the machine that works on a mind read it; whether there was something to read."""
        self._read_at.pop(mind_id, None)
        news = self._heard.pop(mind_id, None)
        if news is not None:
            news.stays_open.close()
        return news is not None

    def _want(self, mind_id: str) -> None:
        """Claim a mind soon, unless another machine works on it."""
        if self._minds.custodian is not None:
            self._minds.custodian.want(mind_id)

    def _mark(self, mind_id: str) -> _Mark:
        version = self._version_of(mind_id) if self._version_of is not None else 0
        return _Mark(self._minds.custody.epoch(mind_id), version)

    def _has_just_failed(self, mind_id: str) -> bool:
        return self._clock.monotonic() - self._failed_at.get(mind_id, -math.inf) < self._sweep_seconds

    async def _compared(self, mind_id: str, kinds: AbstractSet[str] | None) -> bool:
        """Read the stores that prove *kinds* (None: all) of a mind; whether all of them could be read."""
        wanted = [
            (source, endpoint)
            for source, endpoint in product(self._sources, self._endpoints)
            if (kinds is None or kinds & source.kinds) and any(endpoint.wants(mind_id, kind) for kind in source.kinds)
        ]
        try:
            for _ in range(_TRIES if wanted else 0):
                noted = await self._blocking(partial(self._outbox.noted, mind_id))
                mind = await self._found(mind_id)
                with suppress(_Moved):
                    return all([await self._read(mind, source, endpoint, noted=noted) for source, endpoint in wanted])
        except MindNotFound:
            return True
        except DatabaseUnavailable:  # which is told of once, as is that of the graph
            return False
        except MemoryFault as error:
            log.warning("webhook.not_compared", mind_id=mind_id, reason=str(error))
            return False
        except Exception as error:  # the other minds outlive what nobody foresaw in this one
            log.warning("webhook.not_compared", mind_id=mind_id, reason=type(error).__name__, exc_info=error)
            return False
        return not wanted

    async def _found(self, mind_id: str) -> Mind:
        """A mind, with what other machines wrote to it."""
        is_ours = self._minds.copies is None
        return (self._minds.get(mind_id) if is_ours else None) or await self._minds.find(mind_id)

    async def _read(self, mind: Mind, source: EventSource, endpoint: WebhookEndpoint, *, noted: Noted) -> bool:
        """
        Move an endpoint's position in a store to its end; whether it is there.

        Raises _Moved, DatabaseUnavailable.
        """
        try:
            since = await self._blocking(partial(self._outbox.since, endpoint.name))
            position = noted.positions.get((endpoint.name, source.name))
            is_all = False
            while not is_all:
                found = await source.after(mind, position, since=since)
                if self._minds.gate.is_closed(mind.mind_id):
                    return True
                now = self._clock.now()  # a clock that was set back keeps nothing waiting
                deliveries = [
                    delivery_of(endpoint, mind.mind_id, one.kind, at=min(one.at, now), about=one.about, key=one.key)
                    for one in found.events
                    if endpoint.wants(mind.mind_id, one.kind)
                ]
                if (deliveries or found.position != position) and not await self._blocking(
                    partial(
                        self._outbox.advance,
                        endpoint.name,
                        mind.mind_id,
                        source.name,
                        deliveries=deliveries,
                        before=position,
                        position=found.position,
                        generation=noted.generation,
                    )
                ):
                    raise _Moved
                if deliveries:
                    self._wake(endpoint.name)
                position, is_all = found.position, found.is_all
        except DatabaseUnavailable:
            raise
        except GraphUnavailable:  # which is told of once, for all minds
            return False
        except (OSError, MemoryFault) as error:
            log.warning("webhook.not_compared", mind_id=mind.mind_id, reason=str(error))
            return False
        return True

    async def _blocking[Found](self, call: Callable[[], Found]) -> Found:
        """What *call* returns, in the one thread that may wait for the outbox."""
        return await anyio.to_thread.run_sync(call, limiter=self._thread)


async def until_set(event: asyncio.Event, *, seconds: float) -> None:
    """Return once *event* is set, and after so many *seconds* at the latest."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
