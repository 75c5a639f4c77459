"""
The entities and facts of a time as the lists have them, so that a graph of them shows the same ids, counts and states.

Whom people merged is one entity, by the id that was kept, who was split off is another, and each has the name of today.
Only those that decisions are about are counted here; all others are as the index has them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from service.catalog.entities import merged_rows
from service.catalog.splits import split_view
from service.index.graph_columns import GraphEntity, graph_entities, graph_facts, turns_then
from service.index.text_splits import facts_joining

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping

    from service.catalog.splits import SplitOff, SplitView
    from service.index.graph_columns import GraphFact, GraphWindow
    from service.index.text_knowledge import EntityRow
    from service.retrieval.put_right import PutRight


@dataclass(frozen=True, slots=True)
class ShownEntities:
    """
    The most mentioned ``entities`` of a time, and how many there are in all.

    ``uuid_of`` is whom each name of the index is of, and ``moved`` by fact and name where it is another one. Of names
    that are not here, nobody decided anything: each is of the entity that has it.
    """

    entities: tuple[GraphEntity, ...]
    every: int
    uuid_of: Mapping[str, str] = field(default_factory=dict)
    moved: Mapping[tuple[int, str], str] = field(default_factory=dict)

    def end(self, fact: int, name: str) -> str:
        """The uuid of whom *fact* tells by this *name*."""
        return self.moved.get((fact, name)) or self.uuid_of[name]


def shown_entities(
    database: sqlite3.Connection, window: GraphWindow, put_right: PutRight, *, limit: int
) -> ShownEntities:
    """At most *limit* entities that turns of the time mention, the most mentioned first."""
    splits = split_view(database, put_right)
    merged = merged_rows(database, put_right)
    decided = [_merged(database, window, row, [one.name for one in rows]) for row, rows in merged.items()]
    decided += [_left(database, window, row, splits) for row in splits.left]
    decided += [_off(window, one) for one in splits.off]
    uuid_of = {one.name: row.uuid for row, rows in merged.items() for one in rows}
    uuid_of |= {row.name: row.uuid for row in reversed(splits.left)}
    uuid_of |= {row.name: one.row.uuid for one in splits.off for row in one.known_as}
    known, others = graph_entities(database, window, limit=limit, without=uuid_of)
    told = [one for one in decided if one.mentions]
    called = (one._replace(name=put_right.standing.name_of(one.name)) for one in told)
    every = sorted((*known, *called), key=lambda one: (-one.mentions, -one.number))[:limit]
    uuid_of = {one.name: one.uuid for one in reversed(known)} | uuid_of
    return ShownEntities(tuple(every), others + len(told), uuid_of, splits.moved)


def facts_between(
    database: sqlite3.Connection, window: GraphWindow, shown: ShownEntities, *, limit: int
) -> tuple[tuple[GraphFact, ...], int]:
    """
    At most *limit* facts of the time between the entities *shown*, newest first; and how many were told.

    ``source`` and ``target`` are uuids.
    """
    uuids = {one.uuid for one in shown.entities}
    names = {name for name, uuid in shown.uuid_of.items() if uuid in uuids}
    names |= {name for (_, name), uuid in shown.moved.items() if uuid in uuids}
    elsewhere = [
        number
        for name in {name for _, name in shown.moved}
        for number in facts_joining(database, [name])
        if shown.end(number, name) not in uuids
    ]
    facts, every = graph_facts(database, window, names, limit=limit, without=elsewhere)
    ends = (
        one._replace(source=shown.end(one.number, one.source), target=shown.end(one.number, one.target))
        for one in facts
    )
    return tuple(ends), every


def _merged(database: sqlite3.Connection, window: GraphWindow, row: EntityRow, names: Iterable[str]) -> GraphEntity:
    return _counted(row, *turns_then(database, window, names))


def _left(database: sqlite3.Connection, window: GraphWindow, row: EntityRow, splits: SplitView) -> GraphEntity:
    return _counted(row, *turns_then(database, window, [row.name], without=splits.lost_by(row.name).sequences))


def _off(window: GraphWindow, off: SplitOff) -> GraphEntity:
    since, until = window.values["since"], window.values["until"]
    told = [at for at in off.told_at if since <= at <= until]
    return _counted(off.row, len(told), min(told, default=None), max(told, default=None))


def _counted(row: EntityRow, turns: int, first: float | None, last: float | None) -> GraphEntity:
    return GraphEntity(row.number, row.uuid, row.name, row.kind, turns, first or 0.0, last or 0.0)
