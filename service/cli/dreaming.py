"""Waits for a dream that is under way, and shows what it came to."""

from __future__ import annotations

from collections.abc import Iterator

import anyio
from mind_memory_client import AsyncMemoryClient
from mind_memory_client.sleep import Dream, Dreams
from rich.console import Console

from service.cli.command import CommandFailed
from service.cli.output.progress import bar
from service.cli.output.terminal import Row, counted, plain, show_facts

STOPPED = "Stopped watching. A dream that began goes on by itself, now or at the next start of the service."
KINDS = {"nap": "nap", "lightweight": "lightweight dream", "dream": "dream", "deep_sleep": "deep sleep"}
_POLL_SECONDS = 0.3


async def until_dreamt(memory: AsyncMemoryClient, mind: str) -> Dreams:
    """The newest dream, once none is under way. Raises CommandFailed where it could not be dreamt."""
    with bar("dreaming"):
        while (found := await memory.dreams(mind, limit=1)).status.state == "dreaming":  # noqa: ASYNC110 - of a service
            await anyio.sleep(_POLL_SECONDS)
    if (reason := found.status.waiting_for) is not None:
        raise CommandFailed(f"The dream waits, and is tried again by itself: {plain(reason)}")
    return found


def show_dream(console: Console, dream: Dream) -> None:
    """Print a dream: its reflection, its priority, how much it observed."""
    console.print(f"{KINDS.get(dream.kind, plain(dream.kind)).capitalize()} {dream.dream}", style="bold")
    show_facts(console, _rows(dream))


def _rows(dream: Dream) -> Iterator[Row]:
    failed = f", {dream.failed_calls:,} of which failed" if dream.failed_calls else ""
    yield Row("of", f"{counted(dream.actions, 'tool call')}{failed}")
    yield Row("reflection", plain(dream.reflection) or "–")
    if dream.priority:
        yield Row("priority", plain(dream.priority))
    yield Row("observations", f"{dream.observations:,}")
    if dream.is_quoted:
        yield Row("", "quoted from the log: no model is configured", "dim")
