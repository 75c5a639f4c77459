"""Cuts a sequence of messages into exchanges: a question with the answers that follow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def exchanges[Item](items: Iterable[Item], *, opens: Callable[[Item, Item], bool]) -> Iterator[tuple[Item, ...]]:
    """Runs of items, in order and none lost; ``opens(before, now)`` says whether ``now`` begins the next run."""
    run: list[Item] = []
    for item in items:
        if run and opens(run[-1], item):
            yield tuple(run)
            run = []
        run.append(item)
    if run:
        yield tuple(run)
