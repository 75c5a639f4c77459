"""
Who changed what: ``<home>/audit.jsonl``, one line for each change, append-only, without anybody's words.

Invariant: each line carries the SHA-256 of the line before it, so that a line changed or removed later is detected, and
a code of itself that only the key's holder can make (HMAC-SHA-256), so that nobody else can write all lines anew. The
key is a setting, or ``<home>/audit.key``. Lines cut off at the end are not detected: the log of the service names each
line's digest. The service and commands write to the same file.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections import deque
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import MemoryFault
from consolidation.kernel.files import append_synced, exclusive, replace_text
from consolidation.kernel.shared_files import until_unchanged

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import SecretStr

    from consolidation.kernel.ports import Clock

log = structlog.get_logger()

FILE, KEY_FILE = "audit.jsonl", "audit.key"
CODE = "code"  # the field with a line's own code
_OF_EACH = frozenset({"at", "by", "action", "mind_id", "after", CODE})
_BEGINNING = "0" * 64
_LOCK_SECONDS = 10
_TAIL_BYTES = 64 * 1024  # much longer than the longest line


@dataclass(frozen=True, slots=True)
class Chain:
    """
    The result of a check: the number of lines, the digest of the last one, and the first that does not match, from 1.

    ``torn``: lines that a power cut left unfinished. The lines after them still vouch for what is left of them.
    ``is_signed``: the last line has its code. If not, it is from before there was a key, or somebody took codes off.
    """

    lines: int = 0
    head: str = _BEGINNING
    torn: int = 0
    broken_at: int | None = None
    is_signed: bool = True

    @property
    def fault(self) -> str | None:
        """What is wrong, for a person; None if nothing is."""
        if self.broken_at is None:
            return None
        return f"line {self.broken_at} is not as it was written, or a line before it was changed or removed"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A line that can be read, with its place in the file, from 1. ``details`` are the fields of its action."""

    line: int
    at: datetime
    action: str
    by: str
    mind_id: str | None
    details: dict[str, object]


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Lines, newest first, and the check of the whole file. ``has_more``: there are older ones that can be read."""

    entries: tuple[AuditEntry, ...]
    chain: Chain
    has_more: bool


class AuditLog:
    """The audit log of one home."""

    def __init__(self, home: Path, *, clock: Clock, key: SecretStr | None) -> None:
        """Without a *key*, the one in the home is used, which is made with the first line."""
        self._file = home / FILE
        self._key_file = home / KEY_FILE
        self._key = key
        self._clock = clock
        self._checked: tuple[tuple[int, int, int], Chain] | None = None  # of the file as it was then

    async def note(self, action: str, *, by: str, mind_id: str | None, **details: object) -> None:
        """
        Append a line, fsynced: *action* (``story.edited``) was done by *by* (a key's id, ``owner`` or ``local``).

        *details* are ids, counts and sizes as JSON, never text. The change has happened by now, so a line that can not
        be written is logged as an error and does not fail the caller.
        """
        fields = {"at": self._clock.now().isoformat(), "by": by, "action": action, "mind_id": mind_id, **details}
        try:
            head = await anyio.to_thread.run_sync(self._append, fields)
            log.info("audit.noted", action=action, by=by, mind_id=mind_id, head=head)
        except (OSError, MemoryFault) as error:
            log.error("audit.unwritable", action=action, by=by, mind_id=mind_id, error=str(error))  # noqa: TRY400 - foreseen

    def check(self) -> Chain:
        """Check the chain from its beginning. A missing file is an empty chain. Raises OSError."""
        found, key, was_signed = Chain(), self._read_key(), False
        if not self._file.exists():
            return found
        with self._file.open("rb") as file:
            for number, line in enumerate(file, 1):
                read = _read(line)
                is_torn = read is None
                is_signed = read is not None and CODE in read
                is_right = read is None or (
                    str(read["after"]) == found.head
                    and (is_signed or not was_signed)
                    and (not is_signed or key is None or _is_signed(read, key))
                )
                if not is_right:
                    return replace(found, lines=number, broken_at=number)
                was_signed |= is_signed
                found = Chain(number, _digest(line), found.torn + is_torn, is_signed=is_signed or is_torn)
        return found

    def page(self, *, before: int | None, limit: int) -> AuditPage:
        """
        The *limit* newest lines above the line *before*, or of all. A line that can not be read is left out.

        The file is checked anew whenever it is another than at the last call. Raises OSError.
        """
        newest: deque[AuditEntry] = deque(maxlen=limit + 1)
        try:
            with self._file.open("rb") as file:
                stat = os.fstat(file.fileno())
                for number, line in enumerate(file, 1):
                    if before is not None and number >= before:
                        break
                    entry = _entry(number, _read(line))
                    if entry is not None:
                        newest.append(entry)
        except FileNotFoundError:
            return AuditPage((), Chain(), has_more=False)
        mark = stat.st_ino, stat.st_mtime_ns, stat.st_size
        if self._checked is None or self._checked[0] != mark:
            self._checked = mark, self.check()
        has_more = len(newest) > limit
        return AuditPage(tuple(reversed(newest))[:limit], self._checked[1], has_more=has_more)

    def _append(self, fields: dict[str, object]) -> str:
        return until_unchanged(lambda: self._append_once(fields))

    def _append_once(self, fields: dict[str, object]) -> str:
        with exclusive(self._file, seconds=_LOCK_SECONDS):
            key = self._read_key() or self._make_key()
            last = _last_line(self._file)
            whole = {**fields, "after": _digest(last) if last else _BEGINNING}
            line = json.dumps({**whole, CODE: _code(whole, key)}, ensure_ascii=False).encode()
            # A line torn by a power cut is ended here, and stays in the chain as it is.
            torn = b"\n" if last and not last.endswith(b"\n") else b""
            append_synced(self._file, torn + line + b"\n", follows=True)
            return _digest(line)

    def _read_key(self) -> bytes | None:
        if self._key is not None:
            return self._key.get_secret_value().encode()
        try:
            return self._key_file.read_bytes().strip() or None
        except FileNotFoundError:
            return None

    def _make_key(self) -> bytes:
        key = self._clock.fresh_id() + self._clock.fresh_id()
        replace_text(self._key_file, f"{key}\n")
        return key.encode()


def _read(line: bytes) -> dict[str, object] | None:
    """A line's fields; None if it is not complete."""
    try:
        read = json.loads(line)
    except ValueError:
        return None
    return read if isinstance(read, dict) and "after" in read else None


def _entry(number: int, read: dict[str, object] | None) -> AuditEntry | None:
    """What a line says; None if a person or a power cut left less than that of it."""
    if read is None:
        return None
    details = {name: value for name, value in read.items() if name not in _OF_EACH}
    try:
        at = datetime.fromisoformat(str(read["at"]))
        mind_id = read["mind_id"]
        action, by = str(read["action"]), str(read["by"])
    except (KeyError, ValueError):
        return None
    if at.tzinfo is None:
        return None
    return AuditEntry(number, at, action, by, str(mind_id) if mind_id is not None else None, details)


def _is_signed(read: dict[str, object], key: bytes) -> bool:
    return hmac.compare_digest(str(read[CODE]), _code({name: read[name] for name in read if name != CODE}, key))


def _code(fields: dict[str, object], key: bytes) -> str:
    return hmac.new(key, json.dumps(fields, ensure_ascii=False).encode(), hashlib.sha256).hexdigest()


def _digest(line: bytes) -> str:
    return hashlib.sha256(line.rstrip(b"\n")).hexdigest()


def _last_line(file: Path) -> bytes:
    """The last line with its line end; empty if there is none."""
    try:
        with file.open("rb") as found:
            found.seek(max(0, found.seek(0, os.SEEK_END) - _TAIL_BYTES))
            tail = found.read()
    except FileNotFoundError:
        return b""
    return tail[tail.rstrip(b"\n").rfind(b"\n") + 1 :]
