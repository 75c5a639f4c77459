"""
Stores a chat as a turn: its new messages and the answer, through the same intake as every turn.

It runs in the background and outlives the request. The last byte of an answer waits for it, but not for long: whoever
has the whole answer can recall the turn. Refusals are logged, and the caller is told.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, assert_never
from weakref import WeakValueDictionary

import anyio.to_thread
import structlog

from consolidation.kernel.errors import InvalidRequest, MemoryFault, TurnConflict
from consolidation.kernel.ports import Role, Usage
from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from consolidation.text.tokens import count_tokens
from service.observability.model_usage import ModelCall
from service.openai_proxy.audio import heard_in_full
from service.openai_proxy.earlier_turns import (
    MOST_LOOKED_AT,
    MOST_MESSAGES,
    are_same,
    beginning_of,
    not_stored,
    prompts,
)
from service.openai_proxy.first_attempts import first_attempt_at
from service.openai_proxy.messages import (
    INSTRUCTIONS,
    added_answer,
    added_sentences,
    begun_answer,
    is_opened_by_bot,
    new_parts,
    read,
    storable,
)
from service.voice.spoken import digest_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consolidation.kernel.turns import StoredTurn
    from consolidation.secrets.privacy_filter import PrivacyFilter
    from service.mind.mind_gate import Visit
    from service.openai_proxy.audio import HeardChat
    from service.openai_proxy.context import ProxyContext
    from service.openai_proxy.earlier_turns import Known, Parts
    from service.openai_proxy.reply_accumulator import ReplyAccumulator
    from service.openai_proxy.request import Chat

log = structlog.get_logger()

CLIENT_LEFT, UPSTREAM_BROKE = "client_left", "upstream_broke"
PROXY_METADATA, _SENT = "mind_memory.proxy", "sent"
_RETRIED_WITHIN = timedelta(minutes=15)
_LONGEST_WAIT_SECONDS = 1.0
_FILES = frozenset({"data", "file_data", "url"})  # of a message's parts: recordings and pictures
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


def start_storing(exchange: Exchange, *, context: ProxyContext) -> asyncio.Task[MemoryFault | None]:
    """Start storing *exchange*; returns at once. The task ends when the turn is durable, or with why it was refused."""
    return context.background.start("store a chat", lambda: _store(exchange, context=context))


async def until_stored(storing: asyncio.Task[MemoryFault | None]) -> MemoryFault | None:
    """
    Wait until the task has ended, or a slow disk has held the answer up for long enough.

    The result is why the chat was refused; None where it was stored, or is not yet.
    """
    done, _ = await asyncio.wait({storing}, timeout=_LONGEST_WAIT_SECONDS)
    return storing.result() if done and not storing.cancelled() else None


async def _store(exchange: Exchange, *, context: ProxyContext) -> MemoryFault | None:
    chat, model = exchange.chat, exchange.model
    refusal = None
    if not chat.is_bypassed:
        with context.minds.gate.enter(chat.mind_id) as visit:
            refusal = await _accept(exchange, visit, context=context)
    if model is not None:
        context.background.start("account for a chat", lambda: _record_usage(exchange, model, context=context))
    return refusal


async def _accept(exchange: Exchange, visit: Visit, *, context: ProxyContext) -> MemoryFault | None:
    """Store a chat as a turn. The result is why it was refused, or None."""
    chat = exchange.chat
    try:
        # Chats of one session wait for each other, also while a model listens to one. So they are stored in the order
        # in which they came, and a retry finds the chat that it repeats.
        async with _STORING.setdefault((chat.mind_id, chat.session_id), asyncio.Lock()):
            async with visit.unless_erased(chat.session_id):
                heard = await heard_in_full(chat, context=context)
            turn = await _turn_of(exchange, heard, context=context)
            if turn is None:
                return None
            accepted = await context.intake.accept(chat.mind_id, turn)
        if exchange.trace_id is not None and accepted.is_new:
            mind = await context.minds.find(chat.mind_id)
            context.outcomes.notice(mind, accepted.stored, trace_id=exchange.trace_id)
        log.info("proxy.turn_stored", mind_id=chat.mind_id, sequence=accepted.sequence, cut=exchange.cut)
    except TurnConflict:  # the same request was answered before in other words: the first answer counts
        log.info("proxy.turn_repeated", mind_id=chat.mind_id)
    except MemoryFault as fault:
        log.warning("proxy.turn_refused", mind_id=chat.mind_id, fault=type(fault).__name__, reason=str(fault))
        return fault
    return None


async def _turn_of(exchange: Exchange, heard: HeardChat, *, context: ProxyContext) -> Turn | None:
    """What is to be stored of *exchange*; None where that is nothing, as where a front end had the model write."""
    chat, answer = exchange.chat, exchange.reply.message if exchange.model is not None else None
    privacy = await context.privacy_of(chat.mind_id)
    parts = await anyio.to_thread.run_sync(partial(new_parts, heard.messages, privacy=privacy))
    if answer is None and not any(part.messages for part in parts):
        return None
    if not (parts[-1].is_prompted or is_opened_by_bot(chat.messages)):
        log.info("proxy.turn_unprompted", mind_id=chat.mind_id)
        return None
    said = _said(chat, await not_stored(chat, parts, privacy=privacy, context=context), answer)
    if begun := begun_answer(chat.messages):
        known = await beginning_of(chat, parts[-1], begun, privacy=privacy, context=context)
        said = await anyio.to_thread.run_sync(_continued, said, begun, known)
    if not said.messages:
        return None
    digested = partial(_digest, chat, parts[-1].start, privacy)
    sent = await anyio.to_thread.run_sync(digested) if chat.may_be_repeated else ""
    turn_id = await _turn_id(chat, said, sent, context=context)
    return replace(said, turn_id=turn_id, metadata=_metadata(exchange, sent, heard.metadata))


def _said(chat: Chat, parts: Parts, answer: Message | None) -> Turn:
    """What was said in *parts*, and the *answer*, without an id; the newest of it, where it is too much for one."""
    messages = [one for part in parts for one in part.messages][-MOST_MESSAGES:]
    return Turn("", chat.session_id, (*messages, *((answer,) if answer is not None else ())), _kind(parts))


def _continued(said: Turn, begun: str, known: Known) -> Turn:
    """
    *said*, whose answer goes on from what was *begun*.

    What is stored does not change: where that is known, the rest of the answer is a turn of the bot's alone.
    """
    asked = prompts(said.messages)
    answer = "".join(one.content for one in said.messages[len(asked) :])
    match known:
        case "erased":
            asked, words = [], ""
        case "stored":
            asked, words = [], added_sentences(begun, answer)
        case "new":
            words = begun + added_answer(begun, answer) if answer else ""
        case _:
            assert_never(known)
    return replace(said, messages=(*asked, *((Message(Speaker.ASSISTANT, storable(words)),) if words else ())))


def _kind(parts: Parts) -> TurnKind:
    return TurnKind.OFF_THE_RECORD if any(part.is_off_the_record for part in parts) else TurnKind.TURN


def _metadata(exchange: Exchange, sent: str, heard: Mapping[str, Any]) -> dict[str, Any]:
    own = {name: value for name, value in (("cut", exchange.cut), (_SENT, sent)) if value}
    return {**({PROXY_METADATA: own} if own else {}), **heard}


def _digest(chat: Chat, start: int, privacy: PrivacyFilter) -> str:
    """
    Equal for a chat that is sent again: of its newest part, which begins at *start*, and how many messages are before.

    Words count as they are stored, without secrets, and only those that this turn stores for sure.
    """
    before, new = (
        [one for one in messages if one["role"] not in INSTRUCTIONS]  # may have the time of day
        for messages in (chat.messages[:start], chat.messages[start:])
    )
    return digest_of([len(before), _masked(new, privacy)])


def _masked(value: object, privacy: PrivacyFilter) -> object:
    if isinstance(value, dict):
        return {key: one if key in _FILES else _masked(one, privacy) for key, one in value.items()}
    if isinstance(value, list):
        return [_masked(one, privacy) for one in value]
    return privacy.cleaned(value) if isinstance(value, str) else value


async def _turn_id(chat: Chat, said: Turn, sent: str, *, context: ProxyContext) -> str:
    """
    The client's key, if there is one, or the id of the turn that *chat* repeats by a retry of the client's library.

    A key under which another chat was sent is the client's mistake, and its words are not lost for it.
    """
    if chat.key is not None:
        under_key = await _under_key(chat, context=context)
        if not under_key or await _repeated(chat, under_key, said, sent, context=context):
            return chat.key
        log.warning("proxy.key_reused", mind_id=chat.mind_id)
        return f"{chat.key[:_LONGEST_KEY]}~{sent}"  # the same again for a retry
    if chat.is_retried:
        transcript = (await context.minds.find_or_create(chat.mind_id)).transcript
        end, since = transcript.positions.last + 1, context.clock.now() - _RETRIED_WITHIN
        if (began := await first_attempt_at(chat, context=context)) is not None:
            since = max(since, began)
        lately = await transcript.before_in_session(chat.session_id, end, limit=MOST_LOOKED_AT)
        lately = tuple(one for one in lately if one.accepted_at >= since)
        if repeated := await _repeated(chat, lately, said, sent, context=context):
            return repeated
    return context.clock.fresh_id()


async def _repeated(
    chat: Chat, turns: Sequence[StoredTurn], said: Turn, sent: str, *, context: ProxyContext
) -> str | None:
    """The id of the turn that holds *chat* already; one off the record has no metadata, and is known by its shape."""
    asked = await _asked_as_stored(chat, said, context=context)
    for stored in reversed(turns):
        metadata = stored.turn.metadata.get(PROXY_METADATA)
        is_silent = stored.turn.kind is TurnKind.OFF_THE_RECORD and are_same(prompts(stored.turn.messages), asked)
        if is_silent or (isinstance(metadata, dict) and metadata.get(_SENT) == sent):
            return stored.turn.turn_id
    return None


async def _under_key(chat: Chat, *, context: ProxyContext) -> Sequence[StoredTurn]:
    """The turn whose id is the client's key; none where it was erased."""
    transcript = (await context.minds.find_or_create(chat.mind_id)).transcript
    sequence = transcript.positions.sequence_of(chat.key) if chat.key is not None else None
    return await transcript.read_many([sequence]) if sequence is not None else ()


async def _asked_as_stored(chat: Chat, said: Turn, *, context: ProxyContext) -> list[Message]:
    try:
        return prompts((await context.intake.filtered(chat.mind_id, said)).messages)
    except InvalidRequest:  # every message is empty
        return []


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
