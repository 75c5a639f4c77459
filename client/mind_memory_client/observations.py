"""What dreams distilled, as frozen values."""

from __future__ import annotations

from datetime import date

from mind_memory_client.models import Answer


class Observation(Answer):
    """
    A fact of a day; ``level`` is RED, YLW or GRN, ``at`` is HH:MM, and ``sources`` are the sequences of its turns.

    A dream wrote it (``is_ours``) or a person. A later dream may have said that it is over (``is_superseded``).
    """

    level: str
    day: date
    at: str
    text: str
    is_ours: bool
    is_superseded: bool
    sources: tuple[int, ...]


class Observations(Answer):
    """The observations of a mind, and the whole file as ``text``; an edit must name its ``etag``."""

    mind_id: str
    observations: tuple[Observation, ...]
    text: str
    etag: str
