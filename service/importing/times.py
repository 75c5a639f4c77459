"""
Reads the times of an export in the forms in which programs write them, and notes those that it can not read.

A time that names no zone is in the zone of the caller, and shows by it that the file names none.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from consolidation.kernel.turns import FIRST_YEAR, LAST_YEAR
from service.importing.fields import clean
from service.importing.results import Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import tzinfo

NAMES = ("timestamp", "created_at", "createdAt", "create_time", "time", "date", "ts")  # of a message's time
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST = 100
_SHOWN = 40
# The size of a number says its unit: as the one before it, it would be a year that nobody exports.
_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
_NUMBER = re.compile(r"\d{9,19}(?:\.\d{1,9})?")
_YEAR_FIRST = re.compile(r"(\d{4})/(\d\d?)/(\d\d?)(?=\D|$)")
_ZULU = re.compile(r"(?<=\d) ?(?:UTC|GMT)$")
_OFFSET = re.compile(r" ?\b(?:GMT|UTC)(?=[+-]\d\d:?\d\d\b)")  # as browsers write it, with its name behind it
_ZONE_NAME = re.compile(r" ?\([^()]*\)$")
_NAMED_ZONE = re.compile(r"[A-Z]+$")


class Times:
    """The times of one file. *zone* is that of times which name none. ``where`` is the place that is read now."""

    def __init__(self, zone: tzinfo = UTC) -> None:
        self.where = ""
        self._zone = zone
        self._first_unread = ""
        self._unread: list[str] = []

    def read(self, value: object) -> datetime | None:
        """
        An instant from RFC 3339, RFC 2822 or an epoch, as text or a number; None where there is none.

        It is in UTC, or in the zone of the caller where *value* names none.

        None also for one at which nobody can have spoken: exports write 0, or the year 1, for a time that is unknown.
        """
        found = self._parsed(value)
        if found is not None and FIRST_YEAR <= found.year <= LAST_YEAR:
            return found
        if not _is_never(value) and (found is None or found.year > LAST_YEAR):
            self._first_unread = self._first_unread or clean(str(value)[:_SHOWN])
            self._unread.append(self.where)
        return None

    def read_first(self, value: dict[str, object], names: Iterable[str]) -> datetime | None:
        """The first of these fields of an object that can be read."""
        return next((found for name in names if (found := self.read(value.get(name))) is not None), None)

    def unread(self) -> Iterator[Skipped]:
        """What could not be read since this was asked last."""
        places, self._unread = self._unread, []
        for where in places:
            reason = f"a time that can not be read, like {self._first_unread!r}: the message has none of its own"
            yield Skipped(where, reason)

    def _parsed(self, value: object) -> datetime | None:
        try:
            if isinstance(value, str) and len(value) <= _LONGEST:
                return self._of_text(value.strip())
            if isinstance(value, int | float) and not isinstance(value, bool):
                return _of_number(value)
        except (ValueError, OverflowError):
            return None
        return None

    def _of_text(self, text: str) -> datetime | None:
        if _NUMBER.fullmatch(text):
            return _of_number(float(text))
        try:
            found = datetime.fromisoformat(_ZULU.sub("Z", _YEAR_FIRST.sub(_dashed, text.upper())))
        except ValueError:
            found = _of_mail(text)
        return found.replace(tzinfo=self._zone) if found.tzinfo is None else found.astimezone(UTC)


def _is_never(value: object) -> bool:
    """Whether *value* is what exports write where no time is known: nothing, an empty text, or 0."""
    return value is None or (isinstance(value, str) and not value.strip()) or (value == 0 and value is not False)


def _of_number(number: float) -> datetime | None:
    unit = next((unit for least, unit in _UNITS if number > least), 1.0)
    return _EPOCH + timedelta(seconds=number / unit)


def _dashed(day: re.Match[str]) -> str:
    return f"{day[1]}-{day[2]:>02}-{day[3]:>02}"


def _of_mail(text: str) -> datetime:
    """A date as mail and browsers write it. Raises ValueError, also where its zone is a name that is not known."""
    plain = _OFFSET.sub(" ", _ZONE_NAME.sub("", text)).replace("-0000", "+0000")
    found = parsedate_to_datetime(plain)
    if found.tzinfo is None and _NAMED_ZONE.search(plain.upper()):
        raise ValueError(plain)
    return found
