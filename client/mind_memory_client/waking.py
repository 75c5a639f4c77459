"""What an agent is handed when it wakes, as frozen values."""

from __future__ import annotations

from datetime import date, datetime

from mind_memory_client.models import Answer


class Observation(Answer):
    """An observation of an agent: ``level`` is RED, YLW or GRN; ``at`` is the time of that day as its dream had it."""

    level: str
    day: date
    at: str
    text: str


class UnreadMessage(Answer):
    """A message of a person that was stored since the last dream, cut after 500 characters."""

    at: datetime
    who: str
    session_id: str
    text: str


class LastSession(Answer):
    """The session before this one; ``was_interrupted``: the agent acted in it and did not sleep afterwards."""

    session_id: str
    ended_at: datetime
    actions: int
    intent: str
    was_interrupted: bool


class Waking(Answer):
    """
    What an agent is handed when it wakes. ``text`` is ready to be put in front of a conversation.

    ``woke_at`` is None if it never slept. ``observations`` are those in ``text``; ``left_out`` counts the others.
    """

    woke_at: datetime | None
    slept_seconds: float
    cycle: int
    reason: str
    reflection: str
    priority: str
    priorities: tuple[str, ...]
    observations: tuple[Observation, ...]
    left_out: int
    rules: tuple[str, ...]
    briefing: str
    unread_messages: tuple[UnreadMessage, ...]
    last_session: LastSession | None
    pointers: dict[str, str]
    text: str
    etag: str
