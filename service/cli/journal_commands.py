"""The commands of the journal with their options; what they do is imported when called."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.faults import plainly
from service.cli.options import DEFAULT_MIND, Home, MindName, Url

app = typer.Typer(
    help="Search and read what you wrote down: MEMORY.md and memory/.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for, in any words.")],
    mind: MindName = DEFAULT_MIND,
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=50, help="How many.")] = 6,
    min_score: Annotated[
        float | None, typer.Option(metavar="SCORE", min=0, max=1, help="The least score; the configured one else.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The API's answer as it is.")] = False,
    home: Home = None,
    url: Url = None,
) -> None:
    """Search the notes by meaning and by words."""
    with plainly():
        from service.cli.journal_reading import search as run

        run(query, mind=mind, limit=limit, min_score=min_score, as_json=as_json, home=home, url=url)


@app.command()
def show(
    path: Annotated[str, typer.Argument(metavar="PATH", help="MEMORY.md, or a file below memory/.")],
    mind: MindName = DEFAULT_MIND,
    from_line: Annotated[int, typer.Option("--from", metavar="LINE", min=1, help="The first line.")] = 1,
    lines: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=1, help="How many lines; to the end when left out.")
    ] = None,
    home: Home = None,
    url: Url = None,
) -> None:
    """Show a note, or some lines of it."""
    with plainly():
        from service.cli.journal_reading import show as run

        run(path, mind=mind, from_line=from_line, lines=lines, home=home, url=url)
