"""
What we last published, beside the story: a backup of its cursor, and which chapters are in our words.

The file's own cursor is the proof; this is what stands in when a person deletes it, and it may be behind after a crash.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from consolidation.kernel.files import replace_text

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Published:
    """The last sequence told (None: nothing known), the anchor written with it, the newest instant told, our words."""

    sequence: int | None = None
    anchor: datetime | None = None
    newest: datetime | None = None
    digests: frozenset[str] = field(default_factory=frozenset)


def read_ledger(file: Path) -> Published:
    """What stands in *file*; nothing known where it is missing or garbled."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return Published(
            int(found["sequence"]),
            datetime.fromisoformat(found["anchor"]),
            datetime.fromisoformat(found["newest"]),
            frozenset(str(digest) for digest in found["digests"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return Published()


def write_ledger(file: Path, published: Published) -> None:
    """Put *published* into *file*, whole or not at all."""
    assert published.anchor is not None  # noqa: S101 - published together
    assert published.newest is not None  # noqa: S101
    content = {
        "sequence": published.sequence,
        "anchor": published.anchor.isoformat(),
        "newest": published.newest.isoformat(),
        "digests": sorted(published.digests),
    }
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace_text(file, json.dumps(content))
