"""`mind-memory journal`: which notes there are; what was found in them, with its place; and the notes themselves."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from mind_memory_client.models import JournalSearch
from mind_memory_client.records import JournalFiles
from rich.console import Console
from rich.text import Text

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, MindName, command, group
from service.cli.connection import connect
from service.cli.output.memories import show_degraded
from service.cli.output.terminal import indented, minute, note, plain, plain_table, short_name, show_list

app = group("Search and read what you wrote down: MEMORY.md and memory/.")


@app.command()
@command(json=True)
async def search(
    context: Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for, in any words.")],
    mind: MindName = DEFAULT_MIND,
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=50, help="How many.")] = 6,
    min_score: Annotated[
        float | None, typer.Option(metavar="SCORE", min=0, max=1, help="The least score; the configured one else.")
    ] = None,
) -> None:
    """Search the notes by meaning and by words."""
    if not query.strip():
        raise CommandFailed("say what to look for: the query is empty")
    async with connect(context) as connection:
        found = await connection.memory.journal_search(mind, query=query, max_results=limit, min_score=min_score)
    connection.show(context, _show_found, found)


@app.command("list")
@command(json=True)
async def list_files(
    context: Context,
    mind: MindName = DEFAULT_MIND,
) -> None:
    """List the notes, with SOUL.md, PURPOSE.md and briefing.md, newest first."""
    async with connect(context) as connection:
        connection.show(context, _show_notes, await connection.memory.journal_files(mind))


@app.command()
@command()
async def show(
    context: Context,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file, as `journal list` names it.")],
    mind: MindName = DEFAULT_MIND,
    from_line: Annotated[int, typer.Option("--from", metavar="LINE", min=1, help="The first line.")] = 1,
    lines: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=1, help="How many lines; to the end when left out.")
    ] = None,
) -> None:
    """Show a note, or some lines of it."""
    async with connect(context) as connection:
        found = await connection.memory.journal_get(mind, path=path, from_line=from_line, lines=lines)
    if found.lines:
        sys.stdout.write(f"{plain(found.text)}\n")
    last = from_line + found.lines - 1
    if last < found.total_lines or from_line > 1:
        shown = f"lines {from_line} to {last}" if found.lines else "no lines"
        note(f"{shown} of {found.total_lines}")


def _show_found(console: Console, found: JournalSearch) -> None:
    for one in found.results:
        head = Text("◦ ")
        head.append(f"{plain(one.path)}:{one.start_line}-{one.end_line}", style="bold")
        head.append(f"  {one.score:.2f}", style="dim")
        indented(console, head)
        indented(console, Text(plain(one.snippet)), by=4, below=1)
    if not found.results:
        console.print("Nothing is written down about that.")
    show_degraded(console, found.degraded)


def _show_notes(console: Console, found: JournalFiles) -> None:
    """The files of a journal, newest first, a line each, with who writes them."""
    table = plain_table("file", "kind", "changed", "bytes", "")
    for one in found.files:
        written_by = "people" if one.is_editable else "the agent"
        table.add_row(short_name(one.path), one.kind, minute(one.changed_at), f"{one.bytes:,}", f"by {written_by}")
    show_list(console, table if found.files else None, "Nothing is written down.", None)
