"""Where the sentences of a story come from."""

from __future__ import annotations

from datetime import datetime

from mind_memory_client.answers import Answer
from mind_memory_client.models import StoryFidelity


class SourceTurn(Answer):
    """A turn that a sentence of the story comes from."""

    sequence: int
    turn_id: str
    session_id: str
    occurred_at: datetime


class StorySentence(Answer):
    """
    A sentence, at ``start`` to ``end`` of the story's text, and the turns it comes from, best first.

    ``state`` is carried, quoted, partly, in_no_turn or a_persons; ``missing`` are its words that its turns do not have.
    """

    start: int
    end: int
    text: str
    state: str
    turns: tuple[SourceTurn, ...]
    missing: tuple[str, ...]


class SourcedChapter(Answer):
    """A chapter of the story with the sources of its sentences."""

    index: int
    heading: str
    digest: str
    sentences: tuple[StorySentence, ...]


class StorySources(Answer):
    """Where the sentences of a story come from; ``next`` is the ``after`` of the call that reads on."""

    etag: str
    fidelity: StoryFidelity | None
    chapters: tuple[SourcedChapter, ...]
    next: int | None
