"""The journal's files, what a file holds that is brought in, what would be erased, and what was. Frozen values."""

from __future__ import annotations

from datetime import date as Day  # noqa: N812 - a field is called date
from datetime import datetime

from mind_memory_client.answers import Answer
from mind_memory_client.models import ErasedCount


class JournalEntry(Answer):
    """A file of the journal, or SOUL.md, PURPOSE.md or briefing.md; people write those that are editable."""

    path: str
    name: str
    kind: str
    date: Day | None
    bytes: int
    changed_at: datetime
    is_editable: bool


class JournalFiles(Answer):
    """Every file, the newest first."""

    files: tuple[JournalEntry, ...]


class SkippedItems(Answer):
    """How many items of a file give no turn, or a message no time, for one reason, and where the first of them are."""

    reason: str
    count: int
    places: tuple[str, ...] = ()


class Survey(Answer):
    """What a file of conversations holds; ``opening`` is how it begins."""

    format: str
    sessions: int
    turns: int
    messages: int
    first_at: datetime | None
    last_at: datetime | None
    speakers: tuple[str, ...]
    skipped: tuple[SkippedItems, ...]
    opening: str


class ImportBegun(Survey):
    """What a file holds, and the id of its import, which runs."""

    import_id: str


class ImportProgress(Answer):
    """How far an import is: "running", "done" or "failed"; ``of`` are the turns of the file."""

    mind_id: str
    import_id: str
    state: str
    stored: int
    of: int
    duplicates: int
    erased: int
    refused: int
    skipped: tuple[SkippedItems, ...] = ()
    detail: str


class DoomedChapter(Answer):
    """A chapter that tells of it. One that a person edited stays, unless the whole mind goes."""

    heading: str
    is_edited: bool


class ErasurePreview(Answer):
    """What an erasure would take; ``facts`` and ``entities`` are None while the graph is unavailable."""

    dry_run: bool
    mind_id: str
    session_id: str | None
    turn_id: str | None
    turns: int
    facts: int | None
    entities: int | None
    chapters: tuple[DoomedChapter, ...]
    files: tuple[str, ...]
    left: tuple[str, ...]
    traces: int
    corrections: int


class KeptReceipt(Answer):
    """A receipt without words; ``part`` is the beginning of the SHA-256 of the session's or turn's id."""

    id: str
    mind_id: str
    kind: str
    part: str | None
    by: str
    began_at: datetime
    erased_at: datetime
    verified: bool
    turns: int
    erased: tuple[ErasedCount, ...]
    peoples_files: int
    edited_by_person: int
    left: int
    append_only_file: str
    snapshot: str
    found: tuple[str, ...]


class Erasures(Answer):
    """A page of receipts, newest first; ``next_cursor`` is None at the end."""

    items: tuple[KeptReceipt, ...]
    next_cursor: str | None = None
