"""
What a mind was shown, and why: the traces of its resonances, a line each, in ``subconscious.jsonl``.

The echo filter is fed from the same lines, so that a restart forgets nothing.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from consolidation.kernel.files import append_line, replace_text
from consolidation.transcript.recovery import seal_end

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_ROTATE_BYTES = 16 * 1024 * 1024
_TAIL_BYTES = 4 * 1024 * 1024
_REMEMBERED_TRACES = 200
_REMEMBERED_ECHOES = 1_000  # of one session; more turns than anyone keeps a memory back for


@dataclass(frozen=True, slots=True)
class Echoes:
    """What one session was shown lately: fragment ids, and the turns they rest on."""

    fragments: frozenset[str] = frozenset()
    sequences: frozenset[int] = frozenset()


class Ledger:
    """Appends traces and remembers the newest; safe to use from several threads."""

    def __init__(self, file: Path) -> None:
        """Read the end of *file*; a damaged line is passed over."""
        self._file = file
        self._mutex = threading.Lock()
        self._traces: deque[dict[str, Any]] = deque(maxlen=_REMEMBERED_TRACES)
        self._shown: dict[str, deque[Echoes]] = {}
        with suppress(OSError):  # what can not be read was a help, not the truth
            if file.exists():
                seal_end(file)  # a kill tore the last line: the next trace begins a line of its own
            for trace in _tail(file):
                self._remember(trace)

    def note(self, trace: Mapping[str, Any]) -> None:
        """Keep a trace: it is on its way to the disk when this returns."""
        with self._mutex:
            self._remember(dict(trace))
            append_line(self._file, json.dumps(trace, ensure_ascii=False), rotate_bytes=_ROTATE_BYTES)

    def echoes(self, session_id: str, *, turns: int) -> Echoes:
        """What *session_id* was shown in its last *turns* resonances."""
        with self._mutex:
            lately = list(self._shown.get(session_id, ()))[-turns:] if turns else []
            return Echoes(
                frozenset().union(*(echo.fragments for echo in lately)),
                frozenset().union(*(echo.sequences for echo in lately)),
            )

    def find(self, trace_id: str) -> dict[str, Any] | None:
        """A trace by its id: from memory, else from the files that have not rotated away."""
        with self._mutex:
            for trace in self._traces:
                if trace.get("trace_id") == trace_id:
                    return trace
            files = (self._file, self._file.with_name(f"{self._file.name}.1"))
            return next((trace for file in files for trace in _lines(file) if trace.get("trace_id") == trace_id), None)

    def recent(self, *, limit: int) -> tuple[dict[str, Any], ...]:
        """The newest traces, newest first."""
        with self._mutex:
            return tuple(reversed(self._traces))[:limit]

    def forget(self, holds: Callable[[dict[str, Any]], bool]) -> int:
        """Drop every trace that *holds*, from the files and from what is remembered; how many. Raises OSError."""
        with self._mutex:
            gone = 0
            for file in (self._file.with_name(f"{self._file.name}.1"), self._file):
                kept, count = _without(file, holds)
                if count:
                    replace_text(file, kept)
                gone += count
            if gone:
                self._traces.clear()
                self._shown.clear()
                for trace in _tail(self._file):
                    self._remember(trace)
            return gone

    def _remember(self, trace: dict[str, Any]) -> None:
        self._traces.append(trace)
        echoes = self._shown.setdefault(str(trace.get("session_id", "")), deque(maxlen=_REMEMBERED_ECHOES))
        echoes.append(_echoes(trace))


def _without(file: Path, holds: Callable[[dict[str, Any]], bool]) -> tuple[str, int]:
    """What is left of *file*, and how many lines go; with them a line that is no trace: who knows what it holds."""
    if not file.exists():
        return "", 0
    with file.open("rb") as handle:
        lines = sum(1 for _ in handle)
    kept = [trace for trace in _lines(file) if not holds(trace)]
    return "".join(f"{json.dumps(trace, ensure_ascii=False)}\n" for trace in kept), lines - len(kept)


def _echoes(trace: Mapping[str, Any]) -> Echoes:
    """What a trace says was shown; nothing where a person's edit left it in another shape."""
    try:
        shown = [(one["id"], frozenset(one["sequences"])) for one in trace.get("shown", ())]
        return Echoes(frozenset(key for key, _ in shown), frozenset().union(*(told for _, told in shown)))
    except (TypeError, KeyError):
        return Echoes()


def _tail(file: Path) -> list[dict[str, Any]]:
    older = file.with_name(f"{file.name}.1")
    start = max(0, file.stat().st_size - _TAIL_BYTES) if file.exists() else 0
    return ([] if start else _lines(older)[-_REMEMBERED_TRACES:]) + _lines(file, start=start)


def _lines(file: Path, *, start: int = 0) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    found = []
    with file.open("rb") as handle:
        handle.seek(start)
        for line in handle:
            try:
                trace = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(trace, dict):
                found.append(trace)
    return found
