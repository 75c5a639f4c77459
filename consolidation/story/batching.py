"""Turns into batches that a narrator can read at once: in order, never splitting a turn. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from consolidation.kernel.turns import Kept


def batches(turns: Sequence[Kept], *, most_tokens: int) -> Iterator[tuple[Kept, ...]]:
    """
    *turns* cut into runs of at most *most_tokens*, concatenating to exactly *turns*.

    A turn above the limit makes a batch of its own; who reads it cuts its text, with a mark.
    """
    batch: list[Kept] = []
    size = 0
    for kept in turns:
        if batch and size + kept.tokens > most_tokens:
            yield tuple(batch)
            batch, size = [], 0
        batch.append(kept)
        size += kept.tokens
    if batch:
        yield tuple(batch)
