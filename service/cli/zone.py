"""Where the person at this terminal lives, as far as the machine knows."""

from __future__ import annotations

import os
from zoneinfo import ZoneInfo, available_timezones


def local_zone() -> str:
    """This machine's time zone by its IANA name; UTC where it has none."""
    linked = os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    named = os.environ.get("TZ", "").removeprefix(":")
    return next((name for name in (named, linked) if name in available_timezones()), "UTC")


def here() -> ZoneInfo:
    """The same as a zone."""
    return ZoneInfo(local_zone())
