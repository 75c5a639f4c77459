"""`mind-memory entities`: whom and what a mind knows; and one of them with what is around it."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from mind_memory_client import AsyncMemoryClient

from consolidation.text.names import name_key
from consolidation.workspace import DEFAULT_MIND
from service.cli.command import AS_IT_IS, CommandFailed, Context, MindName, command, one_of
from service.cli.connection import connect
from service.cli.output.lists import show_entity, show_entity_list
from service.cli.output.terminal import one_line

_SORTS = ("mentions", "recent", "name")
_PREFIX = "entity:"
_LOOKED_AT, _MOST_NAMED = 100, 5


@command(json=AS_IT_IS)
async def entities(
    context: Context,
    entity: Annotated[
        str | None, typer.Argument(metavar="ENTITY", help="One of them: its id, like entity:9b0f…, or its name.")
    ] = None,
    mind: MindName = DEFAULT_MIND,
    query: Annotated[str | None, typer.Option(metavar="WORDS", help="Only with these words in the name.")] = None,
    kind: Annotated[str | None, typer.Option(metavar="KIND", help="Only of this kind.")] = None,
    sort: Annotated[str, typer.Option(metavar="ORDER", help="mentions, recent or name.")] = "mentions",
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=500, help="How many.")] = 20,
) -> None:
    """List people, places and things, or show one of them."""
    one_of(_SORTS, sort, "--sort")
    asked: dict[str, Any] = {"query": query, "kind": kind, "sort": sort, "limit": limit}
    async with connect(context) as connection:
        memory = connection.memory
        if entity is not None:
            entity_id = await _id_of(memory, mind, entity)
            connection.show(context, show_entity, await memory.entity(mind, entity_id=entity_id))
        else:
            connection.show(context, show_entity_list, await memory.entities(mind, **asked))


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
    return same[0].id
