"""
The file pending-episodes.log: the text of the turns that are not narrated yet, for a person to read.

It is derived from the transcript and may be deleted at any time. Each turn stands under a line that says which one it
is: ``[1234 | 2026-01-28 13:45 | telegram:42]``.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from consolidation.kernel.files import append_unsynced, replace_text
from consolidation.kernel.links import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from consolidation.kernel.turns import StoredTurn

_HEAD = re.compile(r"^\[(\d{1,15}) \| ", re.MULTILINE)
_TAIL = 1 << 16  # bytes


def last_listed(file: Path) -> int:
    """The sequence of the last turn in *file*, 0 where there is none."""
    try:
        with open_regular(file) as handle:
            size = handle.seek(0, os.SEEK_END)
            for reach in (_TAIL, size):
                handle.seek(max(0, size - reach))
                read = handle.read().decode("utf-8", "replace")
                whole = read if reach >= size else read.partition("\n")[2]  # the first line may be the end of one
                if found := _HEAD.findall(whole):
                    return int(found[-1])
    except FileNotFoundError:
        pass
    return 0


def write_pending(file: Path, turns: Iterable[StoredTurn]) -> None:
    """Put *turns* in the place of what *file* lists."""
    replace_text(file, "".join(map(_entry, turns)))


def append_pending(file: Path, turns: Iterable[StoredTurn]) -> None:
    """Add *turns* at the end of *file*."""
    append_unsynced(file, "".join(map(_entry, turns)).encode("utf-8", "replace"))


def _entry(stored: StoredTurn) -> str:
    text = "\n".join(f" {line}" if line.startswith("[") else line for line in stored.text.splitlines())
    head = f"[{stored.sequence} | {stored.occurred_at:%Y-%m-%d %H:%M} | {stored.turn.session_id}]"
    return f"{head}\n{text}\n\n".encode("utf-8", "replace").decode()
