"""The calls that look into a memory, as ``_endpoints`` describes the others: what if, traces, events, figures."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from mind_memory_client import _endpoints as api
from mind_memory_client.errors import UnexpectedAnswer
from mind_memory_client.news import News
from mind_memory_client.timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mind_memory_client import models
    from mind_memory_client.messages import Messages

LeftOut = Literal["model", "graph"]
Bucket = Literal["day", "week"]
Role = Literal["shown", "dropped"]

_STREAM_SECONDS = 60.0  # without a sign of life, of which there is one every 15 s


def probe(
    mind: str,
    session: str,
    messages: Messages,
    *,
    as_of: datetime | str | None = None,
    without: Sequence[LeftOut] = (),
    again_of: str | None = None,
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
        "again_of": again_of,
        "include": ["flashbacks", "story", "protocol", "trace"],
    }
    return replace(call, body={**(call.body or {}), **{key: one for key, one in supposed.items() if one is not None}})


def as_events(reply: api.Reply) -> Any:  # noqa: ANN401 - the response of either HTTP library
    """The response, still open. Raises UnexpectedAnswer where no events come."""
    if not reply.headers.get("content-type", "").startswith(api.EVENTS_TYPE):
        raise UnexpectedAnswer("the answer is not a stream of events")
    return reply.response


EVENTS = api.Endpoint(
    "GET",
    "/v1/minds/{mind_id}/events",
    as_events,
    accept=api.EVENTS_TYPE,
    seconds=_STREAM_SECONDS,
    is_download=True,
)


TIMELINE = api.Endpoint("GET", "/v1/minds/{mind_id}/timeline", api.AsModel(Timeline))


def timeline(
    mind: str, *, bucket: Bucket | None = None, since: datetime | str | None = None, until: datetime | str | None = None
) -> api.Call[Timeline]:
    """The call for what each day or week brought."""
    return TIMELINE.call(mind_id=mind, query={"bucket": bucket, "since": instant(since), "until": instant(until)})


NEWS = api.Endpoint("GET", "/v1/minds/{mind_id}/news", api.AsModel(News))


def news(mind: str, *, since: datetime | str | None = None, limit: int | None = None) -> api.Call[News]:
    """The call for what happened since a time."""
    return NEWS.call(mind_id=mind, query={"since": instant(since), "limit": limit})


def events(mind: str, *, last_id: str | None, follow: bool) -> api.Call[Any]:
    """The call that hears what happens, from the event *last_id* on."""
    headers = {"Last-Event-ID": last_id} if last_id is not None else {}
    return EVENTS.call(mind_id=mind, query={"follow": None if follow else "false"}, headers=headers)


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
