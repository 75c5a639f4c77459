"""The journal: search results, and lines of a file."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from pydantic import Field

from service.http.schemas.fields import Answered, Body, Text


class JournalFound(Answered):
    """A chunk of a journal file."""

    path: str
    start_line: int
    end_line: int
    score: float = Field(description="Relevance from 0 to 1. A dated note's is halved after 30 days; 0.4 of it stay.")
    snippet: str = Field(description="The part of the chunk that is relevant to the query.")


class JournalSearchOut(Answered):
    """The chunks that were found, best first."""

    results: list[JournalFound]
    degraded: list[str]


class JournalFileOut(Answered):
    """Lines of a journal file, from `from_line` on."""

    path: str
    text: str
    from_line: int
    lines: int = Field(description="The number of lines in `text`.")
    total_lines: int
    etag: str = Field(description="The fingerprint of the whole file, for If-Match.")


class JournalEntryOut(Answered):
    """A file of the journal, or SOUL.md, PURPOSE.md or briefing.md."""

    path: str
    name: str
    kind: Literal[
        "memory", "soul", "purpose", "day", "note", "observations", "diary", "rules", "priorities", "briefing"
    ]
    date: dt.date | None = Field(description="The day in its name.")
    bytes: int
    changed_at: dt.datetime
    is_editable: bool = Field(description="Whether people write it. The others are the agent's own writings.")


class JournalFilesOut(Answered):
    """Every file, the newest first: by the day in its name, or by its last change."""

    files: list[JournalEntryOut]


class JournalIn(Body):
    """A file as a person wants it."""

    text: Text


JOURNAL_FOUND: dict[str, Any] = {
    "results": [
        {
            "path": "memory/2026-01-09.md",
            "start_line": 1,
            "end_line": 3,
            "score": 0.8412,
            "snippet": "# Friday\n\nPainted the hall with Ingrid: two coats of yellow.",
        }
    ],
    "degraded": [],
}
JOURNAL_FILE: dict[str, Any] = {
    "path": "memory/2026-01-09.md",
    "text": "# Friday\n\nPainted the hall with Ingrid: two coats of yellow.",
    "from_line": 1,
    "lines": 3,
    "total_lines": 3,
    "etag": '"6d1f0b3c9a8e7d5f4c2b1a09"',
}
JOURNAL_PUT: dict[str, Any] = {"text": "# Friday\n\nPainted the hall with Ingrid: two coats of yellow."}
JOURNAL_FILES: dict[str, Any] = {
    "files": [
        {
            "path": "memory/2026-01-09.md",
            "name": "2026-01-09.md",
            "kind": "day",
            "date": "2026-01-09",
            "bytes": 58,
            "changed_at": "2026-01-09T20:15:00Z",
            "is_editable": True,
        }
    ]
}
