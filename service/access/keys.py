"""
API keys: the stored form of a key, and how a presented key is compared with it.

A secret has 256 random bits, and only its SHA-256 is stored. A slow hash protects guessable secrets; this one can not
be guessed.
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
NO_DIGEST = "0" * 64  # compared with an unknown key, so that this takes as long


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is stored of a key: ``minds`` (None: all of them), and ``digest``, the SHA-256 of its secret in hex."""

    key_id: str
    name: str
    digest: str
    minds: tuple[str, ...] | None
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None

    def is_live(self, now: datetime) -> bool:
        """Whether the key is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class PresentedKey:
    """A key as a caller presents it."""

    key_id: str
    digest: str


def key_text(key_id: str, secret: str) -> str:
    """The key as its holder stores it, from 8 and 64 hexadecimal digits."""
    return f"mm_{key_id}_{secret}"


def digest_of(secret: str) -> str:
    """The digest that is stored of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def parse_key(text: str) -> PresentedKey | None:
    """The key in *text*; None if it does not have the form of a key."""
    found = _KEY.fullmatch(text)
    return PresentedKey(found[1], digest_of(found[2])) if found else None


def find_key(presented: PresentedKey | None, keys: dict[str, ApiKey], *, now: datetime) -> ApiKey | None:
    """The live key that was presented; None for every other, after the same comparison."""
    known = keys.get(presented.key_id) if presented is not None else None
    is_same = hmac.compare_digest(presented.digest if presented else NO_DIGEST, known.digest if known else NO_DIGEST)
    return known if known is not None and presented is not None and is_same and known.is_live(now) else None
