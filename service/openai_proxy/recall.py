"""
What surfaces for a chat, before the model answers. It fails open: whatever fails in memory, the chat goes on without
it.

A chat that continues the same exchange (a tool has answered, or an answer is requested again) is shown the same
memories. A new search would drop them as echoes, and the answer would be given without them. Where they may have
changed since, there is a new search, in which what this exchange was shown does not count as shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal

import anyio.to_thread
import structlog

from consolidation.kernel.errors import MemoryFault, MindNotFound, TraceNotFound
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from consolidation.kernel.turns import Message, Speaker
from consolidation.transcript.known import may_be_by_same
from service.mind.also_read import OTHERS_SHARE, opened_minds
from service.mind.copies import outage
from service.mind.mind_gate import Paused
from service.mind.own_settings import in_time, own_settings_of
from service.openai_proxy.audio import heard_in_time
from service.openai_proxy.first_attempts import note_first_attempt
from service.openai_proxy.messages import read
from service.openai_proxy.rewrite import with_memory
from service.resonance.call import Deadline
from service.resonance.outcome_reports import Applied
from service.retrieval.moment import ResonanceRequest
from service.retrieval.queries import cleaned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.mind.minds import Mind
    from service.mind.own_settings import OwnSettings
    from service.mind.trace_document import TraceDocument
    from service.openai_proxy.audio import HeardChat
    from service.openai_proxy.context import ProxyContext
    from service.openai_proxy.request import Chat

    type Outcome = Literal["surfaced", "silent", "bypassed", "failed"]

log = structlog.get_logger()

_MOST_MESSAGES = 2_000  # messages, as in a pre-turn call
_SAME_EXCHANGE = timedelta(minutes=15)
_MOST_TRACES = 50  # traces
_FAILED = frozenset({"memory_failed", "disk_failed", "graph_unavailable", "deadline"})


@dataclass(frozen=True, slots=True)
class ChatRecall:
    """
    What memory added to a chat, and the chat's body with it.

    ``plainer`` is the same chat without one more message, for models that take none; None where nothing was added.
    """

    outcome: Outcome
    body: Mapping[str, Any]
    plainer: Mapping[str, Any] | None = None
    trace_id: str | None = None
    applied: Applied | None = None

    @property
    def headers(self) -> dict[str, str]:
        """The headers that tell the client about it."""
        headers: dict[str, str] = {"X-Memory": self.outcome}
        if self.trace_id:
            headers["X-Memory-Trace-Id"] = self.trace_id
        if self.applied is not None:
            headers["X-Memory-Outcomes"] = f"applied={self.applied.applied}, unknown={len(self.applied.unknown)}"
        return headers


async def recall(chat: Chat, *, context: ProxyContext) -> ChatRecall:
    """What surfaces for *chat*, within the deadline of a pre-turn call. Never raises."""
    if chat.is_bypassed:
        return ChatRecall("bypassed", chat.body)
    try:
        await note_first_attempt(chat, context=context)
        with context.minds.gate.enter(chat.mind_id):
            return await _search(chat, context=context)
    except MindNotFound:
        is_erased = context.minds.gate.is_closed(chat.mind_id)
        return ChatRecall(
            "failed" if is_erased else "silent", chat.body
        )  # the mind does not exist yet; its first turn creates it
    except DatabaseUnavailable:  # said once where it happens, and not for each chat
        return ChatRecall("failed", chat.body)
    except Exception:
        log.exception("proxy.memory_failed", mind_id=chat.mind_id)
        return ChatRecall("failed", chat.body)


async def _search(chat: Chat, *, context: ProxyContext) -> ChatRecall:
    began = context.clock.monotonic()
    try:
        mind = await context.minds.find_in_time(chat.mind_id, seconds=context.deadline_seconds)
    except TimeoutError:  # a long mind is being opened, and will be open for a later chat
        return ChatRecall("failed", chat.body)
    applied = await _report(chat, mind=mind, context=context) if chat.outcomes else None
    heard = await heard_in_time(chat, context=context)
    seen = await anyio.to_thread.run_sync(read, heard.messages[-_MOST_MESSAGES:])
    before = _calls_of_same_exchange(chat, mind=mind, seen=seen, context=context)
    known = before[0] if before else None
    window = context.upstream.window(str(chat.body["model"]))
    if known is not None and await _still_holds(known, mind=mind, context=context):
        stable = await context.pipeline.stable_text(mind, tools=_tools(chat), window=window)
        block: str = known.block
        trace_id: str | None = known.trace_id
        failed = False
    else:
        deadline = Deadline(context.clock.monotonic, began, context.deadline_seconds)
        own = await in_time(own_settings_of(mind), seconds=deadline.left())
        left = partial(deadline.left, share=OTHERS_SHARE)
        async with opened_minds(
            context.minds, chat.mind_id, asked=None, own=own, sees=context.sees, fleet=context.fleet, left=left
        ) as others:
            request = _request(chat, seen, heard, own, context=context)
            request = replace(
                request,
                also_read=others.minds,
                lacks_minds=others.lacks_minds,
                began=began,
                again_of=frozenset(one.trace_id for one in before),
                window=window,
            )
            found = await context.pipeline.resonate(mind, request)
        stable, block, trace_id = found.stable, found.block, found.trace_id
        failed = not _FAILED.isdisjoint(found.degraded)
    messages, plainer = (
        with_memory(chat.messages, stable=stable, volatile=block, placement=one) for one in (context.placement, "user")
    )
    outcome: Outcome = "surfaced" if block else "failed" if failed else "silent"
    return ChatRecall(
        outcome,
        {**chat.body, "messages": messages},
        {**chat.body, "messages": plainer} if plainer != messages else None,
        trace_id,
        applied,
    )


async def _report(chat: Chat, *, mind: Mind, context: ProxyContext) -> Applied:
    """Apply what the client says of an earlier answer's flashbacks; the client is told what can not be applied."""
    trace_id = chat.outcomes_trace_id
    if trace_id is None:
        traces = mind.trace_log.recent(limit=_MOST_TRACES)
        trace_id = next((one.trace_id for one in traces if one.session_id == chat.session_id), "")
    try:
        return await context.outcomes.report(mind, trace_id=trace_id, outcomes=chat.outcomes)
    except TraceNotFound:
        return Applied(0, tuple(chat.outcomes))


def _request(
    chat: Chat, seen: tuple[Message, ...], heard: HeardChat, own: OwnSettings, *, context: ProxyContext
) -> ResonanceRequest:
    knobs = context.resonance
    return ResonanceRequest(
        session_id=chat.session_id,
        messages=seen,
        now=context.clock.now(),
        timezone=chat.timezone or own.zone(None, otherwise=context.timezone),
        deadline_seconds=context.deadline_seconds,
        max_fragments=knobs.max_fragments if own.max_fragments is None else own.max_fragments,
        max_tokens=knobs.max_tokens if own.max_tokens is None else own.max_tokens,
        relevance=knobs.relevance if own.relevance is None else own.relevance,
        placement="tail",  # of the messages that are not used here
        tools=_tools(chat),
        degraded=(*heard.degraded, *outage(context.minds.copies)),
    )


def _tools(chat: Chat) -> frozenset[str]:
    """The names of what the model may call."""
    tools = chat.body.get("tools")
    functions = (one.get("function") for one in tools if isinstance(one, dict)) if isinstance(tools, list) else ()
    return frozenset(str(one.get("name")) for one in functions if isinstance(one, dict))


def _calls_of_same_exchange(
    chat: Chat, *, mind: Mind, seen: tuple[Message, ...], context: ProxyContext
) -> tuple[TraceDocument, ...]:
    """
    The traces of the same exchange, newest first, if this chat continues or repeats it; none for a new exchange.

    Traces off the record have no words: only what goes on below them is the same. What another person asked, by name,
    is another exchange, and may come between.
    """
    persons = [one for one in seen if one.role is Speaker.USER]
    if not persons:
        return ()
    asked = persons[-1]
    is_again = any(one.content == asked.content and may_be_by_same(one, asked) for one in persons[:-1])
    if is_again and not chat.is_continuation:
        return ()  # the same words a second time are another exchange
    without_secrets = context.privacy_filter.cleaned
    message = cleaned(without_secrets(asked.content))
    asker = replace(asked, name=without_secrets(asked.name or "") or None)
    oldest = context.clock.now() - _SAME_EXCHANGE

    def is_same(one: TraceDocument) -> bool:
        is_said = one.message == message if one.message else one.off_the_record and chat.is_continuation
        return is_said and one.at >= oldest

    traces = (one for one in mind.trace_log.recent(limit=_MOST_TRACES) if one.session_id == chat.session_id)
    of_asker = (one for one in traces if may_be_by_same(asker, Message(Speaker.USER, one.message, name=one.asker)))
    return tuple(takewhile(is_same, of_asker))


async def _still_holds(call: TraceDocument, *, mind: Mind, context: ProxyContext) -> bool:
    """
    Whether what a *call* showed can be shown again as it was.

    It can not where the call was cut short, where no word of what it showed is kept (of other minds, or off the
    record), or where that was put right, or may be erased, by now.
    """
    is_cut_short = not call.block and not _FAILED.isdisjoint(call.degraded)
    is_kept = not call.off_the_record and all(one.text for one in call.shown)
    if is_cut_short or not is_kept or context.minds.gate.paused(mind.mind_id) is not Paused.NOTHING:
        return False
    return not await anyio.to_thread.run_sync(_is_put_right, call, mind)


def _is_put_right(call: TraceDocument, mind: Mind) -> bool:
    """Whether people decided anything since the *call*, or something that it showed was found wrong."""
    try:
        if any(one.at >= call.at for one in reversed(mind.corrections.lines())):
            return True
        return bool(mind.outcomes.held_back({one.id: one.sequences for one in call.shown}))
    except (MemoryFault, OSError):
        return True  # a new call says what can not be read
