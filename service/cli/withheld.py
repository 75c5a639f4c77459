"""What of a turn was not kept on purpose, in a person's words. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SECRET = "secret: "  # noqa: S105 - how a reason begins
_OFF_THE_RECORD = "off_the_record"


def is_off_the_record(dropped: Iterable[Mapping[str, Any]]) -> bool:
    """Whether nothing of the turn was kept."""
    return any(one["reason"] == _OFF_THE_RECORD for one in dropped)


def secrets_of(dropped: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The kinds of secrets that were taken out of it, in order."""
    found = (str(one["reason"]) for one in dropped)
    return tuple(dict.fromkeys(one.removeprefix(_SECRET) for one in found if one.startswith(_SECRET)))


def withheld(dropped: Iterable[Mapping[str, Any]]) -> str:
    """One line to be shown; empty when all of it was kept."""
    listed = tuple(dropped)
    if is_off_the_record(listed):
        return "◦ off the record: nothing of this turn was kept"
    kinds = secrets_of(listed)
    return f"◦ kept without what is secret: {', '.join(kinds)}" if kinds else ""
