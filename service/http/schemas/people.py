"""The cards of the people that a mind knows."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from service.http.schemas.corrections import DecisionOut
from service.http.schemas.fields import Answered
from service.http.schemas.resonance import PersonOut, SourceOut

PEOPLE: dict[str, Any] = {
    "people": [
        {
            "name": "user",
            "lines": [
                {
                    "id": "fact:5f0c1f4b2d3e4a5b8c7d6e5f4a3b2c1d",
                    "text": "My mother lives in Lyon.",
                    "sources": [
                        {
                            "mind_id": None,
                            "turn_id": "2026-01-09-0001",
                            "session_id": "telegram:42",
                            "sequence": 1,
                            "timestamp": "2026-01-09T18:30:00Z",
                            "excerpt": "they told me: My mother lives in Lyon.",
                        }
                    ],
                    "decided": {
                        "id": "5f0c1f4b2d3e4a5b8c7d6e5f4a3b2c1d",
                        "what": "pin",
                        "to": None,
                        "at": "2026-01-10T09:00:00.250000Z",
                        "by": "local",
                    },
                }
            ],
        }
    ],
    "shown": "auto",
}


class CardLineOut(Answered):
    """One thing that is known of a person."""

    id: str
    text: str
    sources: list[SourceOut | PersonOut]
    decided: DecisionOut | None = Field(description="The pin or the words of a person; null for what lasts by itself.")


class CardOut(Answered):
    """What is known of one person, pinned lines first, at most 20."""

    name: str = Field(description="`user` for somebody who never gave a name.")
    lines: list[CardLineOut]


class PeopleOut(Answered):
    """The cards of a mind's people."""

    people: list[CardOut]
    shown: Literal["auto", "always", "never"] = Field(
        description="Whether the stable part holds the cards; `auto`: while the mind has no story."
    )
