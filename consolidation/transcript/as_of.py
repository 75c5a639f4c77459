"""A transcript as it was at an earlier time: turns that were accepted or occurred later can not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.kernel.turns import TurnKind
from consolidation.transcript.log import Transcript

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from consolidation.kernel.turns import StoredTurn


async def last_accepted(transcript: Transcript, instant: datetime) -> int:
    """
    The sequence of the last turn that was accepted by *instant*; 0 where none was.

    It is looked for by halving, as if the clock had never been set back. Raises TranscriptUnreadable.
    """
    sequences = transcript.positions.after(0, limit=transcript.positions.last)
    low, high = 0, len(sequences)
    while low < high:
        middle = (low + high) // 2
        at, turn = await _dated(transcript, sequences, middle, low)
        if turn is not None and turn.accepted_at > instant:
            high = at
        else:
            low = middle + 1
    return sequences[low - 1] if low else 0


async def _dated(
    transcript: Transcript, sequences: Sequence[int], at: int, first: int
) -> tuple[int, StoredTurn | None]:
    """The turn at the place *at*, or the one before it that is neither erased nor damaged; none before *first*."""
    while at >= first:
        for turn in await transcript.read_many((sequences[at],)):
            if turn.turn.kind is not TurnKind.ERASED:
                return at, turn
        at -= 1
    return first, None


class TranscriptAsOf(Transcript):
    """*transcript* up to the turn *last*, without what occurred after *instant*. Only reading is meant for it."""

    def __init__(self, transcript: Transcript, *, last: int, instant: datetime) -> None:
        self._whole = transcript
        self._instant = instant
        self._positions = transcript.positions.until(last)

    def read_now(self, sequences: Sequence[int]) -> tuple[StoredTurn, ...]:
        """The turns of these sequences that were known, in the order asked for. Raises TranscriptUnreadable."""
        last = self._positions.last
        turns = self._whole.read_now([one for one in sequences if one <= last])
        return tuple(turn for turn in turns if turn.occurred_at <= self._instant)
