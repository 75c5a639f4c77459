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

    from consolidation.kernel.turns import Message
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
    heard = await heard_in_full(chat, context=context)
    privacy = await context.privacy_of(chat.mind_id)
    parts = await anyio.to_thread.run_sync(partial(new_parts, heard.messages, privacy=privacy))
    answer = exchange.reply.message if exchange.model is not None else None
    if answer is None and not any(part.messages for part in parts):
        return
    try:
        async with _STORING.setdefault((chat.mind_id, chat.session_id), asyncio.Lock()):  # a retry sees what it repeats
            said = _said(chat, await _not_stored(chat, parts, context=context))
            messages = (*said.messages[-_MOST_MESSAGES:], *((answer,) if answer is not None else ()))
            said = replace(said, messages=messages, metadata=_metadata(exchange, heard.metadata))
            turn = replace(said, turn_id=await _turn_id(chat, said, context=context))
            accepted = await context.intake.accept(chat.mind_id, turn)
        if exchange.trace_id is not None and accepted.is_new:
            mind = await context.minds.find(chat.mind_id)
            context.outcomes.notice(mind, accepted.stored, trace_id=exchange.trace_id)
        log.info("proxy.turn_stored", mind_id=chat.mind_id, sequence=accepted.sequence, cut=exchange.cut)
    except TurnConflict:  # the same request was answered before in other words: the first answer counts
        log.info("proxy.turn_repeated", mind_id=chat.mind_id)
    except MemoryFault as fault:
        log.warning("proxy.turn_refused", mind_id=chat.mind_id, fault=type(fault).__name__, reason=str(fault))


async def _not_stored(chat: Chat, parts: Parts, *, context: ProxyContext) -> Parts:
    """
    The parts of *chat* without those that were stored when they were sent, though their answer stayed empty.

    Only the last part if turns of the session were ever erased: an earlier part may be one of them.
    """
    if len(parts) == 1:
        return parts
    mind = await context.minds.find_or_create(chat.mind_id)
    if await mind.transcript.erased_in(chat.session_id):
        return parts[-1:]
    end = mind.transcript.positions.last + 1
    turns = await mind.transcript.before_in_session(chat.session_id, end, limit=len(parts))
    stored = [one for turn in turns for one in _prompts(turn.turn.messages)]
    for count in range(len(parts) - 1, 0, -1):
        sent = await _prompts_as_stored(_said(chat, parts[:count]), chat=chat, context=context)
        if _stand_in_a_row(sent, stored):
            return parts[count:]
    return parts


def _stand_in_a_row(said: list[tuple[Speaker, str]], stored: list[tuple[Speaker, str]]) -> bool:
    return any(stored[at : at + len(said)] == said for at in range(len(stored) - len(said) + 1))


def _said(chat: Chat, parts: Parts) -> Turn:
    """What was said in *parts*, as a turn without an id."""
    messages = tuple(one for part in parts for one in part.messages)
    is_off = any(part.is_off_the_record for part in parts)
    return Turn("", chat.session_id, messages, TurnKind.OFF_THE_RECORD if is_off else TurnKind.TURN)


def _metadata(exchange: Exchange, heard: Mapping[str, Any]) -> dict[str, Any]:
    return {**({PROXY_METADATA: {"cut": exchange.cut}} if exchange.cut is not None else {}), **heard}


async def _turn_id(chat: Chat, said: Turn, *, context: ProxyContext) -> str:
    """
    The client's key; for a retry by the client's library, the id of the turn that was stored the first time.

    A key under which other words were said is the client's mistake, and its words are not lost for it.
    """
    if chat.key is not None:
        before = await _said_under(chat.key, chat, context=context)
        posted = await _prompts_as_stored(said, chat=chat, context=context)
        if before is None or before == posted:
            return chat.key
        log.warning("proxy.key_reused", mind_id=chat.mind_id)
        return _own_id(chat.key, posted)
    known = await _stored_turn_id(chat, said, context=context) if chat.is_retried else None
    return known or context.clock.fresh_id()


async def _said_under(key: str, chat: Chat, *, context: ProxyContext) -> list[tuple[Speaker, str]] | None:
    """What was said in the turn that has this id; None where none has it, or it was erased."""
    mind = await context.minds.find_or_create(chat.mind_id)
    sequence = mind.transcript.positions.sequence_of(key)
    stored = await mind.transcript.read_many([sequence]) if sequence is not None else ()
    return _prompts(stored[0].turn.messages) if stored else None


def _own_id(key: str, posted: list[tuple[Speaker, str]]) -> str:
    """The id of a turn whose key another one has: the same again for a retry."""
    return f"{key[:_LONGEST_KEY]}~{hashlib.blake2b(repr(posted).encode(), digest_size=8).hexdigest()}"


async def _stored_turn_id(chat: Chat, said: Turn, *, context: ProxyContext) -> str | None:
    """The id of the session's last turn, if it was just made from the same words."""
    mind = await context.minds.find_or_create(chat.mind_id)
    known = mind.transcript.positions
    posted = await _prompts_as_stored(said, chat=chat, context=context)
    for last in await mind.transcript.before_in_session(chat.session_id, known.last + 1, limit=1):
        is_fresh = context.clock.now() - last.accepted_at <= _RETRIED_WITHIN
        if is_fresh and _prompts(last.turn.messages) == posted:
            return last.turn.turn_id
    return None


async def _prompts_as_stored(said: Turn, *, chat: Chat, context: ProxyContext) -> list[tuple[Speaker, str]]:
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
