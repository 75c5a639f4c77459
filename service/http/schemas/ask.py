"""Questions that memory answers, with the evidence of each line."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from service.http.schemas.corrections import DecisionOut
from service.http.schemas.examples import SOURCE
from service.http.schemas.fields import ASKER, WHOLE, ZONE_OF_DAYS, Answered, Asker, Body, Instant, Question, Zone
from service.http.schemas.resonance import NoteOut, PersonOut, SourceOut
from service.mind.own_settings import Language

ASKED: dict[str, Any] = {"question": "Where does my mother live?"}


class AskIn(Body):
    """A question to a mind's memory."""

    question: Question = Field(description="In words of any language.")
    limit: Annotated[int, Field(ge=1, le=50, strict=True), WHOLE] = Field(
        12, description="How many memories the answer may rest on."
    )
    since: Instant | None = Field(None, description="Only what was said at or after this time.")
    until: Instant | None = Field(None, description="Only what was said at or before this time.")
    at: Instant | None = Field(
        None, description="Ask for the facts that held at this time. Words of later days count, too, without `until`."
    )
    language: Language | None = Field(
        None, description="The language of the answer, like `de`; that of the question if left out."
    )
    timezone: Zone | None = Field(None, description=ZONE_OF_DAYS)
    asker: Asker | None = Field(None, description=ASKER)

    model_config = Body.model_config | {"json_schema_extra": {"examples": [ASKED]}}

    @field_validator("until")
    @classmethod
    def _not_before_since(cls, until: datetime | None, info: ValidationInfo) -> datetime | None:
        since = info.data.get("since")
        if until is not None and since is not None and until < since:
            raise ValueError("must not be before since")
        return until


class AnswerLineOut(Answered):
    """A sentence of the answer, and what it rests on."""

    text: str
    sources: list[str] = Field(description="Ids of `evidence`.")


class ContradictionOut(Answered):
    """Memories that can not be true together, of which nothing has settled which one is."""

    texts: list[str] = Field(description="What each says, side by side.")
    sources: list[str] = Field(description="Ids of `evidence`, in the same order.")


class EvidenceOut(Answered):
    """A memory that bears on the question."""

    id: str
    kind: Literal["fact", "entity", "episode", "observation"] = Field(
        description="An `entity` only where a person wrote what is known of it."
    )
    text: str
    state: Literal["holding", "ended", "planned", "said", "wrong"] = Field(
        description="How a fact stands: it holds, it ended, or it begins later. What a person wrote of an "
        "entity holds. Everything else was said."
    )
    occurred_at: datetime | None = Field(description="When it was said.")
    valid_at: datetime | None = Field(description="Since when a fact holds.")
    invalid_at: datetime | None = Field(description="When a fact ended.")
    sources: list[SourceOut | NoteOut | PersonOut]
    is_contradicted: bool = Field(description="Whether it was found wrong when it surfaced.")
    corrections: list[DecisionOut] = Field(description="What people decided of it.")


class AskOut(Answered):
    """What memory answers. Without a model, `answer` is empty, and `evidence` is all that is known."""

    answer: list[AnswerLineOut] = Field(description="Each line with its sources; the most important first.")
    missing: list[str] = Field(description="What of the question is not in memory.")
    contradictions: list[ContradictionOut]
    evidence: list[EvidenceOut] = Field(description="Best first.")
    by_model: bool = Field(description="Whether a model worded `answer` and `missing`; code checked each line.")
    dropped: list[str] = Field(description="Why lines of the model were left out, if any were.")
    degraded: list[str]


ANSWERED: dict[str, Any] = {
    "answer": [],
    "missing": [],
    "contradictions": [],
    "evidence": [
        {
            "id": "fact:106dd777-e9fe-4a8f-8316-d3a2eba383f5",
            "kind": "fact",
            "text": "they told me: My mother lives in Lyon.",
            "state": "holding",
            "occurred_at": "2026-01-09T18:30:05Z",
            "valid_at": "2026-01-09T18:30:05Z",
            "invalid_at": None,
            "sources": [SOURCE],
            "is_contradicted": False,
            "corrections": [],
        }
    ],
    "by_model": False,
    "dropped": [],
    "degraded": [],
}
