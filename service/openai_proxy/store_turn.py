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
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import anyio.to_thread
import structlog

from consolidation.kernel.errors import InvalidRequest, MemoryFault, TurnConflict
from consolidation.kernel.ports import Role, Usage
from consolidation.kernel.turns import Speaker, Turn, TurnKind
from consolidation.text.tokens import count_tokens
from consolidation.transcript.known import may_be_by_same
from consolidation.transcript.tombstones import ErasedMessages
from service.ingest.intake import filter_turn
from service.observability.model_usage import ModelCall
from service.openai_proxy.audio import heard_in_full
from service.openai_proxy.messages import INSTRUCTIONS, PROMPTING, is_opened_by_bot, new_from, new_parts, read
from service.voice.spoken import digest_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consolidation.kernel.turns import Message, StoredTurn
    from consolidation.secrets.privacy_filter import PrivacyFilter
    from service.mind.mind_gate import Visit
    from service.openai_proxy.audio import HeardChat
    from service.openai_proxy.context import ProxyContext
    from service.openai_proxy.messages import NewPart
    from service.openai_proxy.reply_accumulator import ReplyAccumulator
    from service.openai_proxy.request import Chat

    type Parts = tuple[NewPart, ...]

log = structlog.get_logger()

CLIENT_LEFT, UPSTREAM_BROKE = "client_left", "upstream_broke"
PROXY_METADATA, _SENT = "mind_memory.proxy", "sent"
_MOST_MESSAGES = 255  # plus the answer: as many messages as a posted turn may have
_MOST_COMPARED = 1_000  # messages of stored turns, the newest, among which are those that a chat repeats
_RETRIED_WITHIN = timedelta(minutes=15)
_LONGEST_WAIT_SECONDS = 1.0
_MOST_LOOKED_AT = 20  # turns of a session, among which is the one that a chat repeats, or goes on from
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
    """What is to be stored of *exchange*; None where nobody said a word, or a front end had the model write."""
    chat, answer = exchange.chat, exchange.reply.message if exchange.model is not None else None
    privacy = await context.privacy_of(chat.mind_id)
    parts = await anyio.to_thread.run_sync(partial(new_parts, heard.messages, privacy=privacy))
    if answer is None and not any(part.messages for part in parts):
        return None
    if not (parts[-1].is_prompted or is_opened_by_bot(chat.messages)):
        log.info("proxy.turn_unprompted", mind_id=chat.mind_id)
        return None
    said = _said(chat, await _not_stored(chat, parts, privacy=privacy, context=context))
    digested = partial(_digest, chat, parts[-1].start, privacy)
    sent = await anyio.to_thread.run_sync(digested) if chat.may_be_repeated else ""
    return replace(
        said,
        turn_id=await _turn_id(chat, said, sent, context=context),
        messages=(*said.messages, *((answer,) if answer is not None else ())),
        metadata=_metadata(exchange, sent, heard.metadata),
    )


async def _not_stored(chat: Chat, parts: Parts, *, privacy: PrivacyFilter, context: ProxyContext) -> Parts:
    """The newest *parts* that fit into one turn, without those that were stored when they came, or erased since."""
    parts = _newest(parts)
    if len(parts) == 1:
        return parts
    transcript = (await context.minds.find_or_create(chat.mind_id)).transcript
    tombstones = await transcript.erased_in(chat.session_id)
    if tombstones:
        left = await anyio.to_thread.run_sync(partial(_not_erased, parts[:-1], tombstones, privacy=privacy))
        parts = (*left, parts[-1])
    most = len(parts) + _MOST_LOOKED_AT
    turns = await transcript.before_in_session(chat.session_id, transcript.positions.last + 1, limit=most)
    turns = turns[await _end_of_answered(chat, turns, context=context) :]
    stored = [one for turn in turns for one in _prompts(turn.turn.messages)]
    if not stored:
        return parts
    return await anyio.to_thread.run_sync(partial(_left, chat.session_id, parts, stored, privacy=privacy))


def _newest(parts: Parts) -> Parts:
    """The newest of *parts*, of which one turn holds all messages; or the last one alone, which may be too much."""
    left = [*(part for part in parts[:-1] if part.messages), parts[-1]]  # the others are of empty messages
    sizes = accumulate(len(part.messages) for part in reversed(left))
    count = sum(1 for _ in takewhile(lambda size: size <= _MOST_MESSAGES, sizes))
    return tuple(left[-max(count, 1) :])


def _left(session_id: str, parts: Parts, stored: list[Message], *, privacy: PrivacyFilter) -> Parts:
    """*parts* without as many first ones as stand in a row in what is *stored*; the last one is new."""
    stored, earlier = stored[-_MOST_COMPARED:], parts[:-1]
    on_record = list(takewhile(lambda part: not part.is_off_the_record, earlier))
    if len(on_record) < len(earlier):  # then all of them were stored without their words
        said = [_as_stored(session_id, part, TurnKind.OFF_THE_RECORD, privacy=privacy) for part in earlier]
        if (count := _in_a_row(said, stored)) > len(on_record):
            return parts[count:]
    said = [_as_stored(session_id, part, TurnKind.TURN, privacy=privacy) for part in on_record]
    return parts[_in_a_row(said, stored) :]


def _as_stored(session_id: str, part: NewPart, kind: TurnKind, *, privacy: PrivacyFilter) -> list[Message]:
    try:
        return _prompts(filter_turn(Turn("", session_id, part.messages, kind), privacy_filter=privacy)[0].messages)
    except InvalidRequest:  # every message is empty
        return []


def _in_a_row(parts: list[list[Message]], stored: list[Message]) -> int:
    """How many of *parts*, from the first one, stand in a row in what is *stored*."""
    said = [one for part in parts for one in part]
    most = 0
    for at in range(len(stored)):
        if min(len(said), len(stored) - at) <= most:
            break
        most = max(most, _length_of_same(said, stored[at:]))
    return sum(1 for size in accumulate(map(len, parts)) if size <= most)


def _length_of_same(some: list[Message], others: list[Message]) -> int:
    return sum(1 for _ in takewhile(lambda pair: _is_same(*pair), zip(some, others, strict=False)))


def _not_erased(parts: Parts, tombstones: Sequence[StoredTurn], *, privacy: PrivacyFilter) -> Parts:
    """*parts* without erased messages. Of one off the record, nobody knows: it has no words to store."""
    erased = ErasedMessages(tombstones, cleaned=privacy.cleaned)
    left = (replace(one, messages=tuple(one.messages[at] for at in erased.others(one.messages))) for one in parts)
    return tuple(one for one in left if one.messages and not one.is_off_the_record)


async def _end_of_answered(chat: Chat, turns: Sequence[StoredTurn], *, context: ProxyContext) -> int:
    """How many of *turns* are above the chat's new messages: up to the one of its last answer; 0 if that is unknown."""
    start = new_from(chat.messages)
    asked = [one for one in read(chat.messages, end=max(start - 1, 0)) if one.role in PROMPTING]
    last = Turn("", chat.session_id, (*asked[-1:], *read(chat.messages, start=max(start - 1, 0), end=start)))
    try:
        *before, answer = (await context.intake.filtered(chat.mind_id, last)).messages
    except InvalidRequest:  # nothing with words
        return 0
    for at in range(len(turns), 0, -1):
        messages = turns[at - 1].turn.messages
        is_asked = _are_same(_prompts(messages)[-1:], _prompts(before))
        if is_asked and messages[-1].role is answer.role and messages[-1].content.startswith(answer.content.rstrip()):
            return at  # or a longer one, of which a person heard the beginning
    return 0


def _are_same(some: list[Message], others: list[Message]) -> bool:
    """Whether both have the same words, of speakers who may be the same."""
    return len(some) == len(others) and all(map(_is_same, some, others))


def _is_same(one: Message, other: Message) -> bool:
    return one.role is other.role and one.content == other.content and may_be_by_same(one, other)


def _said(chat: Chat, parts: Parts) -> Turn:
    """What was said in *parts*, as a turn without an id; the newest of it, where it is too much for one."""
    messages = [one for part in parts for one in part.messages]
    return Turn("", chat.session_id, tuple(messages[-_MOST_MESSAGES:]), _kind(parts))


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
        lately = await transcript.before_in_session(chat.session_id, end, limit=_MOST_LOOKED_AT)
        lately = tuple(one for one in lately if one.accepted_at >= since)
        if repeated := await _repeated(chat, lately, said, sent, context=context):
            return repeated
    return context.clock.fresh_id()


async def _repeated(
    chat: Chat, turns: Sequence[StoredTurn], said: Turn, sent: str, *, context: ProxyContext
) -> str | None:
    """The id of the turn that holds *chat* already; one off the record has no metadata, and is known by its shape."""
    prompts = await _prompts_as_stored(chat, said, context=context)
    for stored in reversed(turns):
        metadata = stored.turn.metadata.get(PROXY_METADATA)
        is_silent = stored.turn.kind is TurnKind.OFF_THE_RECORD and _are_same(_prompts(stored.turn.messages), prompts)
        if is_silent or (isinstance(metadata, dict) and metadata.get(_SENT) == sent):
            return stored.turn.turn_id
    return None


async def _under_key(chat: Chat, *, context: ProxyContext) -> Sequence[StoredTurn]:
    """The turn whose id is the client's key; none where it was erased."""
    transcript = (await context.minds.find_or_create(chat.mind_id)).transcript
    sequence = transcript.positions.sequence_of(chat.key) if chat.key is not None else None
    return await transcript.read_many([sequence]) if sequence is not None else ()


async def _prompts_as_stored(chat: Chat, said: Turn, *, context: ProxyContext) -> list[Message]:
    try:
        return _prompts((await context.intake.filtered(chat.mind_id, said)).messages)
    except InvalidRequest:  # every message is empty
        return []


def _prompts(messages: Sequence[Message]) -> list[Message]:
    return [one for one in messages if one.role is not Speaker.ASSISTANT]


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
