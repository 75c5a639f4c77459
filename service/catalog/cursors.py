"""
Where the next page of a list begins, as text that callers hand back as they got it.

A cursor names its list, so that the cursor of another list is refused.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from typing import Any

from consolidation.kernel.errors import InvalidRequest

_MOST_CHARACTERS = 4_000
_MOST = 2**53  # more than any number of ours, and less than a database can not hold

type Place = tuple[Any, ...]  # its parts are of the kinds that were asked for


def cursor_of(name: str, *place: str | float) -> str:
    """The cursor of the list *name* at *place*."""
    text = json.dumps([name, *place], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def place_in(name: str, cursor: str | None, *kinds: type) -> Place | None:
    """
    The place of a *cursor*, whose parts are of *kinds*; None where there is no cursor.

    A whole number also is a float. Raises InvalidRequest where it is not a cursor of the list *name*.
    """
    if cursor is None:
        return None
    parts = _parts(cursor)
    if parts is None or len(parts) != len(kinds) + 1 or parts[0] != name:
        raise _refused()
    place = tuple(parts[1:])
    if not all(_is_of(part, kind) for part, kind in zip(place, kinds, strict=True)):
        raise _refused()
    return place


def _parts(cursor: str) -> list[str | float] | None:
    if len(cursor) > _MOST_CHARACTERS:
        return None
    try:
        text = base64.b64decode(f"{cursor}{'=' * (-len(cursor) % 4)}", altchars=b"-_", validate=True).decode()
        parts = json.loads(text)
        json.dumps(parts, ensure_ascii=False).encode()  # half of a surrogate pair is not text
    except (binascii.Error, ValueError, RecursionError):
        return None
    return parts if isinstance(parts, list) else None


def _is_of(part: object, kind: type) -> bool:
    if isinstance(part, bool):
        return False
    if kind is str:
        return isinstance(part, str)
    if kind is int:
        return isinstance(part, int) and 0 <= part <= _MOST
    return isinstance(part, int | float) and math.isfinite(part) and abs(part) <= _MOST


def _refused() -> InvalidRequest:
    return InvalidRequest("is not a `next_cursor` of this list; begin again without it", pointer="query/cursor")
