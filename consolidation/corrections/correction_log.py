"""
The log of a mind's corrections: ``corrections.jsonl``, a line each, synced before anybody is answered.

What stands is folded from all of its lines. A decision that is taken back is one more line, and only an erasure takes
lines away.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from consolidation.corrections.record import Correction, Undo, decoded, encoded
from consolidation.corrections.standing import Standing
from consolidation.kernel.errors import CorrectionNotFound
from consolidation.kernel.files import append_synced, replace_text
from consolidation.kernel.links import open_regular
from consolidation.kernel.shared_files import stamp_of
from consolidation.transcript.recovery import seal_end

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from consolidation.corrections.record import Line


class CorrectionLog:
    """The corrections of one mind; safe to use from several threads. A file that can not be read raises OSError."""

    def __init__(self, file: Path) -> None:
        """*file* need not exist."""
        self._file = file
        self._mutex = threading.Lock()
        self._lines: tuple[Line, ...] | None = None
        self._end = 0  # of what was read of the file
        self._standing = Standing()

    def standing(self) -> Standing:
        """What stands by all decisions so far. Reads a file at its first use."""
        with self._mutex:
            self._read()
            return self._standing

    def lines(self) -> tuple[Line, ...]:
        """Every decision and every one taken back, oldest first."""
        with self._mutex:
            return self._read()

    def add(self, correction: Correction, *, check: Callable[[Standing], None]) -> Correction:
        """
        Keep a decision; it is on disk when this returns. One that stands already is returned, and kept once.

        *check* may raise for what can not be decided beside what stands. Raises OSError; then nothing is kept.
        """
        with self._mutex:
            self._read()
            known = self._standing.same_as(correction)
            if known is not None:
                return known
            check(self._standing)
            self._append(correction)
            return correction

    def undo(self, undo: Undo) -> tuple[Correction, Undo]:
        """
        Take a decision back, and return it with the line that did. One that was taken back before stays so.

        Raises CorrectionNotFound, OSError.
        """
        with self._mutex:
            lines = self._read()
            made = next((one for one in lines if isinstance(one, Correction) and one.id == undo.of), None)
            if made is None:
                raise CorrectionNotFound("no correction has this id")
            before = next((one for one in lines if isinstance(one, Undo) and one.of == undo.of), None)
            if before is None:
                self._append(undo)
            return made, before or undo

    def forget(self, left_of: Callable[[Correction], Correction | None]) -> int:
        """
        Put into the place of each decision what *left_of* leaves of it, and return how many lines went or changed.

        Where nothing is left, whatever took the decision back goes with it. A line that is neither goes, too: nobody
        knows what it holds. Raises OSError.
        """
        with self._mutex:
            if not self._file.exists():
                return 0
            seen = stamp_of(self._file)
            with open_regular(self._file) as handle:
                every = sum(1 for _ in handle)
            lines = self._read()
            found = {one.id: left_of(one) for one in lines if isinstance(one, Correction)}
            gone = {key for key, one in found.items() if one is None}
            staying = [one for one in lines if (one.of if isinstance(one, Undo) else one.id) not in gone]
            left = [found.get(one.id) or one for one in staying]
            changed = every - len(left) + sum(one != two for one, two in zip(staying, left, strict=True))
            if changed:
                replace_text(self._file, "".join(f"{encoded(one)}\n" for one in left), seen=seen)
                self._lines = None
            return changed

    def read_again(self) -> None:
        """Forget what was read: another machine has appended to the file."""
        with self._mutex:
            self._lines = None

    def _append(self, line: Line) -> None:
        content = f"{encoded(line)}\n".encode()
        append_synced(self._file, content)
        self._end += len(content)
        if self._file.stat().st_size != self._end:  # lines of another machine came before it
            self._lines = None
            return
        self._lines = (*(self._lines or ()), line)
        self._standing = Standing.of(self._lines) if isinstance(line, Undo) else self._standing.plus(line)

    def _read(self) -> tuple[Line, ...]:
        if self._lines is None:
            found: list[Line] = []
            self._end = 0
            if self._file.exists():
                seal_end(self._file)  # a kill tore the last line: the next one begins a line of its own
                with open_regular(self._file) as handle:
                    found = [line for raw in handle if (line := decoded(raw)) is not None]
                    self._end = handle.tell()
            self._lines = tuple(found)
            self._standing = Standing.of(self._lines)
        return self._lines


class CorrectionsAsOf(CorrectionLog):
    """What stood at an *instant*, of another log; only for reading."""

    def __init__(self, log: CorrectionLog, *, instant: datetime) -> None:
        self._log = log
        self._instant = instant

    def standing(self) -> Standing:
        """What stood then."""
        return Standing.of(self.lines())

    def lines(self) -> tuple[Line, ...]:
        """Every decision until then, oldest first."""
        return tuple(one for one in self._log.lines() if one.at <= self._instant)
