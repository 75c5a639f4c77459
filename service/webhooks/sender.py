"""
Sends what is in the outbox: in order for each endpoint, with growing pauses while it fails, until it gives up.

Publishing an event writes it into the outbox at once; nobody waits for a receiver. Turns that were kept are compared
with the transcripts of open minds, so that one whose event was never published is told all the same.
"""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import HomeFault, WorkerUnavailable
from consolidation.kernel.turns import TurnKind
from consolidation.transcript.as_of import last_accepted
from service.mind.events import about
from service.ports.webhooks import NotPosted
from service.webhooks.endpoint import KEPT, delivery_of
from service.webhooks.signature import signed_headers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from service.mind.events import MindEvent
    from service.mind.minds import Mind, Minds
    from service.ports.webhooks import Posted, WebhookPoster
    from service.webhooks.endpoint import Delivery, WebhookEndpoint
    from service.webhooks.outbox import EndpointState, Outbox

    type IsErased = Callable[[str, str | None], Awaitable[bool]]

_LOOK_SECONDS = 0.1  # for what other processes put into the outbox; a look costs some microseconds
_PAGE = 200  # turns that are looked at in one go
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
        self._kept: set[str] = set()  # minds with turns that no cursor has passed yet

    @property
    def endpoints(self) -> Mapping[str, WebhookEndpoint]:
        """All endpoints, by name."""
        return self._endpoints

    def hear(self, mind_id: str, event: MindEvent) -> None:
        """Put an event into the outbox; it is there when this returns, unless the disk fails, which is logged."""
        found = [
            delivery_of(one, mind_id, event.kind, at=event.at, about=event.about, key=_key(event))
            for one in self._endpoints.values()
            if one.wants(mind_id, event.kind)
        ]
        if not found:
            return
        if event.kind == KEPT:
            self._kept.add(mind_id)
        try:
            self._outbox.add(found)
        except sqlite3.Error as error:
            log.warning("webhook.not_noted", mind_id=mind_id, kind=event.kind, reason=str(error))
        for one in found:
            self._woken[one.endpoint].set()

    def forget(self, mind_id: str) -> None:
        """Drop all that is of a mind: it is erased."""
        self._kept.discard(mind_id)
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
        """Tell of turns that were kept and whose events were never published, for ever; first of every open mind."""
        looked: set[str] = set()
        while True:
            opened = {mind.mind_id: mind for mind in self._minds.opened()}
            wanted = (opened.keys() - looked) | (self._kept & opened.keys())
            looked = looked & opened.keys() | wanted
            for mind_id in sorted(wanted):
                self._kept.discard(mind_id)
                with self._minds.held(mind_id):
                    await self._compared(opened[mind_id])
            await asyncio.sleep(self._times.sweep_seconds)

    async def _compared(self, mind: Mind) -> None:
        for endpoint in self._endpoints.values():
            if not endpoint.wants(mind.mind_id, KEPT):
                continue
            try:
                while await self._caught_up(mind, endpoint):
                    pass
            except (sqlite3.Error, HomeFault) as error:
                log.warning("webhook.not_compared", mind_id=mind.mind_id, reason=str(error))

    async def _caught_up(self, mind: Mind, endpoint: WebhookEndpoint) -> bool:
        """Move the endpoint's cursor over the next turns; True while there are more."""
        cursor = self._outbox.cursor(endpoint.name, mind.mind_id)
        if cursor is None:
            cursor = await last_accepted(mind.transcript, self._outbox.since(endpoint.name))
        sequences = mind.transcript.positions.after(cursor, limit=_PAGE)
        turns = await mind.transcript.read_many(sequences)
        if self._minds.gate.is_closed(mind.mind_id):
            return False
        found = [
            delivery_of(
                endpoint,
                mind.mind_id,
                KEPT,
                at=one.accepted_at,
                about=about(one),
                key=str(one.sequence),
            )
            for one in turns
            if one.turn.kind is not TurnKind.ERASED
        ]
        last = sequences[-1] if sequences else cursor
        await anyio.to_thread.run_sync(lambda: self._outbox.catch_up(endpoint.name, mind.mind_id, found, cursor=last))
        if found:
            self._woken[endpoint.name].set()
        return len(sequences) == _PAGE

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


def _key(event: MindEvent) -> str:
    """What names an event within its mind, the same for one that is told from the transcript."""
    return str(event.about["sequence"]) if event.kind == KEPT else event.id
