"""Traces of pre-turn calls, by page."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from service.http.schemas.examples import TRACE
from service.http.schemas.fields import Answered, Body, Instant, SessionId, ShortText

CURSOR = r"^[0-9]{1,7}\.[0-9]{1,13}$"
TRACES: dict[str, Any] = {"traces": [TRACE], "next_cursor": None}


class TracesAsked(Body):
    """Which traces are meant, and how many of them."""

    session_id: SessionId | None = None
    since: Instant | None = Field(None, description="Calls whose time (`at`) is this or later.")
    before: Instant | None = Field(None, description="Calls whose time (`at`) is earlier.")
    surfaced: bool | None = Field(None, description="Only calls in which something surfaced, or nothing did.")
    memory: ShortText | None = Field(
        None,
        description="The id of a memory, such as `fact:…` or `episode:12`: calls that found it, or, of a turn, "
        "something that rests on it.",
    )
    role: Literal["shown", "dropped"] | None = Field(
        None, description="Of the calls that found `memory`: those that showed it, or those that did not."
    )
    limit: Annotated[int, Field(ge=1, le=500)] = 50
    cursor: str | None = Field(None, pattern=CURSOR, description="`next_cursor` of the page before.")


class TracesOut(Answered):
    """Traces, newest first."""

    traces: list[dict[str, Any]]
    next_cursor: str | None = Field(description="Pass it as `cursor` for older traces; null at the end.")
