"""`mind-memory turns`: what was said, newest first; and one turn with what became of it."""

from __future__ import annotations

from typing import Annotated

import typer

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import AS_IT_IS, Context, MindName, command
from service.cli.connection import connect
from service.cli.output.lists import show_turn, show_turn_list


@command(json=AS_IT_IS)
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
) -> None:
    """List what was said, newest first, or show one turn."""
    async with connect(context) as connection:
        memory = connection.memory
        if turn_id is not None:
            connection.show(context, show_turn, await memory.read_turn(mind, turn_id=turn_id))
        else:
            found = await memory.turns(mind, session=session, after=after, before=before, limit=limit)
            connection.show(context, show_turn_list, found)
