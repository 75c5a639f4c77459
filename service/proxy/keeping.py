"""
After the answer: what was new in a chat and what was said to it become a turn, by the door that every turn comes in by.

Nothing waits for it: it is done beside the request, by a job that outlives it. What is refused, the log tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import anyio.to_thread
import structlog

from consolidation.kernel.errors import InvalidRequest, MemoryFault, TurnConflict
from consolidation.kernel.ports import Role, Usage
from consolidation.kernel.tokens import count_tokens
from consolidation.kernel.turns import Speaker, Turn
from service.api.turns import OUTCOMES
from service.digestion.accept import accept, strip
from service.proxy.reading import new_in, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.turns import Message
    from service.container import Memory
    from service.proxy.asking import Chat
    from service.proxy.hearing import Heard

log = structlog.get_logger()

ABOUT = "mind_memory.proxy"
_MOST_MESSAGES = 255  # and the answer: as many as a posted turn may have
_RETRIED_WITHIN = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Exchange:
    """
    A chat and what was answered, by ``model`` (None: by nobody whose words are to be kept), in so many ``seconds``.

    ``cut`` says why it is not all of the answer.
    """

    chat: Chat
    heard: Heard
    model: str | None
    trace_id: str | None
    seconds: float
    cut: str | None = None


def keep(exchange: Exchange, *, memory: Memory) -> None:
    """Begin to keep *exchange*; returns at once."""
    memory.background.start("keep a chat", lambda: _kept(exchange, memory=memory))


async def _kept(exchange: Exchange, *, memory: Memory) -> None:
    chat = exchange.chat
    if not chat.is_bypassed:
        with memory.minds.fence.inside(chat.mind_id):
            await _accepted(exchange, memory=memory)
    if exchange.model is not None:
        await _counted(exchange, exchange.model, memory=memory)


async def _accepted(exchange: Exchange, *, memory: Memory) -> None:
    chat = exchange.chat
    said = await anyio.to_thread.run_sync(_said, exchange)
    if not said:
        return
    try:
        turn = _turn(exchange, said, turn_id=await _turn_id(chat, said, memory=memory))
        kept = await accept(
            chat.mind_id,
            turn,
            minds=memory.minds,
            digestion=memory.digestion,
            storytelling=memory.stories.telling,
            clock=memory.clock,
            discretion=memory.discretion,
            tally=memory.tally,
        )
        log.info("proxy.turn_kept", mind_id=chat.mind_id, sequence=kept.accepted.kept.sequence, cut=exchange.cut)
    except TurnConflict:  # the same request was answered before, in other words: the first answer stands
        log.info("proxy.turn_known", mind_id=chat.mind_id)
    except MemoryFault as fault:
        log.warning("proxy.turn_refused", mind_id=chat.mind_id, fault=type(fault).__name__, reason=str(fault))


def _said(exchange: Exchange) -> tuple[Message, ...]:
    new = new_in(exchange.chat.messages)[-_MOST_MESSAGES:]
    answer = exchange.heard.message if exchange.model is not None else None
    return (*new, answer) if answer is not None else new


def _turn(exchange: Exchange, said: tuple[Message, ...], *, turn_id: str) -> Turn:
    about: dict[str, Any] = {ABOUT: {"cut": exchange.cut}} if exchange.cut is not None else {}
    if exchange.trace_id is not None:  # as a turn has it that was posted with one
        about[OUTCOMES] = {"trace_id": exchange.trace_id, "outcomes": []}
    return Turn(turn_id, exchange.chat.session_id, said, metadata=about)


async def _turn_id(chat: Chat, said: tuple[Message, ...], *, memory: Memory) -> str:
    """The client's key; where its library asked again by itself, the turn that was kept of the first time."""
    if chat.key is not None:
        return chat.key
    return (await _asked_before(chat, said, memory=memory) if chat.is_retried else None) or memory.clock.fresh_id()


async def _asked_before(chat: Chat, said: tuple[Message, ...], *, memory: Memory) -> str | None:
    """The id of the session's last turn, if it was made of the same words just now."""
    mind = await memory.minds.find_or_create(chat.mind_id)
    known = mind.transcript.positions
    for last in await mind.transcript.before_in_session(chat.session_id, known.last + 1, limit=1):
        is_fresh = memory.clock.now() - last.accepted_at <= _RETRIED_WITHIN
        if is_fresh and _asked(last.turn.messages) == _asked(_as_kept(chat, said, memory=memory)):
            return last.turn.turn_id
    return None


def _as_kept(chat: Chat, said: tuple[Message, ...], *, memory: Memory) -> tuple[Message, ...]:
    try:
        return strip(Turn("", chat.session_id, said), discretion=memory.discretion)[0].messages
    except InvalidRequest:  # every message is empty
        return ()


def _asked(messages: Sequence[Message]) -> list[tuple[Speaker, str]]:
    return [(one.role, one.content) for one in messages if one.role is not Speaker.ASSISTANT]


async def _counted(exchange: Exchange, model: str, *, memory: Memory) -> None:
    """Add what it cost to the accounts; tokens that the provider did not tell are counted here."""
    heard = exchange.heard
    asked, answered = heard.asked, heard.answered
    if not asked + answered:
        asked, answered = await anyio.to_thread.run_sync(_tokens, exchange)
    cost = await memory.upstream.cost(model, asked=asked, answered=answered)
    usage = Usage(1, asked, answered, cost, exchange.seconds)
    memory.ledger.record(Role.CHAT, model, usage)
    if not exchange.chat.is_bypassed:
        for mind in memory.minds.opened():
            if mind.mind_id == exchange.chat.mind_id:
                mind.health.usage += usage


def _tokens(exchange: Exchange) -> tuple[int, int]:
    asked = sum(count_tokens(message.content) for message in read(exchange.chat.messages))
    return asked, count_tokens(exchange.heard.text)
