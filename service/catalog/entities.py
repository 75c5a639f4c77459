"""Entities in pages, and one of them with its months, its neighbours, its look-alikes and its newest facts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import EntityNotFound
from consolidation.text.names import name_key
from service.catalog.cursors import cursor_of, place_in
from service.catalog.facts import FactItem, FactQuery, list_facts, of_entity
from service.catalog.lookalikes import ORDER, Likeness, likeness, pieces_of, slack_of
from service.catalog.splits import SplitOff, SplitView, split_view
from service.index.text_knowledge import (
    EntityFilter,
    FactFilter,
    candidates,
    counted_under,
    entity_of,
    entity_page,
    months_of,
    neighbours_of,
    place_of,
    uuids_of,
)
from service.index.text_splits import entities_with_keys
from service.retrieval.put_right import ENTITY, put_right_in
from service.retrieval.time_window import TimeWindow

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from consolidation.corrections.record import Correction
    from service.catalog.cursors import Place
    from service.index.text_knowledge import EntityRow, EntitySort
    from service.mind.minds import Mind
    from service.retrieval.put_right import PutRight

_NEWEST_FACTS, _MOST_NEIGHBOURS, _MOST_LOOKALIKES = 10, 50, 20


@dataclass(frozen=True, slots=True)
class EntityItem:
    """
    An entity: how many facts of the graph join it, in how many turns, and when the first and last of these was said.

    ``called`` is its name after what people merged and renamed; ``corrections`` are what they decided of it. Where a
    person said what it is, ``summary`` is that; else it is without what they said is wrong, and what has ended.
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


async def list_entities(mind: Mind, asked: EntityQuery, *, now: datetime) -> EntityPage:
    """One page of entities. Raises InvalidRequest, IndexUnusable, TranscriptUnreadable."""
    name = f"entities by {asked.sort}"
    place = place_in(name, asked.cursor, str if asked.sort == "name" else float, int)
    put_right = await put_right_in(mind)
    rows = await anyio.to_thread.run_sync(mind.text.read, lambda database: _page(database, asked, place, put_right))
    last = rows[asked.limit - 1] if len(rows) > asked.limit else None
    shown = rows[: asked.limit]
    items = await anyio.to_thread.run_sync(lambda: tuple(_item(mind, row, put_right, now) for row in shown))
    return EntityPage(items, cursor_of(name, *place_of(last, asked.sort)) if last is not None else None)


def _page(
    database: sqlite3.Connection, asked: EntityQuery, place: Place | None, put_right: PutRight
) -> tuple[EntityRow, ...]:
    """The entities behind *place*, one more than a page has: those of the index, and what splits make of some."""
    splits = split_view(database, put_right)
    merged, keys_of = merged_rows(database, put_right), put_right.standing.keys_of
    only = EntityFilter(
        asked.query, asked.kind, splits.numbers | {one.number for rows in merged.values() for one in rows}
    )
    known = entity_page(database, only, sort=asked.sort, after=place, limit=asked.limit + 1)
    is_rising = asked.sort == "name"

    def is_behind(row: EntityRow) -> bool:
        here = place_of(row, asked.sort)
        return place is None or (here > place if is_rising else here < place)

    named = [one for one in merged if any(only.holds(replace(one, key=key)) for key in keys_of(one.name))]
    others = (one for one in (*splits.left, *(off.row for off in splits.off)) if only.holds(one))
    made = filter(is_behind, (*named, *others))
    every = sorted((*known, *made), key=lambda row: place_of(row, asked.sort), reverse=not is_rising)
    return tuple(every[: asked.limit + 1])


def merged_rows(database: sqlite3.Connection, put_right: PutRight) -> dict[EntityRow, tuple[EntityRow, ...]]:
    """Whom people merged or renamed, and did not split: one row, of the name that was kept, for those of all names."""
    found, standing = {}, put_right.standing
    for root, keys in standing.same.items():
        rows = sorted(entities_with_keys(database, sorted(keys)), key=lambda row: (row.key != root, -row.mentions))
        if rows and not any(name_key(one.name) in keys for one in standing.splits):
            row = counted_under(database, rows[0], [one.name for one in rows])
            found[replace(row, key=name_key(standing.name_of(row.name)))] = tuple(rows)
    return found


async def read_entity(mind: Mind, entity_id: str, *, now: datetime) -> EntityDetail:
    """One entity. Raises EntityNotFound, IndexUnusable, TranscriptUnreadable."""
    put_right = await put_right_in(mind)
    around = await anyio.to_thread.run_sync(
        mind.text.read, lambda database: _around(database, entity_id, put_right, now)
    )
    if around is None:
        raise EntityNotFound("the mind has no entity of this id")
    own = around.origins | put_right.standing.keys_of(around.entity.name)
    newest = FactQuery(TimeWindow(), entity=entity_id, limit=_NEWEST_FACTS)
    alike = await anyio.to_thread.run_sync(_lookalikes, mind, around.entity, own)
    return EntityDetail(
        entity=await anyio.to_thread.run_sync(_item, mind, around.entity, put_right, now),
        months=around.months,
        neighbours=around.neighbours,
        lookalikes=alike,
        newest_facts=(await list_facts(mind, newest, now=now)).items,
    )


@dataclass(frozen=True, slots=True)
class _Around:
    entity: EntityRow
    months: tuple[Month, ...]
    neighbours: tuple[Neighbour, ...]
    origins: frozenset[str] = frozenset()  # keys of names that a person said are another's


def _around(database: sqlite3.Connection, entity_id: str, put_right: PutRight, now: datetime) -> _Around | None:
    uuid = entity_id.removeprefix(ENTITY) if entity_id.startswith(ENTITY) else ""
    splits = split_view(database, put_right)
    off = splits.of_id(uuid)
    entity = off.row if off is not None else entity_of(database, uuid)
    if entity is None:
        return None
    only = of_entity(database, FactFilter(now), entity_id, splits, put_right)
    months, shared = _counted(database, only, off, splits)
    merged = merged_rows(database, put_right)
    return _Around(
        entity=next(
            (row for row, rows in merged.items() if entity.number in {one.number for one in rows}),
            splits.row_of(entity),
        ),
        months=tuple(Month(*one) for one in months),
        neighbours=_neighbours(database, shared[:_MOST_NEIGHBOURS], splits),
        origins=off.origins if off is not None else frozenset(),
    )


type _Counts = tuple[tuple[str, int], ...]


def _counted(
    database: sqlite3.Connection, only: FactFilter, off: SplitOff | None, splits: SplitView
) -> tuple[_Counts, _Counts]:
    """The months of an entity with their turns, and the names in its facts with how many."""
    if off is not None:
        return off.months, off.neighbours
    lost = [one for name in only.names for one in splits.lost_by(name).sequences]
    months = months_of(database, only.names, without=lost)
    return months, neighbours_of(database, only.names, without=only.without_numbers, limit=_MOST_NEIGHBOURS)


def _neighbours(
    database: sqlite3.Connection, shared: Iterable[tuple[str, int]], splits: SplitView
) -> tuple[Neighbour, ...]:
    shared = tuple(shared)
    uuids = uuids_of(database, (name for name, _ in shared)) | {
        name: off.row.uuid for off in splits.off for name in (off.row.name, *(row.name for row in off.known_as))
    }
    return tuple(Neighbour(f"{ENTITY}{uuids[name]}" if name in uuids else None, name, facts) for name, facts in shared)


def _lookalikes(mind: Mind, entity: EntityRow, own: frozenset[str]) -> tuple[Lookalike, ...]:
    """Others with a name that is alike, the surest first, then the most mentioned, but for its *own* names."""
    words, pieces = tuple(dict.fromkeys(entity.key.split())), pieces_of(entity.key)
    rows = mind.text.read(
        lambda database: candidates(database, entity, words=words, pieces=pieces, slack=slack_of(entity.key))
    )
    found = [
        Lookalike(f"{ENTITY}{one.uuid}", one.name, why)
        for one in rows
        if one.key not in own and (why := likeness(entity.key, one.key)) is not None
    ]
    return tuple(sorted(found, key=lambda one: ORDER.index(one.why))[:_MOST_LOOKALIKES])


def _item(mind: Mind, row: EntityRow, put_right: PutRight, now: datetime) -> EntityItem:
    standing = put_right.standing
    held = put_right.holding_summary(row.name, row.summary, mind.text, now=now)
    return EntityItem(
        id=f"{ENTITY}{row.uuid}",
        name=row.name,
        kind=row.kind,
        summary=put_right.summary(row.name, held, on_purpose=True),
        facts=row.facts,
        mentions=row.mentions,
        first_at=_instant(row.first_at),
        last_at=_instant(row.last_at),
        called=standing.name_of(row.name),
        corrections=standing.of_entity(row.name),
    )


def _instant(seconds: float | None) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds is not None else None
