"""
What a mind was shown, and why: the traces of its pre-turn calls, a line each, in ``subconscious.jsonl``.

The echo filter is fed from the same lines, so that a restart forgets nothing. A line that is not a trace is passed
over.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from consolidation.kernel.files import append_line, replace_text, replacing
from consolidation.kernel.links import open_regular
from consolidation.transcript.recovery import seal_end
from service.mind.trace_document import decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from service.mind.trace_document import TraceDocument

TRACE_FILES = ("subconscious.jsonl", "subconscious.jsonl.1")  # of a mind: the newest, and what was set aside
_ROTATE_BYTES = 16 * 1024 * 1024
_TAIL_BYTES = 4 * 1024 * 1024
_REMEMBERED_TRACES = 200
_REMEMBERED_ECHOES = 1_000  # of one session; more turns than anyone keeps a memory back for


@dataclass(frozen=True, slots=True)
class Echoes:
    """What one session was shown lately: fragment ids, and the turns they rest on; ``at``, by one call alone."""

    fragments: frozenset[str] = frozenset()
    sequences: frozenset[int] = frozenset()
    at: datetime | None = None

    def include(self, fragment_id: str, sequences: frozenset[int]) -> bool:
        """Whether a fragment, or all the turns it rests on, is among what was shown."""
        return fragment_id in self.fragments or (bool(sequences) and sequences <= self.sequences)


@dataclass(frozen=True, slots=True)
class PreTurnCalls:
    """The newest pre-turn calls: how many they are and in how many something surfaced; when the last was, and in it."""

    calls: int
    surfaced: int
    last_at: datetime | None
    last_surfaced: bool | None


class TraceLog:
    """Appends traces and remembers the newest; safe to use from several threads."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._mutex = threading.Lock()
        self._traces: deque[TraceDocument] = deque(maxlen=_REMEMBERED_TRACES)
        self._shown: dict[str, deque[Echoes]] = {}
        with suppress(OSError):  # what can not be read was a help, not the truth
            if file.exists():
                seal_end(file)  # a kill tore the last line: the next trace begins a line of its own
            for trace in _tail(file):
                self._remember(trace)

    def add(self, trace: TraceDocument) -> None:
        """Append a trace; it has reached the operating system when this returns. Raises OSError."""
        with self._mutex:
            self._remember(trace)
            append_line(self._file, trace.encoded(), rotate_bytes=_ROTATE_BYTES)

    def echoes(self, session_id: str, *, turns: int, before: datetime | None = None) -> Echoes:
        """What *session_id* was shown in its last *turns* pre-turn calls; or in the last *before* a time."""
        with self._mutex:
            known = self._shown.get(session_id, ())
            shown = [one for one in known if before is None or one.at is None or one.at < before]
            lately = shown[-turns:] if turns else []
            return Echoes(
                frozenset().union(*(echo.fragments for echo in lately)),
                frozenset().union(*(echo.sequences for echo in lately)),
            )

    def find(self, trace_id: str) -> TraceDocument | None:
        """A trace by its id: from memory, else from the files that have not rotated away."""
        with self._mutex:
            for trace in self._traces:
                if trace.trace_id == trace_id:
                    return trace
            files = (self._file, _older(self._file))
            return next((trace for file in files for trace in _documents(file) if trace.trace_id == trace_id), None)

    def summary(self) -> PreTurnCalls:
        """The traces in memory, counted."""
        with self._mutex:
            traces = tuple(self._traces)
        newest = traces[-1] if traces else None
        return PreTurnCalls(
            calls=len(traces),
            surfaced=sum(one.surfaced for one in traces),
            last_at=newest.at if newest is not None else None,
            last_surfaced=newest.surfaced if newest is not None else None,
        )

    def recent(self, *, limit: int) -> tuple[TraceDocument, ...]:
        """The newest traces, newest first."""
        with self._mutex:
            return tuple(reversed(self._traces))[:limit]

    def forget(self, is_doomed: Callable[[TraceDocument], bool]) -> int:
        """
        Drop the traces that are doomed, from the files and from memory, and return how many lines went.

        A line that is not a trace goes with them: nobody knows what it holds. Raises OSError.
        """
        with self._mutex:
            gone = 0
            for file in (_older(self._file), self._file):
                rest, count = _without(file, is_doomed)
                if count:
                    replace_text(file, rest)
                gone += count
            if gone:
                self._traces.clear()
                self._shown.clear()
                for trace in _tail(self._file):
                    self._remember(trace)
            return gone

    def _remember(self, trace: TraceDocument) -> None:
        self._traces.append(trace)
        echoes = self._shown.setdefault(trace.session_id, deque(maxlen=_REMEMBERED_ECHOES))
        echoes.append(
            Echoes(
                frozenset(one.id for one in trace.shown),
                frozenset(sequence for one in trace.shown for sequence in one.sequences),
                trace.at,
            )
        )


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
            if trace is None:
                yield line.decode("utf-8", "surrogateescape")
            else:
                yield from trace.texts()


def _older(file: Path) -> Path:
    """Where a file goes that has grown too large."""
    return file.with_name(f"{file.name}.1")


def _without(file: Path, is_doomed: Callable[[TraceDocument], bool]) -> tuple[str, int]:
    """What is left of *file* without the doomed and the unreadable lines, and how many lines that takes away."""
    if not file.exists():
        return "", 0
    with open_regular(file) as handle:
        lines = sum(1 for _ in handle)
    left = [trace for trace in _documents(file) if not is_doomed(trace)]
    return "".join(f"{trace.encoded()}\n" for trace in left), lines - len(left)


def _tail(file: Path) -> list[TraceDocument]:
    start = max(0, file.stat().st_size - _TAIL_BYTES) if file.exists() else 0
    return ([] if start else list(_documents(_older(file)))[-_REMEMBERED_TRACES:]) + list(_documents(file, start=start))


def _documents(file: Path, *, start: int = 0) -> Iterator[TraceDocument]:
    if not file.exists():
        return
    with open_regular(file) as handle:
        handle.seek(start)
        for line in handle:
            trace = decoded(line)
            if trace is not None:
                yield trace
