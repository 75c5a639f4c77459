"""The times that a search or a list is limited to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.errors import InvalidRequest

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """
    The times that are asked for; ``at`` asks what held at that instant. None leaves a side open.

    Raises InvalidRequest where it ends before it begins.
    """

    since: datetime | None = None
    until: datetime | None = None
    at: datetime | None = None

    def __post_init__(self) -> None:
        if self.since is not None and self.until is not None and self.since > self.until:
            raise InvalidRequest("must not be before since", pointer="query/until")

    def holds(self, occurred_at: datetime | None) -> bool:
        """Whether something that was said at *occurred_at* is asked for."""
        if occurred_at is None:
            return self.since is None and self.until is None
        return (self.since is None or occurred_at >= self.since) and (self.until is None or occurred_at <= self.until)

    def is_true(self, valid_at: datetime | None, invalid_at: datetime | None) -> bool:
        """Whether a fact holds at ``at``; any fact does where no instant is asked for."""
        if self.at is None:
            return True
        return (valid_at is None or valid_at <= self.at) and (invalid_at is None or invalid_at > self.at)

    def has_passed(self, valid_at: datetime | None, invalid_at: datetime | None, *, now: datetime) -> bool:
        """Whether a fact does not hold at ``at``; where no instant is asked for, whether it has ended *now*."""
        return not self.is_true(valid_at, invalid_at) if self.at else invalid_at is not None and invalid_at <= now
