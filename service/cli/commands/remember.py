"""Memory on purpose: `mind-memory remember` searches it, `save` has something remembered."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import time
from typing import Annotated, Any

import typer
from mind_memory_client.errors import InvalidRequest

from consolidation.workspace import DEFAULT_MIND, mind_id_of
from service.cli.command import Asker, CommandFailed, Context, MindName, check_one_of, command, instant_of
from service.cli.connection import connect, mind_or_none, which_there_are
from service.cli.output.memories import secrets_in, show_memories
from service.cli.output.terminal import note, one_line

_KINDS = ("fact", "entity", "episode", "observation")
_AS_TYPED = (("memories/0/occurred_at", "--at"), ("memories/0/text", "TEXT"), ("session_id", "--session"))


@command(json=True)
async def remember(
    context: Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to recall, in any words.")],
    mind: MindName = DEFAULT_MIND,
    kind: Annotated[
        list[str] | None, typer.Option(metavar="KIND", help="fact, entity, episode or observation; repeatable.")
    ] = None,
    entity_kind: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only entities of this kind and their facts, like Person; repeatable."),
    ] = None,
    since: Annotated[str | None, typer.Option(metavar="DAY", help="From this day or time on, like 2026-01-09.")] = None,
    until: Annotated[str | None, typer.Option(metavar="DAY", help="Up to this day or time.")] = None,
    session: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only what was said in this session; repeatable.")
    ] = None,
    speaker: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only turns in which this one speaks; repeatable.")
    ] = None,
    asker: Asker = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=VALUE", help="Only turns whose metadata has this, like project=apollo; repeatable."
        ),
    ] = None,
    also_read: Annotated[
        list[str] | None,
        typer.Option(metavar="MIND", help="Search this mind too, not those set; repeatable."),
    ] = None,
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=100, help="How many.")] = 10,
) -> None:
    """Search memory on purpose: facts, entities and episodes, with sources."""
    for one in kind or ():
        check_one_of(_KINDS, one, "--kind")
    if not query.strip():
        raise CommandFailed("say what to recall: the query is empty")
    asked: dict[str, Any] = {
        "kinds": kind or None,
        "since": instant_of(since, "--since", at=time.min),
        "until": instant_of(until, "--until", at=time.max),
        "limit": limit,
        "entity_kinds": entity_kind or None,
        "session_ids": session or None,
        "speakers": speaker or None,
        "also_read": also_read or None,
        "asker": asker,
        "metadata": _metadata(where or []),
    }
    async with connect(context) as connection:
        for one in also_read or ():
            if await mind_or_none(connection.memory, mind_id_of(one)) is None:
                others = await which_there_are(connection.memory)
                raise CommandFailed(f"--also-read: no mind is called {one_line(one)!r}{others}")
        found = await connection.memory.remember(mind, query, **asked)
    connection.show(context, show_memories, found)


def _metadata(conditions: list[str]) -> dict[str, list[object]]:
    """The values of each field; what reads as JSON (a number, true) is meant, or the same as text."""
    found: dict[str, list[object]] = {}
    for one in conditions:
        name, sign, value = one.partition("=")
        if not sign or not name or not value:
            raise CommandFailed(f"--where {one}: say FIELD=VALUE, like project=apollo")
        found.setdefault(name, []).append(value)
        with suppress(ValueError):
            parsed = json.loads(value)
            if isinstance(parsed, bool | int | float):
                found[name].append(parsed)
    return found


@command(json=True, begins_mind=True)
async def save(
    context: Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="One sentence, clear by itself.")],
    mind: MindName = DEFAULT_MIND,
    importance: Annotated[float, typer.Option(metavar="NUMBER", min=0.1, max=1, help="From 0.1 to 1.")] = 0.5,
    when: Annotated[str | None, typer.Option("--at", metavar="DAY", help="When it happened; now if left out.")] = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="The session that it comes from.")] = None,
) -> None:
    """Have something remembered, on purpose."""
    if not text.strip():
        raise CommandFailed("say what to save: the text is empty")
    memory = {"text": text, "occurred_at": instant_of(when, "--at", at=time(12))}
    async with connect(context) as connection:
        try:
            found = await connection.memory.save_memories(mind, memory, importance=importance, session=session)
        except InvalidRequest as refusal:
            words = connection.explain(refusal)
            for field, typed in _AS_TYPED:
                words = words.replace(field, typed)
            raise CommandFailed(words) from refusal
    if not found.memories:
        raise CommandFailed(f"not saved: {', '.join(one.reason for one in found.dropped)}")
    for kind in secrets_in(found.dropped):
        note(f"taken out: {kind}")
    saved = f"Saved as turn {found.memories[0].turn_id} of {mind}."
    connection.show(context, lambda console: console.print(saved))
