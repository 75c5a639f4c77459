"""
When a turn that no model can read is parked, so that one poison turn never stops its mind.

A turn that fails so many times in a row is parked, and the lane goes on. A provider that is away fails every turn. So
while an outage lasts, which is while nothing has succeeded since a turn was parked for it, the next turns are given
four times as many attempts. What the outage parked is tried again when it is over, without being asked, until it fails
of itself or has failed too often. A provider at its limit has not tried the turn, and is waited for.

A turn may itself be too much for a model to read in time. Where it takes too long again although others were read
meanwhile, less of it is shown, once. Turns that were never tried go before it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from consolidation.kernel.errors import (
    EmbedderCircuitOpen,
    EmbedderMismatch,
    EmbedderUnavailable,
    ModelCircuitOpen,
    ModelTimedOut,
    ModelUnavailable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from consolidation.kernel.errors import MemoryFault
    from service.ports.graph import Parked

OUTAGES = (ModelUnavailable, EmbedderUnavailable)
_CIRCUIT_OPEN = (ModelCircuitOpen, EmbedderCircuitOpen)  # no request was sent
_OUTAGE_NAMES = tuple(f"{fault.__name__}: " for fault in (*OUTAGES, ModelTimedOut, *_CIRCUIT_OPEN))
_OUTAGE_PATIENCE = 4  # times as many attempts while nothing succeeds: then it may be poison after all
_MOST_CHARACTERS = 500
_PROBED_FOR = timedelta(days=7)

# How the errors of parked turns begin, in the graph: what they mean is kept there, and must not change.
READ_AGAIN = "what it told went with an erased turn"  # parked in order to be read again as soon as possible
_TRIED_AGAIN = "tried again: "  # had its chances after the outage


def is_not_tried(error: MemoryFault) -> bool:
    """Whether *error* says nothing of the turn, since no model or embedder has read it: that is not an attempt."""
    return isinstance(error, EmbedderMismatch) or is_left_alone(error)


def is_left_alone(error: MemoryFault) -> bool:
    """Whether a provider takes no questions just now, or is asked none."""
    return isinstance(error, _CIRCUIT_OPEN) or getattr(error, "is_busy", False)


def parking_reason(error: MemoryFault, *, is_final: bool) -> str:
    """What is stored with a parked turn. One whose error *is_final* is not tried again without being asked."""
    return f"{_TRIED_AGAIN if is_final else ''}{type(error).__name__}: {error}"[:_MOST_CHARACTERS]


def is_outage(parked: Iterable[Parked]) -> bool:
    """Whether one of the *parked* turns failed of an absent provider, and was not tried again since."""
    return any(map(is_for_outage, parked))


def is_for_outage(parked: Parked) -> bool:
    """Whether a turn failed of an absent provider, and was not tried again since."""
    return parked.error.startswith(_OUTAGE_NAMES)


def is_too_slow(parked: Parked) -> bool:
    """Whether a model took too long for a turn when it failed last."""
    return parked.error.removeprefix(_TRIED_AGAIN).startswith(f"{ModelTimedOut.__name__}: ")


def is_last_chance(parked: Parked, *, most_attempts: int) -> bool:
    """Whether a turn that an outage parked is left alone when it fails once more although the outage is over."""
    return parked.attempts >= most_attempts * (_OUTAGE_PATIENCE + 1) - 1


def is_over(parked: Parked, *, read_at: datetime | None) -> bool:
    """Whether the outage that parked a turn is over: at *read_at*, later than that, some turn was read."""
    return read_at is not None and read_at > parked.parked_at


def is_to_be_probed(parked: Parked, *, read_at: datetime | None, now: datetime) -> bool:
    """Whether a turn may be tried to see if its outage is over; not for ever, since it may be poison after all."""
    goes_on = is_for_outage(parked) and not is_over(parked, read_at=read_at)
    return goes_on and now - parked.parked_at < _PROBED_FOR


def is_to_be_read_again(parked: Parked) -> bool:
    """Whether a turn is parked not for a fault of its own, but because a turn that it was read with was erased."""
    return parked.error.startswith(READ_AGAIN)


def is_to_be_parked(error: MemoryFault, *, attempt: int, most_attempts: int, in_outage: bool) -> bool:
    """Whether the *attempt*-th failure in a row, of *error*, is the last that a turn is given."""
    patience = _OUTAGE_PATIENCE if in_outage and isinstance(error, OUTAGES) else 1
    return attempt >= most_attempts * patience
