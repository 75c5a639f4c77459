"""
Cuts a μ-law stream into utterances, by energy. Pure: no clock, no task, the same for any slicing of the same bytes.

Each frame of 20 ms has a level. The noise floor follows the quietest frames: it falls fast and rises slowly, so that
steady noise is speech for some seconds at most. A frame is loud when it is well above the floor. An utterance begins
when 4 of 10 frames are loud, with what came a moment before, and ends at a silence, or at its quietest moment when it
grows too long. So memory is bounded by the longest utterance.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from service.voice.g711 import RATE, SAMPLES

FRAME_MS = 20
FRAME = RATE * FRAME_MS // 1000  # bytes

_FULL_SCALE = 32768.0
_SQUARES = tuple(sample * sample for sample in SAMPLES)
_QUIETEST, _LOUDEST_FLOOR = -75.0, -20.0  # of the floor, in dB below full scale
_FIRST_FLOOR = -50.0  # a call may begin with speech
_FALL, _RISE = 0.3, 0.02  # of the distance, and dB, for each frame: the floor rises by 1 dB a second
_MARGIN, _LEAST = 9.0, -55.0  # dB above the floor, and dB below full scale, from which on a frame is loud
_WINDOW, _MOST_QUIET = 10, 6  # frames
_BEFORE, _AFTER = 10, 10  # frames beside the loud ones: soft beginnings and endings of words
_LAST_SHARE = 0.8  # of an utterance that grows too long, after which it may be cut


@dataclass(frozen=True, slots=True)
class Utterance:
    """Speech from ``start`` to ``end``, positions in the bytes of its stream."""

    start: int
    end: int
    data: bytes

    @property
    def seconds(self) -> float:
        """Its length."""
        return (self.end - self.start) / RATE

    @property
    def start_ms(self) -> int:
        """Its start, in milliseconds of its stream."""
        return self.start * 1000 // RATE

    @property
    def end_ms(self) -> int:
        """Its end, the same."""
        return self.end * 1000 // RATE


@dataclass(frozen=True, slots=True)
class _Frame:
    start: int
    level: float
    is_loud: bool


class UtteranceCutter:
    """The cutter of one stream, whose first byte is at position *start*."""

    def __init__(self, *, start: int = 0, silence_ms: int, most_seconds: float) -> None:
        self._silence = max(silence_ms // FRAME_MS, 1)  # frames
        self._most = int(most_seconds * 1000) // FRAME_MS
        self._floor = _FIRST_FLOOR
        self._base = start  # position of the first byte in the buffer
        self._buffer = bytearray()
        self._read = start  # up to where frames were looked at
        self._window: deque[_Frame] = deque(maxlen=_WINDOW)
        self._speech: list[_Frame] = []
        self._last_loud = start  # the end of the last loud frame

    @property
    def received(self) -> int:
        """The position behind the last byte that came."""
        return self._base + len(self._buffer)

    @property
    def passed(self) -> int:
        """The position up to which nothing is waited for: what lies before it was cut, or nobody spoke in it."""
        return self._base

    def feed(self, data: bytes) -> list[Utterance]:
        """Take the next bytes; return what ended with them."""
        self._buffer += data
        found = []
        while self._read + FRAME <= self.received:
            at = self._read - self._base
            utterance = self._look(bytes(self._buffer[at : at + FRAME]))
            if utterance is not None:
                found.append(utterance)
        return found

    def finish(self) -> list[Utterance]:
        """Nothing comes any more; return what was being said."""
        if not self._speech:
            self._drop(self.received)
            return []
        return [self._cut(self.received if self._last_loud + _AFTER * FRAME >= self._read else self._end_of_speech())]

    def _look(self, frame: bytes) -> Utterance | None:
        level = _level(frame)
        is_loud = level > max(self._floor + _MARGIN, _LEAST)
        self._follow(level)
        seen = _Frame(self._read, level, is_loud)
        self._read += FRAME
        if is_loud:
            self._last_loud = self._read
        if self._speech:
            return self._during_speech(seen)
        self._before_speech(seen)
        return None

    def _follow(self, level: float) -> None:
        """Let the noise floor follow a frame's level."""
        step = _FALL * (level - self._floor) if level < self._floor else _RISE
        self._floor = min(max(self._floor + step, _QUIETEST), _LOUDEST_FLOOR)

    def _before_speech(self, seen: _Frame) -> None:
        self._window.append(seen)
        if sum(one.is_loud for one in self._window) >= _WINDOW - _MOST_QUIET:
            first = next(one.start for one in self._window if one.is_loud)
            self._speech = [one for one in self._window if one.start >= first]
            self._window.clear()
            self._drop(first - _BEFORE * FRAME)
        else:
            self._drop(self._read - (_WINDOW + _BEFORE) * FRAME)

    def _during_speech(self, seen: _Frame) -> Utterance | None:
        self._speech.append(seen)
        if self._read - self._last_loud >= self._silence * FRAME:
            return self._cut(self._end_of_speech())
        if len(self._speech) >= self._most:
            late = self._speech[int(self._most * _LAST_SHARE) :]
            quietest = min(late, key=lambda one: one.level)
            rest = [one for one in self._speech if one.start >= quietest.start]
            utterance = self._cut(quietest.start)
            self._speech = rest
            return utterance
        return None

    def _end_of_speech(self) -> int:
        return min(self._last_loud + _AFTER * FRAME, self._read)

    def _cut(self, end: int) -> Utterance:
        utterance = Utterance(self._base, end, bytes(self._buffer[: end - self._base]))
        self._speech = []
        self._window.clear()
        self._drop(end)
        return utterance

    def _drop(self, position: int) -> None:
        """Forget what lies before *position*."""
        gone = position - self._base
        if gone > 0:
            del self._buffer[:gone]
            self._base = position


def _level(frame: bytes) -> float:
    """The power of a frame without its mean, in dB below full scale."""
    mean = sum(map(SAMPLES.__getitem__, frame)) / len(frame)
    power = sum(map(_SQUARES.__getitem__, frame)) / len(frame) - mean * mean
    return 10 * math.log10(max(power, 1.0) / (_FULL_SCALE * _FULL_SCALE))
