"""
An address that events are posted to, and what a delivery holds: kinds, times and ids, and no words.

It is signed as the Standard Webhooks convention says, so that a receiver's own library can check it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from service.ports.webhooks import Delivery

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

PREFIX = "whsec_"
_LEAST_BYTES, _MOST_BYTES = 24, 64  # of a key

type SentKind = Literal["turn.kept", "turn.read", "turn.parked", "resonance.answered", "story.told", "correction.made"]
SENT_KINDS: tuple[SentKind, ...] = (
    "turn.kept",
    "turn.read",
    "turn.parked",
    "resonance.answered",
    "story.told",
    "correction.made",
)


@dataclass(frozen=True, slots=True)
class WebhookEndpoint:
    """A configured receiver: its ``name``, where it listens, its secret, and what it wants; no minds stand for all."""

    name: str
    url: str
    secret: str = field(repr=False)
    kinds: frozenset[str] = frozenset(SENT_KINDS)
    minds: frozenset[str] = frozenset()

    def wants(self, mind_id: str, kind: str) -> bool:
        """Whether it is told of such an event."""
        return kind in self.kinds and (not self.minds or mind_id in self.minds)


def delivery_of(
    endpoint: WebhookEndpoint, mind_id: str, kind: str, *, at: datetime, about: Mapping[str, str | int], key: str
) -> Delivery:
    """The delivery of an event, which *key* names within its mind."""
    named = f"{endpoint.name}\n{mind_id}\n{kind}\n{key}"
    data = {"mind_id": mind_id, **about}
    return Delivery(
        id=f"msg_{hashlib.blake2b(named.encode(), digest_size=16).hexdigest()}",
        endpoint=endpoint.name,
        mind_id=mind_id,
        kind=kind,
        at=at,
        body=json.dumps({"type": kind, "timestamp": at.isoformat(), "data": data}),
        turn_id=_text(about.get("turn_id")),
        session_id=_text(about.get("session_id")),
    )


def signing_key(secret: str) -> bytes:
    """The key in a secret (`whsec_` and base64 of 24 to 64 bytes). Raises ValueError."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error as error:
        raise ValueError(f"must be {PREFIX} and base64") from error
    if not secret.startswith(PREFIX) or not _LEAST_BYTES <= len(key) <= _MOST_BYTES:
        raise ValueError(f"must be {PREFIX} and base64 of {_LEAST_BYTES} to {_MOST_BYTES} bytes")
    return key


def signed_headers(body: bytes, *, delivery_id: str, at: int, secret: str) -> dict[str, str]:
    """The headers of a delivery that is sent *at* (seconds since 1970)."""
    signed = b".".join((delivery_id.encode(), str(at).encode(), body))
    digest = hmac.new(signing_key(secret), signed, hashlib.sha256).digest()
    return {
        "webhook-id": delivery_id,
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def _text(value: str | int | None) -> str | None:
    return None if value is None else str(value)
