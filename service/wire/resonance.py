"""Before a turn: what is asked, and what surfaces."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from service.wire.fields import WHOLE, Answered, Body, Flag, Instant, SessionId, Zone
from service.wire.turns import MessageIn, ShortText

if TYPE_CHECKING:
    from consolidation.kernel.ports import Usage

ASKED: dict[str, Any] = {
    "session_id": "telegram:43",
    "messages": [{"role": "user", "content": "Where could I spend a weekend with my mother?"}],
    "now": "2026-01-12T09:00:00Z",
    "timezone": "Europe/Paris",
}


class ResonanceIn(Body):
    """The session, and what the bot can still see: its context window, newest message last."""

    session_id: SessionId
    messages: Annotated[list[MessageIn], Field(min_length=1, max_length=2000)]
    now: Instant | None = None
    timezone: Zone = "UTC"
    deadline_ms: Annotated[int, Field(ge=0, le=600_000, strict=True), WHOLE] | None = None
    max_fragments: Annotated[int, Field(ge=0, le=50, strict=True), WHOLE] | None = None
    max_tokens: Annotated[int, Field(ge=0, le=100_000, strict=True), WHOLE] | None = None
    placement: Literal["tail", "system"] = "tail"
    known_story_etag: ShortText | None = None
    off_the_record: Flag = Field(
        default=False,
        description="Leave no words in the trace, and ask no model; a marker in the message does the same.",
    )
    relevance: Annotated[float, Field(ge=0, le=1, strict=True)] | None = Field(
        None, description="How sure the gate must be, instead of the configured value; 0 lets everything pass."
    )

    model_config = Body.model_config | {"json_schema_extra": {"examples": [ASKED]}}


class SourceOut(Answered):
    """A turn that a memory rests on."""

    turn_id: str
    session_id: str
    sequence: int
    timestamp: datetime
    excerpt: str


class NoteOut(Answered):
    """Lines of the journal that a memory rests on; what is of turns alone is null."""

    turn_id: None = None
    session_id: None = None
    sequence: None = None
    path: str
    start_line: int
    end_line: int
    timestamp: datetime = Field(description="When the file was last written.")
    excerpt: str


class FlashbackOut(Answered):
    """A memory that surfaced: told, and as it was said."""

    id: str
    kind: Literal["fact", "entity", "episode", "journal"]
    text: str
    raw: str
    label: str
    date: str
    occurred_at: datetime
    score: float
    sources: list[SourceOut | NoteOut]


class StableOut(Answered):
    """What changes only when the story does: put it first, so that a provider's prompt cache survives."""

    text: str | None = Field(description="None when `known_story_etag` is still right.")
    etag: str


class VolatileOut(Answered):
    """What is of this turn alone: put it last."""

    text: str


class InjectedMessage(Answered):
    """One message, ready to be sent to a model: a field it has not is left out, since providers refuse a null."""

    role: str
    content: str
    name: str | None = None

    @model_serializer(mode="wrap")
    def _as_sent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if value is not None}


class UsageOut(Answered):
    """What the models cost."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float

    @classmethod
    def of(cls, usage: Usage) -> UsageOut:
        """What *usage* says, as it goes over the wire."""
        return cls(
            calls=usage.calls,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cost_usd=usage.cost_usd,
        )


class ResonanceOut(Answered):
    """What surfaced, or why nothing did."""

    mind_id: str
    trace_id: str
    surfaced: bool
    silence: str | None
    flashbacks: list[FlashbackOut]
    block: str
    stable: StableOut
    volatile: VolatileOut
    messages: list[InjectedMessage]
    degraded: list[str]
    timings_ms: dict[str, float]
    usage: UsageOut
