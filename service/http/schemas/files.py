"""The files of a mind that only people write, whole."""

from __future__ import annotations

import datetime as dt
from typing import Any

from pydantic import Field

from service.http.schemas.fields import Answered, Body, Text


class FileListedOut(Answered):
    """One of these files."""

    path: str = Field(description="Below the mind's folder, with slashes.")
    etag: str
    bytes: int
    changed_at: dt.datetime


class FilesOut(Answered):
    """Every file, by path."""

    files: list[FileListedOut]
    etag: str | None = Field(description="Of the list, for If-None-Match; null within two seconds of a change.")


class FileOut(FileListedOut):
    """A file with its text."""

    text: str


class FileIn(Body):
    """A file as a person wants it."""

    text: Text


FILE_LISTED: dict[str, Any] = {
    "path": "memory/2026-01-09.md",
    "etag": '"6d1f0b3c9a8e7d5f4c2b1a09"',
    "bytes": 58,
    "changed_at": "2026-01-09T20:15:00Z",
}
FILES: dict[str, Any] = {"files": [FILE_LISTED], "etag": '"0f9a3c5d7e1b2a4c6d8e0f1a"'}
FILE_PUT: dict[str, Any] = {"text": "# Friday\n\nPainted the hall with Ingrid: two coats of yellow."}
FILE: dict[str, Any] = FILE_LISTED | FILE_PUT
