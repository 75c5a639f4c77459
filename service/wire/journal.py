"""What people wrote down: what was found in it, and lines of a file."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from service.wire.fields import Answered


class JournalFound(Answered):
    """A chunk of a file."""

    path: str
    start_line: int
    end_line: int
    score: float = Field(description="How well it fits, 0 to 1; of a dated note, halved every 30 days.")
    snippet: str = Field(description="The part of it that matters to the query.")


class JournalSearchOut(Answered):
    """What was found, best first."""

    results: list[JournalFound]
    degraded: list[str]


class JournalFileOut(Answered):
    """Lines of a file, from `from_line` on."""

    path: str
    text: str
    from_line: int
    lines: int = Field(description="How many there are in `text`.")
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
