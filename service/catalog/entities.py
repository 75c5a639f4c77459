"""Entities in pages, and one of them with its months, its neighbours, its look-alikes and its newest facts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import EntityNotFound
from service.catalog.cursors import cursor_of, place_in
from service.catalog.facts import ENTITY, FactItem, fact_items, with_turns
from service.catalog.lookalikes import ORDER, Likeness, likeness, pieces_of, slack_of
from service.index.text_knowledge import (
    EntityFilter,
    FactFilter,
    candidates,
    entity_of,
    entity_page,
    fact_page,
    months_of,
    neighbours_of,
    place_of,
    uuids_of,
)

if TYPE_CHECKING:
    import sqlite3

    from consolidation.corrections.record import Correction
    from consolidation.corrections.standing import Standing
    from service.catalog.facts import FoundFacts
    from service.index.text_knowledge import EntityRow, EntitySort
    from service.mind.minds import Mind

_NEWEST_FACTS, _MOST_NEIGHBOURS, _MOST_LOOKALIKES = 10, 50, 20


@dataclass(frozen=True, slots=True)
class EntityItem:
    """
    An entity: how many facts join it, in how many turns, and when the first and the last of these was said.

    ``called`` is its name after what people merged and renamed; ``corrections`` are what they decided of it.
    """

    id: str
    name: str
    kind: str
    summary: str
    facts: int
    mentions: int
    first_at: datetime | None
    last_at: datetime | None
    called: str = ""
    corrections: tuple[Correction, ...] = ()


@dataclass(frozen=True, slots=True)
class EntityPage:
    """Entities in the order asked for; where the next page begins, None at the end."""

    items: tuple[EntityItem, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another name in facts of an entity, and in how many of them; ``id`` is None where no entity has it."""

    id: str | None
    name: str
    facts: int


@dataclass(frozen=True, slots=True)
class Lookalike:
    """Another entity that may be the same, and how their names are alike."""

    id: str
    name: str
    why: Likeness


@dataclass(frozen=True, slots=True)
class Month:
    """How many turns of a month, in UTC, mention an entity."""

    month: str
    turns: int


@dataclass(frozen=True, slots=True)
class EntityDetail:
    """One entity and what is around it."""

    entity: EntityItem
    months: tuple[Month, ...]
    neighbours: tuple[Neighbour, ...]
    lookalikes: tuple[Lookalike, ...]
    newest_facts: tuple[FactItem, ...]


@dataclass(frozen=True, slots=True)
class EntityQuery:
    """Which entities are asked for, and in which order. Each word of ``query`` begins one of the name."""

    query: str = ""
    kind: str | None = None
    sort: EntitySort = "mentions"
    cursor: str | None = None
    limit: int = 50


async def list_entities(mind: Mind, asked: EntityQuery) -> EntityPage:
    """One page of entities. Raises InvalidRequest, IndexUnusable."""
    name = f"entities by {asked.sort}"
    place = place_in(name, asked.cursor, str if asked.sort == "name" else float, int)
    only = EntityFilter(asked.query, asked.kind)

    def page(database: sqlite3.Connection) -> tuple[EntityRow, ...]:
        return entity_page(database, only, sort=asked.sort, after=place, limit=asked.limit + 1)

    rows = await anyio.to_thread.run_sync(mind.text.read, page)
    last = rows[asked.limit - 1] if len(rows) > asked.limit else None
    standing = await anyio.to_thread.run_sync(mind.corrections.standing)
    items = tuple(_item(row, standing) for row in rows[: asked.limit])
    return EntityPage(items, cursor_of(name, *place_of(last, asked.sort)) if last is not None else None)


async def read_entity(mind: Mind, entity_id: str, *, now: datetime) -> EntityDetail:
    """One entity. Raises EntityNotFound, IndexUnusable, TranscriptUnreadable."""
    around = await anyio.to_thread.run_sync(mind.text.read, lambda database: _around(database, entity_id, now))
    if around is None:
        raise EntityNotFound("the mind has no entity of this id")
    alike = await anyio.to_thread.run_sync(_lookalikes, mind, around.entity)
    return EntityDetail(
        entity=_item(around.entity, await anyio.to_thread.run_sync(mind.corrections.standing)),
        months=around.months,
        neighbours=around.neighbours,
        lookalikes=alike,
        newest_facts=await fact_items(mind, around.facts, now=now),
    )


@dataclass(frozen=True, slots=True)
class _Around:
    entity: EntityRow
    months: tuple[Month, ...]
    neighbours: tuple[Neighbour, ...]
    facts: FoundFacts


def _around(database: sqlite3.Connection, entity_id: str, now: datetime) -> _Around | None:
    uuid = entity_id.removeprefix(ENTITY) if entity_id.startswith(ENTITY) else ""
    entity = entity_of(database, uuid)
    if entity is None:
        return None
    shared = neighbours_of(database, entity.name, limit=_MOST_NEIGHBOURS)
    uuids = uuids_of(database, (name for name, _ in shared))
    rows = fact_page(database, FactFilter(now, entity.name), before=None, limit=_NEWEST_FACTS)
    return _Around(
        entity=entity,
        months=tuple(Month(*one) for one in months_of(database, entity.name)),
        neighbours=tuple(
            Neighbour(f"{ENTITY}{uuids[name]}" if name in uuids else None, name, facts) for name, facts in shared
        ),
        facts=with_turns(database, rows),
    )


def _lookalikes(mind: Mind, entity: EntityRow) -> tuple[Lookalike, ...]:
    """Other entities with a name that is alike, the surest first, then the most mentioned."""
    words, pieces = tuple(dict.fromkeys(entity.key.split())), pieces_of(entity.key)
    rows = mind.text.read(
        lambda database: candidates(database, entity, words=words, pieces=pieces, slack=slack_of(entity.key))
    )
    found = [
        Lookalike(f"{ENTITY}{one.uuid}", one.name, why)
        for one in rows
        if (why := likeness(entity.key, one.key)) is not None
    ]
    return tuple(sorted(found, key=lambda one: ORDER.index(one.why))[:_MOST_LOOKALIKES])


def _item(row: EntityRow, standing: Standing) -> EntityItem:
    return EntityItem(
        id=f"{ENTITY}{row.uuid}",
        name=row.name,
        kind=row.kind,
        summary=row.summary,
        facts=row.facts,
        mentions=row.mentions,
        first_at=_instant(row.first_at),
        last_at=_instant(row.last_at),
        called=standing.name_of(row.name),
        corrections=standing.of_entity(row.name),
    )


def _instant(seconds: float | None) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds is not None else None
