"""Chance that nobody can guess."""

from __future__ import annotations

import secrets

_SECRET_BYTES = 32
_ID_BYTES = 4


def fresh_secret() -> str:
    """256 random bits as 64 hexadecimal digits."""
    return secrets.token_hex(_SECRET_BYTES)


def fresh_key_id() -> str:
    """8 hexadecimal digits; whoever keeps them looks whether they are taken."""
    return secrets.token_hex(_ID_BYTES)
