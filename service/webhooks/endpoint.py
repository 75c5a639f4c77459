"""An address that events are posted to, and what a delivery holds: kinds, times and ids, and no words."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

KEPT = "turn.kept"
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


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event for one endpoint; ``id`` is the same in each attempt. ``sequence`` is of a turn that was kept."""

    id: str
    endpoint: str
    mind_id: str
    kind: str
    at: datetime
    body: str
    attempts: int = 0
    sequence: int | None = None
    turn_id: str | None = None
    session_id: str | None = None


def delivery_of(
    endpoint: WebhookEndpoint, mind_id: str, kind: str, *, at: datetime, about: Mapping[str, str | int], key: str
) -> Delivery:
    """The delivery of an event, which *key* names within its mind."""
    named = f"{endpoint.name}\n{mind_id}\n{kind}\n{key}"
    data = {"mind_id": mind_id, **about}
    sequence = about.get("sequence")
    return Delivery(
        id=f"msg_{hashlib.blake2b(named.encode(), digest_size=16).hexdigest()}",
        endpoint=endpoint.name,
        mind_id=mind_id,
        kind=kind,
        at=at,
        body=json.dumps({"type": kind, "timestamp": at.isoformat(), "data": data}),
        sequence=int(sequence) if kind == KEPT and sequence is not None else None,
        turn_id=_text(about.get("turn_id")),
        session_id=_text(about.get("session_id")),
    )


def _text(value: str | int | None) -> str | None:
    return None if value is None else str(value)
