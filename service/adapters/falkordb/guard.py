"""
Stands before one server, or one shard of a cluster: nobody is let through to it while it rests.

What is behind it reports here whether it answers, and whether it takes writes in.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import GraphCircuitOpen, GraphUnavailable, GraphUnwritable
from service.adapters.falkordb.server_errors import foreign, translated

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from contextlib import AbstractContextManager

    from service.adapters.circuit_breaker import CircuitBreaker

_WRITING = "writing"


class Guard:
    """Lets everybody through where it has no *breaker*; *ask* finds out whether anybody is there."""

    def __init__(self, breaker: CircuitBreaker | None, *, ask: Callable[[], Awaitable[None]]) -> None:
        self._breaker = breaker
        self._ask = ask

    def check(self) -> None:
        """Return if calls may pass. Raises GraphCircuitOpen."""
        if self._breaker is not None:
            self._breaker.check(GraphCircuitOpen)

    def watching(self) -> AbstractContextManager[None]:
        """Watch one call: when nobody answers it, find out whether anybody is there."""
        if self._breaker is None:
            return nullcontext()
        return self._breaker.watching(self._ask, suspect=GraphUnavailable)

    async def call(self, asking: Awaitable[Any], *, seconds: float) -> Any:  # noqa: ANN401 - what redis answers
        """Return what *asking* returns within *seconds*, watched. Raises GraphFault."""
        with self.watching():
            try:
                async with asyncio.timeout(seconds):
                    return await asking
            except foreign() as error:
                raise translated(error) from error

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Tell the dependency whether the server refuses writes; reading works all the same."""
        dependency = self._breaker.dependency if self._breaker is not None else None
        try:
            yield
        except GraphUnwritable as fault:
            if dependency is not None:
                dependency.failed(str(fault), part=_WRITING)
            raise
        if dependency is not None:
            dependency.worked(part=_WRITING)
