"""When a key expires, as a person says it: after ``90d``, or at a time. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from service.cli.faults import CommandFailed

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

_SPAN = re.compile(r"([0-9]{1,5})([hdwy])")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "y": 24 * 365}


def expiry_of(said: str, *, now: datetime, zone: ZoneInfo) -> datetime:
    """The instant, in UTC; a time without an offset is one of *zone*, a day its first moment. Raises CommandFailed."""
    span = _SPAN.fullmatch(said.strip())
    try:
        if span is not None:
            ends = now + timedelta(hours=int(span[1]) * _HOURS[span[2]])
        else:
            found = datetime.fromisoformat(said.strip())
            ends = (found if found.tzinfo is not None else found.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise CommandFailed("--expires must be a span, like 12h, 90d, 4w or 1y, or a time, like 2027-01-31") from error
    if ends <= now:
        raise CommandFailed(f"--expires {said} lies in the past: such a key would open nothing")
    return ends
