"""
The log of a mind's corrections: ``corrections.jsonl``, a line each, synced before anybody is answered.

What stands is folded from all of its lines. A decision that is taken back is one more line, and only an erasure takes
lines away. A damaged line never takes another one with it; its bytes stay, and a copy is set aside.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

from consolidation.corrections.record import Correction, Undo, decoded, encoded
from consolidation.corrections.standing import Standing
from consolidation.kernel.errors import CorrectionNotFound
from consolidation.kernel.files import append_synced, replace_text
from consolidation.kernel.shared_files import stamp_of
from consolidation.transcript.recovery import Damage, Format, scan_lines, seal_end

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from consolidation.corrections.record import Line

_DECISIONS = Format(decoded, re.compile(rb'\{"id":'))


class CorrectionLog:
    """The corrections of one mind; safe to use from several threads. A file that can not be read raises OSError."""

    def __init__(self, file: Path, *, torn: Path) -> None:
        """*file* and the folder *torn*, for copies of damaged lines, need not exist."""
        self._file = file
        self._torn = torn
        self._mutex = threading.Lock()
        self._lines: tuple[Line, ...] | None = None
        self._damages: tuple[Damage, ...] = ()
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

    @property
    def damages(self) -> tuple[Damage, ...]:
        """The damaged lines that were found when the file was read last. Reads nothing."""
        return self._damages

    def count_doomed(self, left_of: Callable[[Correction], Correction | None]) -> int:
        """How many lines ``forget`` would take or change. Raises OSError."""
        with self._mutex:
            return self._without(self._read(), left_of)[1]

    def forget(self, left_of: Callable[[Correction], Correction | None]) -> int:
        """
        Put into the place of each decision what *left_of* leaves of it, and return how many lines went or changed.

        Where nothing is left, whatever took the decision back goes with it. A damaged line goes, too, with its copy:
        nobody knows what it holds. Raises OSError.
        """
        with self._mutex:
            if not self._file.exists():
                return 0
            seal_end(self._file)
            seen = stamp_of(self._file)
            self._lines = None
            left, changed = self._without(self._read(), left_of)
            if changed:
                replace_text(self._file, "".join(f"{encoded(one).decode()}\n" for one in left), seen=seen)
                self._lines = None
                for damage in self._damages:
                    (self._torn.parent / damage.aside).unlink(missing_ok=True)
            return changed

    def _without(
        self, lines: tuple[Line, ...], left_of: Callable[[Correction], Correction | None]
    ) -> tuple[list[Line], int]:
        found = {one.id: left_of(one) for one in lines if isinstance(one, Correction)}
        gone = {key for key, one in found.items() if one is None}
        staying = [one for one in lines if (one.of if isinstance(one, Undo) else one.id) not in gone]
        left = [found.get(one.id) or one for one in staying]
        changed = sum(one != two for one, two in zip(staying, left, strict=True))
        return left, len(self._damages) + len(lines) - len(left) + changed

    def read_again(self) -> None:
        """Forget what was read: another machine has appended to the file."""
        with self._mutex:
            self._lines = None

    def _append(self, line: Line) -> None:
        content = encoded(line) + b"\n"
        append_synced(self._file, content)
        self._end += len(content)
        if self._file.stat().st_size != self._end:  # lines of another machine came before it
            self._lines = None
            return
        self._lines = (*(self._lines or ()), line)
        self._standing = Standing.of(self._lines) if isinstance(line, Undo) else self._standing.plus(line)

    def _read(self) -> tuple[Line, ...]:
        if self._lines is None:
            found = list(scan_lines(self._file, _DECISIONS, torn=self._torn)) if self._file.exists() else []
            self._damages = tuple(one for one in found if isinstance(one, Damage))
            self._lines = tuple(one[0] for one in found if not isinstance(one, Damage))
            places = (one if isinstance(one, Damage) else one[1] for one in found)
            self._end = max((one.offset + one.length + 1 for one in places), default=0)
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
