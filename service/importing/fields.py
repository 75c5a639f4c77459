"""
Reads single values of foreign JSON: a text, a label, an instant, or nothing.

Nothing here raises: a field of the wrong type counts as absent.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from consolidation.kernel.turns import FIRST_YEAR, LAST_YEAR

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_INSTANT = 64
_MILLISECONDS_FROM = 100_000_000_000  # as seconds, this would be the year 5138
_DEEPEST = 32


def clean(text: str) -> str:
    """The text with U+FFFD for what no file can hold (lone surrogates, NUL). Nothing else is repaired."""
    return _UNSTORABLE.sub("\ufffd", text)


def text_of(value: object) -> str:
    """The value's text; empty if it is not text or is blank."""
    return clean(value) if isinstance(value, str) and value.strip() else ""


def label_of(value: object) -> str:
    """An id or a name: text, or an integer as text; empty for anything else."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else text_of(value)


def mapping_of(value: object) -> dict[str, object]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[object]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def instant_of(value: object) -> datetime | None:
    """
    An instant in UTC from RFC 3339 text (UTC without an offset) or an epoch.

    None for one at which nobody can have spoken: exports write 0, or the year 1, for a time that is unknown.
    """
    found = _parsed(value)
    return found if found is not None and FIRST_YEAR <= found.year <= LAST_YEAR else None


def _parsed(value: object) -> datetime | None:
    try:
        if isinstance(value, str) and len(value) <= _LONGEST_INSTANT:
            instant = datetime.fromisoformat(value.strip())
            return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return _EPOCH + timedelta(seconds=value / 1000 if value > _MILLISECONDS_FROM else value)
    except (ValueError, OverflowError):
        return None
    return None


def cleaned(value: object, *, depth: int = 0) -> object:
    """The same JSON value with its texts cleaned. Values nested too deeply become null."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, dict):
        return {clean(key): cleaned(inner, depth=depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [cleaned(inner, depth=depth + 1) for inner in value]
    return clean(value) if isinstance(value, str) else value


def metadata_of(value: object) -> dict[str, object]:
    """The value as a turn's metadata."""
    return mapping_of(cleaned(value))
