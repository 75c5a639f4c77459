"""What dreams distilled: observations.md, line by line and as a text."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from service.http.schemas.fields import Answered, Body, Text

OBSERVATIONS_PUT: dict[str, Any] = {"text": "## 2026-01-09\n\nRED 18:30 Promised Ann the report by Friday noon\n"}
OBSERVED: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "observations": [
        {
            "level": "RED",
            "day": "2026-01-09",
            "at": "18:30",
            "text": "Promised Ann the report by Friday noon",
            "is_ours": False,
            "is_superseded": False,
            "sources": [],
        }
    ],
    "text": OBSERVATIONS_PUT["text"],
    "etag": '"5b3f3c52c03e6a4be7c3a7a1"',
}


class ObservationsIn(Body):
    """Observations that replace the present ones."""

    text: Annotated[Text, Field(description="The file: `## YYYY-MM-DD` above lines like `RED 09:32 …`, and notes.")]

    model_config = Body.model_config | {"json_schema_extra": {"examples": [OBSERVATIONS_PUT]}}


class ObservationOut(Answered):
    """An observation of a day."""

    level: Literal["RED", "YLW", "GRN"] = Field(description="Critical, important or informational.")
    day: date
    at: str = Field(description="HH:MM of when it happened.")
    text: str
    is_ours: bool = Field(description="Whether a dream wrote it. What a person wrote or changed is never removed.")
    is_superseded: bool = Field(description="Whether a later dream said it is over. It does not surface any more.")
    sources: list[int] = Field(description="The sequences of the turns that it rests on; none of a person's.")


class ObservationsOut(Answered):
    """The observations in the order of the file."""

    mind_id: str
    observations: list[ObservationOut]
    text: str = Field(description="The whole file.")
    etag: str
