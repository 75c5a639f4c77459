"""What people and consoles call to look into a memory: what if, traces, events, figures, news. Both have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mind_memory_client import _insight_endpoints as api
from mind_memory_client._example import AsyncExampleCalls, ExampleCalls
from mind_memory_client._retry import Reconnecting
from mind_memory_client.errors import MindMemoryError
from mind_memory_client.events import EventReader

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Sequence
    from datetime import datetime

    from mind_memory_client import models
    from mind_memory_client._insight_endpoints import Bucket, LeftOut, Role
    from mind_memory_client._transport import AsyncTransport, Transport
    from mind_memory_client.events import MindEvent
    from mind_memory_client.messages import Messages
    from mind_memory_client.news import News
    from mind_memory_client.timeline import Timeline


class InsightCalls(ExampleCalls):
    """Looks into a memory, for the client that blocks."""

    _transport: Transport

    def probe(
        self,
        mind: str,
        session: str,
        messages: Messages,
        *,
        as_of: datetime | str | None = None,
        without: Sequence[LeftOut] = (),
        again_of: str | None = None,
        now: datetime | str | None = None,
        timezone: str | None = None,
        deadline_ms: int | None = None,
        max_fragments: int | None = None,
        relevance: float | None = None,
        query: str | None = None,
    ) -> models.Resonance:
        """
        Ask what would surface, and leave nothing behind; the answer's ``trace`` says why.

        *as_of* is an earlier time, *without* what does not take part: "model", "graph". *again_of* is the trace of a
        call that is made again: what it showed does not count as shown. The rest is as in ``resonance``.
        """
        call = api.probe(
            mind,
            session,
            messages,
            as_of=as_of,
            without=without,
            again_of=again_of,
            now=now,
            timezone=timezone,
            deadline_ms=deadline_ms,
            max_fragments=max_fragments,
            relevance=relevance,
            query=query,
        )
        return self._transport.send(call)

    def find_traces(
        self,
        mind: str,
        *,
        session: str | None = None,
        memory: str | None = None,
        role: Role | None = None,
        surfaced: bool | None = None,
        since: datetime | str | None = None,
        before: datetime | str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> models.Traces:
        """
        Read traces of a kind, newest first, 50 of them unless *limit* says how many.

        *memory* is the id of one that the calls found; with *role*, "shown" or "dropped". *since* and *before* are
        times of the calls.
        """
        call = api.find_traces(
            mind,
            session=session,
            memory=memory,
            role=role,
            surfaced=surfaced,
            since=since,
            before=before,
            limit=limit,
            cursor=cursor,
        )
        return self._transport.send(call)

    def events(
        self, mind: str, *, last_event_id: str | None = None, follow: bool = True
    ) -> Generator[MindEvent, None, None]:
        """
        Hear what happens in a mind, as it happens, from now on, or first what happened after *last_event_id*.

        An answer that ends or breaks off is asked for again, and a service that is away is waited for, so this goes on
        until you stop, or until the service refuses. A ``reset`` says that events may be missing. Without *follow*, it
        ends with what was missed.
        """
        reader = EventReader(last_event_id)
        again = Reconnecting(mind, reader, policy=self._transport.policy)
        while True:
            call = api.events(mind, last_id=reader.last_id, follow=follow)
            try:
                for part in self._transport.download(call):
                    yield from reader.read(part)
                if not follow:
                    return
            except MindMemoryError as error:
                if not follow:
                    raise
                again.check(error)
            reader.begin()
            self._transport.wait(again.pause())

    def timeline(
        self,
        mind: str,
        *,
        bucket: Bucket | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
    ) -> Timeline:
        """Read what each day or week brought, of the last 90 days unless *since* and *until* say which."""
        return self._transport.send(api.timeline(mind, bucket=bucket, since=since, until=until))

    def news(self, mind: str, *, since: datetime | str | None = None, limit: int | None = None) -> News:
        """
        Read what was learned, ended, told, surfaced, put right and parked since a time, else in the last 7 days.

        *limit* is how many items of each group. The next time, pass ``until`` of the answer as *since*.
        """
        return self._transport.send(api.news(mind, since=since, limit=limit))


class AsyncInsightCalls(AsyncExampleCalls):
    """Looks into a memory, for the client that is awaited."""

    _transport: AsyncTransport

    async def probe(
        self,
        mind: str,
        session: str,
        messages: Messages,
        *,
        as_of: datetime | str | None = None,
        without: Sequence[LeftOut] = (),
        again_of: str | None = None,
        now: datetime | str | None = None,
        timezone: str | None = None,
        deadline_ms: int | None = None,
        max_fragments: int | None = None,
        relevance: float | None = None,
        query: str | None = None,
    ) -> models.Resonance:
        """
        Ask what would surface, and leave nothing behind; the answer's ``trace`` says why.

        *as_of* is an earlier time, *without* what does not take part: "model", "graph". *again_of* is the trace of a
        call that is made again: what it showed does not count as shown. The rest is as in ``resonance``.
        """
        call = api.probe(
            mind,
            session,
            messages,
            as_of=as_of,
            without=without,
            again_of=again_of,
            now=now,
            timezone=timezone,
            deadline_ms=deadline_ms,
            max_fragments=max_fragments,
            relevance=relevance,
            query=query,
        )
        return await self._transport.send(call)

    async def find_traces(
        self,
        mind: str,
        *,
        session: str | None = None,
        memory: str | None = None,
        role: Role | None = None,
        surfaced: bool | None = None,
        since: datetime | str | None = None,
        before: datetime | str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> models.Traces:
        """
        Read traces of a kind, newest first, 50 of them unless *limit* says how many.

        *memory* is the id of one that the calls found; with *role*, "shown" or "dropped". *since* and *before* are
        times of the calls.
        """
        call = api.find_traces(
            mind,
            session=session,
            memory=memory,
            role=role,
            surfaced=surfaced,
            since=since,
            before=before,
            limit=limit,
            cursor=cursor,
        )
        return await self._transport.send(call)

    async def events(
        self, mind: str, *, last_event_id: str | None = None, follow: bool = True
    ) -> AsyncGenerator[MindEvent, None]:
        """
        Hear what happens in a mind, as it happens, from now on, or first what happened after *last_event_id*.

        An answer that ends or breaks off is asked for again, and a service that is away is waited for, so this goes on
        until you stop, or until the service refuses. A ``reset`` says that events may be missing. Without *follow*, it
        ends with what was missed.
        """
        reader = EventReader(last_event_id)
        again = Reconnecting(mind, reader, policy=self._transport.policy)
        while True:
            call = api.events(mind, last_id=reader.last_id, follow=follow)
            try:
                async for part in self._transport.download(call):
                    for event in reader.read(part):
                        yield event
                if not follow:
                    return
            except MindMemoryError as error:
                if not follow:
                    raise
                again.check(error)
            reader.begin()
            await self._transport.wait(again.pause())

    async def timeline(
        self,
        mind: str,
        *,
        bucket: Bucket | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
    ) -> Timeline:
        """Read what each day or week brought, of the last 90 days unless *since* and *until* say which."""
        return await self._transport.send(api.timeline(mind, bucket=bucket, since=since, until=until))

    async def news(self, mind: str, *, since: datetime | str | None = None, limit: int | None = None) -> News:
        """
        Read what was learned, ended, told, surfaced, put right and parked since a time, else in the last 7 days.

        *limit* is how many items of each group. The next time, pass ``until`` of the answer as *since*.
        """
        return await self._transport.send(api.news(mind, since=since, limit=limit))
