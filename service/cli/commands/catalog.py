"""What a mind holds, newest first: turns, facts, and the people, places and things; and one of them in detail."""

from __future__ import annotations

from datetime import time
from typing import Annotated, Any

import typer
from mind_memory_client import AsyncMemoryClient, NotFound
from mind_memory_client.catalog import Entities, Entity, EntityDetail, Fact, Facts, KeptTurn, Turns, Use
from mind_memory_client.corrections import Decision
from rich.console import Console
from rich.text import Text

from consolidation.text.names import name_key
from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, HowMany, MindName, OneSession, check_one_of, command, instant_of
from service.cli.connection import connect
from service.cli.output.terminal import (
    Row,
    counted,
    day,
    days,
    indented,
    minute,
    note,
    one_line,
    plain,
    plain_table,
    rows_of,
    short_name,
    show_facts,
    show_list,
    speaker,
    table_with_ids,
)

_STATES = ("holding", "ended", "planned")
_SORTS = ("mentions", "recent", "name")
_PREFIX = "entity:"
_EPISODE = "episode:"
_LOOKED_AT, _MOST_NAMED = 100, 5
_LONGEST, _LONGEST_SUMMARY = 160, 400
_SHOWN = 10  # neighbours and months of an entity


@command(json=True)
async def turns(
    context: Context,
    turn_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="One turn, by its id or its number, like 12 or #12.")
    ] = None,
    mind: MindName = DEFAULT_MIND,
    session: OneSession = None,
    after: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=0, help="Only behind this number, oldest first.")
    ] = None,
    before: Annotated[int | None, typer.Option(metavar="NUMBER", min=1, help="Only before this number.")] = None,
    limit: HowMany = 20,
) -> None:
    """List what was said, newest first, or show one turn."""
    async with connect(context) as connection:
        memory = connection.memory
        if turn_id is not None:
            connection.show(context, _show_turn, await turn_named(memory, mind, turn_id))
        else:
            found = await memory.turns(mind, session=session, after=after, before=before, limit=limit)
            connection.show(context, _show_turn_list, found)


async def turn_named(memory: AsyncMemoryClient, mind: str, name: str) -> KeptTurn:
    """The turn of this id, or of this number, as ``12``, ``#12`` or ``episode:12``. Raises MindMemoryError."""
    try:
        return await memory.read_turn(mind, turn_id=name)
    except NotFound:
        return await memory.read_turn(mind, turn_id=f"{_EPISODE}{name.removeprefix('#')}")  # as the list has it


def first_words(turn: KeptTurn) -> str:
    """What was said first in a turn, on one line; its kind, where nothing was."""
    words = next((message.content for message in turn.messages if message.content.strip()), "")
    return one_line(words or f"({turn.kind.replace('_', ' ')})", most=_LONGEST)


def _show_turn_list(console: Console, found: Turns) -> None:
    """Turns, a line each: when, where, and the first words."""
    table = plain_table("", "said", "session", "")
    for turn in found.items:
        table.add_row(f"#{turn.sequence}", minute(turn.occurred_at), short_name(turn.session_id), first_words(turn))
    show_list(console, table if found.items else None, "No turn was found.", found.next_cursor)


def _show_turn(console: Console, turn: KeptTurn) -> None:
    """One turn: its messages, and what became of it."""
    rows = [
        Row("turn", f"#{turn.sequence}  {turn.turn_id}"),
        Row("session", turn.session_id),
        Row("kind", turn.kind.replace("_", " ")),
        Row("said", minute(turn.occurred_at)),
        Row("state", turn.digestion.state.replace("_", " ")),
        Row("", turn.digestion.error or "", "yellow"),
        Row("trace", turn.trace_id or ""),
        *(Row("chapter", chapter.heading.lstrip("# ")) for chapter in turn.chapters or ()),
    ]
    show_facts(console, rows, below=1)
    for message in turn.messages:
        indented(console, speaker(message.role, message.name).append(plain(message.content)))


@command(json=True)
async def facts(
    context: Context,
    fact_id: Annotated[str | None, typer.Argument(metavar="ID", help="One fact, like fact:4e8b….")] = None,
    mind: MindName = DEFAULT_MIND,
    entity: Annotated[str | None, typer.Option(metavar="NAME", help="Only of this one: its name, or its id.")] = None,
    state: Annotated[str | None, typer.Option(metavar="STATE", help="holding, ended or planned.")] = None,
    query: Annotated[str | None, typer.Option(metavar="WORDS", help="Only with all of these words.")] = None,
    since: Annotated[str | None, typer.Option(metavar="DAY", help="Told first on this day or later.")] = None,
    limit: HowMany = 20,
) -> None:
    """List what is known, newest first, or show one fact."""
    check_one_of(_STATES, state, "--state")
    asked: dict[str, Any] = {
        "entity": entity,
        "state": state,
        "query": query,
        "since": instant_of(since, "--since", at=time.min),
        "limit": limit,
    }
    async with connect(context) as connection:
        memory = connection.memory
        if fact_id is not None:
            connection.show(context, _show_fact, await memory.fact(mind, fact_id=fact_id))
        else:
            connection.show(context, _show_fact_list, await memory.facts(mind, **asked))


def _show_fact_list(console: Console, found: Facts) -> None:
    """Facts, newest first, a line each, with their state."""
    rows = ((one.id, (_state(one), _told(one), one_line(one.text, most=_LONGEST))) for one in found.items)
    table = table_with_ids(console, ("state", "told", ""), rows)
    show_list(console, table if found.items else None, "No fact was found.", found.next_cursor)


def _show_fact(console: Console, fact: Fact) -> None:
    """One fact, and the turns that told it."""
    rows = [
        Row("fact", fact.text),
        Row("joins", f"{fact.source} — {fact.target}" if fact.source else ""),
        Row("state", _state(fact)),
        Row("said", f"{minute(fact.said.at)}, by {fact.said.by}" if fact.said else ""),
        Row("since", minute(fact.valid_at) if fact.valid_at else ""),
        Row("until", minute(fact.invalid_at) if fact.invalid_at else ""),
        Row("importance", f"{fact.importance:g}" if fact.importance is not None else ""),
        Row("told in", counted(fact.turns, "turn")),
        Row("surfaced", _use(fact.surfaced) if fact.surfaced else ""),
        *rows_of("put right", map(_decision, fact.corrections)),
    ]
    show_facts(console, rows, below=1)
    for source in fact.sources:
        head = Text(f"{minute(source.timestamp)}  ", style="bold")
        head.append(f"{short_name(source.session_id)} #{source.sequence}", style="dim")
        indented(console, head)
        indented(console, Text(one_line(source.excerpt)), by=4)


def _state(one: Fact) -> str:
    return f"{one.state}, found wrong once" if one.is_contradicted else one.state


def _told(one: Fact) -> str:
    return day(one.sources[0].timestamp) if one.sources else ""


def _use(use: Use) -> str:
    return f"{counted(use.count, 'time')}, last {minute(use.last_at)}"


@command(json=True)
async def entities(
    context: Context,
    entity: Annotated[
        str | None, typer.Argument(metavar="ENTITY", help="One of them: its id, like entity:9b0f…, or its name.")
    ] = None,
    mind: MindName = DEFAULT_MIND,
    query: Annotated[str | None, typer.Option(metavar="WORDS", help="Only with these words in the name.")] = None,
    kind: Annotated[str | None, typer.Option(metavar="KIND", help="Only of this kind.")] = None,
    sort: Annotated[str, typer.Option(metavar="ORDER", help="mentions, recent or name.")] = "mentions",
    limit: HowMany = 20,
) -> None:
    """List people, places and things, or show one of them."""
    check_one_of(_SORTS, sort, "--sort")
    asked: dict[str, Any] = {"query": query, "kind": kind, "sort": sort, "limit": limit}
    async with connect(context) as connection:
        memory = connection.memory
        if entity is not None:
            entity_id = await _id_of(memory, mind, entity)
            connection.show(context, _show_entity, await memory.entity(mind, entity_id=entity_id))
        else:
            connection.show(context, _show_entity_list, await memory.entities(mind, **asked))


async def _id_of(memory: AsyncMemoryClient, mind: str, entity: str) -> str:
    """The id of an entity that is named by it or by its name, in any case. Raises CommandFailed."""
    if entity.startswith(_PREFIX):
        return entity
    found = (await memory.entities(mind, query=entity, limit=_LOOKED_AT)).items
    wanted = name_key(entity)
    same = [one for one in found if wanted in {name_key(one.name), name_key(one.called)}] or list(found)
    if not same:
        raise CommandFailed(f"{mind} knows nobody and nothing that is called {one_line(entity)}")
    if len(same) > 1:
        named = ", ".join(f"{one_line(one.called or one.name)} ({one.id})" for one in same[:_MOST_NAMED])
        raise CommandFailed(f"several are called {one_line(entity)}: choose one by its id: {named}")
    called = same[0].called or same[0].name
    if wanted not in {name_key(same[0].name), name_key(called)}:
        note(f"Nobody and nothing is called {one_line(entity)}. The only name with such words is {one_line(called)}.")
    return same[0].id


def _show_entity_list(console: Console, found: Entities) -> None:
    """Entities, a line each: the name, how much is known, and when it was spoken of."""
    table = table_with_ids(console, ("name", "kind", "facts", "turns", ""), map(_entity, found.items))
    show_list(console, table if found.items else None, "Nobody and nothing was found.", found.next_cursor)


def _entity(one: Entity) -> tuple[str, tuple[str, ...]]:
    numbers = f"{one.facts:,}", f"{one.mentions:,}"
    return one.id, (short_name(one.called or one.name), short_name(one.kind), *numbers, _spoken(one, never=""))


def _show_entity(console: Console, found: EntityDetail) -> None:
    """One entity, and what is around it."""
    months = ", ".join(f"{one.month} ({one.turns})" for one in found.mentions_by_month[-_SHOWN:])
    rows = [
        Row("name", found.name),
        Row("called", found.called if found.called != found.name else ""),
        Row("kind", found.kind),
        Row("summary", one_line(found.summary, most=_LONGEST_SUMMARY)),
        Row("known", f"{counted(found.facts, 'fact')} in {counted(found.mentions, 'turn')}"),
        Row("spoken of", _spoken(found, never="never in a fact")),
        Row("by month", months),
        *rows_of("with", (f"{one.name} ({one.facts})" for one in found.neighbours[:_SHOWN])),
        *rows_of("put right", map(_decision, found.corrections)),
        *rows_of("looks like", (f"{one.name} ({one.why.replace('_', ' ')}) {one.id}" for one in found.lookalikes)),
    ]
    show_facts(console, rows, below=1)
    if found.newest_facts:
        _show_fact_list(console, Facts(items=found.newest_facts))


def _spoken(one: Entity, *, never: str) -> str:
    return days(one.first_at, one.last_at) if one.first_at and one.last_at else never


def _decision(one: Decision) -> str:
    to = f" → {one_line(one.to, most=_LONGEST)}" if one.to else ""
    return f"{minute(one.at)} {one.what}{to}, by {one.by}, {one.id}"
