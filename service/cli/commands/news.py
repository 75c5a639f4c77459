"""`mind-memory news`: what happened since a day, group by group, the newest of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import time
from typing import Annotated

import typer
from mind_memory_client.corrections import Correction
from mind_memory_client.news import News, SurfacedCall
from rich.console import Console

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import Context, MindName, command, instant_of
from service.cli.connection import connect
from service.cli.output.terminal import Row, counted, minute, one_line, show_facts

_LONGEST = 140


@command(json=True)
async def news(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    since: Annotated[
        str | None, typer.Option(metavar="DAY", help="After this day began, or this time; else of the last 7 days.")
    ] = None,
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=100, help="How many of each kind.")] = 3,
) -> None:
    """Show what was learned, ended, told, surfaced, put right and parked since a day."""
    at = instant_of(since, "--since", at=time.min)
    async with connect(context) as connection:
        found = await connection.memory.news(mind, since=at, limit=limit)
    connection.show(context, _show, found)


def _show(console: Console, found: News) -> None:
    console.print(f"Since {minute(found.since)}: {counted(found.turns, 'turn')} stored.")
    rows = tuple(_rows(found))
    if rows:
        show_facts(console, rows)
    else:
        console.print("Nothing else happened.")


def _rows(found: News) -> Iterator[Row]:
    learned, ended, told, surfaced = found.learned, found.ended, found.told, found.surfaced
    yield from _group("learned", learned.count, "fact", ((one.text, one.id) for one in learned.items))
    yield from _group("ended", ended.count, "fact", ((one.text, one.id) for one in ended.items))
    yield from _group("told", told.count, "chapter", ((one.heading.lstrip("# "), "") for one in told.items))
    yield from _group("surfaced", surfaced.count, "time", ((_shown(one), one.trace_id) for one in surfaced.items))
    decided = found.put_right
    yield from _group("put right", decided.count, "decision", ((_decision(one), one.id) for one in decided.items))
    parked = found.parked
    yield from _group("parked", parked.count, "turn", ((f"{one.text} ({one.error})", one.id) for one in parked.items))


def _group(name: str, count: int, noun: str, items: Iterable[tuple[str, str]]) -> Iterator[Row]:
    """How many there are, and a line for each of *items*, which are words and an id; nothing where there are none."""
    if not count:
        return
    yield Row(name, counted(count, noun))
    shown = 0
    for words, key in items:
        shown += 1
        yield Row("", f"{one_line(words, most=_LONGEST)}  {one_line(key)}".rstrip(), "dim")
    if count > shown:
        yield Row("", f"and {count - shown:,} more", "dim")


def _shown(call: SurfacedCall) -> str:
    """``Where does she live? → My mother lives in Lyon.``; off the record nobody's words are there."""
    return f"{one_line(call.message, most=_LONGEST // 3)} → {' · '.join(one.text for one in call.memories)}"


def _decision(made: Correction) -> str:
    """``edit: My mother lives in Lyon. → She lives in Porto.``, and that it was taken back."""
    to = f" → {made.to}" if made.to and made.to != made.target.text else ""
    return f"{made.what}: {made.target.text}{to}{' (taken back)' if made.state == 'undone' else ''}"
