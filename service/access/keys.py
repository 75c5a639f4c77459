"""
An API key: what of it is kept, and how what a caller shows is compared with that.

The secret is 256 random bits and is kept as its SHA-256 alone: a slow hash guards guessable secrets, this one is none.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

_KEY = re.compile(r"mm_([0-9a-f]{8})_([0-9a-f]{64})")
_NOBODYS = "0" * 64  # compared with where there is no such key, so that this takes as long


@dataclass(frozen=True, slots=True)
class Key:
    """What is kept of a key; ``minds`` is None for all of them, ``digest`` the SHA-256 of its secret, in hex."""

    key_id: str
    name: str
    digest: str
    minds: tuple[str, ...] | None
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None

    def is_live(self, now: datetime) -> bool:
        """Whether it opens anything."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class ShownKey:
    """A key as a caller shows it."""

    key_id: str
    digest: str


def key_text(key_id: str, secret: str) -> str:
    """The key as its holder keeps it, of 8 and of 64 hexadecimal digits."""
    return f"mm_{key_id}_{secret}"


def digest_of(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def shown_key(text: str) -> ShownKey | None:
    """What *text* shows; None where it has not the look of a key."""
    found = _KEY.fullmatch(text)
    return ShownKey(found[1], digest_of(found[2])) if found else None


def matching(shown: ShownKey | None, keys: dict[str, Key], *, now: datetime) -> Key | None:
    """The live key that was shown; None for every other, after the same comparison."""
    known = keys.get(shown.key_id) if shown is not None else None
    is_same = hmac.compare_digest(shown.digest if shown else _NOBODYS, known.digest if known else _NOBODYS)
    return known if known is not None and shown is not None and is_same and known.is_live(now) else None
