"""Makes a conversation of single messages: each gets a time, and a question goes with the answers that follow it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from consolidation.kernel.turns import Message


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


def with_times(messages: Sequence[Message], *, fallback: datetime | None) -> list[Message]:
    """The messages, each with a time: its own, else the previous one's, else the first known, else *fallback*."""
    latest = next((each.timestamp for each in messages if each.timestamp), fallback)
    timed: list[Message] = []
    for each in messages:
        latest = each.timestamp or latest
        timed.append(replace(each, timestamp=latest))
    return timed
