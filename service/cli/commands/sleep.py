"""`mind-memory sleep`: an agent's sleep, begun by hand, and what it dreams."""

from __future__ import annotations

from typing import Annotated

import typer
from mind_memory_client.sleep import SleepBegun

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import Context, MindName, command
from service.cli.connection import connect
from service.cli.dreaming import KINDS, STOPPED, show_dream, until_dreamt
from service.cli.output.terminal import minute, out, plain, show_json


@command(interrupted=STOPPED, json="The API's answer as it is, after the dream.")
async def sleep(
    context: Context,
    seconds: Annotated[
        float, typer.Argument(metavar="SECONDS", min=2, max=86_400, help="For how long; 300 if left out.")
    ] = 300,
    mind: MindName = DEFAULT_MIND,
    session: Annotated[str | None, typer.Option(metavar="ID", help="The session that ends by it.")] = None,
) -> None:
    """Let an agent sleep: a nap, or a sleep in which it dreams. Its own process does the pausing."""
    async with connect(context) as connection:
        begun = await connection.memory.sleep(mind, seconds, session=session)
        answer = connection.answer
        if not context.as_json:
            out().print(_told(mind, begun), style="bold")
        found = await until_dreamt(connection.memory, mind) if begun.dream_id is not None else None
    if context.as_json:
        show_json(answer)
    elif found is not None and found.dreams:
        show_dream(out(), found.dreams[0])


def _told(mind: str, begun: SleepBegun) -> str:
    kind = KINDS.get(begun.kind, plain(begun.kind))
    return f"{mind} sleeps until {minute(begun.wake_at)} ({begun.pause_seconds:g} s): {kind}."
