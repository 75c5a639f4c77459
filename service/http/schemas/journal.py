"""The journal: search results, and lines of a file."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from service.http.schemas.fields import Answered


class JournalFound(Answered):
    """A chunk of a journal file."""

    path: str
    start_line: int
    end_line: int
    score: float = Field(description="Relevance from 0 to 1. For a dated note, it is halved every 30 days.")
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
}
