"""What a search in the log answers, as frozen values."""

from __future__ import annotations

from datetime import datetime

from mind_memory_client.answers import Answer
from mind_memory_client.corrections import Decision


class LogLine(Answer):
    """A message around one that was found in the log."""

    role: str
    name: str | None
    at: datetime
    text: str


class LogItem(Answer):
    """A message of the log that holds the words, with ``age`` in words; ``cycles_ago`` is None where unknown."""

    sequence: int
    turn_id: str
    session_id: str
    kind: str
    role: str
    name: str | None
    at: datetime
    age: str
    date: str
    cycles_ago: int | None
    text: str
    before: tuple[LogLine, ...]
    after: tuple[LogLine, ...]
    corrections: tuple[Decision, ...] = ()


class LogPage(Answer):
    """What a search in the log found, newest first; ``next_cursor`` leads to older items, None where there are none."""

    items: tuple[LogItem, ...]
    next_cursor: str | None = None
    degraded: tuple[str, ...] = ()
