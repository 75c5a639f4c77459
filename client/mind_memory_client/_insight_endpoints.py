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


def instant(at: datetime | str | None) -> str | None:
    """A time as it is sent."""
    return at.isoformat() if isinstance(at, datetime) else at
