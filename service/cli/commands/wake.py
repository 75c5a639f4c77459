"""`mind-memory wake`: what an agent is handed when it wakes, as its model reads it."""

from __future__ import annotations

from typing import Annotated

import typer

from consolidation.dreams.waking import LEAST_TOKENS, MOST_TOKENS, MOST_TOKENS_EVER
from consolidation.workspace import DEFAULT_MIND
from service.cli.command import AS_IT_IS, Context, MindName, command
from service.cli.connection import connect
from service.cli.output.terminal import plain


@command(json=AS_IT_IS)
async def wake(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    max_tokens: Annotated[
        int, typer.Option(metavar="NUMBER", min=LEAST_TOKENS, max=MOST_TOKENS_EVER, help="How long the text may be.")
    ] = MOST_TOKENS,
) -> None:
    """Wake an agent, and show what it is handed."""
    async with connect(context) as connection:
        await connection.memory.wake_up(mind, reason="woken by hand")
        found = await connection.memory.waking(mind, max_tokens=max_tokens)
    connection.show(context, lambda _: typer.echo(plain(found.text)))
