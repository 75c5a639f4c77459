"""`mind-memory turns`: what was said, newest first; and one turn with what became of it."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

import typer

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import Context, MindName, command
from service.cli.connection import connect
from service.cli.output.lists import show_turn, show_turn_list
from service.cli.output.terminal import out, show_json


@command()
async def turns(
    context: Context,
    turn_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="One turn, by its id or its number, like episode:12.")
    ] = None,
    mind: MindName = DEFAULT_MIND,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Only this session.")] = None,
    after: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=0, help="Only behind this number, oldest first.")
    ] = None,
    before: Annotated[int | None, typer.Option(metavar="NUMBER", min=1, help="Only before this number.")] = None,
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=500, help="How many.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="The API's answer as it is.")] = False,
) -> None:
    """List what was said, newest first, or show one turn."""
    asked: dict[str, Any] = {"after": after, "before": before, "limit": limit}
    async with connect(context) as connection:
        memory = connection.memory
        if as_json:
            path = f"/v1/minds/{mind}/turns"
            if turn_id is not None:
                show_json(await memory.request("GET", f"{path}/{quote(turn_id, safe='')}"))
            else:
                show_json(await memory.request("GET", path, query={"session_id": session, **asked}))
        elif turn_id is not None:
            show_turn(out(), await memory.read_turn(mind, turn_id=turn_id))
        else:
            show_turn_list(out(), await memory.turns(mind, session=session, **asked))
