"""Chance that nobody can guess for keys, and plain chance for a pause."""

from __future__ import annotations

import random
import secrets

_SECRET_BYTES = 32
_ID_BYTES = 4


def fresh_secret() -> str:
    """Return 256 random bits as 64 hexadecimal digits."""
    return secrets.token_hex(_SECRET_BYTES)


def fresh_key_id() -> str:
    """Return 8 random hexadecimal digits; the caller checks whether they are taken."""
    return secrets.token_hex(_ID_BYTES)


def jitter() -> float:
    """A number from 0 to 1, so that pauses differ."""
    return random.random()  # noqa: S311 - nothing is hidden by it
