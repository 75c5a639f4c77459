"""
One telephone stream: its bytes become utterances, each utterance words, and words a turn, in order and exactly once.

A turn has the id that its stream and its position give it, so that the transcript itself knows how far a stream is
stored. What was cut is inside the mind until it is stored, so that an erasure waits for it. The caller is authenticated
again for each utterance, since a call may last longer than its key. What can not be stored ends the stream. The client
sends it again after the next connecting, since it was not acknowledged.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from consolidation.kernel.errors import (
    InvalidRequest,
    MemoryFault,
    MindErasing,
    ModelFault,
    ModelUnavailable,
    RateLimited,
    TurnConflict,
    TurnErased,
)
from consolidation.kernel.turns import Message, Speaker, Turn
from service.ports.transcriber import Recording
from service.voice.g711 import RATE, as_wav
from service.voice.spoken import SPOKEN
from service.voice.utterances import UtteranceCutter

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import StoredTurn
    from service.ingest.backoff import Backoff
    from service.ingest.intake import DroppedMessage, Intake
    from service.mind.mind_gate import MindGate, Visit
    from service.observability.counters import Tally
    from service.runtime.background import Background
    from service.voice.transcripts import Transcripts
    from service.voice.utterances import Utterance

log = structlog.get_logger()

_MOST_WAITING = 120 * RATE  # bytes of speech that wait to be transcribed; then nothing more is read
_MOST_UNTOLD = 200  # events that the client has not read yet; the same
_ATTEMPTS = 3
_TELL_EVERY = 10 * RATE  # bytes without speech, after which the position is told


@dataclass(frozen=True, slots=True)
class StreamSource:
    """Whose stream it is: of which call, who speaks in it, and when its first byte was spoken, where that is known."""

    mind_id: str
    session_id: str
    stream_id: str
    role: Speaker = Speaker.USER
    name: str | None = None
    started_at: datetime | None = None

    @property
    def key(self) -> str:
        """Equal for the same track of the same call, and part of its turns' ids."""
        whole = f"{self.session_id}\0{self.stream_id}\0{self.role}"
        return hashlib.blake2b(whole.encode(), digest_size=9).hexdigest()

    def turn_id(self, start: int, end: int) -> str:
        """The id of the turn that was said from *start* to *end*."""
        return f"audio-{self.key}-{start}-{end}"

    def end_of(self, turn_id: str) -> int:
        """Where the turn of this id ended in this stream; 0 for a turn of something else."""
        return self._places(turn_id)[1]

    def start_of(self, turn_id: str) -> int:
        """Where it began; 0 for a turn of something else."""
        return self._places(turn_id)[0]

    def _places(self, turn_id: str) -> tuple[int, int]:
        prefix = f"audio-{self.key}-"
        start, _, end = turn_id.removeprefix(prefix).partition("-") if turn_id.startswith(prefix) else ("", "", "")
        is_ours = all(place.isascii() and place.isdigit() for place in (start, end))
        return (int(start), int(end)) if is_ours else (0, 0)


@dataclass(frozen=True, slots=True)
class Kept:
    """
    What was said up to ``position`` is stored as a turn, and everything before that is settled.

    ``is_new`` is False where an earlier connection brought it.
    """

    stored: StoredTurn
    position: int
    is_new: bool
    dropped: tuple[DroppedMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class Settled:
    """Everything before ``position`` is settled. ``unread`` says why an utterance before it was not transcribed."""

    position: int
    unread: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """The stream has ended. ``fault`` says why, where that was not by itself."""

    position: int
    fault: MemoryFault | None = None


type StreamEvent = Kept | Settled | Ended


@dataclass(frozen=True, slots=True)
class StreamContext:
    """What a stream needs around it."""

    intake: Intake
    gate: MindGate
    transcripts: Transcripts
    clock: Clock
    background: Background
    new_backoff: Callable[[], Backoff]
    tally: Tally
    silence_ms: int
    utterance_seconds: float


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An utterance that waits for the model, and since when; it is inside its mind until ``leave`` is closed."""

    utterance: Utterance
    since: float
    visit: Visit
    leave: ExitStack


class AudioStream:
    """
    A stream; call ``begin_at`` first.

    Its bytes before ``position`` are settled: stored, or without speech. *authorize* raises when the caller may not go
    on. ``done`` is set by whoever runs ``work``.
    """

    def __init__(
        self, source: StreamSource, context: StreamContext, *, authorize: Callable[[], Awaitable[None]]
    ) -> None:
        self.source = source
        self.events: asyncio.Queue[StreamEvent] = asyncio.Queue()
        self.position = 0
        self._context = context
        self._authorize = authorize
        self._cutter = self._cutter_at(0)
        self._next = 0  # the position of the next byte that comes
        self._waiting: deque[_Waiting] = deque()
        self._waiting_bytes = 0
        self._changed = asyncio.Event()
        self._is_finished = False
        self._reason: MemoryFault | None = None  # why nothing more comes; None where its end was said
        self._fault: MemoryFault | None = MemoryFault("the stream was broken off")  # unless it ends by itself
        self.done = asyncio.Event()

    def begin_at(self, position: int, *, offset: int, stored: Sequence[StoredTurn]) -> None:
        """
        Everything before *position* is settled; the first byte that comes is at *offset*, which is not behind it.

        What was *stored* in between is told, since the client may not know of it.
        """
        self.position = position
        for turn in stored:
            self.events.put_nowait(Kept(turn, self.source.end_of(turn.turn.turn_id), is_new=False))
        self._next = offset
        self._cutter = self._cutter_at(position)

    @property
    def has_failed(self) -> bool:
        """Whether a fault ended it."""
        return self._fault is not None

    async def feed(self, data: bytes) -> bool:
        """
        Take the next bytes; what is settled already is skipped.

        It returns when there is room for more; False when the stream takes no more.
        """
        known = self._cutter.received - self._next
        self._next += len(data)
        if not self._is_finished and known < len(data):
            self._context.tally.heard_seconds += (len(data) - known) / RATE
            self._enqueue(self._cutter.feed(data[known:]))
        while not self._is_finished and self._is_full():
            self._changed.clear()
            await self._changed.wait()
        return not self._is_finished

    def finish(self) -> None:
        """Nothing more comes: what was being said is stored, too."""
        if not self._is_finished:
            self._is_finished = True
            self._enqueue(self._cutter.finish())

    def fail(self, fault: MemoryFault) -> None:
        """Nothing more comes, and this is why: what has come is stored first."""
        self._reason = fault
        self.finish()

    def told(self) -> None:
        """An event was taken from ``events``."""
        self._changed.set()

    async def work(self) -> None:
        """Store one utterance after the other until the stream has ended. Then ``Ended`` is told, whatever happens."""
        try:
            while not (self._is_finished and not self._waiting):
                if not self._waiting:
                    self._changed.clear()
                    await self._changed.wait()
                    continue
                waiting = self._waiting[0]
                with waiting.leave:
                    outcome = await self._settle(waiting.utterance, waiting.visit)
                self._context.tally.utterance(outcome, seconds=self._context.clock.monotonic() - waiting.since)
                self._waiting.popleft()
                self._waiting_bytes -= len(waiting.utterance.data)
                self._changed.set()
            self.position = max(self.position, self._cutter.passed)
            self._fault = self._reason
        except MemoryFault as fault:
            log.warning("audio.stopped", fault=type(fault).__name__, reason=str(fault))
            self._fault = fault
        finally:
            self._close()

    def _cutter_at(self, position: int) -> UtteranceCutter:
        context = self._context
        return UtteranceCutter(start=position, silence_ms=context.silence_ms, most_seconds=context.utterance_seconds)

    def _enqueue(self, utterances: list[Utterance]) -> None:
        for utterance in utterances:
            leave = ExitStack()
            visit = leave.enter_context(self._context.gate.enter(self.source.mind_id))
            self._waiting.append(_Waiting(utterance, self._context.clock.monotonic(), visit, leave))
            self._waiting_bytes += len(utterance.data)
        if not self._waiting and self._cutter.passed >= self.position + _TELL_EVERY:
            self._settled(self._cutter.passed)
        self._changed.set()

    def _is_full(self) -> bool:
        return self._waiting_bytes > _MOST_WAITING or self.events.qsize() > _MOST_UNTOLD

    async def _settle(self, utterance: Utterance, visit: Visit) -> str:
        """Store an utterance, and say what became of it. Raises MemoryFault where that may succeed at another time."""
        await self._until_allowed()
        recording = Recording(as_wav(utterance.data), "wav", utterance.seconds, is_ours=True)
        try:
            async with visit.unless_erased(self.source.session_id):
                words = await self._words(recording)
        except ModelUnavailable:
            raise
        except MindErasing:  # with all that was said before: sent again, it would be stored in a new mind
            self._settled(utterance.end)
            return "known"
        except ModelFault as fault:  # no second try helps, and one utterance must not stop the others
            if fault.needs_mending:  # but none of them would be stored
                raise ModelUnavailable(str(fault)) from fault
            log.warning("audio.unread", fault=type(fault).__name__, seconds=utterance.seconds)
            self._settled(utterance.end, unread=str(fault))
            return "unread"
        if not words.strip():
            self._settled(utterance.end)
            return "wordless"
        try:
            accepted = await self._context.intake.accept(self.source.mind_id, self._turn(utterance, words))
        except (TurnConflict, TurnErased, InvalidRequest):  # stored before in other words, erased, or without words
            self._settled(utterance.end)
            return "known"
        self.position = utterance.end
        self.events.put_nowait(Kept(accepted.stored, self.position, accepted.is_new, accepted.dropped))
        return "stored" if accepted.is_new else "known"

    def _settled(self, position: int, *, unread: str = "") -> None:
        self.position = max(self.position, position)
        self.events.put_nowait(Settled(self.position, unread))

    async def _until_allowed(self) -> None:
        """Wait while the caller makes too many requests: each utterance is one. Raises AccessRefused."""
        while True:
            try:
                await self._authorize()
            except RateLimited as limit:
                if not await self._context.background.pause(limit.seconds):
                    raise
            else:
                return

    async def _words(self, recording: Recording) -> str:
        backoff = self._context.new_backoff()
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return await self._context.transcripts.once(recording)
            except ModelUnavailable as fault:
                if fault.needs_mending or attempt == _ATTEMPTS:
                    raise
                if not await self._context.background.pause(backoff.next_seconds()):
                    raise
        raise AssertionError  # pragma: no cover - the last attempt raises

    def _turn(self, utterance: Utterance, words: str) -> Turn:
        source = self.source
        mark = {
            "stream": source.stream_id,
            "start_ms": utterance.start_ms,
            "end_ms": utterance.end_ms,
            "model": self._context.transcripts.model,
        }
        message = Message(source.role, words, self._spoken_at(utterance), source.name)
        turn_id = source.turn_id(utterance.start, utterance.end)
        return Turn(turn_id, source.session_id, (message,), metadata={SPOKEN: mark})

    def _spoken_at(self, utterance: Utterance) -> datetime:
        now = self._context.clock.now()
        if self.source.started_at is not None:
            return min(self.source.started_at + timedelta(seconds=utterance.start / RATE), now)
        return now - timedelta(seconds=(self._cutter.received - utterance.start) / RATE)

    def _close(self) -> None:
        self._is_finished = True
        while self._waiting:
            self._waiting.popleft().leave.close()
        self.events.put_nowait(Ended(self.position, self._fault))
        self._changed.set()
