"""What commands print with: consoles that take every text as it is, and text that can not steer the terminal."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

# Escape sequences, other control characters but newline and tab, and marks that reverse the direction of writing.
_STEERING = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def out() -> Console:
    """The console for answers: stdout as it is now."""
    return _console(is_error=False)


def err() -> Console:
    """The console for notes, progress and complaints: stderr as it is now."""
    return _console(is_error=True)


def complain(sentence: str, *, style: str = "red") -> None:
    """Say on stderr, unbroken where nobody reads at a screen, why a command ends."""
    console = err()
    console.print(plain(sentence), style=style, soft_wrap=not console.is_terminal)


def note(sentence: str) -> None:
    """Say on stderr, dimmed, what is worth knowing."""
    complain(sentence, style="dim")


def plain(text: str) -> str:
    """*text* without what would move the cursor, change colours or turn the line around. Idempotent."""
    return _STEERING.sub("", text.encode(errors="replace").decode())


def one_line(text: str, *, most: int | None = None) -> str:
    """*text* on one line, cut with an ellipsis beyond *most* characters."""
    line = " / ".join(part.strip() for part in plain(text).splitlines() if part.strip())
    return line if most is None or len(line) <= most else f"{line[: most - 1].rstrip()}…"


def counted(number: int, one: str, many: str = "") -> str:
    """``1 turn``, ``1,204 turns``."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def day(instant: datetime | str) -> str:
    """``9 Jan 2026``, from a time or from its text in an API's answer."""
    found = datetime.fromisoformat(instant) if isinstance(instant, str) else instant
    return f"{found.day} {found:%b %Y}"


def _console(*, is_error: bool) -> Console:
    from rich.console import Console

    return Console(stderr=is_error, markup=False, highlight=False, emoji=False)
