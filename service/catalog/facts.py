"""Facts in pages, newest first, each with the turns that told it; read from full text, so the graph need not answer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import anyio.to_thread

from consolidation.corrections.record import What
from consolidation.corrections.standing import Statement
from consolidation.kernel.errors import EntityNotFound, FactNotFound
from consolidation.kernel.turns import TurnKind
from consolidation.text.language import detect
from consolidation.text.words import stems
from service.catalog.cursors import cursor_of, place_in
from service.catalog.said import END, SaidFilter, newest_first, place_of, said_behind
from service.catalog.splits import split_view
from service.index.text_knowledge import (
    FactFilter,
    FactRow,
    entity_named,
    entity_of,
    fact_of,
    fact_page,
    facts_with_an_end,
    sequences_of,
    uuids_of,
)
from service.index.text_splits import entities_with_keys
from service.retrieval.excerpt import query_words
from service.retrieval.fragments import as_source
from service.retrieval.put_right import ENTITY, FACT, put_right_in, split_off_id, statement_id

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from consolidation.corrections.record import Correction
    from consolidation.corrections.standing import Decided
    from consolidation.kernel.turns import StoredTurn
    from service.catalog.splits import SplitView
    from service.index.text_knowledge import FactState
    from service.index.trace_index import Use
    from service.mind.minds import Mind
    from service.retrieval.moment import Source
    from service.retrieval.put_right import PutRight
    from service.retrieval.time_window import TimeWindow

MOST_SOURCES, _FEW_SOURCES = 100, 5  # of a fact by itself, and of one in a list
_LIST = "facts"


@dataclass(frozen=True, slots=True)
class FactItem:
    """
    A fact, its state, and the newest turns that told it, newest first; ``turns`` counts all of them.

    ``source_id`` and ``target_id`` are None where no entity has exactly that name. ``corrections`` are what people
    decided of it; what they say is not so is ``wrong``. ``is_contradicted``: outcomes say that it was found wrong, or
    that all its turns were. ``surfaced`` is None where it never came up. What a person ``said`` joins no entities.
    """

    id: str
    text: str
    source: str
    source_id: str | None
    target: str
    target_id: str | None
    valid_at: datetime | None
    invalid_at: datetime | None
    state: FactState | Literal["wrong"]
    importance: float | None
    turns: int
    sources: tuple[Source, ...]
    corrections: tuple[Correction, ...] = ()
    is_contradicted: bool = False
    surfaced: Use | None = None
    said: Statement | None = None


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


async def list_facts(mind: Mind, asked: FactQuery, *, now: datetime) -> FactPage:
    """
    One page of facts, and of what people said, newest first.

    Raises EntityNotFound, InvalidRequest, IndexUnusable, TranscriptUnreadable.
    """
    parts = place_in(_LIST, asked.cursor, int, int, int, str)
    place: _Place | None = _Place(*parts) if parts is not None else _Place()
    put_right = await put_right_in(mind)
    items: tuple[FactItem, ...] = ()
    while place is not None and not items:  # a state that a person decided is known of items, not of rows
        items, place = await _page(mind, asked, place, put_right, now=now)
    return FactPage(items, cursor_of(_LIST, *place) if place is not None else None)


class _Place(NamedTuple):
    """Behind which fact, and behind which time and id of what a person said, a page begins."""

    sequence: int = END
    number: int = END
    said_at: int = END
    said_id: str = ""


async def _page(
    mind: Mind, asked: FactQuery, place: _Place, put_right: PutRight, *, now: datetime
) -> tuple[tuple[FactItem, ...], _Place | None]:
    """The items behind *place*, and where the next ones are; None at the end."""
    found, said = await anyio.to_thread.run_sync(_find, mind, asked, place, put_right, now)
    told = await mind.transcript.read_many(sorted({row.sequence for row in found.rows if row.sequence}))
    accepted = {one.sequence: one.accepted_at for one in told}
    merged = newest_first(found.rows, said, told_at=lambda row: accepted.get(row.sequence))
    rows = tuple(one for one in merged[: asked.limit] if isinstance(one, FactRow))
    statements = tuple(one for one in merged[: asked.limit] if isinstance(one, Statement))
    facts = iter(await fact_items(mind, replace(found, rows=rows), now=now))
    spoken = iter(await _said_items(mind, statements, put_right, now=now))
    items = (next(facts if isinstance(one, FactRow) else spoken) for one in merged[: asked.limit])
    shown = tuple(one for one in items if asked.state in {None, one.state})
    if len(merged) <= asked.limit:
        return shown, None
    behind = (rows[-1:] and (rows[-1].sequence, rows[-1].number)) or place[:2]
    return shown, _Place(*behind, *(place_of(statements[-1]) if statements else place[2:]))


async def read_fact(mind: Mind, fact_id: str, *, now: datetime) -> FactItem:
    """One fact. Raises FactNotFound, IndexUnusable, TranscriptUnreadable."""

    def one(database: sqlite3.Connection) -> FoundFacts:
        row = fact_of(database, fact_id.removeprefix(FACT)) if fact_id.startswith(FACT) else None
        return with_turns(database, (row,) if row is not None else ())

    found = await anyio.to_thread.run_sync(mind.text.read, one)
    for item in await fact_items(mind, found, now=now, most_sources=MOST_SOURCES):
        return item
    put_right = await put_right_in(mind)
    said = tuple(one for one in put_right.standing.said if statement_id(one) == fact_id)
    for item in await _said_items(mind, said, put_right, now=now, most_sources=MOST_SOURCES):
        return item
    raise FactNotFound("the mind has no fact of this id")


async def fact_items(
    mind: Mind, found: FoundFacts, *, now: datetime, most_sources: int = _FEW_SOURCES
) -> tuple[FactItem, ...]:
    """*found* as items, each with its newest sources."""
    resting = {row.number: _sequences(row, found) for row in found.rows}
    wanted = sorted({one for sequences in resting.values() for one in sequences[:most_sources]})
    turns = {one.sequence: one for one in await mind.transcript.read_many(wanted)}
    put_right = await put_right_in(mind)

    def items() -> tuple[FactItem, ...]:
        language = mind.text.main_language()
        told_in = {f"{FACT}{row.uuid}": resting[row.number] for row in found.rows}
        uses = mind.trace_log.surfaced(list(told_in)) if told_in else {}
        wrong = mind.outcomes.held_back(told_in)
        wrong -= {key for key, sequences in told_in.items() if put_right.are_right(sequences)}
        made = (_item(row, found.uuids, resting[row.number], turns, now=now, language=language) for row in found.rows)
        return tuple(_marked(_judged(one, told_in[one.id], put_right, now), wrong, uses) for one in made)

    return await anyio.to_thread.run_sync(items)


def with_turns(database: sqlite3.Connection, rows: Sequence[FactRow]) -> FoundFacts:
    """*rows* with what else an item needs of the index."""
    names = [name for row in rows for name in (row.source, row.target)]
    episodes = [episode for row in rows for episode in row.episodes]
    return FoundFacts(tuple(rows), uuids_of(database, names), sequences_of(database, episodes))


def state_of(valid_at: datetime | None, invalid_at: datetime | None, *, now: datetime) -> FactState:
    """Whether a fact holds at *now*, has ended, or is to come."""
    if invalid_at is not None and invalid_at <= now:
        return "ended"
    return "planned" if valid_at is not None and valid_at > now else "holding"


def _find(
    mind: Mind, asked: FactQuery, place: _Place, put_right: PutRight, now: datetime
) -> tuple[FoundFacts, tuple[Statement, ...]]:
    """The facts of the graph behind *place*, and what people said behind it: of both, one more than a page has."""
    wanted = _stems(mind, asked.query)
    if asked.query and not wanted:
        return FoundFacts(), ()  # no word of it tells anything

    confirmed = frozenset(row.number for row in confirmed_facts(mind, put_right)) if asked.state else frozenset()

    def page(database: sqlite3.Connection) -> tuple[FoundFacts, frozenset[str] | None]:
        window = asked.window
        only = FactFilter(now, (), asked.state, window.since, window.until, wanted, of_any_state=confirmed)
        if asked.entity is not None:
            only = of_entity(database, only, asked.entity, split_view(database, put_right), put_right)
        rows = fact_page(database, only, before=place[:2], limit=asked.limit + 1)
        return with_turns(database, rows), put_right.standing.keys_of(only.names[0]) if only.names else None

    found, keys = mind.text.read(page)
    language = mind.text.main_language()
    said = SaidFilter(asked.window, keys, wanted, language=language)
    return found, said_behind(put_right.standing.said, place[2:], said, limit=asked.limit + 1)


def confirmed_facts(mind: Mind, put_right: PutRight) -> tuple[FactRow, ...]:
    """The facts that a model ended and a person called right: they hold. It blocks. Raises IndexUnusable."""
    told_in = put_right.confirmed_sequences()
    if not told_in:
        return ()

    def ended(database: sqlite3.Connection) -> FoundFacts:
        return with_turns(database, facts_with_an_end(database, told_in))

    found = mind.text.read(ended)
    decided = decisions(found, put_right)
    return tuple(row for row in found.rows if decided[row.number].is_right)


def decisions(found: FoundFacts, put_right: PutRight) -> dict[int, Decided]:
    """What people decided of each fact, by its number. It blocks."""
    return {
        row.number: put_right.fact(row.text, _sequences(row, found), joins=(row.source, row.target))
        for row in found.rows
    }


def of_entity(
    database: sqlite3.Connection, only: FactFilter, entity: str, splits: SplitView, put_right: PutRight
) -> FactFilter:
    """*only*, of the facts of an entity: its id, or a name of it. Raises EntityNotFound where no entity has the id."""
    is_id, uuid = entity.startswith(ENTITY), entity.removeprefix(ENTITY)
    off = splits.of_id(uuid) if is_id else splits.named(put_right.standing.keys_of(entity))
    if off is not None:
        called = tuple(dict.fromkeys((off.row.name, *(one.name for one in off.known_as))))
        return replace(only, names=called, with_numbers=off.facts)
    known = entity_of(database, uuid) if is_id else None
    if is_id and known is None:
        raise EntityNotFound("the mind has no entity of this id")
    name = known.name if known is not None else _name(database, entity, put_right)
    names = _names(database, name, put_right)
    return replace(only, names=names, without_numbers=frozenset().union(*(splits.lost_by(one).facts for one in names)))


def _names(database: sqlite3.Connection, name: str, put_right: PutRight) -> tuple[str, ...]:
    """The names by which facts know an entity: *name*, and those that people merged with it."""
    keys = put_right.standing.keys_of(name)
    merged = entities_with_keys(database, sorted(keys)) if len(keys) > 1 else ()
    return tuple(dict.fromkeys((name, *(row.name for row in merged))))


def _name(database: sqlite3.Connection, name: str, put_right: PutRight) -> str:
    """The name by which facts know an entity that is called *name*, or was given this name by a person."""
    names = (name, *sorted(put_right.standing.keys_of(name)))
    return next((found for one in names if (found := entity_named(database, one))), name)


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


def _marked(item: FactItem, wrong: frozenset[str], uses: Mapping[str, Use]) -> FactItem:
    """*item* with what outcomes say is *wrong*, unless a person confirmed it, and where it came up."""
    is_confirmed = any(one.what is What.RIGHT for one in item.corrections)
    return replace(item, is_contradicted=item.id in wrong and not is_confirmed, surfaced=uses.get(item.id))


def _judged(item: FactItem, sequences: Sequence[int], put_right: PutRight, now: datetime) -> FactItem:
    """*item* with what people decided of it."""
    decided = put_right.fact(item.text, sequences, joins=(item.source, item.target))
    state = item.state
    if decided.is_wrong:
        state = "wrong"
    elif decided.is_right:
        state = state_of(item.valid_at, None, now=now)
    names = (item.source, item.target)
    source, target = (put_right.split_in(one, sequences) or put_right.split_off_as(one) for one in names)
    return replace(
        item,
        source=source.to if source is not None else item.source,
        source_id=split_off_id(source) if source is not None else item.source_id,
        target=target.to if target is not None else item.target,
        target_id=split_off_id(target) if target is not None else item.target_id,
        invalid_at=None if decided.is_right else item.invalid_at,
        state=state,
        corrections=decided.corrections,
    )


async def _said_items(
    mind: Mind, said: Sequence[Statement], put_right: PutRight, *, now: datetime, most_sources: int = _FEW_SOURCES
) -> tuple[FactItem, ...]:
    """What people said, as facts that join no entities, each with the newest turns whose place it took."""
    if not said:
        return ()
    positions = mind.transcript.positions
    known = {one.id: [positions.sequence_of(turn_id) for turn_id in one.turn_ids] for one in said}
    told = {key: sorted((one for one in found if one is not None), reverse=True) for key, found in known.items()}
    wanted = sorted({one for sequences in told.values() for one in sequences[:most_sources]})
    turns = {one.sequence: one for one in await mind.transcript.read_many(wanted)}

    def items() -> tuple[FactItem, ...]:
        ids = [statement_id(one) for one in said]
        uses, wrong = mind.trace_log.surfaced(ids), mind.outcomes.held_back(dict.fromkeys(ids, ()), statements=ids)
        shown = ([turns[at] for at in told[one.id][:most_sources] if at in turns] for one in said)
        made = (
            _said(one, len(told[one.id]), there, put_right, now=now) for one, there in zip(said, shown, strict=True)
        )
        return tuple(_marked(one, wrong, uses) for one in made)

    return await anyio.to_thread.run_sync(items)


def _said(said: Statement, told: int, turns: Sequence[StoredTurn], put_right: PutRight, *, now: datetime) -> FactItem:
    source_of = partial(as_source, wanted=query_words((said.text,)), language=detect(said.text))
    decided = put_right.standing.of_statement(said)
    return FactItem(
        id=statement_id(said),
        text=put_right.statement_text(said),
        source="",
        source_id=None,
        target="",
        target_id=None,
        valid_at=None,
        invalid_at=None,
        state="wrong" if decided.is_wrong else state_of(None, None, now=now),
        importance=None,
        turns=told,
        sources=tuple(source_of(one) for one in turns if one.turn.kind is not TurnKind.ERASED),
        corrections=decided.corrections,
        said=said,
    )


def _entity_id(uuid: str | None) -> str | None:
    return f"{ENTITY}{uuid}" if uuid is not None else None
