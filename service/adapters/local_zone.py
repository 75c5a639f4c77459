"""The time zone of this machine."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo, ZoneInfoNotFoundError, available_timezones

from tzlocal import get_localzone_name

_RULES = Path("/etc/localtime")
_COMMON = ("Africa", "America", "Asia", "Australia", "Europe", "Pacific", "UTC")  # before Arctic/Longyearbyen


def local_zone() -> str:
    """This machine's time zone by its IANA name; UTC where it has neither a name nor the rules of a zone."""
    try:
        named = get_localzone_name()
    except ZoneInfoNotFoundError:  # its files contradict each other
        named = None
    return named if named in available_timezones() else zone_of(_RULES) or "UTC"


def here() -> ZoneInfo:
    """This machine's time zone, as a `ZoneInfo`."""
    return ZoneInfo(local_zone())


def zone_of(rules: Path) -> str | None:
    """A zone with these rules. In a container the file is often a copy of the host's, without the zone's name."""
    if not rules.is_file():
        return None
    wanted = rules.read_bytes()
    names = sorted(available_timezones(), key=lambda name: (name.partition("/")[0] not in _COMMON, name))
    files = ((name, Path(folder, name)) for name in names for folder in TZPATH)
    return next((name for name, file in files if file.is_file() and file.read_bytes() == wanted), None)
