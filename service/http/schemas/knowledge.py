"""Facts, entities and the graph: what is asked, what is answered."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from service.http.schemas.conversations import CURSOR, NEXT
from service.http.schemas.corrections import DecisionOut
from service.http.schemas.fields import Answered, Instant, Question, ShortText, Text
from service.http.schemas.resonance import SourceOut


class FactsAsked(BaseModel):
    """Which facts, as the query of a request."""

    model_config = ConfigDict(frozen=True)

    entity: Text | None = Field(None, max_length=2000, description="Only of this entity: its id, or its name.")
    state: Literal["holding", "ended", "planned"] | None = Field(None, description="Only in this state now.")
    since: Instant | None = Field(None, description="Told first at or after this time.")
    until: Instant | None = Field(None, description="Told first at or before this time.")
    query: Question | None = Field(None, description="Only with all of these words, in any form.")
    cursor: str | None = Field(None, max_length=4000, description=CURSOR)
    limit: int = Field(50, ge=1, le=500)


class UseOut(Answered):
    """How often a memory surfaced."""

    count: int
    last_at: datetime
    trace_ids: list[str] = Field(description="The newest traces of that, newest first.")


class SaidOut(Answered):
    """Who said a fact by a correction."""

    id: str = Field(description="The correction's.")
    what: Literal["say", "edit"] = Field(description="`edit` took the place of what turns told.")
    at: datetime
    by: str = Field(description="The id of the key that was used, `owner`, or `local`.")


class FactOut(Answered):
    """A fact. One that a person `said` joins no entities: their names are empty."""

    id: str
    text: str
    source: str
    source_id: str | None = Field(description="The id of the entity of that name, null if there is none.")
    target: str
    target_id: str | None
    valid_at: datetime | None
    invalid_at: datetime | None
    state: Literal["holding", "ended", "planned", "wrong"] = Field(
        description="Whether it holds now; `wrong` where a person said that it is not so."
    )
    importance: float | None = Field(description="0 to 1, as a model judged it.")
    turns: int = Field(description="In how many turns it was told.")
    sources: list[SourceOut] = Field(
        description="The newest of these, newest first: 5 in a list, 100 of a fact by itself."
    )
    corrections: list[DecisionOut] = Field(description="What people decided of it.")
    is_contradicted: bool = Field(
        description="Whether it, or each turn that told it, was found wrong when it surfaced."
    )
    surfaced: UseOut | None = Field(
        description="Null where it never came up, neither by itself nor with the turn that told it first."
    )
    said: SaidOut | None = Field(description="Who said it to put the memory right; null for a fact that turns told.")


class FactsOut(Answered):
    """A page of facts, newest first by the turn that told each one first, or by when a person said it."""

    items: list[FactOut]
    next_cursor: str | None = Field(description=NEXT)


class EntitiesAsked(BaseModel):
    """Which entities, as the query of a request."""

    model_config = ConfigDict(frozen=True)

    query: Question | None = Field(None, description="Each of these words begins a word of the name.")
    kind: ShortText | None = Field(None, description="Only of this kind.")
    sort: Literal["name", "mentions", "recent"] = Field(
        "mentions",
        description="`name` from A to Z, the most mentioned first, or the last mentioned first. The latter two change "
        "while turns arrive: only pages by `name` surely hold every entity.",
    )
    cursor: str | None = Field(None, max_length=4000, description=CURSOR)
    limit: int = Field(50, ge=1, le=500)


class EntityOut(Answered):
    """A person, a place, a thing."""

    id: str
    name: str
    kind: str = Field(description="What sort of thing it is, empty where no model said.")
    summary: str = Field(description="What is known of it; where a person said what it is, their words.")
    facts: int = Field(description="How many facts join it. What people said by corrections joins nothing.")
    mentions: int = Field(description="In how many turns such facts were told.")
    first_at: datetime | None = Field(description="When the first of these turns was said.")
    last_at: datetime | None
    called: str = Field(description="Its name after what people merged and renamed.")
    corrections: list[DecisionOut] = Field(description="What people decided of it.")


class EntitiesOut(Answered):
    """A page of entities."""

    items: list[EntityOut]
    next_cursor: str | None = Field(description=NEXT)


class MonthOut(Answered):
    """How many turns of a month mention an entity."""

    month: str = Field(examples=["2026-01"], description="In UTC.")
    turns: int


class NeighbourOut(Answered):
    """Another name in facts of an entity."""

    id: str | None
    name: str
    facts: int = Field(description="How many facts join the two.")


class LookalikeOut(Answered):
    """Another entity that may be the same."""

    id: str
    name: str
    why: Literal["same_words", "spelling", "contained"] = Field(
        description="Its name has the same words, differs in a letter or two, or is a part of the other."
    )


class EntityDetailOut(EntityOut):
    """One entity, and what is around it."""

    mentions_by_month: list[MonthOut] = Field(description="Oldest first.")
    neighbours: list[NeighbourOut] = Field(description="The 50 that share most facts with it.")
    lookalikes: list[LookalikeOut] = Field(description="The surest first. They are guessed by name alone.")
    newest_facts: list[FactOut] = Field(description="The newest 10, what people said and edited among them.")


class GraphAsked(BaseModel):
    """Which part of the graph, as the query of a request."""

    model_config = ConfigDict(frozen=True)

    since: Instant | None = Field(None, description="Told at or after this time.")
    until: Instant | None = Field(None, description="Told at or before this time.")
    limit: int = Field(2000, ge=1, le=5000, description="Entities; three times as many facts.")


class EntityColumnsOut(Answered):
    """Entities, the most mentioned first; a value for each of them in every column."""

    id: list[str]
    name: list[str]
    kind: list[str]
    theme: list[str | None]
    first: list[datetime]
    last: list[datetime]
    mentions: list[int]


class FactColumnsOut(Answered):
    """Facts, newest first; `source` and `target` are ids of entities, `state` is how each stands now."""

    id: list[str]
    source: list[str]
    target: list[str]
    valid_at: list[datetime | None]
    invalid_at: list[datetime | None]
    state: list[Literal["holding", "ended", "planned", "wrong"]]


class ThemeOut(Answered):
    """A group of entities that facts join closely."""

    id: str = Field(description="It stays while half of its members stay together.")
    name: str = Field(description="Its two most mentioned entities.")


class LeftOutOut(Answered):
    """How many entities and facts of the time are not in the answer."""

    entities: int
    facts: int


class GraphOut(Answered):
    """The most mentioned entities of a time, and the facts between them that were told first in it, in columns."""

    entities: EntityColumnsOut
    facts: FactColumnsOut
    themes: list[ThemeOut]
    left_out: LeftOutOut


_MOTHER = "entity:0d5c1d0e-8c4b-4f0e-9f43-7a1f6b8f2f10"
_LYON = "entity:9b0f5bb1-3f0a-4a53-8b5b-5d3b0c1d2e3f"
FACT: dict[str, Any] = {
    "id": "fact:4e8b8f0a-6a5d-4a43-9d3e-2f1b0c9d8e7f",
    "text": "Ada's mother lives in Lyon.",
    "source": "Ada's mother",
    "source_id": _MOTHER,
    "target": "Lyon",
    "target_id": _LYON,
    "valid_at": "2026-01-09T18:30:00Z",
    "invalid_at": None,
    "state": "holding",
    "importance": 0.6,
    "turns": 1,
    "sources": [
        {
            "mind_id": None,
            "turn_id": "2026-01-09-0001",
            "session_id": "telegram:42",
            "sequence": 1,
            "timestamp": "2026-01-09T18:30:05Z",
            "excerpt": "My mother lives in Lyon.",
        }
    ],
    "corrections": [],
    "is_contradicted": False,
    "surfaced": None,
    "said": None,
}
FACTS: dict[str, Any] = {"items": [FACT], "next_cursor": None}
_ENTITY: dict[str, Any] = {
    "id": _LYON,
    "name": "Lyon",
    "kind": "place",
    "summary": "A city in France. Ada's mother lives there.",
    "facts": 1,
    "mentions": 1,
    "first_at": "2026-01-09T18:30:05Z",
    "last_at": "2026-01-09T18:30:05Z",
    "called": "Lyon",
    "corrections": [],
}
ENTITIES: dict[str, Any] = {"items": [_ENTITY], "next_cursor": None}
ENTITY: dict[str, Any] = {
    **_ENTITY,
    "mentions_by_month": [{"month": "2026-01", "turns": 1}],
    "neighbours": [{"id": _MOTHER, "name": "Ada's mother", "facts": 1}],
    "lookalikes": [],
    "newest_facts": [FACT],
}
GRAPH: dict[str, Any] = {
    "entities": {
        "id": [_MOTHER, _LYON],
        "name": ["Ada's mother", "Lyon"],
        "kind": ["person", "place"],
        "theme": [None, None],
        "first": ["2026-01-09T18:30:05Z", "2026-01-09T18:30:05Z"],
        "last": ["2026-01-09T18:30:05Z", "2026-01-09T18:30:05Z"],
        "mentions": [1, 1],
    },
    "facts": {
        "id": [FACT["id"]],
        "source": [_MOTHER],
        "target": [_LYON],
        "valid_at": ["2026-01-09T18:30:00Z"],
        "invalid_at": [None],
        "state": ["holding"],
    },
    "themes": [],
    "left_out": {"entities": 0, "facts": 0},
}
