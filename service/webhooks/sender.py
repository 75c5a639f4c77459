"""
Sends what is in the outbox: in order for each endpoint, with growing pauses while it fails, until it gives up.

Where several machines share the home, one of them sends to an endpoint, whoever read what is told (`comparison.py`).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog
from anyio import CapacityLimiter

from consolidation.kernel.errors import MemoryFault, WorkerUnavailable
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from service.ports.webhooks import NotPosted
from service.webhooks.comparison import Comparison, until_set
from service.webhooks.endpoint import signed_headers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from service.mind.minds import Minds
    from service.ports.webhooks import Delivery, EndpointState, Posted, WebhookOutbox, WebhookPoster
    from service.webhooks.endpoint import WebhookEndpoint

    type IsErased = Callable[[str, str | None], Awaitable[bool]]
    type VersionOf = Callable[[str], int]

_LOOK_SECONDS = 0.1  # for what other processes put into the outbox
_OF_THE_DELIVERY = frozenset({400, 401, 403, 404, 405, 413, 415, 422})  # refused; the next one may be taken
_MOST_THREADS = 2  # that wait for the outbox at once

_SUCCESS = range(200, 300)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class SendingTimes:
    """
    The first pause after a failed attempt and the longest one, when to give up, and how often to compare.

    ``look_seconds`` is how often the outbox is looked at for what other machines noted.
    """

    first_retry_seconds: float
    most_retry_seconds: float
    give_up_seconds: float
    sweep_seconds: float
    look_seconds: float


class Webhooks:
    """Has events read, and sends them."""

    def __init__(
        self,
        endpoints: Sequence[WebhookEndpoint],
        *,
        outbox: WebhookOutbox,
        poster: WebhookPoster,
        minds: Minds,
        clock: Clock,
        times: SendingTimes,
        is_erased: IsErased | None,
        changed_by_others: Callable[[], int],
        version_of: VersionOf | None,
    ) -> None:
        """
        *is_erased* asks another process whether the turn of a delivery was erased, where that has the mind.

        *changed_by_others* is another number when another process of this machine has written into the outbox. It may
        block.
        *version_of* says up to which version this machine has a mind, where several machines share the home.
        """
        self._endpoints = {one.name: one for one in endpoints}
        self._outbox = outbox
        self._poster = poster
        self._minds = minds
        self._clock = clock
        self._times = times
        self._is_erased_elsewhere = is_erased
        self._changed_by_others = changed_by_others
        self.attempts: Counter[tuple[str, str]] = Counter()  # by endpoint: delivered, failed, given_up
        self._threads = CapacityLimiter(_MOST_THREADS)
        self._woken = {name: asyncio.Event() for name in self._endpoints}
        self.comparison = Comparison(
            endpoints,
            outbox=outbox,
            minds=minds,
            clock=clock,
            sweep_seconds=times.sweep_seconds,
            wake=lambda name: self._woken[name].set(),
            version_of=version_of,
        )

    @property
    def endpoints(self) -> Mapping[str, WebhookEndpoint]:
        """All endpoints, by name."""
        return self._endpoints

    async def erase_mind(self, mind_id: str) -> None:
        """Drop all that is of a mind from the outbox. Raises MemoryFault."""
        await anyio.to_thread.run_sync(self._outbox.forget, mind_id)

    async def erase_turns(self, mind_id: str, turn_ids: Iterable[str], *, session_id: str | None) -> None:
        """Drop what is of turns from the outbox, and of a session that is erased as a whole. Raises MemoryFault."""
        await anyio.to_thread.run_sync(
            partial(self._outbox.forget_turns, mind_id, tuple(turn_ids), session_id=session_id)
        )

    async def state(self, name: str) -> EndpointState:
        """How the deliveries to an endpoint stand. Raises MemoryFault."""
        return await anyio.to_thread.run_sync(self._outbox.state, name)

    async def retry(self, name: str) -> int:
        """Send everything now that waits for an endpoint or was given up. Raises MemoryFault."""
        found = await anyio.to_thread.run_sync(partial(self._outbox.retry, name, now=self._clock.now()))
        self._woken[name].set()
        return found

    async def notice(self) -> None:
        """Wake the senders when another process of this machine has put something into the outbox, for ever."""
        known: int | None = None
        while True:
            try:
                now = await self._blocking(self._changed_by_others)
            except MemoryFault:  # which every sender tells of
                await asyncio.sleep(self._times.sweep_seconds)
                continue
            if now != known:
                known = now
                for event in self._woken.values():
                    event.set()
            await asyncio.sleep(_LOOK_SECONDS)

    async def send(self, name: str) -> None:
        """Send what is due to an endpoint, for ever."""
        endpoint, woken = self._endpoints[name], self._woken[name]
        note: Callable[[], None] | None = None  # what became of the last attempt, until the outbox knows it
        while True:
            woken.clear()
            delivery: Delivery | None = None
            try:
                if note is not None:
                    await self._blocking(note)
                    note = None
                due = await self._blocking(partial(self._outbox.due, name, now=self._clock.now()))
                delivery = due.delivery
                if delivery is not None:
                    note = await self._attempt(endpoint, delivery)
                else:
                    await until_set(woken, seconds=self._seconds_until(due.next_at))
            except WorkerUnavailable:
                await asyncio.sleep(self._times.first_retry_seconds)
            except DatabaseUnavailable:  # which is told of once, for all that ask it
                await asyncio.sleep(self._times.look_seconds)
            except MemoryFault as error:
                log.warning("webhook.outbox_failed", endpoint=name, reason=str(error))
                await asyncio.sleep(self._times.sweep_seconds)
            except Exception as error:  # an endpoint outlives what nobody foresaw
                log.exception("webhook.sender_failed", endpoint=name)
                if delivery is not None:
                    note = self._failed(delivery, type(error).__name__, asked=None, rests=True)
                await asyncio.sleep(self._times.first_retry_seconds)

    async def _attempt(self, endpoint: WebhookEndpoint, delivery: Delivery) -> Callable[[], None] | None:
        """
        Make one attempt, and return what is to be noted of it. Nobody ends an erasure meanwhile.

        None where it is not to be made any more.
        """
        with self._minds.gate.enter(delivery.mind_id):
            if await self._is_erased(delivery):
                return partial(self._outbox.drop, delivery)
            if not await self._blocking(partial(self._outbox.is_due, delivery)):
                return None
            body = delivery.body.encode()
            at = round(self._clock.now().timestamp())
            headers = signed_headers(body, delivery_id=delivery.id, at=at, secret=endpoint.secret)
            try:
                posted = await self._poster.post(endpoint.url, body=body, headers=headers)
            except NotPosted as error:
                return self._failed(delivery, str(error), asked=None, rests=True)
        if posted.status in _SUCCESS:
            self.attempts[endpoint.name, "delivered"] += 1
            log.info("webhook.delivered", endpoint=endpoint.name, delivery=delivery.id, kind=delivery.kind)
            return partial(self._outbox.made, delivery, now=self._clock.now())
        return self._refused(delivery, posted)

    def _refused(self, delivery: Delivery, posted: Posted) -> Callable[[], None]:
        return self._failed(
            delivery,
            f"answered {posted.status}",
            asked=posted.retry_after,
            rests=posted.status not in _OF_THE_DELIVERY,
            is_last=posted.status == HTTPStatus.GONE,  # the receiver wants no more of it
        )

    def _failed(
        self, delivery: Delivery, reason: str, *, asked: float | None, rests: bool, is_last: bool = False
    ) -> Callable[[], None]:
        now = self._clock.now()
        is_last |= now - delivery.at > timedelta(seconds=self._times.give_up_seconds)
        due = None if is_last else now + timedelta(seconds=max(self._pause(delivery), asked or 0.0))
        self.attempts[delivery.endpoint, "given_up" if due is None else "failed"] += 1
        log.info(
            "webhook.failed",
            endpoint=delivery.endpoint,
            delivery=delivery.id,
            attempt=delivery.attempts + 1,
            reason=reason,
            gives_up=due is None,
        )
        return partial(self._outbox.failed, delivery, reason, now=now, due=due, rests=rests)

    def _pause(self, delivery: Delivery) -> float:
        """The next pause: between half of it and all of it, by the delivery's id, so that not all come back at once."""
        grown = self._times.first_retry_seconds * 2.0 ** min(delivery.attempts, 32)
        return min(grown, self._times.most_retry_seconds) * (0.5 + int(delivery.id[-4:], 16) / 0x20000)

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

    def _seconds_until(self, at: datetime | None) -> float:
        """How long to wait for a time, and no longer than a look at the outbox may wait."""
        most = self._times.look_seconds
        return most if at is None else min(max((at - self._clock.now()).total_seconds(), 0.01), most)

    async def _blocking[Found](self, call: Callable[[], Found]) -> Found:
        """What *call* returns, in one of the few threads that may wait for the outbox."""
        return await anyio.to_thread.run_sync(call, limiter=self._threads)
