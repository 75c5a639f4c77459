"""
The words of recordings: each recording is asked for once, also when it is posted before a turn and again after it.

What a pre-turn call does not wait for is transcribed all the same, and is there for the turn. Words are remembered for
some minutes, in memory alone; a mind that is erased, or erases something, is forgotten.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from consolidation.kernel.errors import MemoryFault, ModelUnavailable, TranscriptionNotConfigured

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consolidation.kernel.ports import Clock
    from service.ports.transcriber import Recording, Transcriber
    from service.runtime.background import Background

log = structlog.get_logger()

_REMEMBERED_SECONDS = 900.0
_MOST_REMEMBERED = 128
_NOT_CONFIGURED = (
    "audio can not be stored: no model transcribes it. Set MIND_MEMORY_MODELS__TRANSCRIPTION__MODEL, "
    "for example to openai/whisper-1"
)


@dataclass(frozen=True, slots=True)
class _Asked:
    task: asyncio.Task[str | MemoryFault | None]
    at: float


class Transcripts:
    """The words of every mind's recordings."""

    def __init__(self, transcriber: Transcriber | None, *, clock: Clock, background: Background) -> None:
        """Without a *transcriber*, every recording is refused."""
        self._transcriber = transcriber
        self._clock = clock
        self._background = background
        self._asked: dict[tuple[str, str], _Asked] = {}

    @property
    def is_configured(self) -> bool:
        """Whether there is a model."""
        return self._transcriber is not None

    @property
    def model(self) -> str:
        """The model's name; empty without one."""
        return self._transcriber.name if self._transcriber is not None else ""

    def check(self, *, pointer: str = "#") -> None:
        """Raise TranscriptionNotConfigured, with *pointer*, unless there is a model."""
        if self._transcriber is None:
            raise TranscriptionNotConfigured(_NOT_CONFIGURED, pointer=pointer)

    async def once(self, recording: Recording) -> str:
        """The words of a *recording* that nobody will ask for again. Raises as ``words`` does."""
        self.check()
        return _raised(await self._heard(recording))

    async def words(self, mind_id: str, recording: Recording) -> str:
        """The words of *recording*. Raises TranscriptionNotConfigured, ModelFault."""
        self.check()
        return _raised(await asyncio.shield(self._ask(mind_id, recording)))

    async def all_of(self, mind_id: str, recordings: Sequence[Recording]) -> dict[str, str]:
        """The words of all *recordings*, by digest. Raises as ``words`` does, where one of them fails."""
        found = await asyncio.gather(*(self.words(mind_id, one) for one in recordings), return_exceptions=True)
        for one in found:
            if isinstance(one, BaseException):
                raise one
        return {one.digest: str(text) for one, text in zip(recordings, found, strict=True)}

    async def within(self, mind_id: str, recordings: Sequence[Recording], *, seconds: float | None) -> dict[str, str]:
        """
        The words that come within *seconds* (None: all), by digest.

        It never raises. What is late is still asked for, and known later.
        """
        if not recordings or not self.is_configured:
            return {}
        tasks = {one.digest: self._ask(mind_id, one) for one in recordings}
        await asyncio.wait(set(tasks.values()), timeout=seconds)
        return _words_of(tasks)

    async def until_stopping(self, mind_id: str, recordings: Sequence[Recording]) -> dict[str, str]:
        """The words of *recordings*, by digest, that there are before the service stops. It never raises."""
        if not recordings or not self.is_configured:
            return {}
        tasks = {one.digest: self._ask(mind_id, one) for one in recordings}
        await self._background.until_stopping(tasks.values())
        return _words_of(tasks)

    def known(self, mind_id: str, recordings: Sequence[Recording]) -> dict[str, str]:
        """The words that are there already, by digest."""
        asked = {one.digest: self._asked.get((mind_id, one.digest)) for one in recordings}
        return _words_of({digest: one.task for digest, one in asked.items() if one is not None})

    def forget(self, mind_id: str) -> None:
        """Forget all words of a mind."""
        for key in [key for key in self._asked if key[0] == mind_id]:
            del self._asked[key]

    def _ask(self, mind_id: str, recording: Recording) -> asyncio.Task[str | MemoryFault | None]:
        self._forget_old()
        key = (mind_id, recording.digest)
        known = self._asked.pop(key, None)
        if known is None or (known.task.done() and _has_failed(known.task)):
            known = _Asked(self._begin(recording), self._clock.monotonic())
        self._asked[key] = known  # the latest is last
        return known.task

    def _begin(self, recording: Recording) -> asyncio.Task[str | MemoryFault | None]:
        """Ask the model, whoever still waits for the answer."""
        return self._background.start("transcribe", lambda: self._heard(recording))

    async def _heard(self, recording: Recording) -> str | MemoryFault:
        """The words, or why there are none, which is logged."""
        assert self._transcriber is not None  # noqa: S101 - checked
        try:
            return await self._transcriber.transcribe(recording)
        except MemoryFault as fault:
            log.warning("transcription.failed", fault=type(fault).__name__, reason=str(fault))
            return fault

    def _forget_old(self) -> None:
        """Forget what was asked for long ago, and the oldest of what is too much; nothing that is still asked for."""
        oldest = self._clock.monotonic() - _REMEMBERED_SECONDS
        done = [key for key, one in self._asked.items() if one.task.done()]
        surplus = max(len(self._asked) - _MOST_REMEMBERED, 0)
        for at, key in enumerate(done):
            if at < surplus or self._asked[key].at < oldest:
                del self._asked[key]


def _raised(result: str | MemoryFault | None) -> str:
    """The words, where there are some."""
    if isinstance(result, MemoryFault):
        raise result
    if result is None:
        raise ModelUnavailable("the recording was not transcribed: the service is stopping, or failed")
    return result


def _words_of(tasks: Mapping[str, asyncio.Task[str | MemoryFault | None]]) -> dict[str, str]:
    """The results that are words."""
    done = {key: task.result() for key, task in tasks.items() if task.done() and not task.cancelled()}
    return {key: result for key, result in done.items() if isinstance(result, str)}


def _has_failed(task: asyncio.Task[str | MemoryFault | None]) -> bool:
    return task.cancelled() or not isinstance(task.result(), str)
