"""`mind-memory entities`: whom and what a mind knows; and one of them with what is around it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, MindName, command
from service.cli.connection import connect
from service.cli.output.lists import show_entity, show_entity_list
from service.cli.output.terminal import out, show_json

_SORTS = ("mentions", "recent", "name")


@command()
async def entities(
    context: Context,
    entity_id: Annotated[str | None, typer.Argument(metavar="ID", help="One of them, like entity:9b0f….")] = None,
    mind: MindName = DEFAULT_MIND,
    query: Annotated[str | None, typer.Option(metavar="WORDS", help="Only with these words in the name.")] = None,
    kind: Annotated[str | None, typer.Option(metavar="KIND", help="Only of this kind.")] = None,
    sort: Annotated[str, typer.Option(metavar="ORDER", help="mentions, recent or name.")] = "mentions",
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=500, help="How many.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="The API's answer as it is.")] = False,
) -> None:
    """List people, places and things, or show one of them."""
    if sort not in _SORTS:
        raise CommandFailed(f"--sort {sort}: choose from {', '.join(_SORTS)}")
    asked: dict[str, Any] = {"query": query, "kind": kind, "sort": sort, "limit": limit}
    async with connect(context) as connection:
        memory = connection.memory
        if as_json:
            path = f"/v1/minds/{mind}/entities"
            found = (
                memory.request("GET", f"{path}/{entity_id}") if entity_id else memory.request("GET", path, query=asked)
            )
            show_json(await found)
        elif entity_id is not None:
            show_entity(out(), await memory.entity(mind, entity_id=entity_id))
        else:
            show_entity_list(out(), await memory.entities(mind, **asked))
