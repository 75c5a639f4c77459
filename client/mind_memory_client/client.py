"""The client, blocking and awaited: two thin drivers of the same calls, attempts and turns."""

from __future__ import annotations

import time
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import httpx

from mind_memory_client import calls
from mind_memory_client.attempts import Patience, Rest, Told, Try, attempts
from mind_memory_client.faces import Around, AroundAwaited, Awaited, Blocking
from mind_memory_client.faults import MemoryFault
from mind_memory_client.surroundings import chance, clock
from mind_memory_client.turn import Turn, begin
from mind_memory_client.unanswered import Unanswered
from mind_memory_client.wire import Address, broken, reply_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from types import TracebackType

    from typing_extensions import Self

    from mind_memory_client.call import Call

T = TypeVar("T")


class MemoryClient:
    """
    A memory service. Safe to share among threads.

    Where it answers and the key are *url* and *key*, or MIND_MEMORY_URL and MIND_MEMORY_KEY, or this machine without a
    key. A call that finds nobody, or a service that is busy, is tried again within *patience*; what it raises is a
    MemoryFault.
    """

    resonance = Blocking(calls.resonance)
    store_turn = Blocking(calls.store_turn)
    turn = Around(begin)
    remember = Blocking(calls.remember)
    journal_search = Blocking(calls.journal_search)
    journal_get = Blocking(calls.journal_get)
    story = Blocking(calls.story)
    edit_story = Blocking(calls.edit_story)
    consolidate = Blocking(calls.consolidate)
    consolidation = Blocking(calls.consolidation)
    compaction = Blocking(calls.compaction)
    mind = Blocking(calls.mind)
    minds = Blocking(calls.minds)
    trace = Blocking(calls.trace)
    traces = Blocking(calls.traces)

    def __init__(
        self,
        url: str | None = None,
        *,
        key: str | None = None,
        patience: Patience | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        """Bind to a service; an *http* of yours stays yours to close."""
        self._address = Address(url, key)
        self._patience = patience or Patience()
        self._http = http or httpx.Client()
        self._is_ours = http is None
        self._waiting = Unanswered()

    def send(self, call: Call[T]) -> T:
        """Send a call, as often as patience allows, and return its answer."""
        steps = attempts(call, patience=self._patience, clock=clock, chance=chance)
        told: Told = None
        while True:
            try:
                step = steps.send(told)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return] # a generator's value
            told = self._do(step)

    @contextmanager
    def around(self, begun: Turn) -> Iterator[Turn]:
        """Ask what surfaces, and keep the turn on leaving, also when it is left by an error."""
        self.recall(begun)
        try:
            yield begun
        except BaseException:
            self.keep(begun, raises=False)
            raise
        self.keep(begun)

    def recall(self, begun: Turn) -> None:
        """Ask what surfaces; the first half of ``turn``, for those who can not enter it."""
        if begun.asking is not None:
            begun.recalled(self.send(begun.asking))

    def keep(self, begun: Turn, *, raises: bool = True) -> None:
        """Store what was said; the second half of ``turn``."""
        call = begun.storing(self._waiting)
        if call is None:
            return
        try:
            kept = self.send(call)
        except MemoryFault as fault:
            begun.failed(call, fault, raises=raises)
        else:
            begun.stored(kept, self._waiting)

    def close(self) -> None:
        """Let go of connections."""
        if self._is_ours:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _do(self, step: Try[Any] | Rest) -> Told:
        if isinstance(step, Rest):
            time.sleep(step.seconds)
            return None
        until = clock() + step.seconds
        try:
            with self._http.stream(**self._address.request(step)) as response:
                content = bytearray()
                for part in response.iter_bytes():
                    content += part
                    if clock() > until:
                        raise httpx.ReadTimeout("the answer did not end in time")
                return reply_of(response, bytes(content))
        except httpx.HTTPError as error:
            return broken(error)


class AsyncMemoryClient:
    """A memory service, awaited; see MemoryClient."""

    resonance = Awaited(calls.resonance)
    store_turn = Awaited(calls.store_turn)
    turn = AroundAwaited(begin)
    remember = Awaited(calls.remember)
    journal_search = Awaited(calls.journal_search)
    journal_get = Awaited(calls.journal_get)
    story = Awaited(calls.story)
    edit_story = Awaited(calls.edit_story)
    consolidate = Awaited(calls.consolidate)
    consolidation = Awaited(calls.consolidation)
    compaction = Awaited(calls.compaction)
    mind = Awaited(calls.mind)
    minds = Awaited(calls.minds)
    trace = Awaited(calls.trace)
    traces = Awaited(calls.traces)

    def __init__(
        self,
        url: str | None = None,
        *,
        key: str | None = None,
        patience: Patience | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """Bind to a service; an *http* of yours stays yours to close."""
        self._address = Address(url, key)
        self._patience = patience or Patience()
        self._http = http or httpx.AsyncClient()
        self._is_ours = http is None
        self._waiting = Unanswered()

    async def send(self, call: Call[T]) -> T:
        """Send a call, as often as patience allows, and return its answer."""
        steps = attempts(call, patience=self._patience, clock=clock, chance=chance)
        told: Told = None
        while True:
            try:
                step = steps.send(told)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return] # a generator's value
            told = await self._do(step)

    @asynccontextmanager
    async def around(self, begun: Turn) -> AsyncIterator[Turn]:
        """Ask what surfaces, and keep the turn on leaving, also when it is left by an error or a cancellation."""
        await self.recall(begun)
        try:
            yield begun
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self.keep(begun, raises=False)
            raise
        await self.keep(begun)

    async def recall(self, begun: Turn) -> None:
        """Ask what surfaces; the first half of ``turn``, for those who can not enter it."""
        if begun.asking is not None:
            begun.recalled(await self.send(begun.asking))

    async def keep(self, begun: Turn, *, raises: bool = True) -> None:
        """Store what was said; the second half of ``turn``."""
        call = begun.storing(self._waiting)
        if call is None:
            return
        try:
            kept = await self.send(call)
        except MemoryFault as fault:
            begun.failed(call, fault, raises=raises)
        else:
            begun.stored(kept, self._waiting)

    async def aclose(self) -> None:
        """Let go of connections."""
        if self._is_ours:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _do(self, step: Try[Any] | Rest) -> Told:
        if isinstance(step, Rest):
            await anyio.sleep(step.seconds)
            return None
        try:
            with anyio.fail_after(step.seconds):
                response = await self._http.request(**self._address.request(step))
                return reply_of(response, response.content)
        except (httpx.HTTPError, TimeoutError) as error:
            return broken(error)
