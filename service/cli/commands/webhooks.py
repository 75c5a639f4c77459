"""`mind-memory webhooks`: what other services took of events, what waits for them, and another try."""

from __future__ import annotations

from typing import Annotated

import typer
from mind_memory_client.webhooks import WebhookEndpoints
from rich.console import Console

from service.cli.command import Context, command
from service.cli.connection import connect
from service.cli.output.terminal import counted, minute, one_line, plain_table


@command(json=True)
async def webhooks(
    context: Context,
    retry: Annotated[
        str | None, typer.Option("--retry", metavar="NAME", help="Send everything now that waits for this one.")
    ] = None,
) -> None:
    """Show the webhook endpoints and how deliveries stand."""
    async with connect(context) as connection:
        if retry is not None:
            found = await connection.memory.retry_webhook(retry)
            words = f"{counted(found.retrying, 'event')} sent again to {one_line(retry)}."
            connection.show(context, lambda console: console.print(words))
            return
        listed = await connection.memory.webhooks()
    connection.show(context, _show, listed)


def _show(console: Console, listed: WebhookEndpoints) -> None:
    if not listed.endpoints:
        console.print("No webhooks. MIND_MEMORY_WEBHOOKS__ENDPOINTS in docs/configuration.md says how to set one up.")
        return
    table = plain_table("endpoint", "host", "delivered", "waiting", "given up", "last failure")
    for one in listed.endpoints:
        failure = f"{minute(one.failed_at)}: {one.error}" if one.error and one.failed_at else ""
        counts = (str(one.delivered), str(one.waiting), str(one.given_up))
        table.add_row(one.name, one_line(one.host), *counts, one_line(failure))
    console.print(table)
