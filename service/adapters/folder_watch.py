"""Waits for changes below folders, by what the operating system tells of them: the only importer of watchfiles."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio.to_thread

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Collection, Generator
    from pathlib import Path

    from watchfiles.main import FileChange

_QUIET_MS, _LATEST_MS = 100, 1_000
_NOTHING_MS = 2_000


class FolderUnwatchable(OSError):
    """The system does not report changes here: it has no room for more watches, or never does for this disk."""


async def changes(folder: Path, *, within: Collection[str]) -> AsyncGenerator[set[tuple[str, ...]]]:
    """
    The names below *folder* that lead to what has changed below those of its folders that are called *within*.

    An empty set comes where nothing has for two seconds. Ends where none of these folders is there. Everything that
    looks at the disk does so in a thread. Raises FolderUnwatchable.
    """
    roots = [str(folder), str(await anyio.to_thread.run_sync(folder.resolve))]  # macOS tells of the latter

    def steps(path: str) -> tuple[str, ...]:
        inner = next((path[len(root) :] for root in roots if path.startswith(f"{root}/")), "")
        return tuple(inner.strip("/").split("/"))

    is_over = threading.Event()
    found = _watched([folder / name for name in within], is_over)
    try:
        while (changed := await anyio.to_thread.run_sync(_next, found, is_over, abandon_on_cancel=True)) is not None:
            yield {steps(path) for _, path in changed}
    except FileNotFoundError:  # a folder went meanwhile
        return
    except (OSError, RuntimeError) as error:
        raise FolderUnwatchable(str(error)) from error
    finally:
        is_over.set()
        _close(found)


def _watched(folders: list[Path], is_over: threading.Event) -> Generator[set[FileChange]]:
    """Yield the changes; it begins to watch at its first step."""
    from watchfiles import watch

    logging.getLogger("watchfiles").setLevel(logging.WARNING)  # it logs each change
    there = [one for one in folders if one.is_dir()]
    if there:
        yield from watch(
            *there,
            watch_filter=None,
            step=_QUIET_MS,
            debounce=_LATEST_MS,
            stop_event=is_over,
            rust_timeout=_NOTHING_MS,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )


def _next(found: Generator[set[FileChange]], is_over: threading.Event) -> set[FileChange] | None:
    """Return the next changes, None at the end. Whoever waited for them may have gone meanwhile: then it is the end."""
    changed = next(found, None)
    if is_over.is_set():
        _close(found)
    return changed


def _close(found: Generator[set[FileChange]]) -> None:
    """Give back the watches at once, not when nobody refers to *found* any more: a system has few."""
    with suppress(ValueError):  # it is at its next step, and is closed after that
        found.close()
