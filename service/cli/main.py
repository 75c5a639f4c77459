"""
The `mind-memory` command: a table of its subcommands, each with a line of help.

The module of a command is imported when that command is called, so that ``--help`` and completion answer at once.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from service.runtime.garbage import collect_cycles_seldom, collect_no_cycles_at_exit

_COMMANDS = {
    "serve": "Run the service: two HTTP calls a turn, an embedded graph.",
    "console": "Open the console in a browser: see, know why, put right.",
    "demo": "Load an example life, and show what surfaces from it and why.",
    "chat": "Talk to a bot that remembers, and see what surfaces each turn.",
    "import": "Import conversations, or the archive of a mind.",
    "export": "Write a mind, whole, into one archive.",
    "remember": "Search memory on purpose, with sources.",
    "ask": "Ask a question; each line of the answer names its sources.",
    "save": "Have something remembered, on purpose.",
    "log": "Find words in everything that was said, newest first.",
    "turns": "List what was said, newest first, or show one turn.",
    "facts": "List what is known, newest first, or show one fact.",
    "entities": "List people, places and things, or show one of them.",
    "news": "Show what happened since a day: learned, told, surfaced, put right.",
    "why": "Show why memories surfaced or did not, what became of them, and what if.",
    "correct": "Put a memory right, and take that back.",
    "settings": "Show what is set for a mind, and set what is its own.",
    "mcp": "Memory as MCP tools for hosts like Claude Desktop.",
    "status": "Show what each mind holds, and how far it has been read.",
    "consolidate": "Write what waits into the story, now.",
    "sleep": "Let an agent sleep, and show what it dreams.",
    "dream": "Dream now of what an agent did since its last dream.",
    "retry": "Give parked turns to the model once more.",
    "erase": "Erase a mind, a session or a turn everywhere, for good.",
    "doctor": "Check what is configured, what works, and what to mend.",
    "reindex": "Embed everything anew, after the embedder was changed.",
    "rebuild": "Build graph and full text anew from the transcript.",
    "story": "Read and edit the story, and take back what was changed.",
    "wake": "Wake an agent, and show what it is handed.",
    "observations": "Show what dreams observed, by day.",
    "evaluations": "Show how an agent does, and accept what is proposed.",
    "mount": "Lay a mind's files out in a folder, and merge both ways.",
    "journal": "Search and read what you wrote down: MEMORY.md and memory/.",
    "webhooks": "Show what other services took of events, and send again.",
    "keys": "Make and revoke API keys.",
}

_MODULES = {  # of the commands that are not in a module of their own name
    **dict.fromkeys(("turns", "facts", "entities"), "catalog"),
    **dict.fromkeys(("sleep", "dream", "wake", "observations", "evaluations"), "agent"),
    **dict.fromkeys(("retry", "reindex", "rebuild"), "derived"),
    "export": "archive",
    "import": "import_",
    "save": "remember",
}


class _Commands(TyperGroup):
    """Imports only the command that is called; all others are a name and a line of help."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:  # noqa: ANN401 - of a private package
        """The command that *args* begin with."""
        name, found, rest = super().resolve_command(ctx, args)
        return name, found if found is None else _imported(str(name)), rest


def _imported(name: str) -> Any:  # noqa: ANN401 - a class of a private package
    from service.adapters.minilm import limit_threads

    limit_threads()  # before anything of the command imports numpy
    module = import_module(f"service.cli.commands.{_MODULES.get(name, name)}")
    if hasattr(module, "app"):
        return get_command(module.app)
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command()(getattr(module, "import_" if name == "import" else name))
    return get_command(single)


app = typer.Typer(
    name="mind-memory",
    cls=_Commands,
    help="A memory for any chatbot: two calls a turn, and your bot remembers months of talk, with sources.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> None:
    """Run the command line; odd characters in output or input never stop it."""
    collect_cycles_seldom()  # before a command is imported
    collect_no_cycles_at_exit()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    app(prog_name="mind-memory")


def _show_version(is_asked: bool) -> None:
    if is_asked:
        from consolidation.kernel.release import installed_version

        typer.echo(f"mind-memory {installed_version()}")
        raise typer.Exit


@app.callback()
def _common(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass  # the options act by themselves


for _name, _help in _COMMANDS.items():
    app.command(_name, short_help=_help)(lambda: None)


if __name__ == "__main__":
    main()
