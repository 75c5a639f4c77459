"""`mind-memory save`: something to remember, said by a person at a terminal."""

from __future__ import annotations

from datetime import time
from typing import Annotated

import typer

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import AS_IT_IS, CommandFailed, Context, MindName, command, instant_of
from service.cli.connection import connect
from service.cli.output.memories import secrets_in
from service.cli.output.terminal import note


@command(json=AS_IT_IS)
async def save(
    context: Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="One sentence, clear by itself.")],
    mind: MindName = DEFAULT_MIND,
    importance: Annotated[float, typer.Option(metavar="NUMBER", min=0.1, max=1, help="From 0.1 to 1.")] = 0.5,
    when: Annotated[str | None, typer.Option("--at", metavar="DAY", help="When it happened; now if left out.")] = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="The session that it comes from.")] = None,
) -> None:
    """Have something remembered, on purpose."""
    memory = {"text": text, "occurred_at": instant_of(when, "--at", at=time(12))}
    async with connect(context) as connection:
        found = await connection.memory.save_memories(mind, memory, importance=importance, session=session)
    if not found.memories:
        raise CommandFailed(f"not saved: {', '.join(one.reason for one in found.dropped)}")
    for kind in secrets_in(found.dropped):
        note(f"taken out: {kind}")
    saved = f"Saved as turn {found.memories[0].turn_id} of {mind}."
    connection.show(context, lambda console: console.print(saved))
