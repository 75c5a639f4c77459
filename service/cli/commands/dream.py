"""`mind-memory dream`: what an agent lived since its last dream is consolidated now, whatever the interval."""

from __future__ import annotations

from typing import Annotated

import typer

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import AS_IT_IS, Context, MindName, command
from service.cli.connection import connect
from service.cli.dreaming import STOPPED, show_dream, until_dreamt
from service.cli.output.terminal import out, show_json


@command(interrupted=STOPPED, json=AS_IT_IS)
async def dream(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    deep: Annotated[bool, typer.Option("--deep", help="A deep sleep: also tidy up and write the diary.")] = False,
) -> None:
    """Dream now of what an agent did since its last dream."""
    async with connect(context) as connection:
        memory = connection.memory
        before = await memory.dreams(mind, limit=1)
        await memory.dream(mind, deep=deep, wait=False)
        found = await until_dreamt(memory, mind)
    if context.as_json:
        show_json(connection.answer)
    elif found.dreams == before.dreams:
        out().print(f"{mind} did nothing since its last dream.")
    else:
        show_dream(out(), found.dreams[0])
