"""
Who changed what: ``<home>/audit.jsonl``, a line for each change, append-only, never anybody's words.

Invariant: each line carries the SHA-256 of the line before it, so that a line changed or taken out later shows; what
was cut off at the end does not, unless somebody kept the last digest. The service and commands write to the same file.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import MemoryFault
from consolidation.kernel.files import append_synced, exclusive

if TYPE_CHECKING:
    from pathlib import Path

    from consolidation.kernel.ports import Clock

log = structlog.get_logger()

FILE = "audit.jsonl"
_BEGINNING = "0" * 64
_LOCK_SECONDS = 10
_TAIL_BYTES = 64 * 1024  # holds the longest line many times over


@dataclass(frozen=True, slots=True)
class Chain:
    """
    What a check of the file found: its lines, the digest of the last, and the first that does not fit, from 1.

    ``torn`` are lines that a power cut left unfinished; what follows them vouches for what is left.
    """

    lines: int = 0
    head: str = _BEGINNING
    torn: int = 0
    broken_at: int | None = None


class Audit:
    """The audit log of one home."""

    def __init__(self, home: Path, *, clock: Clock) -> None:
        """Bind to *home*; the file begins with its first line."""
        self._file = home / FILE
        self._clock = clock

    async def note(self, action: str, *, by: str, mind_id: str | None, **details: object) -> None:
        """
        Add a line, synced: *action* (``story.edited``) was done by *by*, a key's id, ``owner`` or ``local``.

        *details* are ids, counts and sizes as JSON, never text. What was done is done: a line that can not be written
        is an error in the log, not one for the caller.
        """
        told = {"at": self._clock.now().isoformat(), "by": by, "action": action, "mind_id": mind_id, **details}
        try:
            await anyio.to_thread.run_sync(self._append, told)
        except (OSError, MemoryFault) as error:
            log.error("audit.unwritable", action=action, by=by, mind_id=mind_id, error=str(error))  # noqa: TRY400 - foreseen

    def check(self) -> Chain:
        """Follow the chain from its beginning. Raises OSError; no file is an empty chain."""
        found = Chain()
        if not self._file.exists():
            return found
        with self._file.open("rb") as file:
            for number, line in enumerate(file, 1):
                after = _after(line)
                if after not in {found.head, None}:
                    return replace(found, lines=number, broken_at=number)
                found = Chain(number, _digest(line), found.torn + (after is None))
        return found

    def _append(self, told: dict[str, object]) -> None:
        with exclusive(self._file, seconds=_LOCK_SECONDS):
            last = _last_line(self._file)
            line = json.dumps({**told, "after": _digest(last) if last else _BEGINNING}, ensure_ascii=False)
            # A line torn by a power cut is ended, and stays in the chain as it is.
            torn = b"\n" if last and not last.endswith(b"\n") else b""
            append_synced(self._file, torn + line.encode() + b"\n")


def _after(line: bytes) -> str | None:
    """The digest that a line says to come after; None where the line is not whole."""
    try:
        return str(json.loads(line)["after"])
    except (ValueError, KeyError, TypeError):
        return None


def _digest(line: bytes) -> str:
    return hashlib.sha256(line.rstrip(b"\n")).hexdigest()


def _last_line(file: Path) -> bytes:
    """The last line with its end, if it has one; empty where there is none."""
    try:
        with file.open("rb") as found:
            found.seek(max(0, found.seek(0, os.SEEK_END) - _TAIL_BYTES))
            tail = found.read()
    except FileNotFoundError:
        return b""
    return tail[tail.rstrip(b"\n").rfind(b"\n") + 1 :]
