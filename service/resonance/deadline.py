"""Time that is left until an answer is due, and how much of it a phase may take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_MARGIN_SECONDS = 0.04  # for what comes after the last phase: the trace, the answer itself


@dataclass(frozen=True, slots=True)
class Deadline:
    """Begun at ``start`` on the *monotonic* clock; ``seconds`` is None where there is all the time."""

    monotonic: Callable[[], float]
    start: float
    seconds: float | None

    def elapsed(self) -> float:
        """Seconds gone."""
        return self.monotonic() - self.start

    def left(self, *, share: float = 1.0) -> float | None:
        """Seconds until *share* of the whole time is gone, never negative; None where there is no limit."""
        if self.seconds is None:
            return None
        whole = max(self.seconds - _MARGIN_SECONDS, 0.0)
        return max(whole * share - self.elapsed(), 0.0)
