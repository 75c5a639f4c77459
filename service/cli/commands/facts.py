"""`mind-memory facts`: what is known, newest first; and one fact with the turns that told it."""

from __future__ import annotations

from datetime import time
from typing import Annotated, Any

import typer

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import AS_IT_IS, Context, MindName, command, instant_of, one_of
from service.cli.connection import connect
from service.cli.output.lists import show_fact, show_fact_list

_STATES = ("holding", "ended", "planned")


@command(json=AS_IT_IS)
async def facts(
    context: Context,
    fact_id: Annotated[str | None, typer.Argument(metavar="ID", help="One fact, like fact:4e8b….")] = None,
    mind: MindName = DEFAULT_MIND,
    entity: Annotated[str | None, typer.Option(metavar="NAME", help="Only of this one: its name, or its id.")] = None,
    state: Annotated[str | None, typer.Option(metavar="STATE", help="holding, ended or planned.")] = None,
    query: Annotated[str | None, typer.Option(metavar="WORDS", help="Only with all of these words.")] = None,
    since: Annotated[str | None, typer.Option(metavar="DAY", help="Told first on this day or later.")] = None,
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=500, help="How many.")] = 20,
) -> None:
    """List what is known, newest first, or show one fact."""
    one_of(_STATES, state, "--state")
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
            connection.show(context, show_fact, await memory.fact(mind, fact_id=fact_id))
        else:
            connection.show(context, show_fact_list, await memory.facts(mind, **asked))
