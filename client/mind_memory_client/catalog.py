"""What a mind holds, as the service lists it: sessions, turns, facts, entities, and the graph. Frozen values."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from mind_memory_client.answers import Answer
from mind_memory_client.corrections import Decision
from mind_memory_client.sources import TurnSource


class Session(Answer):
    """A session; ``opening`` is how it begins, at most 200 characters."""

    session_id: str
    first_at: datetime
    last_at: datetime
    turns: int
    speakers: tuple[str, ...]
    opening: str


class Sessions(Answer):
    """A page of sessions, the one with the newest turn first; ``next_cursor`` is None at the end."""

    items: tuple[Session, ...]
    next_cursor: str | None = None


class KeptMessage(Answer):
    """One message of a turn, as it is kept."""

    role: str
    content: str
    timestamp: datetime | None
    name: str | None
    id: str | None


class Digestion(Answer):
    """How far the service is with a turn: ``digested``, ``waiting``, ``parked`` (see ``error``), ``not_remembered``."""

    state: str
    indexed: bool
    saved: bool
    extracted: bool
    error: str | None


class ToldIn(Answer):
    """A chapter of the story that tells a turn; ``index`` is its place, from 0."""

    index: int
    heading: str
    digest: str


class KeptTurn(Answer):
    """A turn as it is kept; ``trace_id`` is None where it is not known, ``chapters`` where no story can be read."""

    id: str
    sequence: int
    turn_id: str
    session_id: str
    accepted_at: datetime
    occurred_at: datetime
    kind: str
    messages: tuple[KeptMessage, ...]
    metadata: dict[str, Any]
    trace_id: str | None
    digestion: Digestion
    chapters: tuple[ToldIn, ...] | None
    corrections: tuple[Decision, ...] = ()


class Turns(Answer):
    """A page of turns; ``next_cursor`` is None at the end."""

    items: tuple[KeptTurn, ...]
    next_cursor: str | None = None


class Use(Answer):
    """How often a memory surfaced, when last, and the newest traces of that."""

    count: int
    last_at: datetime
    trace_ids: tuple[str, ...]


class Said(Answer):
    """Who said a fact by a correction of this ``id``: to ``say`` something new, or as an ``edit``."""

    id: str
    what: str
    at: datetime
    by: str


class Fact(Answer):
    """
    A fact and its state now: ``holding``, ``ended``, ``planned``, or ``wrong`` where a person said so.

    ``turns`` counts the turns that told it. ``is_contradicted``: it, or each of these turns, was found wrong when it
    surfaced. ``surfaced`` is None where it never came up. What a person ``said`` joins no entities.
    """

    id: str
    text: str
    source: str
    source_id: str | None
    target: str
    target_id: str | None
    valid_at: datetime | None
    invalid_at: datetime | None
    state: str
    importance: float | None
    turns: int
    sources: tuple[TurnSource, ...]
    corrections: tuple[Decision, ...] = ()
    is_contradicted: bool = False
    surfaced: Use | None = None
    said: Said | None = None


class Facts(Answer):
    """A page of facts, newest first; ``next_cursor`` is None at the end."""

    items: tuple[Fact, ...]
    next_cursor: str | None = None


class Entity(Answer):
    """A person, a place, a thing: how many ``facts`` join it, and in how many turns (``mentions``)."""

    id: str
    name: str
    kind: str
    summary: str
    facts: int
    mentions: int
    first_at: datetime | None
    last_at: datetime | None
    called: str = ""
    corrections: tuple[Decision, ...] = ()


class Entities(Answer):
    """A page of entities; ``next_cursor`` is None at the end."""

    items: tuple[Entity, ...]
    next_cursor: str | None = None


class Month(Answer):
    """How many turns of a month (``2026-01``, in UTC) mention an entity."""

    month: str
    turns: int


class Neighbour(Answer):
    """Another name in facts of an entity, and in how many of them."""

    id: str | None
    name: str
    facts: int


class Lookalike(Answer):
    """Another entity that may be the same: ``why`` is ``same_words``, ``spelling`` or ``contained``."""

    id: str
    name: str
    why: str


class EntityDetail(Entity):
    """One entity, and what is around it."""

    mentions_by_month: tuple[Month, ...]
    neighbours: tuple[Neighbour, ...]
    lookalikes: tuple[Lookalike, ...]
    newest_facts: tuple[Fact, ...]


class EntityColumns(Answer):
    """Entities of a graph, the most mentioned first: each column has a value for each of them."""

    id: tuple[str, ...]
    name: tuple[str, ...]
    kind: tuple[str, ...]
    theme: tuple[str | None, ...]
    first: tuple[datetime, ...]
    last: tuple[datetime, ...]
    mentions: tuple[int, ...]


class FactColumns(Answer):
    """Facts of a graph, newest first; ``source`` and ``target`` are ids of entities, ``state`` how each stands now."""

    id: tuple[str, ...]
    source: tuple[str, ...]
    target: tuple[str, ...]
    valid_at: tuple[datetime | None, ...]
    invalid_at: tuple[datetime | None, ...]
    state: tuple[str, ...] = ()


class Theme(Answer):
    """A group of entities that facts join closely, named by its two most mentioned."""

    id: str
    name: str


class LeftOut(Answer):
    """How many entities and facts of the time are not in a graph."""

    entities: int
    facts: int


class Graph(Answer):
    """The most mentioned entities of a time and the facts between them, in columns."""

    entities: EntityColumns
    facts: FactColumns
    themes: tuple[Theme, ...]
    left_out: LeftOut
