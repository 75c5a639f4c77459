"""The commands of the API keys with their options; what they do is imported when called."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.faults import plainly
from service.cli.options import Home

app = typer.Typer(
    help="Make and revoke API keys; once there is one, every call needs one.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command()
def create(
    name: Annotated[str, typer.Option("--name", metavar="TEXT", help="Who or what will hold it.")],
    mind: Annotated[
        list[str] | None, typer.Option("--mind", metavar="ID", help="A mind it opens, repeatable; all without one.")
    ] = None,
    expires: Annotated[
        str | None, typer.Option("--expires", metavar="WHEN", help="After 90d or 12h, or at a time; never without.")
    ] = None,
    home: Home = None,
) -> None:
    """Make a key and print it, this once."""
    with plainly():
        from service.cli.keeping_keys import create as run

        run(name=name, minds=tuple(mind or ()), expires=expires, home=home)


@app.command("list")
def listed(home: Home = None) -> None:
    """List the keys: what they open, until when, when they were last used."""
    with plainly():
        from service.cli.keeping_keys import listed as run

        run(home=home)


@app.command()
def revoke(
    key: Annotated[str, typer.Argument(metavar="KEY", help="Its id, as `keys list` shows it.")], home: Home = None
) -> None:
    """Close a key, at once and for ever."""
    with plainly():
        from service.cli.keeping_keys import revoke as run

        run(key=key, home=home)
