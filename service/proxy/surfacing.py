"""
Before the answer: what surfaces for a chat. Fail-open: whatever fails in memory, the chat goes on without it.

A chat that goes on with what was asked before (a tool has answered, an answer is asked for again) is shown what
surfaced then: asked anew, memory would hold it for told, and the answer would be given without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

import anyio.to_thread
import structlog

from consolidation.kernel.errors import MindNotFound
from consolidation.kernel.turns import Speaker
from service.proxy.reading import read
from service.proxy.rewriting import with_memory
from service.resonance.moment import Asked
from service.resonance.queries import cleaned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consolidation.kernel.turns import Message
    from service.container import Memory
    from service.minds import Mind
    from service.proxy.asking import Chat

    type Outcome = Literal["surfaced", "silent", "bypassed", "failed"]

log = structlog.get_logger()

_MOST_SEEN = 2_000  # messages, as in a pre-turn call
_SAME_EXCHANGE = timedelta(minutes=15)
_LOOKED_BACK = 50  # traces
_FAILED = frozenset({"memory_failed", "disk_failed", "graph_unavailable", "deadline"})


@dataclass(frozen=True, slots=True)
class Surfacing:
    """What memory gave to a chat, and the body of the chat with it."""

    outcome: Outcome
    body: Mapping[str, Any]
    trace_id: str | None = None
    block: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """What a client is told of it."""
        return {"X-Memory": self.outcome, **({"X-Memory-Trace-Id": self.trace_id} if self.trace_id else {})}


async def surface(chat: Chat, *, memory: Memory) -> Surfacing:
    """What surfaces for *chat*, within the deadline of a pre-turn call. Never raises."""
    if chat.is_bypassed:
        return Surfacing("bypassed", chat.body)
    try:
        with memory.minds.fence.inside(chat.mind_id):
            return await _surfaced(chat, memory=memory)
    except MindNotFound:
        is_erased = memory.minds.fence.is_closed(chat.mind_id)
        return Surfacing("failed" if is_erased else "silent", chat.body)  # else its first turn makes it
    except Exception:
        log.exception("proxy.memory_failed", mind_id=chat.mind_id)
        return Surfacing("failed", chat.body)


async def _surfaced(chat: Chat, *, memory: Memory) -> Surfacing:
    mind = await memory.minds.find(chat.mind_id)
    seen = await anyio.to_thread.run_sync(read, chat.messages[-_MOST_SEEN:])
    known = _known(chat, mind=mind, seen=seen, memory=memory)
    if known is not None:
        stable, block, trace_id = await memory.pipeline.stable_text(mind), known["block"], known["trace_id"]
        failed = False
    else:
        found = await memory.pipeline.resonate(mind, _asked(chat, seen, memory=memory))
        stable, block, trace_id = found.stable, found.block, found.trace_id
        failed = not _FAILED.isdisjoint(found.degraded)
    placement = memory.settings.proxy.placement
    messages = with_memory(chat.messages, stable=stable, volatile=block, placement=placement)
    outcome: Outcome = "surfaced" if block else "failed" if failed else "silent"
    return Surfacing(outcome, {**chat.body, "messages": messages}, trace_id, block)


def _asked(chat: Chat, seen: tuple[Message, ...], *, memory: Memory) -> Asked:
    knobs = memory.settings.resonance
    return Asked(
        session_id=chat.session_id,
        messages=seen,
        now=memory.clock.now(),
        timezone=UTC,
        deadline_seconds=knobs.deadline_ms / 1000 if knobs.deadline_ms else None,
        max_fragments=knobs.max_fragments,
        max_tokens=knobs.max_tokens,
        relevance=knobs.relevance,
        placement=memory.settings.proxy.placement,
    )


def _known(chat: Chat, *, mind: Mind, seen: tuple[Message, ...], memory: Memory) -> Mapping[str, Any] | None:
    """The trace of the same exchange, where this chat goes on with it or asks it again; none for what is new."""
    traces = mind.ledger.recent(limit=_LOOKED_BACK)
    newest = next((one for one in traces if one.get("session_id") == chat.session_id), None)
    said = [one.content for one in seen if one.role is Speaker.USER]
    if newest is None or not said or not _is_whole(newest):
        return None
    if newest["message"] != cleaned(memory.discretion.cleaned(said[-1])) or not newest["message"]:
        return None
    if said[-1] in said[:-1] and not chat.goes_on:
        return None  # the same words a second time are another exchange
    return newest if memory.clock.now() - datetime.fromisoformat(newest["at"]) <= _SAME_EXCHANGE else None


def _is_whole(trace: Mapping[str, Any]) -> bool:
    """Whether a trace is as we wrote it: a person may have edited the file."""
    try:
        is_dated = datetime.fromisoformat(trace["at"]).tzinfo is not None
    except (KeyError, TypeError, ValueError):
        return False
    return is_dated and all(isinstance(trace.get(name), str) for name in ("trace_id", "message", "block"))
