"""The files of a mind that only people write, whole. Frozen values."""

from __future__ import annotations

from datetime import datetime

from mind_memory_client.answers import Answer


class MindFileEntry(Answer):
    """One of people's files; ``path`` is below the mind's folder."""

    path: str
    etag: str
    bytes: int
    changed_at: datetime


class MindFiles(Answer):
    """Every file, by path; ``etag`` is of the list, None within two seconds of a change."""

    files: tuple[MindFileEntry, ...]
    etag: str | None


class MindFile(MindFileEntry):
    """A file with its text; bytes that are not UTF-8 became U+FFFD."""

    text: str
