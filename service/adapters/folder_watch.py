"""Waits for changes below a folder, by what the operating system tells of them: the only importer of watchfiles."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import anyio.to_thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

_QUIET_MS, _LATEST_MS = 100, 1_000


class FolderUnwatchable(OSError):
    """The system does not report changes here: it has no room for more watches, or never does for this disk."""


async def changes(folder: Path, *, concerns: Callable[[tuple[str, ...]], bool]) -> AsyncIterator[set[tuple[str, ...]]]:
    """
    The names below *folder* that lead to what has changed, as often as something has that *concerns* us.

    Raises FolderUnwatchable.
    """
    awatch = await anyio.to_thread.run_sync(_awatch)
    roots = [str(folder), str(await anyio.to_thread.run_sync(folder.resolve))]  # macOS tells of the latter

    def steps(path: str) -> tuple[str, ...]:
        inner = next((path[len(root) :] for root in roots if path.startswith(f"{root}/")), "")
        return tuple(inner.strip("/").split("/"))

    try:
        found = awatch(
            folder,
            watch_filter=lambda _, path: concerns(steps(path)),
            step=_QUIET_MS,
            debounce=_LATEST_MS,
            ignore_permission_denied=True,
        )
        async for changed in found:
            yield {steps(path) for _, path in changed}
    except (OSError, RuntimeError) as error:
        raise FolderUnwatchable(str(error)) from error


def _awatch() -> Any:  # noqa: ANN401 - as watchfiles has it
    """Its function, once it has been taught to be quiet: it logs each change."""
    from watchfiles import awatch

    logging.getLogger("watchfiles").setLevel(logging.WARNING)
    return awatch
