"""The calls that look into a memory, as ``_endpoints`` describes the others: what if, traces, events, figures."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from mind_memory_client import _endpoints as api

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mind_memory_client import models
    from mind_memory_client.messages import Messages

LeftOut = Literal["model", "graph"]
Role = Literal["shown", "dropped"]


def probe(
    mind: str,
    session: str,
    messages: Messages,
    *,
    as_of: datetime | str | None = None,
    without: Sequence[LeftOut] = (),
    now: datetime | str | None = None,
    timezone: str | None = None,
    deadline_ms: int | None = None,
    max_fragments: int | None = None,
    relevance: float | None = None,
    query: str | None = None,
) -> api.Call[models.Resonance]:
    """The call before a turn, of which nothing is noted."""
    call = api.resonance(
        mind,
        session,
        messages,
        now=now,
        timezone=timezone,
        deadline_ms=deadline_ms,
        max_fragments=max_fragments,
        relevance=relevance,
        query=query,
    )
    supposed = {
        "probe": True,
        "as_of": instant(as_of),
        "without": list(without) or None,
        "include": ["flashbacks", "story", "protocol", "trace"],
    }
    return replace(call, body={**(call.body or {}), **{key: one for key, one in supposed.items() if one is not None}})


def find_traces(
    mind: str,
    *,
    session: str | None = None,
    memory: str | None = None,
    role: Role | None = None,
    surfaced: bool | None = None,
    since: datetime | str | None = None,
    before: datetime | str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> api.Call[models.Traces]:
    """The call for a page of traces."""
    asked = {
        "session_id": session,
        "memory": memory,
        "role": role,
        "surfaced": surfaced,
        "since": instant(since),
        "before": instant(before),
        "limit": limit,
        "cursor": cursor,
    }
    return api.TRACES.call(mind_id=mind, query=asked)


def instant(at: datetime | str | None) -> str | None:
    """A time as it is sent."""
    return at.isoformat() if isinstance(at, datetime) else at
