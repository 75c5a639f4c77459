"""`mind-memory wake`: what an agent is handed when it wakes, as its model reads it."""

from __future__ import annotations

from typing import Annotated

import typer

from consolidation.dreams.waking import LEAST_TOKENS, MOST_TOKENS, MOST_TOKENS_EVER
from consolidation.workspace import DEFAULT_MIND
from service.cli.command import Context, MindName, command
from service.cli.connection import connect
from service.cli.output.terminal import plain, show_json


@command()
async def wake(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    max_tokens: Annotated[
        int, typer.Option(metavar="NUMBER", min=LEAST_TOKENS, max=MOST_TOKENS_EVER, help="How long the text may be.")
    ] = MOST_TOKENS,
    as_json: Annotated[bool, typer.Option("--json", help="The API's answer as it is.")] = False,
) -> None:
    """Wake an agent, and show what it is handed."""
    async with connect(context) as connection:
        await connection.memory.wake_up(mind, reason="woken by hand")
        if as_json:
            asked = {"max_tokens": max_tokens}
            show_json(await connection.memory.request("GET", f"/v1/minds/{mind}/waking", query=asked))
            return
        found = await connection.memory.waking(mind, max_tokens=max_tokens)
    typer.echo(plain(found.text))
