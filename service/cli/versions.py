"""Which earlier version of a story a person means: its name, the beginning of it, or ``last``."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from service.cli.faults import CommandFailed
from service.cli.terminal import day, one_line
from service.cli.zone import here

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LAST = "last"
_MOST = 5


def meant(said: str, versions: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The one of *versions*, newest first, that *said* names. Raises CommandFailed. Pure."""
    if not versions:
        raise CommandFailed("this story has no earlier version yet: it has not been changed")
    if said == LAST:
        return versions[0]
    exact = [one for one in versions if one["version"] == said]
    found = exact or [one for one in versions if said and one["version"].startswith(said)]
    if not found:
        raise CommandFailed(f"no version is called {one_line(said)!r}; `mind-memory story history` lists them")
    if len(found) > 1:
        names = ", ".join(one["version"] for one in found[:_MOST])
        more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
        raise CommandFailed(f"{one_line(said)!r} may be {names}{more}: write more of it")
    return found[0]


def when(version: Mapping[str, Any]) -> str:
    """``21 Nov 2026, 14:20``, where this machine is: when the version was put aside."""
    instant = datetime.fromisoformat(version["saved_at"]).astimezone(here())
    return f"{day(instant)}, {instant:%H:%M}"
