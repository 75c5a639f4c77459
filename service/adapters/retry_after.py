"""How long an answer asks to be left alone by its ``Retry-After``: in seconds, or until a date (RFC 9110, 10.2.3)."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from consolidation.kernel.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECONDS = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,20})?")


def seconds_asked(headers: Mapping[str, str], *, most: float) -> float | None:
    """
    The seconds that an answer with *headers* (by their names in lower case) asks for, *most* where it asks for more.

    A date counts from the answer's own ``Date``, so that a clock that is wrong changes nothing. None where it asks for
    nothing, or in words that are neither.
    """
    said = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(said):
        return min(float(said), most)
    if (until := _date(said)) is None:
        return None
    since = _date(headers.get("date", "")) or SystemClock().now()
    return max(0.0, min((until - since).total_seconds(), most))


def _date(said: str) -> datetime | None:
    """A date as HTTP writes it, in one of its three forms, which all are in UTC."""
    with suppress(ValueError, OverflowError):
        found = parsedate_to_datetime(said)
        return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    return None
