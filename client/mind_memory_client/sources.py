"""Where a memory comes from: a turn, or a person who put it right."""

from __future__ import annotations

from datetime import datetime

from mind_memory_client.answers import Answer


class TurnSource(Answer):
    """A turn that a memory comes from."""

    mind_id: str | None = None
    turn_id: str
    session_id: str
    sequence: int
    timestamp: datetime
    excerpt: str


class PersonSource(Answer):
    """A person who put a memory right; the fields of a turn are None."""

    mind_id: str | None = None
    turn_id: None = None
    session_id: None = None
    sequence: None = None
    correction_id: str
    by: str
    timestamp: datetime
    excerpt: str
