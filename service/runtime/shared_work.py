"""Work that several callers wait for: it is begun once, and goes on when those who waited have gone."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any


class SharedWork[Key, Result]:
    """Work by its key, in one event loop, while it is under way."""

    def __init__(self) -> None:
        self._tasks: dict[Key, asyncio.Task[Result]] = {}

    async def wait(
        self, key: Key, begin: Callable[[], Coroutine[Any, Any, Result]], *, seconds: float | None
    ) -> Result:
        """
        What the work of *key* returns or raises; it begins unless it is under way.

        Raises TimeoutError after *seconds* (None: no limit). The work goes on then, and where the caller is cancelled.
        """
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(begin(), name=f"shared work: {key}")
            task.add_done_callback(partial(self._ended, key))
        async with asyncio.timeout(seconds):
            return await asyncio.shield(task)

    async def end(self) -> None:
        """Return once nothing is under way any longer."""
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _ended(self, key: Key, task: asyncio.Task[Result]) -> None:
        del self._tasks[key]
        if not task.cancelled():
            task.exception()  # whoever still waits has it raised
