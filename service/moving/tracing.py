"""The traces of a mind that is called otherwise from now on."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def rename_traces(file: Path, *, mind_id: str) -> None:
    """Let every trace in *file*, if it is there, name the mind *mind_id*; a line that is no trace stays as it is."""
    if not file.exists():
        return
    beside = file.with_name(f"{file.name}.new")
    with file.open("rb") as old, beside.open("wb") as new:
        new.writelines(_renamed(line, mind_id) for line in old)
        new.flush()
        os.fsync(new.fileno())
    beside.replace(file)


def _renamed(line: bytes, mind_id: str) -> bytes:
    try:
        trace = json.loads(line)
        if not isinstance(trace, dict) or "mind_id" not in trace:
            return line
        return json.dumps({**trace, "mind_id": mind_id}, ensure_ascii=False).encode() + b"\n"
    except (ValueError, RecursionError):
        return line
