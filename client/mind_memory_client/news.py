"""What happened in a mind since a time. In each group ``count`` is all of it, ``items`` the newest, newest first."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - pydantic reads it

from mind_memory_client.answers import Answer
from mind_memory_client.catalog import Fact  # noqa: TC001 - pydantic reads it
from mind_memory_client.corrections import Correction  # noqa: TC001 - pydantic reads it


class FactsNews(Answer):
    """Facts."""

    count: int
    items: tuple[Fact, ...]


class ToldChapter(Answer):
    """A chapter that was told: its place in the story, and how it begins. ``told_at`` is None where it is not known."""

    index: int
    heading: str
    digest: str
    text: str
    told_at: datetime | None


class StoryNews(Answer):
    """Chapters; ``version`` is the earliest story that was replaced since then, None without one."""

    count: int
    items: tuple[ToldChapter, ...]
    version: str | None


class SurfacedMemory(Answer):
    """A memory as it was shown."""

    id: str
    text: str


class SurfacedCall(Answer):
    """A pre-turn call in which something surfaced."""

    trace_id: str
    session_id: str
    at: datetime
    message: str
    memories: tuple[SurfacedMemory, ...]


class SurfacedNews(Answer):
    """Pre-turn calls in which something surfaced."""

    count: int
    items: tuple[SurfacedCall, ...]


class PutRightNews(Answer):
    """Decisions of people that were made or taken back."""

    count: int
    items: tuple[Correction, ...]


class ParkedTurn(Answer):
    """A turn that no model could read, and how it begins; ``id`` is ``episode:…``."""

    id: str
    turn_id: str
    text: str
    error: str
    attempts: int
    parked_at: datetime


class ParkedNews(Answer):
    """Turns."""

    count: int
    items: tuple[ParkedTurn, ...]


class News(Answer):
    """What happened after ``since``, of which ``turns`` were accepted; ``until`` is the next ``since``."""

    since: datetime
    until: datetime
    turns: int
    learned: FactsNews
    ended: FactsNews
    told: StoryNews
    surfaced: SurfacedNews
    put_right: PutRightNews
    parked: ParkedNews
