"""Answers about the story: its chapters and notes, its versions, and where its sentences come from."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from mind_memory_client.answers import Answer


class Chapter(Answer):
    """A chapter of the story."""

    heading: str
    since: str = Field(alias="from")
    until: str = Field(alias="to")
    words: int
    edited_by_person: bool
    digest: str


class NotedPerson(Answer):
    """Somebody in the story, as its narrator noted it."""

    name: str
    who: str


class OpenMatter(Answer):
    """What is promised, planned or hoped and not settled yet; ``last`` is what was said of it last."""

    what: str
    since: str
    last: str


class StoryFidelity(Answer):
    """How many sentences of a story are borne out by turns; ``share`` is None where it has none."""

    share: float | None
    sentences: int
    carried: int
    quoted: int
    partly: int
    in_no_turn: int


class Story(Answer):
    """
    STORY.md with its chapters; an edit must name its ``etag``.

    ``people`` and ``open`` are the narrator's notes: who is who, and what is not settled yet.
    """

    mind_id: str
    text: str
    etag: str
    last_processed: datetime | None
    last_sequence: int
    words: int
    chapters: tuple[Chapter, ...]
    people: tuple[NotedPerson, ...] = ()
    open: tuple[OpenMatter, ...] = ()
    fidelity: StoryFidelity | None = None


class StoryVersion(Answer):
    """An earlier version of the story; ``version`` is its name, ``size`` in bytes."""

    version: str
    saved_at: datetime
    size: int = Field(alias="bytes")


class StoryHistory(Answer):
    """The earlier versions, newest first."""

    versions: tuple[StoryVersion, ...]


class StoryDiff(Answer):
    """A unified diff between two versions."""

    since: str = Field(alias="from")
    until: str = Field(alias="to")
    diff: str


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
