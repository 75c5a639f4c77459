"""What is told of an audio stream; and the audio that is not settled yet, which a client keeps to send it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

BYTES_PER_SECOND = 8_000  # of μ-law
_MOST_SENT = 16_384  # bytes of one message


@dataclass(frozen=True)
class Said:
    """
    Something was said between two silences, and is stored as a turn.

    ``text`` is as it is stored: without secrets, and empty where it was off the record. The times are those of the
    stream. ``is_known``: it was stored before this connection.
    """

    text: str
    turn_id: str
    sequence: int
    start_ms: int
    end_ms: int
    is_known: bool = False

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Said:
        """Read it from an event of the service."""
        return cls(
            text=str(event["text"]),
            turn_id=str(event["turn_id"]),
            sequence=int(event["sequence"]),
            start_ms=int(event["start_ms"]),
            end_ms=int(event["end_ms"]),
            is_known=bool(event.get("duplicate")),
        )


class UnsettledAudio:
    """The bytes of a stream from ``offset`` on, the first that may have to be sent again."""

    def __init__(self) -> None:
        self.offset = 0
        self.is_whole = False  # nothing more will come
        self._kept = bytearray()

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def end(self) -> int:
        """The position behind the last byte."""
        return self.offset + len(self._kept)

    def add(self, frame: bytes) -> None:
        """Keep what comes next."""
        self._kept += frame

    def settle(self, offset: int) -> None:
        """Forget what lies before *offset*."""
        gone = min(offset, self.end) - self.offset
        if gone > 0:
            del self._kept[:gone]
            self.offset += gone

    def part_at(self, position: int) -> bytes:
        """The next bytes to send; empty where there are none yet."""
        start = max(position, self.offset) - self.offset
        return bytes(self._kept[start : start + _MOST_SENT])
