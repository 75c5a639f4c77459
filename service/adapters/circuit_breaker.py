"""
A circuit breaker: who does not answer is left alone, and asked from time to time whether they are back.

Only one question opens it: the cheapest there is, asked beside everything else as soon as a call fails or waits long.
So a dead server is found out by the first call that meets it, while a heavy query that is stopped, a refused statement
or a text that is too long closes nobody's way; and callers never pay for trying whether it is over. The state changes
by these questions alone and needs no clock: pybreaker and purgatory, which would keep it for us, go by the wall clock.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING

from consolidation.kernel.errors import MemoryFault

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from service.observability.dependency_health import Dependency
    from service.runtime.background import Background

_LONG_SECONDS = 0.1  # in vain: a caller that gave up later than this may have met a server that will never answer

_MOMENT_SECONDS = 0.3


class CircuitState(StrEnum):
    """Calls pass in ``CLOSED`` alone; ``HALF_OPEN`` is open while the dependency is being asked again."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class CircuitBreaker:
    """Stands before one dependency. All calls pass, or none does; its own question alone decides."""

    def __init__(self, dependency: Dependency, *, rest_seconds: float, background: Background) -> None:
        """Ask again *rest_seconds* after a question that failed; later where the fault has a ``retry_after``."""
        self.dependency = dependency
        self._rest_seconds = rest_seconds
        self._background = background
        self._state = CircuitState.CLOSED
        self._reason = ""
        self._asking: asyncio.Task[None] | None = None
        dependency.breaker_state = lambda: self._state.value

    def sibling(self, dependency: Dependency) -> CircuitBreaker:
        """Return a breaker of the same manners that stands before another dependency."""
        return CircuitBreaker(dependency, rest_seconds=self._rest_seconds, background=self._background)

    def check(self, resting: Callable[[str], MemoryFault]) -> None:
        """Raise *resting*, made of the reason, unless calls may pass."""
        if self._state is not CircuitState.CLOSED:
            raise resting(self._reason)

    @contextmanager
    def watching(self, ask: Callable[[], Awaitable[None]], *, suspect: type[MemoryFault]) -> Iterator[None]:
        """Watch one call: ask with *ask* when it fails of *suspect*, or is given up after it waited long."""
        now = asyncio.get_running_loop().time
        began = now()
        try:
            yield
        except suspect:
            self._begin(ask)
            raise
        except asyncio.CancelledError:
            if now() - began > _LONG_SECONDS:
                self._begin(ask)
            raise

    def _begin(self, ask: Callable[[], Awaitable[None]]) -> None:
        if (self._asking is None or self._asking.done()) and not self._background.is_stopping:
            self._asking = self._background.start(f"asking {self.dependency.name}", lambda: self._ask(ask))

    async def _ask(self, ask: Callable[[], Awaitable[None]]) -> None:
        """Until it answers; one that refuses at once is asked again in a moment: it may only be starting anew."""
        now = asyncio.get_running_loop().time
        has_a_chance, was_away = True, False
        while not self._background.is_stopping:
            if self._state is CircuitState.OPEN:
                self._state = CircuitState.HALF_OPEN
            began = now()
            try:
                await ask()
            except MemoryFault as fault:
                if has_a_chance and now() - began < _MOMENT_SECONDS:
                    await self._background.pause(_MOMENT_SECONDS)
                else:
                    self._failed(fault)
                    await self._background.pause(max(self._rest_seconds, getattr(fault, "retry_after", 0.0)))
                has_a_chance, was_away = False, True
            else:
                self._state = CircuitState.CLOSED
                self.dependency.worked(wakes_waiters=was_away)
                return

    def _failed(self, fault: MemoryFault) -> None:
        self._reason = str(fault)
        self.dependency.failed(self._reason)
        self._state = CircuitState.OPEN
