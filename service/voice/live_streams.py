"""
The streams that are open, each once: who connects again takes the stream over, once what came before is settled.

So no two connections store the same words, and the position from which the client goes on is the transcript's.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from consolidation.kernel.errors import MindNotFound, RateLimited
from service.voice.stream import AudioStream

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from consolidation.kernel.turns import StoredTurn
    from service.mind.minds import Minds
    from service.voice.stream import StreamContext, StreamSource

_RETRY_SECONDS = 5
_TAKEOVER_SECONDS = 30.0
_MOST_TURNS = 500  # of a session, in which the last one of a stream is looked for


class LiveStreams:
    """All streams of the service, *most* at once."""

    def __init__(self, minds: Minds, context: StreamContext, *, most: int) -> None:
        self._minds = minds
        self._context = context
        self._most = most
        self._live: dict[tuple[str, str], AudioStream] = {}

    async def open(self, source: StreamSource, *, offset: int, authorize: Callable[[], Awaitable[None]]) -> AudioStream:
        """
        Begin or go on with a stream, whose ``position`` says from where. Its client sends what begins at *offset*.

        Raises TranscriptionNotConfigured, MemoryFault; RateLimited, where too many are open, or the last connection
        still stores what was said.
        """
        self._context.transcripts.check()
        key = (source.mind_id, source.key)
        while (former := self._live.get(key)) is not None:
            former.finish()
            try:
                async with asyncio.timeout(_TAKEOVER_SECONDS):
                    await former.done.wait()
            except TimeoutError as error:
                detail = "an earlier connection of this stream still stores what was said"
                raise RateLimited(detail, seconds=_RETRY_SECONDS) from error
        if len(self._live) >= self._most:
            raise RateLimited("too many audio streams are open", seconds=_RETRY_SECONDS)
        stream = self._live[key] = AudioStream(source, self._context, authorize=authorize)
        try:
            stored = await self._stored(source, after=offset)
            position = max((source.end_of(one.turn.turn_id) for one in stored), default=offset)
            stream.begin_at(position, offset=offset, stored=stored)
        except BaseException:
            self._forget(key, stream)
            raise
        task = self._context.background.start("audio stream", stream.work)
        self._context.tally.audio_stream_opened()
        task.add_done_callback(lambda _: self._ended(key, stream))
        return stream

    async def _stored(self, source: StreamSource, *, after: int) -> tuple[StoredTurn, ...]:
        """The turns of the stream that end behind the position *after*, in order."""
        with self._context.gate.enter(source.mind_id):
            try:
                mind = await self._minds.find(source.mind_id)
            except MindNotFound:
                return ()
            last = mind.transcript.positions.last
            turns = await mind.transcript.before_in_session(source.session_id, last + 1, limit=_MOST_TURNS)
        return tuple(one for one in turns if source.end_of(one.turn.turn_id) > after)

    def _ended(self, key: tuple[str, str], stream: AudioStream) -> None:
        self._context.tally.audio_stream_closed("failed" if stream.has_failed else "ended")
        self._forget(key, stream)

    def _forget(self, key: tuple[str, str], stream: AudioStream) -> None:
        if self._live.get(key) is stream:
            del self._live[key]
        stream.done.set()
