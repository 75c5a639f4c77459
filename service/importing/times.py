"""
Reads the times of an export in the forms in which programs write them, and notes those that it can not read.

A time that names no zone is in the zone of the caller, and shows by it that the file names none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from consolidation.kernel.turns import FIRST_YEAR, LAST_YEAR
from service.importing.fields import clean
from service.importing.instants import instant_of_number, instant_of_text
from service.importing.results import Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import tzinfo

    from consolidation.kernel.turns import Turn

NAMES = ("timestamp", "created_at", "createdAt", "create_time", "time", "date", "ts")  # of a message's time
OUTSIDE = f"a time that is not within the years {FIRST_YEAR} and {LAST_YEAR}"
UNREADABLE = "a time that can not be read"
UNDATED = "a turn without any time: it counts as said at the import"
_NONE = "the message has none of its own"
_LONGEST = 100
_SHOWN = 40
_EPOCH, _DAY = datetime(1970, 1, 1, tzinfo=UTC), timedelta(days=1)
_ZEROS = ("0000-", "0001-01-01")  # how programs write a time that was never set


@dataclass(frozen=True, slots=True)
class _Unread:
    """A value that gave no time, and what is so without it."""

    where: str
    value: str
    fault: str
    consequence: str


def without_time(where: str, *, fault: str, value: str, consequence: str = _NONE) -> Skipped:
    """What is said of a *value* that gives no time; *consequence* is what is so without it."""
    return Skipped(where, f"{fault}: {consequence}", value)


def has_time(turn: Turn) -> bool:
    """Whether it is known when any of its messages was said."""
    return any(message.timestamp is not None for message in turn.messages)


class Times:
    """The times of one file. *zone* is that of times which name none. ``where`` is the place that is read now."""

    def __init__(self, zone: tzinfo = UTC) -> None:
        self.where = ""
        self._zone = zone
        self._unread: list[_Unread] = []

    def read(self, value: object, *, consequence: str = _NONE) -> datetime | None:
        """
        An instant from RFC 3339, RFC 2822 or an epoch, as text or a number; None where there is none.

        It is in UTC, or in the zone of the caller where *value* names none.

        None also for one at which nobody can have spoken. It is noted, unless it is what exports write for a time that
        is unknown: 0, or the year 1. *consequence* is what is so without it.
        """
        found = self._parsed(value)
        if found is not None and FIRST_YEAR <= found.year <= LAST_YEAR:
            return found
        if not _is_never(value, found):
            fault = UNREADABLE if found is None else OUTSIDE
            self._unread.append(_Unread(self.where, clean(str(value)[:_SHOWN]), fault, consequence))
        return None

    def read_first(self, value: dict[str, object], names: Iterable[str]) -> datetime | None:
        """The first of these fields of an object that can be read."""
        before = len(self._unread)
        for name in names:
            if (found := self.read(value.get(name))) is not None:
                self._unread[before:] = [
                    replace(one, consequence=f"that of {name!r} is taken") for one in self._unread[before:]
                ]
                return found
        return None

    def unread(self) -> Iterator[Skipped]:
        """What could not be read since this was asked last."""
        noted, self._unread = self._unread, []
        return (without_time(one.where, fault=one.fault, value=one.value, consequence=one.consequence) for one in noted)

    def _parsed(self, value: object) -> datetime | None:
        try:
            if isinstance(value, str) and len(value) <= _LONGEST:
                found = instant_of_text(value.strip())
                return found.replace(tzinfo=self._zone) if found.tzinfo is None else found.astimezone(UTC)
            if isinstance(value, int | float) and not isinstance(value, bool):
                return instant_of_number(value)
        except (ValueError, OverflowError):
            return None
        return None


def _is_never(value: object, found: datetime | None) -> bool:
    """Whether *value* is what exports write where no time is known: nothing, an empty text, 0, or that as a date."""
    if isinstance(value, str):
        return not value.strip() or value.strip().startswith(_ZEROS) or (found is not None and _is_zero(found))
    return value is None or (value == 0 and value is not False) or (found is not None and _is_zero(found))


def _is_zero(found: datetime) -> bool:
    """Whether it is the first year, or the first instant of computers, in whatever zone."""
    return found.year == 1 or abs(found - _EPOCH) < _DAY
