"""A progress bar on stderr; nothing at all where nobody looks at it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from service.cli.terminal import err

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WIDTH = 11  # of the longest name, so that bars stand below each other


@contextmanager
def bar(name: str, *, total: int) -> Iterator[Callable[[int], None]]:
    """Lend the function that moves the bar on."""
    console = err()
    columns = (
        TextColumn(f"{name:{_WIDTH}}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    is_shown = console.is_terminal and total > 0
    with Progress(*columns, console=console, disable=not is_shown) as progress:
        task = progress.add_task(name, total=total)
        yield lambda steps: progress.update(task, advance=steps)
