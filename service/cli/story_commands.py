"""The commands of the story with their options; what they do is imported when called."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.faults import plainly
from service.cli.options import DEFAULT_MIND, Home, MindName, Url

_WATCHED = "Stopped watching. What is told stays told; the rest goes on waiting, or is being told by the service."
_VERSION = "A version that `story history` lists, the beginning of its name, or `last`."
_FROM = "From this version; the newest one when left out."
_TO = "To this version; the story as it stands when left out."

app = typer.Typer(
    help="Read and edit the story, and take back what was changed.", no_args_is_help=True, rich_markup_mode=None
)


def consolidate(
    mind: MindName = DEFAULT_MIND,
    bootstrap: Annotated[
        bool, typer.Option("--bootstrap", help="First read in the dated files of the mind's memory/ and legacy/.")
    ] = False,
    sessions: Annotated[bool, typer.Option("--sessions", help="First read in the newest session files.")] = False,
    skip: Annotated[bool, typer.Option("--skip", help="Count all that waits as told, without telling it.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Skip without asking.")] = False,
    home: Home = None,
    url: Url = None,
) -> None:
    """Tell the story now: what waits becomes chapters of STORY.md."""
    with plainly(interrupted=_WATCHED):
        from service.cli.consolidating import Wish
        from service.cli.consolidating import consolidate as run

        wish = Wish(mind, is_bootstrap=bootstrap, is_sessions=sessions, skips=skip, is_sure=yes)
        run(wish, home=home, url=url)


@app.command()
def show(
    mind: MindName = DEFAULT_MIND,
    version: Annotated[str | None, typer.Option(metavar="VERSION", help=_VERSION)] = None,
    raw: Annotated[bool, typer.Option("--raw", help="STORY.md byte for byte, as a pipe gets it.")] = False,
    home: Home = None,
    url: Url = None,
) -> None:
    """Show the story."""
    with plainly():
        from service.cli.story_reading import show as run

        run(mind=mind, version=version, is_raw=raw, home=home, url=url)


@app.command()
def edit(mind: MindName = DEFAULT_MIND, home: Home = None, url: Url = None) -> None:
    """Edit the story in $VISUAL or $EDITOR; nothing is lost."""
    with plainly():
        from service.cli.story_editing import edit as run

        run(mind=mind, home=home, url=url)


@app.command()
def history(mind: MindName = DEFAULT_MIND, home: Home = None, url: Url = None) -> None:
    """List the story's earlier versions, newest first."""
    with plainly():
        from service.cli.story_reading import history as run

        run(mind=mind, home=home, url=url)


@app.command()
def diff(
    version: Annotated[str | None, typer.Argument(metavar="VERSION", help=_FROM, show_default=False)] = None,
    to: Annotated[str | None, typer.Argument(metavar="TO", help=_TO, show_default=False)] = None,
    mind: MindName = DEFAULT_MIND,
    home: Home = None,
    url: Url = None,
) -> None:
    """Show what changed between two versions."""
    with plainly():
        from service.cli.story_reading import diff as run

        run(mind=mind, version=version, to=to, home=home, url=url)


@app.command()
def restore(
    version: Annotated[str, typer.Argument(metavar="VERSION", help=_VERSION)],
    retell: Annotated[bool, typer.Option("--retell", help="Tell again what was told after that version.")] = False,
    mind: MindName = DEFAULT_MIND,
    home: Home = None,
    url: Url = None,
) -> None:
    """Put an earlier version in the story's place."""
    with plainly():
        from service.cli.story_restoring import restore as run

        run(mind=mind, version=version, retells=retell, home=home, url=url)
