"""The call before a turn: its body and what surfaces."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from consolidation.corrections.record import Correction
from consolidation.corrections.standing import Statement
from service.http.schemas.fields import (
    WHOLE,
    ZONE_OF_DAYS,
    Answered,
    Body,
    Flag,
    Instant,
    MindNameIn,
    Question,
    SessionId,
    ShortText,
    Zone,
)
from service.http.schemas.turn_filter import FilterIn
from service.http.schemas.turns import SpokenMessageIn
from service.mind.own_settings import MOST_ALSO_READ
from service.retrieval.moment import JournalLines, Source

ASKED: dict[str, Any] = {
    "session_id": "telegram:43",
    "messages": [{"role": "user", "content": "Where could I spend a weekend with my mother?"}],
    "now": "2026-01-12T09:00:00Z",
    "timezone": "Europe/Paris",
}


class ResonanceIn(Body):
    """The session and the messages in the bot's context window, newest last."""

    session_id: SessionId
    messages: Annotated[list[SpokenMessageIn], Field(min_length=1, max_length=2000)]
    now: Instant | None = None
    timezone: Zone | None = Field(None, description=ZONE_OF_DAYS)
    deadline_ms: Annotated[int, Field(ge=0, le=600_000, strict=True), WHOLE] | None = None
    max_fragments: Annotated[int, Field(ge=0, le=50, strict=True), WHOLE] | None = None
    max_tokens: Annotated[int, Field(ge=0, le=100_000, strict=True), WHOLE] | None = None
    placement: Literal["tail", "system"] = "tail"
    known_story_etag: ShortText | None = None
    off_the_record: Flag = Field(
        default=False,
        description="Leave no words in the trace and ask no model. A marker in the message does the same.",
    )
    kind: Literal["turn", "heartbeat", "probe"] = Field(
        "turn",
        description="A heartbeat or a probe gets silence and costs no model call. Both are also known by their words "
        "or by a session that begins with `probe-`.",
    )
    query: Question | None = Field(
        None,
        description="What to search for, in place of the newest message. The messages still say what is visible.",
    )
    include: Annotated[list[Literal["flashbacks", "story", "protocol", "trace"]], Field(min_length=1, max_length=4)] = (
        Field(
            default=["flashbacks", "story", "protocol"],
            description="The parts that are wanted. With `flashbacks` alone, `stable` is empty, and after silence "
            "`messages` hold no memory. Without `flashbacks`, nothing is searched. `trace`, of a probe only, brings "
            "`flashbacks`, too.",
        )
    )
    relevance: Annotated[float, Field(ge=0, le=1, strict=True)] | None = Field(
        None,
        description="The relevance threshold of this call, instead of the configured one; 0 switches the gate off.",
    )
    probe: Flag = Field(
        default=False,
        description="Ask what would surface, and leave nothing behind: no trace, no echo, nothing for later turns. "
        "(A turn of the kind `probe` is something else: a health check.)",
    )
    as_of: Instant | None = Field(
        None,
        description="Of a probe: what would have surfaced at this time. Turns that were accepted or occurred later do "
        "not count, and facts hold as they held then. It is also `now`, where that is not given.",
    )
    without: Annotated[list[Literal["model", "graph"]], Field(max_length=2)] = Field(
        default=[], description="Of a probe: what would surface without a model, or without the graph."
    )
    again_of: ShortText | None = Field(
        None,
        description="Of a probe: the `trace_id` of the call that is made again. What that call showed does not count "
        "as shown lately; what other calls of the session showed does.",
    )
    also_read: Annotated[list[MindNameIn], Field(max_length=MOST_ALSO_READ)] | None = Field(
        None,
        description="Other minds whose memories may surface, too, instead of those that are set for the mind; none if "
        "empty. Each line of such a memory begins with the mind's id in brackets.",
    )
    filter: FilterIn | None = Field(
        None,
        description="Only these turns count. Notes, observations, and entities that other turns tell of, too, do not "
        "surface then. The story is the whole one.",
    )

    model_config = Body.model_config | {"json_schema_extra": {"examples": [ASKED]}}


_MIND = "The other mind that it is in; null for the one that was asked."


class SourceOut(Answered):
    """A turn that is the source of a memory."""

    mind_id: str | None = Field(None, description=_MIND)
    turn_id: str
    session_id: str
    sequence: int
    timestamp: datetime
    excerpt: str


class NoteOut(Answered):
    """Lines of the journal that are the source of a memory. Fields that only turns have are null."""

    mind_id: str | None = Field(None, description=_MIND)
    turn_id: None = None
    session_id: None = None
    sequence: None = None
    path: str
    start_line: int
    end_line: int
    timestamp: datetime = Field(description="When the file was last written.")
    excerpt: str


class PersonOut(Answered):
    """A person who put a memory right is its source. Fields that only turns have are null."""

    mind_id: str | None = Field(None, description=_MIND)
    turn_id: None = None
    session_id: None = None
    sequence: None = None
    correction_id: str
    by: str = Field(description="The id of the key that was used, `owner`, or `local`.")
    timestamp: datetime = Field(description="When they said so.")
    excerpt: str


def sources_out(
    turns: Iterable[Source], notes: Iterable[JournalLines], said: Statement | Correction | None, *, mind_id: str
) -> list[SourceOut | NoteOut | PersonOut]:
    """What a memory rests on; *mind_id* is of the other mind that it is in, else empty."""
    found: list[SourceOut | NoteOut | PersonOut] = [*map(SourceOut.model_validate, turns)]
    found += [*map(note_out, notes), *said_by(said)]
    return [one.model_copy(update={"mind_id": mind_id}) for one in found] if mind_id else found


def said_by(said: Statement | Correction | None) -> list[PersonOut]:
    """The person who made a statement, or wrote of an entity, as its source; nobody where there is none."""
    if said is None:
        return []
    words = said.to or "" if isinstance(said, Correction) else said.text
    return [PersonOut(correction_id=said.id, by=said.by, timestamp=said.at, excerpt=words)]


def note_out(note: JournalLines) -> NoteOut:
    """Lines of the journal as a source."""
    return NoteOut(
        path=note.path,
        start_line=note.start_line,
        end_line=note.end_line,
        timestamp=note.written_at,
        excerpt=note.excerpt,
    )


class FlashbackOut(Answered):
    """A memory that surfaced: as it is presented (`text`) and in its original words (`raw`)."""

    id: str
    kind: Literal["fact", "entity", "episode", "journal", "observation"]
    text: str
    raw: str
    label: str
    date: str
    occurred_at: datetime
    score: float
    sources: list[SourceOut | NoteOut | PersonOut]


class StableOut(Answered):
    """Story, people's cards, recall protocol. Place it first: it seldom changes, so a prompt cache still applies."""

    text: str | None = Field(description="Null if `known_story_etag` is still current.")
    etag: str


class VolatileOut(Answered):
    """The part that belongs to this turn alone. Place it last."""

    text: str


class InjectedMessage(Answered):
    """One message, ready to be sent to a model. Empty fields are left out, since providers refuse null."""

    role: str
    content: str
    name: str | None = None

    @model_serializer(mode="wrap")
    def _as_sent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if value is not None}


class UsageOut(Answered):
    """What the model calls cost."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


class ResonanceOut(Answered):
    """What surfaced, or why nothing did."""

    mind_id: str
    trace_id: str | None = Field(
        description="Null for a probe, and for a mind that does not exist yet: no trace is kept."
    )
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
    trace: dict[str, Any] | None = Field(
        None, description="Of a probe that asked for it: as `GET …/traces/{trace_id}` would tell it. Else null."
    )
