"""The system's clock and, for tests and replays, one that moves only when it is told to."""

from __future__ import annotations

import time
import uuid
from datetime import UTC, datetime, timedelta


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        """The present, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()

    def fresh_id(self) -> str:
        """A random id."""
        return uuid.uuid4().hex


class FixedClock:
    """A clock that shows *instant* until ``advance`` moves it; its ids are numbers."""

    def __init__(self, instant: datetime) -> None:
        self._instant = instant
        self._ids = 0

    def now(self) -> datetime:
        """The instant it shows."""
        return self._instant

    def monotonic(self) -> float:
        """Its own time in seconds."""
        return self._instant.timestamp()

    def fresh_id(self) -> str:
        """The next number, as an id."""
        self._ids += 1
        return f"{self._ids:032x}"

    def advance(self, distance: timedelta) -> None:
        """Move it forward by *distance*."""
        self._instant += distance
