"""The `mind-memory` command: one module a command, each imported when it is called."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from service.cli import commands, journal_commands, key_commands, mcp_command, moving_commands, story_commands

app = typer.Typer(
    name="mind-memory",
    help="A memory for any chatbot: two calls a turn, and your bot remembers months of talk, with sources.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
)


def main() -> None:
    """Run the command line; odd characters in output or input never stop it."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    app()


def _tell_version(is_asked: bool) -> None:
    if is_asked:
        from importlib.metadata import version

        typer.echo(f"mind-memory {version('mind-memory')}")
        raise typer.Exit


@app.callback()
def _common(
    _version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="The version, and nothing else.")
    ] = False,
) -> None:
    pass  # the options act by themselves


for _name, _command in (
    ("serve", commands.serve),
    ("chat", commands.chat),
    ("import", commands.bring_in),
    ("export", moving_commands.export),
    ("remember", commands.remember),
    ("mcp", mcp_command.mcp),
    ("status", commands.status),
    ("consolidate", story_commands.consolidate),
    ("retry", commands.retry),
    ("erase", commands.erase),
    ("doctor", commands.doctor),
    ("reindex", commands.reindex),
    ("rebuild", moving_commands.rebuild),
):
    app.command(_name)(_command)
app.add_typer(story_commands.app, name="story")
app.add_typer(journal_commands.app, name="journal")
app.add_typer(key_commands.app, name="keys")
