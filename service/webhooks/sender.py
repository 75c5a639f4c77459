"""
Sends what is in the outbox: in order for each endpoint, with growing pauses while it fails, until it gives up.

What is told is read from the durable stores of the minds (`sources.py`). An event that is published only says that
there is something to read: one that a kill kept from being published is told all the same, once its mind is open.
"""

from __future__ import annotations

import asyncio
import math
import sqlite3
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from itertools import product
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import GraphUnavailable, MemoryFault, MindNotFound, WorkerUnavailable
from service.ports.webhooks import NotPosted
from service.webhooks.endpoint import delivery_of, signed_headers
from service.webhooks.sources import sources

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from service.mind.events import MindEvent
    from service.mind.minds import Mind, Minds
    from service.ports.webhooks import Posted, WebhookPoster
    from service.webhooks.endpoint import Delivery, WebhookEndpoint
    from service.webhooks.outbox import EndpointState, Outbox
    from service.webhooks.sources import EventSource

    type IsErased = Callable[[str, str | None], Awaitable[bool]]

_LOOK_SECONDS = 0.1  # for what other processes put into the outbox; a look costs some microseconds
_OF_THE_DELIVERY = frozenset({400, 401, 403, 404, 405, 413, 415, 422})  # refused; the next one may be taken

_SUCCESS = range(200, 300)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class SendingTimes:
    """The first pause after a failed attempt and the longest one, when to give up, and how often to compare."""

    first_retry_seconds: float
    most_retry_seconds: float
    give_up_seconds: float
    sweep_seconds: float


@dataclass(slots=True)
class _News:
    """Which kinds of events a mind has that are not read yet, and what keeps it open until they are."""

    kinds: set[str] = field(default_factory=set)
    stays_open: ExitStack = field(default_factory=ExitStack)


class Webhooks:
    """Takes events, and sends them."""

    def __init__(
        self,
        endpoints: Sequence[WebhookEndpoint],
        *,
        outbox: Outbox,
        poster: WebhookPoster,
        minds: Minds,
        clock: Clock,
        times: SendingTimes,
        is_erased: IsErased | None = None,
    ) -> None:
        """*is_erased* asks another process whether the turn of a delivery was erased, where that has the mind."""
        self._endpoints = {one.name: one for one in endpoints}
        self._outbox = outbox
        self._poster = poster
        self._minds = minds
        self._clock = clock
        self._times = times
        self._is_erased_elsewhere = is_erased
        self._woken = {name: asyncio.Event() for name in self._endpoints}
        self._hurried = {name: asyncio.Event() for name in self._endpoints}
        self._sources = sources(clock)
        self._heard: dict[str, _News] = {}
        self._failed_at: dict[str, float] = {}
        self._noticed = asyncio.Event()

    @property
    def endpoints(self) -> Mapping[str, WebhookEndpoint]:
        """All endpoints, by name."""
        return self._endpoints

    def hear(self, mind_id: str, event: MindEvent) -> None:
        """Read the stores of a mind soon; until then, it stays open."""
        if any(one.wants(mind_id, event.kind) for one in self._endpoints.values()):
            if mind_id not in self._heard:
                self._heard[mind_id] = _News()
                self._heard[mind_id].stays_open.enter_context(self._minds.held(mind_id))
            self._heard[mind_id].kinds.add(event.kind)
            self._noticed.set()

    def forget(self, mind_id: str) -> None:
        """Drop all that is of a mind: it is erased."""
        self._failed_at.pop(mind_id, None)
        if (news := self._heard.pop(mind_id, None)) is not None:
            news.stays_open.close()
        self._outbox.forget(mind_id)

    def state(self, name: str) -> EndpointState:
        """How the deliveries to an endpoint stand."""
        return self._outbox.state(name)

    def retry(self, name: str) -> int:
        """Send everything now that waits for an endpoint or was given up."""
        found = self._outbox.retry(name, now=self._clock.now())
        for event in (self._hurried[name], self._woken[name]):
            event.set()
        return found

    async def notice(self) -> None:
        """Wake the senders when another process has put something into the outbox, for ever."""
        known = self._outbox.changed_by_others()
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            now = self._outbox.changed_by_others()
            if now != known:
                known = now
                for event in self._woken.values():
                    event.set()

    async def send(self, name: str) -> None:
        """Send what is due to an endpoint, for ever."""
        endpoint, woken, hurried = self._endpoints[name], self._woken[name], self._hurried[name]
        while True:
            woken.clear()
            hurried.clear()
            delivery, pause = None, None
            try:
                delivery = self._outbox.due(name, now=self._clock.now())
                if delivery is not None:
                    pause = await self._deliver(endpoint, delivery)
            except sqlite3.Error as error:
                log.warning("webhook.outbox_failed", endpoint=name, reason=str(error))
                pause = self._times.sweep_seconds
            if pause is not None:  # new events do not wake one whose receiver fails
                await _until(hurried, seconds=pause)
            elif delivery is None:
                await _until(woken, seconds=min(self._next_in(name), self._times.sweep_seconds))

    async def compare(self) -> None:
        """Read what happened in minds into the outbox, for ever: first of every open mind, then of those with news."""
        looked: set[str] = set()
        while True:
            self._noticed.clear()
            opened = {mind.mind_id for mind in self._minds.opened()}
            wanted = {one for one in (opened - looked) | self._heard.keys() if not self._has_just_failed(one)}
            looked &= opened
            for mind_id in sorted(wanted):
                news = self._heard.pop(mind_id, None) or _News()
                with news.stays_open, self._minds.held(mind_id):
                    is_read = await self._compared(mind_id, news.kinds if mind_id in looked else None)
                (looked.add if is_read else looked.discard)(mind_id)
            await _until(self._noticed, seconds=self._times.sweep_seconds)

    def _has_just_failed(self, mind_id: str) -> bool:
        return self._clock.monotonic() - self._failed_at.get(mind_id, -math.inf) < self._times.sweep_seconds

    async def _compared(self, mind_id: str, kinds: AbstractSet[str] | None) -> bool:
        """Read the stores that prove *kinds* (None: all) of a mind; whether all of them could be read."""
        failed = False
        try:
            mind = self._minds.get(mind_id) or await self._minds.find(mind_id)
        except MindNotFound:
            return True
        except MemoryFault as error:
            log.warning("webhook.not_compared", mind_id=mind_id, reason=str(error))
            failed = True
        else:
            for source, endpoint in product(self._sources, self._endpoints.values()):
                is_news = kinds is None or kinds & source.kinds
                if is_news and any(endpoint.wants(mind_id, kind) for kind in source.kinds):
                    failed |= not await self._read(mind, source, endpoint)
        if failed:
            self._failed_at[mind_id] = self._clock.monotonic()
        else:
            self._failed_at.pop(mind_id, None)
        return not failed

    async def _read(self, mind: Mind, source: EventSource, endpoint: WebhookEndpoint) -> bool:
        try:
            while await self._advanced(mind, source, endpoint):
                pass
        except GraphUnavailable:  # which is told of once, for all minds
            return False
        except (sqlite3.Error, OSError, MemoryFault) as error:
            log.warning("webhook.not_compared", mind_id=mind.mind_id, reason=str(error))
            return False
        return True

    async def _advanced(self, mind: Mind, source: EventSource, endpoint: WebhookEndpoint) -> bool:
        """Move an endpoint's position in a store over what comes next; True while there is more."""
        mind_id, outbox = mind.mind_id, self._outbox
        position = await anyio.to_thread.run_sync(outbox.position, endpoint.name, mind_id, source.name)
        found = await source.after(mind, position, since=outbox.since(endpoint.name))
        if self._minds.gate.is_closed(mind_id):
            return False
        deliveries = [
            delivery_of(endpoint, mind_id, one.kind, at=one.at, about=one.about, key=one.key)
            for one in found.events
            if endpoint.wants(mind_id, one.kind)
        ]
        if deliveries or found.position != position:
            await anyio.to_thread.run_sync(
                partial(
                    outbox.advance,
                    endpoint.name,
                    mind_id,
                    source.name,
                    deliveries=deliveries,
                    position=found.position,
                )
            )
        if self._minds.gate.is_closed(mind_id):  # meanwhile: what was noted is of a mind that goes
            outbox.forget(mind_id)
            return False
        if deliveries:
            self._woken[endpoint.name].set()
        return not found.is_all

    async def _deliver(self, endpoint: WebhookEndpoint, delivery: Delivery) -> float | None:
        """Make one attempt. Returns how long the endpoint rests, None for not at all."""
        try:
            is_erased = await self._is_erased(delivery)
        except WorkerUnavailable:
            return self._times.first_retry_seconds
        if is_erased:
            self._outbox.drop(delivery)
            return None
        body = delivery.body.encode()
        at = round(self._clock.now().timestamp())
        headers = signed_headers(body, delivery_id=delivery.id, at=at, secret=endpoint.secret)
        try:
            posted = await self._poster.post(endpoint.url, body=body, headers=headers)
        except NotPosted as error:
            return self._failed(delivery, str(error), asked=None, rests=True)
        if posted.status in _SUCCESS:
            self._outbox.made(delivery, now=self._clock.now())
            log.info("webhook.delivered", endpoint=endpoint.name, delivery=delivery.id, kind=delivery.kind)
            return None
        return self._refused(delivery, posted)

    def _refused(self, delivery: Delivery, posted: Posted) -> float | None:
        reason = f"answered {posted.status}"
        if posted.status == HTTPStatus.GONE:  # the receiver wants no more of it
            self._outbox.failed(delivery, reason, now=self._clock.now(), due=None)
            return None
        rests = posted.status not in _OF_THE_DELIVERY
        return self._failed(delivery, reason, asked=posted.retry_after, rests=rests)

    def _failed(self, delivery: Delivery, reason: str, *, asked: float | None, rests: bool) -> float | None:
        now = self._clock.now()
        pause = self._pause(delivery) + (asked or 0.0)
        due: datetime | None = now + timedelta(seconds=pause)
        if due is not None and due - delivery.at > timedelta(seconds=self._times.give_up_seconds):
            due = None
        self._outbox.failed(delivery, reason, now=now, due=due)
        log.info(
            "webhook.failed",
            endpoint=delivery.endpoint,
            delivery=delivery.id,
            attempt=delivery.attempts + 1,
            reason=reason,
            gives_up=due is None,
        )
        return pause if rests and due is not None else None

    def _pause(self, delivery: Delivery) -> float:
        """The next pause; half of it to one and a half, by the delivery's id, so that not all come back at once."""
        grown = self._times.first_retry_seconds * 2.0 ** min(delivery.attempts, 32)
        return min(grown, self._times.most_retry_seconds) * (0.5 + int(delivery.id[-4:], 16) / 0x10000)

    async def _is_erased(self, delivery: Delivery) -> bool:
        if self._is_erased_elsewhere is not None:
            return await self._is_erased_elsewhere(delivery.mind_id, delivery.turn_id)
        return self.is_erased(delivery.mind_id, delivery.turn_id)

    def is_erased(self, mind_id: str, turn_id: str | None) -> bool:
        """Whether a mind of this process, or the turn, is erased; what is not open was looked at when it was."""
        mind = self._minds.get(mind_id)
        is_gone = self._minds.gate.is_closed(mind_id)
        positions = mind.transcript.positions if mind is not None else None
        return is_gone or (positions is not None and turn_id is not None and positions.is_erased(turn_id))

    def _next_in(self, name: str) -> float:
        due = self._outbox.state(name).next_attempt_at
        return max((due - self._clock.now()).total_seconds(), 0.01) if due is not None else self._times.sweep_seconds


async def _until(event: asyncio.Event, *, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
