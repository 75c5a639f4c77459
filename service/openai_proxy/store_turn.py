"""
Stores a chat as a turn: its new messages and the answer, through the same intake as every turn.

It runs in the background and outlives the request. The last byte of an answer waits for it, but not for long: whoever
has the whole answer can recall the turn. Refusals are logged.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import anyio.to_thread
import structlog

from consolidation.kernel.errors import InvalidRequest, MemoryFault, TurnConflict
from consolidation.kernel.ports import Role, Usage
from consolidation.kernel.turns import Speaker, Turn, TurnKind
from consolidation.text.tokens import count_tokens
from service.observability.model_usage import ModelCall
from service.openai_proxy.audio import heard_in_full
from service.openai_proxy.messages import new_parts, read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consolidation.kernel.turns import Message, StoredTurn
    from service.openai_proxy.context import ProxyContext
    from service.openai_proxy.messages import NewPart
    from service.openai_proxy.reply_accumulator import ReplyAccumulator
    from service.openai_proxy.request import Chat

    type Parts = tuple[NewPart, ...]

log = structlog.get_logger()

CLIENT_LEFT, UPSTREAM_BROKE = "client_left", "upstream_broke"
PROXY_METADATA = "mind_memory.proxy"
_MOST_MESSAGES = 255  # plus the answer: as many messages as a posted turn may have
_RETRIED_WITHIN = timedelta(minutes=15)
_LONGEST_WAIT_SECONDS = 1.0
_MOST_LOOKED_AT = 20  # turns of a session, among which those of a key are that was used for several
_LONGEST_KEY = 180  # characters of it in the id of a turn, which has at most 200
_STORING: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()  # one a session, while it is held


@dataclass(frozen=True, slots=True)
class Exchange:
    """
    A chat and its answer, after ``seconds``. ``model`` is None for the echo, whose words are not stored.

    ``first_seconds`` is how long the first piece of a stream took. ``cut`` says why the answer is incomplete.
    """

    chat: Chat
    reply: ReplyAccumulator
    model: str | None
    trace_id: str | None
    seconds: float
    host: str = ""
    first_seconds: float | None = None
    cut: str | None = None


def start_storing(exchange: Exchange, *, context: ProxyContext) -> asyncio.Task[None]:
    """Start storing *exchange*; returns at once. The task ends when the turn is durable, or was refused."""
    return context.background.start("store a chat", lambda: _store(exchange, context=context))


async def until_stored(storing: asyncio.Task[None]) -> None:
    """Return when the task has ended, or when a slow disk has held the answer up for long enough."""
    await asyncio.wait({storing}, timeout=_LONGEST_WAIT_SECONDS)


async def _store(exchange: Exchange, *, context: ProxyContext) -> None:
    chat, model = exchange.chat, exchange.model
    if not chat.is_bypassed:
        with context.minds.gate.enter(chat.mind_id):
            await _accept(exchange, context=context)
    if model is not None:
        context.background.start("account for a chat", lambda: _record_usage(exchange, model, context=context))


async def _accept(exchange: Exchange, *, context: ProxyContext) -> None:
    chat = exchange.chat
    answer = exchange.reply.message if exchange.model is not None else None
    try:
        heard = await heard_in_full(chat, context=context)
        privacy = await context.privacy_of(chat.mind_id)
        parts = await anyio.to_thread.run_sync(partial(new_parts, heard.messages, privacy=privacy))
        if answer is None and not any(part.messages for part in parts):
            return
        async with _STORING.setdefault((chat.mind_id, chat.session_id), asyncio.Lock()):  # a retry sees what it repeats
            said = await _to_store(chat, parts, context=context)
            messages = (*said.messages, *((answer,) if answer is not None else ()))
            turn = replace(said, messages=messages, metadata=_metadata(exchange, heard.metadata))
            accepted = await context.intake.accept(chat.mind_id, turn)
        if exchange.trace_id is not None and accepted.is_new:
            mind = await context.minds.find(chat.mind_id)
            context.outcomes.notice(mind, accepted.stored, trace_id=exchange.trace_id)
        log.info("proxy.turn_stored", mind_id=chat.mind_id, sequence=accepted.sequence, cut=exchange.cut)
    except TurnConflict:  # the same request was answered before in other words: the first answer counts
        log.info("proxy.turn_repeated", mind_id=chat.mind_id)
    except MemoryFault as fault:
        log.warning("proxy.turn_refused", mind_id=chat.mind_id, fault=type(fault).__name__, reason=str(fault))


async def _to_store(chat: Chat, parts: Parts, *, context: ProxyContext) -> Turn:
    """
    What of *parts* is to be stored, as a turn without its answer.

    Of a chat that is repeated, that is what was stored of it the first time, under the same id.
    """
    left = _said(chat, await _not_stored(chat, parts, context=context))
    for stored in await _repeatable(chat, context=context):
        then = _said(chat, await _not_stored(chat, parts, context=context, before=stored.sequence))
        for said in (left, then):
            if await _prompts_as_stored(chat, said, context=context) == _prompts(stored.turn.messages):
                return replace(said, turn_id=stored.turn.turn_id)
    return replace(left, turn_id=await _new_id(chat, left, context=context))


async def _repeatable(chat: Chat, *, context: ProxyContext) -> Sequence[StoredTurn]:
    """
    The turns that *chat* may be a repetition of: those stored for its key.

    For a retry by the client's library, it is the session's last turn, if that was just made.
    """
    if chat.key is None and not chat.is_retried:
        return ()
    under_key = await _under_key(chat, context=context)
    if chat.key is not None and not under_key:
        return ()
    transcript = (await context.minds.find_or_create(chat.mind_id)).transcript
    lately = await transcript.before_in_session(chat.session_id, transcript.positions.last + 1, limit=_MOST_LOOKED_AT)
    if chat.key is None:
        return [one for one in lately[-1:] if context.clock.now() - one.accepted_at <= _RETRIED_WITHIN]
    return [*under_key, *(one for one in lately if one.turn.turn_id.startswith(_own_id(chat.key, "")))]


async def _not_stored(chat: Chat, parts: Parts, *, context: ProxyContext, before: int | None = None) -> Parts:
    """
    The parts of *chat* without those that were stored when they were sent, though their answer stayed empty.

    Only the last part if turns of the session were ever erased: an earlier part may be one of them. With *before*, what
    they were when the turn of this sequence was stored.
    """
    if len(parts) == 1:
        return parts
    mind = await context.minds.find_or_create(chat.mind_id)
    if before is None and await mind.transcript.erased_in(chat.session_id):
        return parts[-1:]
    end = mind.transcript.positions.last + 1 if before is None else before
    turns = await mind.transcript.before_in_session(chat.session_id, end, limit=len(parts))
    stored = [one for turn in turns for one in _prompts(turn.turn.messages)]
    for count in range(len(parts) - 1, 0, -1):
        if _stand_in_a_row(await _prompts_as_stored(chat, _said(chat, parts[:count]), context=context), stored):
            return parts[count:]
    return parts


def _stand_in_a_row(said: list[tuple[Speaker, str]], stored: list[tuple[Speaker, str]]) -> bool:
    return any(stored[at : at + len(said)] == said for at in range(len(stored) - len(said) + 1))


def _said(chat: Chat, parts: Parts) -> Turn:
    """What was said in *parts*, as a turn without an id; the newest of it, where it is too much for one."""
    messages = [one for part in parts for one in part.messages]
    is_off = any(part.is_off_the_record for part in parts)
    kind = TurnKind.OFF_THE_RECORD if is_off else TurnKind.TURN
    return Turn("", chat.session_id, tuple(messages[-_MOST_MESSAGES:]), kind)


def _metadata(exchange: Exchange, heard: Mapping[str, Any]) -> dict[str, Any]:
    return {**({PROXY_METADATA: {"cut": exchange.cut}} if exchange.cut is not None else {}), **heard}


async def _new_id(chat: Chat, said: Turn, *, context: ProxyContext) -> str:
    """
    The client's key, if there is one.

    A key under which other words were said is the client's mistake, and its words are not lost for it.
    """
    if chat.key is None:
        return context.clock.fresh_id()
    if not await _under_key(chat, context=context):
        return chat.key
    log.warning("proxy.key_reused", mind_id=chat.mind_id)
    posted = repr(await _prompts_as_stored(chat, said, context=context))
    return _own_id(chat.key, hashlib.blake2b(posted.encode(), digest_size=8).hexdigest())


async def _under_key(chat: Chat, *, context: ProxyContext) -> Sequence[StoredTurn]:
    """The turn whose id is the client's key; none where it was erased."""
    transcript = (await context.minds.find_or_create(chat.mind_id)).transcript
    sequence = transcript.positions.sequence_of(chat.key) if chat.key is not None else None
    return await transcript.read_many([sequence]) if sequence is not None else ()


def _own_id(key: str, digest: str) -> str:
    """The id of a turn whose key another one has: the same again for a retry."""
    return f"{key[:_LONGEST_KEY]}~{digest}"


async def _prompts_as_stored(chat: Chat, said: Turn, *, context: ProxyContext) -> list[tuple[Speaker, str]]:
    try:
        return _prompts((await context.intake.filtered(chat.mind_id, said)).messages)
    except InvalidRequest:  # every message is empty
        return []


def _prompts(messages: Sequence[Message]) -> list[tuple[Speaker, str]]:
    return [(one.role, one.content) for one in messages if one.role is not Speaker.ASSISTANT]


async def _record_usage(exchange: Exchange, model: str, *, context: ProxyContext) -> None:
    """Add the cost to the accounts. Tokens that the provider did not report are counted here."""
    reply = exchange.reply
    prompt_tokens, completion_tokens = reply.prompt_tokens, reply.completion_tokens
    if not prompt_tokens + completion_tokens:
        prompt_tokens, completion_tokens = await anyio.to_thread.run_sync(_tokens, exchange)
    cost = await context.upstream.cost(model, asked=prompt_tokens, answered=completion_tokens)
    usage = Usage(1, prompt_tokens, completion_tokens, cost, exchange.seconds)
    context.usage.record(_call(exchange, model, usage, context=context))
    if not exchange.chat.is_bypassed:
        context.minds.add_usage(exchange.chat.mind_id, usage)


def _call(exchange: Exchange, model: str, usage: Usage, *, context: ProxyContext) -> ModelCall:
    """The chat as one of the model calls that can be followed."""
    return ModelCall(
        role=Role.CHAT,
        model=model,
        host=exchange.host,
        at=context.clock.now() - timedelta(seconds=exchange.seconds),
        usage=usage,
        outcome="answered" if exchange.cut is None else "given_up" if exchange.cut == CLIENT_LEFT else "failed",
        is_streamed=bool(exchange.chat.body.get("stream")),
        first_words_seconds=exchange.first_seconds,
        finish=exchange.reply.finish,
        reason=exchange.cut,
    )


def _tokens(exchange: Exchange) -> tuple[int, int]:
    prompt_tokens = sum(count_tokens(message.content) for message in read(exchange.chat.messages))
    return prompt_tokens, count_tokens(exchange.reply.text)
