"""What was spoken in a chat, for memory alone: the upstream gets the audio as the client sent it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from consolidation.kernel.errors import InvalidRequest
from service.openai_proxy.messages import exchange_from, new_from, new_parts
from service.voice.hearing import SHARE, SKIPPED
from service.voice.recordings import is_format, recording_of
from service.voice.spoken import SPOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from service.openai_proxy.context import ProxyContext
    from service.openai_proxy.request import Chat
    from service.ports.transcriber import Recording

    type Json = Mapping[str, Any]
    type Place = tuple[int, int]  # of a message, and of a part in it


@dataclass(frozen=True, slots=True)
class HeardChat:
    """A chat's messages in words; ``degraded`` says that some are missing."""

    messages: Sequence[Json]
    degraded: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


async def heard_in_time(chat: Chat, *, context: ProxyContext) -> HeardChat:
    """*chat* with the words that come in time for a pre-turn call. Never raises."""
    seconds, clock = context.deadline_seconds, asyncio.get_running_loop().time
    began = clock()
    try:
        async with asyncio.timeout(None if seconds is None else seconds * SHARE):
            audio = await _audio_of(chat, context=context)
    except TimeoutError:  # nobody knows what this mind never keeps
        return HeardChat(chat.messages, (SKIPPED,))
    if not audio:
        return HeardChat(chat.messages)
    start = exchange_from(chat.messages)
    new = [one for (at, _), one in audio.items() if at >= start]
    words = await context.hearing.words(
        chat.mind_id,
        new=new,
        seen=list(audio.values()),
        seconds=None if seconds is None else seconds - (clock() - began),
    )
    degraded = () if all(one.digest in words for one in new) else (SKIPPED,)
    return HeardChat(_in_words(chat.messages, audio, words), degraded)


async def heard_in_full(chat: Chat, *, context: ProxyContext) -> HeardChat:
    """
    *chat* with all words of its newest exchange, however long they take. Never raises.

    What fails, or is not there when the service stops, leaves a mark. What began the exchange is remembered from
    before, and says whether what is new is off the record.
    """
    every, start = await _audio_of(chat, context=context), exchange_from(chat.messages)
    audio = {place: one for place, one in every.items() if place[0] >= start}
    words = await context.transcripts.until_stopping(chat.mind_id, list(audio.values()))
    messages = _in_words(chat.messages, audio, words)
    start = new_from(chat.messages)
    seconds = [one.seconds for (at, _), one in audio.items() if at >= start]
    if not seconds:
        return HeardChat(messages)
    known = {"seconds": round(sum(one for one in seconds if one is not None), 2)} if None not in seconds else {}
    mark = {"model": context.transcripts.model, **known}
    return HeardChat(messages, metadata={SPOKEN: mark})


async def _audio_of(chat: Chat, *, context: ProxyContext) -> dict[Place, Recording]:
    """What a model may hear of *chat*: nothing of one that memory is not part of, nor off the record."""
    if chat.is_bypassed or not context.transcripts.is_configured or not any(_parts(chat.messages)):
        return {}
    privacy = await context.privacy_of(chat.mind_id)
    parts = await anyio.to_thread.run_sync(partial(new_parts, chat.messages, privacy=privacy))
    if any(part.is_off_the_record for part in parts):
        return {}
    return await anyio.to_thread.run_sync(_recordings, chat.messages)


def _parts(messages: Sequence[Json]) -> Iterator[tuple[Place, Json]]:
    for at, message in enumerate(messages):
        content = message.get("content")
        for number, part in enumerate(content if isinstance(content, list) else ()):
            audio = part.get("input_audio") if part.get("type") == "input_audio" else None
            if isinstance(audio, dict):
                yield (at, number), audio


def _recordings(messages: Sequence[Json]) -> dict[Place, Recording]:
    """The audio that can be read. What can not is the upstream's to judge."""
    found = {}
    for place, audio in _parts(messages):
        data, format_ = audio.get("data"), audio.get("format")
        if isinstance(data, str) and is_format(format_):
            try:
                found[place] = recording_of(data, format_, pointer="#")
            except InvalidRequest:
                continue
    return found


def _in_words(messages: Sequence[Json], audio: Mapping[Place, Recording], words: Mapping[str, str]) -> list[Json]:
    """*messages* with texts in place of the audio whose *words* are known."""
    result = list(messages)
    said: dict[int, dict[int, str]] = {}
    for (at, number), recording in audio.items():
        if found := words.get(recording.digest):
            said.setdefault(at, {})[number] = found
    for at, texts in said.items():
        parts = enumerate(result[at]["content"])
        heard = [{"type": "text", "text": texts[number]} if number in texts else part for number, part in parts]
        result[at] = {**result[at], "content": heard}
    return result
