"""When something was seen last. The oldest is forgotten where there is too much: nothing may depend on all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

_MOST = 10_000  # keys, some 200 bytes each


class LastSeen:
    """Times by key, in memory alone."""

    def __init__(self, *, most: int = _MOST) -> None:
        self._times: dict[str, datetime] = {}  # the oldest first
        self._most = most

    def note(self, key: str, *, now: datetime) -> None:
        """*key* is seen *now*."""
        self._times.pop(key, None)
        self._times[key] = now
        if len(self._times) > self._most:
            del self._times[next(iter(self._times))]

    def at(self, key: str) -> datetime | None:
        """When *key* was seen last; None if it never was, or that is forgotten."""
        return self._times.get(key)
