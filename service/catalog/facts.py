"""Facts in pages, newest first, each with the turns that told it; read from full text, so the graph need not answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import EntityNotFound, FactNotFound
from consolidation.kernel.turns import TurnKind
from consolidation.text.language import detect
from consolidation.text.words import stems
from service.catalog.cursors import cursor_of, place_in
from service.index.text_knowledge import (
    FactFilter,
    entity_named,
    entity_of,
    fact_of,
    fact_page,
    sequences_of,
    uuids_of,
)
from service.retrieval.excerpt import query_words
from service.retrieval.fragments import as_source

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from consolidation.kernel.turns import StoredTurn
    from service.catalog.cursors import Place
    from service.index.text_knowledge import FactRow, FactState
    from service.mind.minds import Mind
    from service.retrieval.moment import Source
    from service.retrieval.remember import TimeWindow

FACT, ENTITY = "fact:", "entity:"
MOST_SOURCES, _FEW_SOURCES = 100, 5  # of a fact by itself, and of one in a list
_LIST = "facts"


@dataclass(frozen=True, slots=True)
class FactItem:
    """
    A fact, its state, and the newest turns that told it, newest first; ``turns`` counts all of them.

    ``source_id`` and ``target_id`` are None where no entity has exactly that name.
    """

    id: str
    text: str
    source: str
    source_id: str | None
    target: str
    target_id: str | None
    valid_at: datetime | None
    invalid_at: datetime | None
    state: FactState
    importance: float | None
    turns: int
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class FactPage:
    """Facts, newest first; where the next page begins, None at the end."""

    items: tuple[FactItem, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class FactQuery:
    """
    Which facts are asked for. ``entity`` is an id, ``entity:…``, or a name in any spelling.

    ``window`` is when they were told first. A fact is found by ``query`` where it has all of its words.
    """

    window: TimeWindow
    entity: str | None = None
    state: FactState | None = None
    query: str = ""
    cursor: str | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class FoundFacts:
    """Rows, the ids of the entities that they name, and the sequences of the turns that they rest on."""

    rows: tuple[FactRow, ...] = ()
    uuids: Mapping[str, str] = field(default_factory=dict)
    sequences: Mapping[str, int] = field(default_factory=dict)
    has_more: bool = False


async def list_facts(mind: Mind, asked: FactQuery, *, now: datetime) -> FactPage:
    """One page of facts. Raises EntityNotFound, InvalidRequest, IndexUnusable, TranscriptUnreadable."""
    place = place_in(_LIST, asked.cursor, int, int)
    found = await anyio.to_thread.run_sync(_find, mind, asked, place, now)
    items = await fact_items(mind, found, now=now)
    last = found.rows[-1] if found.has_more else None
    return FactPage(items, cursor_of(_LIST, last.sequence, last.number) if last is not None else None)


async def read_fact(mind: Mind, fact_id: str, *, now: datetime) -> FactItem:
    """One fact. Raises FactNotFound, IndexUnusable, TranscriptUnreadable."""

    def one(database: sqlite3.Connection) -> FoundFacts:
        row = fact_of(database, fact_id.removeprefix(FACT)) if fact_id.startswith(FACT) else None
        return with_turns(database, (row,) if row is not None else ())

    found = await anyio.to_thread.run_sync(mind.text.read, one)
    for item in await fact_items(mind, found, now=now, most_sources=MOST_SOURCES):
        return item
    raise FactNotFound("the mind has no fact of this id")


async def fact_items(
    mind: Mind, found: FoundFacts, *, now: datetime, most_sources: int = _FEW_SOURCES
) -> tuple[FactItem, ...]:
    """*found* as items, each with its newest sources."""
    resting = {row.number: _sequences(row, found) for row in found.rows}
    wanted = sorted({one for sequences in resting.values() for one in sequences[:most_sources]})
    turns = {one.sequence: one for one in await mind.transcript.read_many(wanted)}
    return await anyio.to_thread.run_sync(
        lambda: tuple(
            _item(row, found.uuids, resting[row.number], turns, now=now, language=language)
            for language in (next(iter(mind.text.languages()), "en"),)
            for row in found.rows
        )
    )


def with_turns(database: sqlite3.Connection, rows: Sequence[FactRow], *, has_more: bool = False) -> FoundFacts:
    """*rows* with what else an item needs of the index."""
    names = [name for row in rows for name in (row.source, row.target)]
    episodes = [episode for row in rows for episode in row.episodes]
    return FoundFacts(tuple(rows), uuids_of(database, names), sequences_of(database, episodes), has_more)


def state_of(valid_at: datetime | None, invalid_at: datetime | None, *, now: datetime) -> FactState:
    """Whether a fact holds at *now*, has ended, or is to come."""
    if invalid_at is not None and invalid_at <= now:
        return "ended"
    return "planned" if valid_at is not None and valid_at > now else "holding"


def _find(mind: Mind, asked: FactQuery, place: Place | None, now: datetime) -> FoundFacts:
    wanted = _stems(mind, asked.query)
    if asked.query and not wanted:
        return FoundFacts()  # no word of it tells anything

    def page(database: sqlite3.Connection) -> FoundFacts:
        name = _name(database, asked.entity) if asked.entity is not None else None
        only = FactFilter(now, name, asked.state, asked.window.since, asked.window.until, wanted)
        rows = fact_page(database, only, before=place, limit=asked.limit + 1)
        return with_turns(database, rows[: asked.limit], has_more=len(rows) > asked.limit)

    return mind.text.read(page)


def _name(database: sqlite3.Connection, entity: str) -> str:
    """The name by which facts know an entity. Raises EntityNotFound where it is given by an id."""
    if entity.startswith(ENTITY):
        known = entity_of(database, entity.removeprefix(ENTITY))
        if known is None:
            raise EntityNotFound("the mind has no entity of this id")
        return known.name
    return entity_named(database, entity) or entity


def _stems(mind: Mind, query: str) -> tuple[tuple[str, ...], ...]:
    """The stems of a query in its own language and in those of the mind, each once."""
    if not query:
        return ()
    main = mind.text.languages()
    languages = dict.fromkeys((detect(query, fallback=next(iter(main), "en")), *main))
    return tuple(dict.fromkeys(found for code in languages if (found := tuple(stems(query, language=code)))))


def _sequences(row: FactRow, found: FoundFacts) -> tuple[int, ...]:
    """The turns that told a fact, newest first."""
    known = (found.sequences[episode] for episode in row.episodes if episode in found.sequences)
    return tuple(sorted(set(known), reverse=True))


def _item(
    row: FactRow,
    uuids: Mapping[str, str],
    sequences: Sequence[int],
    turns: Mapping[int, StoredTurn],
    *,
    now: datetime,
    language: str,
) -> FactItem:
    source_of = partial(as_source, wanted=query_words((row.text,)), language=language)
    told = [turns[one] for one in sequences if one in turns and turns[one].turn.kind is not TurnKind.ERASED]
    return FactItem(
        id=f"{FACT}{row.uuid}",
        text=row.text,
        source=row.source,
        source_id=_entity_id(uuids.get(row.source)),
        target=row.target,
        target_id=_entity_id(uuids.get(row.target)),
        valid_at=row.valid_at,
        invalid_at=row.invalid_at,
        state=state_of(row.valid_at, row.invalid_at, now=now),
        importance=row.importance,
        turns=len(sequences),
        sources=tuple(map(source_of, told[:MOST_SOURCES])),
    )


def _entity_id(uuid: str | None) -> str | None:
    return f"{ENTITY}{uuid}" if uuid is not None else None
