"""
Where a service writes its log: a thread does it, so that whoever logs waits for nobody who reads.

Else a stopped terminal, or a pipe that its reader forgot, holds up the event loop, and with it every turn.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from contextlib import suppress
from functools import cache
from queue import SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_LINES = 2_000  # that wait to be written
_LAST_SECONDS = 2.0  # in which the last ones are written, when the process ends


class LogStream:
    """
    Lines for the file that *descriptor* names. While 2,000 wait, further ones are lost; ``on_lost`` gets their number.

    What a full disk does not take is lost without a word.
    """

    def __init__(self, descriptor: int, *, encoding: str = "utf-8") -> None:
        self.on_lost: Callable[[int], object] | None = None
        self._descriptor = descriptor
        self._encoding = encoding
        self._waiting: SimpleQueue[str | None] = SimpleQueue()
        self._lost = 0
        self._thread = threading.Thread(target=self._write_all, name="log", daemon=True)
        self._thread.start()

    def write(self, text: str) -> int:
        """Have *text* written; from any thread."""
        if not self._thread.is_alive():
            self._write(text)
        elif self._waiting.qsize() < _MOST_LINES:
            self._waiting.put(text)
        else:
            self._lost += 1
        return len(text)

    def flush(self) -> None:
        """Nothing: lines are written as soon as they can be."""

    def close(self) -> None:
        """Wait until all is written, but not for somebody who reads nothing."""
        self._waiting.put(None)
        self._thread.join(_LAST_SECONDS)

    def _write_all(self) -> None:
        while (text := self._waiting.get()) is not None:
            self._write(text)
            if self._waiting.empty():
                self._tell_lost()
        self._tell_lost()
        while not self._waiting.empty():
            self._write(self._waiting.get() or "")

    def _tell_lost(self) -> None:
        lost, self._lost = self._lost, 0
        if lost and self.on_lost is not None:
            self.on_lost(lost)

    def _write(self, text: str) -> None:
        left = text.encode(self._encoding, "backslashreplace")
        with suppress(OSError):
            while left:
                left = left[os.write(self._descriptor, left) :]


@cache
def stream_of_stderr() -> LogStream | None:
    """The one of this process's stderr; None where that is not a file of the system, as in a test."""
    try:
        stream = LogStream(sys.stderr.fileno(), encoding=sys.stderr.encoding or "utf-8")
    except (AttributeError, OSError, ValueError):
        return None
    atexit.register(stream.close)
    return stream


def write_last_lines() -> None:
    """Write what waits, in a process that ends by `os._exit`, which calls nothing of `atexit`."""
    if (stream := stream_of_stderr()) is not None:
        stream.close()
