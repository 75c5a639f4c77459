"""
Reads single values of foreign JSON: a text, a label, or nothing.

Nothing here raises: a field of the wrong type counts as absent.
"""

from __future__ import annotations

import re

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
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
