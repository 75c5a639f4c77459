"""`mind-memory facts`: what is known, newest first; and one fact with the turns that told it."""

from __future__ import annotations

from datetime import time
from typing import Annotated, Any

import typer

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, MindName, command, instant_of
from service.cli.connection import connect
from service.cli.output.lists import show_fact, show_fact_list
from service.cli.output.terminal import out, show_json

_STATES = ("holding", "ended", "planned")


@command()
async def facts(
    context: Context,
    fact_id: Annotated[str | None, typer.Argument(metavar="ID", help="One fact, like fact:4e8b….")] = None,
    mind: MindName = DEFAULT_MIND,
    entity: Annotated[str | None, typer.Option(metavar="NAME", help="Only of this one: its name, or its id.")] = None,
    state: Annotated[str | None, typer.Option(metavar="STATE", help="holding, ended or planned.")] = None,
    query: Annotated[str | None, typer.Option(metavar="WORDS", help="Only with all of these words.")] = None,
    since: Annotated[str | None, typer.Option(metavar="DAY", help="Told first on this day or later.")] = None,
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=500, help="How many.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="The API's answer as it is.")] = False,
) -> None:
    """List what is known, newest first, or show one fact."""
    if state is not None and state not in _STATES:
        raise CommandFailed(f"--state {state}: choose from {', '.join(_STATES)}")
    asked: dict[str, Any] = {
        "entity": entity,
        "state": state,
        "query": query,
        "since": instant_of(since, "--since", at=time.min),
        "limit": limit,
    }
    async with connect(context) as connection:
        memory = connection.memory
        if as_json:
            path = f"/v1/minds/{mind}/facts"
            found = memory.request("GET", f"{path}/{fact_id}") if fact_id else memory.request("GET", path, query=asked)
            show_json(await found)
        elif fact_id is not None:
            show_fact(out(), await memory.fact(mind, fact_id=fact_id))
        else:
            show_fact_list(out(), await memory.facts(mind, **asked))
