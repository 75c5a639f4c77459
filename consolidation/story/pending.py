"""
pending-episodes.log: what waits to be told, for a person to read. Derived; may be deleted at any time.

Each turn under a line that says which it is: ``[1234 | 2026-01-28 13:45 | telegram:42]``.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from consolidation.kernel.files import replace_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from consolidation.kernel.turns import Kept

_HEAD = re.compile(r"^\[(\d{1,15}) \| ", re.MULTILINE)
_TAIL = 1 << 16


def last_listed(file: Path) -> int:
    """The sequence of the last turn listed, 0 where there is none."""
    try:
        with file.open("rb") as handle:
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


def list_anew(file: Path, turns: Iterable[Kept]) -> None:
    """Put *turns* in the file's place."""
    replace_text(file, "".join(map(_entry, turns)))


def list_more(file: Path, turns: Iterable[Kept]) -> None:
    """Add *turns* at the end."""
    with file.open("a", encoding="utf-8", errors="replace") as handle:
        handle.write("".join(map(_entry, turns)))


def _entry(kept: Kept) -> str:
    text = "\n".join(f" {line}" if line.startswith("[") else line for line in kept.text.splitlines())
    head = f"[{kept.sequence} | {kept.occurred_at:%Y-%m-%d %H:%M} | {kept.turn.session_id}]"
    return f"{head}\n{text}\n\n".encode("utf-8", "replace").decode()
