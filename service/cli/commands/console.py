"""`mind-memory console`: the console of the service that runs, opened in a browser that is signed in by that."""

from __future__ import annotations

import asyncio
import webbrowser
from typing import Annotated

import typer
from mind_memory_client import MindMemoryError, errors

from service.cli.command import CommandFailed, Context, command
from service.cli.connection import connection_to, find_address
from service.cli.output.terminal import note, out, shortened, typed


@command()
async def console(
    context: Context,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the link, and open nothing.")] = False,
) -> None:
    """Open the console in a browser. With API keys, the link signs it in, once, within ten minutes."""
    settings = context.settings()
    address = find_address(settings, url=context.url)
    if address is None:
        raise CommandFailed(
            f"no service runs on {shortened(settings.folder)}: start it with {typed('serve')}, and leave it running"
        )
    async with connection_to(address) as connection:
        try:
            link = await connection.memory.console_link()
        except errors.NotFound as error:
            raise CommandFailed(
                f"this key is for some minds only, so it makes no link: open {connection.place}/console/ and paste it"
            ) from error
        except MindMemoryError as error:
            raise CommandFailed(connection.explain(error)) from error
    if not no_browser and await asyncio.to_thread(webbrowser.open, link.url):
        note(f"The console is open in your browser: {link.url.partition('#')[0]}")
        return
    out().print(link.url, soft_wrap=True)
    if not no_browser:
        note("No browser could be opened here: open this link in one on this machine.")
    if link.ticket is not None:
        note("It signs one browser in, once, within ten minutes.")
