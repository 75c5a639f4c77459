"""What answers where no model is configured: it tells what it heard and what came to mind. Pure."""

from __future__ import annotations

_HEARD = 60


def echo(heard: str, *, memories: int, shown: str) -> str:
    """The answer to *heard*, when so many *memories* surfaced; *shown* says where they can be seen."""
    line = " / ".join(part.strip() for part in heard.splitlines() if part.strip())
    line = line if len(line) <= _HEARD else f"{line[: _HEARD - 1].rstrip()}…"
    if not memories:
        return f"I heard “{line}”. Nothing from the past came to mind."
    known = "1 memory" if memories == 1 else f"{memories:,} memories"
    return f"I heard “{line}”. A model would now also know {known}, {shown}"
