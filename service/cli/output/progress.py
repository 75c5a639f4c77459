"""
The one way in which commands show that something takes its time: a bar on stderr, where that is a terminal.

It counts where the number is known, and moves to and fro where it is not. What ends at once shows nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Protocol

from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from service.cli.output.terminal import err

_NAME_WIDTH = 11  # of the longest name, so that bars stand below each other
_PATIENCE_SECONDS = 0.5
_BAR_WIDTH, _REFRESHES = 40, 5


class Reached(Protocol):
    """Says how much is done, and of how much as soon as that is known."""

    def __call__(self, done: int, *, of: int | None = None) -> None:
        """A bar never goes back."""


@contextmanager
def bar(name: str, *, total: int | None = None, worded: Callable[[int], str] = "{:,}".format) -> Iterator[Reached]:
    """
    Show a bar while the block runs, and lend the function that says how much is done.

    A bar whose *total* never became known is gone at the end. *worded* says a number, such as one of bytes.
    """
    console = err()
    progress = Progress(
        TextColumn(f"{name:{_NAME_WIDTH}}", markup=False),
        BarColumn(bar_width=_BAR_WIDTH),
        _Count(worded),
        _Time(elapsed_when_finished=True),
        console=console,
        refresh_per_second=_REFRESHES,
        redirect_stdout=False,  # which may be a file
    )
    task, most = progress.add_task(name, total=total), 0

    def reached(done: int, *, of: int | None = None) -> None:
        nonlocal most
        most = max(most, done)
        progress.update(task, completed=most, total=of)

    if total == 0 or not console.file.isatty() or console.is_dumb_terminal:
        yield reached
        return
    timer = Timer(_PATIENCE_SECONDS, progress.start)
    timer.daemon = True
    timer.start()
    try:
        yield reached
    finally:
        timer.cancel()
        timer.join()
        if progress.live.is_started:
            progress.live.transient = progress.tasks[0].total is None
            progress.stop()


class _Count(ProgressColumn):
    """``12/40``, ``3.4 MB``; nothing before anything is done."""

    def __init__(self, worded: Callable[[int], str]) -> None:
        super().__init__()
        self._worded = worded

    def render(self, task: Task) -> Text:
        done = self._worded(int(task.completed))
        if task.total is None:
            return Text(done if task.completed else "")
        return Text(f"{done}/{self._worded(int(task.total))}")


class _Time(TimeRemainingColumn):
    """What is left, or what has passed where nobody knows."""

    def render(self, task: Task) -> Text:
        return TimeElapsedColumn().render(task) if task.total is None else super().render(task)
