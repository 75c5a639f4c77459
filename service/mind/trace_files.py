"""
The files of a mind's traces: one a day (``subconscious-2026-01-09.jsonl``), a trace a line, or that one was delivered.

A file is written on its day, whatever time a trace tells. Earlier versions wrote ``subconscious.jsonl``, and set it
aside as ``subconscious.jsonl.1``. These two are read as the oldest, and are as old as their last writing.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from consolidation.kernel.files import append_line, remove, replacing
from consolidation.kernel.links import open_regular
from consolidation.text.surrogates import as_text
from consolidation.transcript.recovery import seal_end
from service.mind.trace_document import decoded, delivery_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from service.mind.trace_document import Delivery, TraceDocument

_EARLIER = ("subconscious.jsonl.1", "subconscious.jsonl")  # their days are 0 and 1
_DAILY = re.compile(r"subconscious-(\d{4}-\d{2}-\d{2})\.jsonl")


class TracePlace(NamedTuple):
    """Where a trace stands: the day of its file (an ordinal of `date`; 0 and 1 of earlier versions), its first byte."""

    day: int
    offset: int


class TraceLine(NamedTuple):
    """
    A whole line of a file: where it begins, where the next one does, and the trace, or that a thought was delivered.

    Both are None where it is damaged.
    """

    offset: int
    end: int
    trace: TraceDocument | None
    delivery: Delivery | None = None


class _Verdict(NamedTuple):
    """Where a line ends, whether it goes, and whether it has its end."""

    end: int
    goes: bool
    is_whole: bool


class TraceFiles:
    """The files of traces in *folder*; they are written by one thread at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def days(self) -> tuple[int, ...]:
        """The days of which there is a file, oldest first. Raises OSError."""
        return tuple(sorted(self._found()))

    def size(self, day: int) -> int:
        """The bytes of a day's file; 0 where there is none."""
        with suppress(OSError):
            return self._file(day).lstat().st_size
        return 0

    def append(self, trace: TraceDocument | Delivery, *, today: date) -> tuple[TracePlace, int]:
        """
        Append a trace to the file of *today*; it has reached the operating system when this returns.

        Returns where it stands, and where the next one begins. Raises OSError; then none of it is in the file.
        """
        day = today.toordinal()
        offset, end = append_line(self._file(day), trace.encoded())
        return TracePlace(day, offset), end

    def seal(self) -> None:
        """Let the newest file end with a newline: a kill may have torn its last line. Raises OSError."""
        for day in self.days()[-1:]:
            seal_end(self._file(day))

    def lines(self, day: int, *, start: int = 0) -> Iterator[TraceLine]:
        """The whole lines of a day's file that begin at *start* or later. Raises OSError."""
        with suppress(FileNotFoundError), open_regular(self._file(day)) as handle:
            handle.seek(start)
            at = start
            for line in handle:
                if not line.endswith(b"\n"):
                    return  # somebody writes it now
                trace = decoded(line)
                yield TraceLine(at, at + len(line), trace, None if trace is not None else delivery_of(line))
                at += len(line)

    def read(self, place: TracePlace) -> TraceDocument | None:
        """The trace at *place*; None where there is none any more. Raises OSError."""
        return next((line.trace for line in self.lines(place.day, start=place.offset)), None)

    def newest(self, *, most: int, most_bytes: int) -> list[TraceLine]:
        """About the last *most* undamaged lines, oldest first, of at most the last *most_bytes*. Raises OSError."""
        found: list[TraceLine] = []
        for day in reversed(self.days()):
            size = self.size(day)
            start = max(0, size - most_bytes)
            found = [line for line in self.lines(day, start=start) if line.trace or line.delivery] + found
            most_bytes -= size - start
            if len(found) >= most or most_bytes <= 0:
                break
        return found

    def rewrite(
        self, day: int, is_doomed: Callable[[TraceDocument], bool], *, writing: AbstractContextManager[object]
    ) -> int:
        """
        Write a day's file without the doomed traces and the damaged lines; how many went. Raises OSError.

        Whoever appends holds *writing*. It is held here only when all lines but those that came last have been read.
        """
        verdicts = self._verdicts(day, is_doomed)
        before = list(takewhile(lambda one: one.is_whole, verdicts))  # of the others, one may be half written yet
        with writing:
            after = self._verdicts(day, is_doomed, start=before[-1].end if before else 0)
            lines = [one.goes for one in (*before, *after)]
            gone = lines.count(True)
            if gone == len(lines):
                remove(self._file(day))
            elif gone:
                with open_regular(self._file(day)) as old, replacing(self._file(day)) as new:
                    new.writelines(line for line, is_gone in zip(old, lines, strict=True) if not is_gone)
            return gone

    def count(self, day: int, is_doomed: Callable[[TraceDocument], bool]) -> int:
        """How many lines ``rewrite`` would take out of a day's file. Raises OSError."""
        return sum(one.goes for one in self._verdicts(day, is_doomed))

    def name_of(self, day: int) -> str:
        """The name of a day's file."""
        return self._file(day).name

    def drop(self, day: int) -> None:
        """Delete a day's file. Raises OSError."""
        remove(self._file(day))

    def before(self, first: date) -> tuple[int, ...]:
        """The days before *first* of which there is a file: what is of an earlier version by its last writing."""
        return tuple(day for day, file in self._found().items() if _written(day, file) < first.toordinal())

    def _verdicts(self, day: int, is_doomed: Callable[[TraceDocument], bool], *, start: int = 0) -> Iterator[_Verdict]:
        """Of each line from *start* on, torn ones too, whether it goes."""
        end = start
        with suppress(FileNotFoundError), open_regular(self._file(day)) as handle:
            handle.seek(start)
            for line in handle:
                end += len(line)
                trace = decoded(line)
                goes = is_doomed(trace) if trace is not None else delivery_of(line) is None
                yield _Verdict(end, goes, is_whole=line.endswith(b"\n"))

    def _found(self) -> dict[int, Path]:
        found = {}
        for file in self._folder.glob("subconscious*"):
            day = day_of(file.name)
            if day is not None and not file.is_symlink():
                found[day] = file
        return found

    def _file(self, day: int) -> Path:
        if day < len(_EARLIER):
            return self._folder / _EARLIER[day]
        return self._folder / daily_name(date.fromordinal(day))


def daily_name(day: date) -> str:
    """The name of the file with the traces of *day*."""
    return f"subconscious-{day}.jsonl"


def day_of(name: str) -> int | None:
    """The day of a file of traces by its name, relative to the mind's folder; None of any other file."""
    if name in _EARLIER:
        return _EARLIER.index(name)
    found = _DAILY.fullmatch(name)
    if found is None:
        return None
    with suppress(ValueError):
        return date.fromisoformat(found[1]).toordinal()
    return None


def trace_files(folder: Path) -> tuple[Path, ...]:
    """The files of traces in a mind's *folder*, links too, sorted."""
    return tuple(sorted(file for file in folder.glob("subconscious*") if day_of(file.name) is not None))


def oldest_kept(today: date, *, days: int) -> date | None:
    """The first day whose traces are kept, where they are kept for so many *days*; None where all are (0)."""
    return today - timedelta(days=min(days, today.toordinal() - 1)) if days else None


def rename_traces(file: Path, *, mind_id: str) -> None:
    """Let every trace in *file*, if it is there, name the mind *mind_id*; other lines stay as they are."""
    if not file.exists():
        return
    with open_regular(file) as old, replacing(file) as new:
        for line in old:
            trace = decoded(line)
            new.write(line if trace is None else f"{replace(trace, mind_id=mind_id).encoded()}\n".encode())


def words_in(file: Path) -> Iterator[str]:
    """What a file of traces holds of anybody's words; a line that is not a trace counts as a whole."""
    with open_regular(file) as handle:
        for line in handle:
            trace = decoded(line)
            if trace is not None:
                yield from trace.texts()
            elif delivery_of(line) is None:
                yield as_text(line)


def _written(day: int, file: Path) -> int:
    if day >= len(_EARLIER):
        return day
    try:
        return datetime.fromtimestamp(file.lstat().st_mtime, UTC).date().toordinal()
    except OSError:
        return day
