"""`mind-memory log`: words in everything that was said, newest first, with what was said around them."""

from __future__ import annotations

from datetime import time
from typing import Annotated, Any

import typer
from mind_memory_client.log_page import LogItem, LogLine, LogPage
from rich.console import Console
from rich.text import Text

from consolidation.transcript.search import span_of
from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, MindName, OneSession, command, instant_of
from service.cli.connection import connect
from service.cli.output.terminal import indented, minute, note, plain, shown_zone, speaker


@command(json=True)
async def log(
    context: Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The words as they stand there, in any case.")],
    mind: MindName = DEFAULT_MIND,
    session: OneSession = None,
    since: Annotated[str | None, typer.Option(metavar="DAY", help="From this day or time on, like 2026-01-09.")] = None,
    until: Annotated[str | None, typer.Option(metavar="DAY", help="Up to this day or time.")] = None,
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=100, help="How many.")] = 5,
    around: Annotated[
        int, typer.Option("--context", metavar="NUMBER", min=0, max=5, help="How many messages around each.")
    ] = 1,
) -> None:
    """Find words in everything that was said, newest first."""
    if not query.strip():
        raise CommandFailed("say what to look for: the query is empty")
    asked: dict[str, Any] = {
        "session": session,
        "since": instant_of(since, "--since", at=time.min),
        "until": instant_of(until, "--until", at=time.max),
        "limit": limit,
        "context": around,
        "timezone": shown_zone().key,
        "language": "en",
    }
    async with connect(context) as connection:
        found = await connection.memory.search_log(mind, query, **asked)
    connection.show(context, _show, found, query)


def _show(console: Console, found: LogPage, query: str) -> None:
    for item in found.items:
        head = Text("◦ ")
        when = " — ".join(part for part in (plain(item.age), minute(item.at)) if part)
        head.append(when, style="bold")
        head.append(f"  {plain(item.session_id)} #{item.sequence}", style="dim")
        indented(console, head)
        for one in item.before:
            indented(console, _line(one, style="dim"), by=4)
        indented(console, _marked(item, query), by=4)
        for one in item.after:
            indented(console, _line(one, style="dim"), by=4)
        console.print()
    if not found.items:
        console.print("Nobody used these words.")
    if found.degraded:
        note("the search took too long and ended early")
    if found.next_cursor is not None:
        note("there are older ones: raise --limit, or set --until")


def _marked(item: LogItem, query: str) -> Text:
    """The message, with the words that were looked for in bold."""
    line = _line(item)
    start = len(line.plain) - len(plain(item.text))
    span = span_of(query, plain(item.text))
    if span is not None:
        line.stylize("bold", start + span[0], start + span[1])
    return line


def _line(said: LogItem | LogLine, *, style: str = "") -> Text:
    return speaker(said.role, said.name, style=style).append(plain(said.text))
