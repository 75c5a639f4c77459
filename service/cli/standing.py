"""`mind-memory status` and `retry`: what is stood on; what each mind holds, how far it is read, what it waits for."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from consolidation.workspace import checked_mind_id
from service.cli.board import dependencies
from service.cli.configuration import read_settings
from service.cli.digested import until_retried
from service.cli.reaching import reach
from service.cli.terminal import counted, day, one_line, out
from service.cli.watching import watch
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rich.console import Console

_MOST = 5
type Row = tuple[str, Text]


def status(*, mind: str | None, as_json: bool, home: Path | None, url: str | None) -> None:
    """Print the state of one mind, or of all. Raises CommandFailed."""
    configure_logs(level="ERROR", as_json=False)
    if mind is not None:
        checked_mind_id(mind)
    standing, found = asyncio.run(_found(mind, home=home, url=url))
    console = out()
    if as_json:
        console.print(json.dumps({**standing, "minds": found}, ensure_ascii=False, indent=2), soft_wrap=True)
        return
    if standing["dependencies"]:
        console.print(dependencies(standing))
        console.print()
    for one in found:
        show_mind(console, one)
    if not found:
        console.print("No minds yet: the first turn begins one. Try `mind-memory chat`.")


def retry(*, mind: str, home: Path | None, url: str | None) -> None:
    """Try parked turns again. Raises CommandFailed."""
    configure_logs(level="ERROR", as_json=False)
    checked_mind_id(mind)
    asyncio.run(_retry(mind, home=home, url=url))


def show_mind(console: Console, mind: Mapping[str, Any]) -> None:
    """One mind, a line a subject."""
    console.print(Text(mind["mind_id"], style="bold"))
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, words in _rows(mind):
        facts.add_row(name, words)
    console.print(Padding(facts, (0, 0, 1, 2), expand=False))


def look(*, mind: str | None, seconds: float, as_json: bool, home: Path | None, url: str | None) -> None:
    """Show it anew every so many *seconds*. Raises CommandFailed."""
    configure_logs(level="ERROR", as_json=False)
    if mind is not None:
        checked_mind_id(mind)
    watch(read_settings(home=home), url=url, mind=mind, seconds=seconds, as_json=as_json)


async def _found(
    mind: str | None, *, home: Path | None, url: str | None
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """How everything stands, and each mind in full: what the graph holds of it, how long its story is."""
    async with reach(read_settings(home=home), url=url) as memory:
        found = [await memory.mind(mind_id) for mind_id in ([mind] if mind else await memory.minds())]
        standing = await memory.standing()
        glance = {one["mind_id"]: one for one in standing["minds"]}
        return standing, [{**glance.get(one["mind_id"], {}), **one} for one in found]


async def _retry(mind: str, *, home: Path | None, url: str | None) -> None:
    async with reach(read_settings(home=home), url=url) as memory:
        parked = (await memory.mind(mind))["graph"]["parked"]
        retrying = await memory.retry(mind)
        if not retrying:
            out().print(f"No turn of {mind} is parked.")
            return
        if memory.is_own:
            left = await until_retried(memory, mind, parked)
            out().print(f"{counted(retrying, 'parked turn')} tried again: {left} still parked.")
        else:
            out().print(f"{counted(retrying, 'parked turn')} will be tried again; `mind-memory status` tells.")


def _rows(mind: Mapping[str, Any]) -> Iterator[Row]:
    graph, story, usage = mind["graph"], mind["story"], mind["usage"]
    yield "holds", Text(f"{counted(mind['turns'], 'turn')} of {counted(mind['sessions'], 'session')}")
    facts, entities = counted(graph["facts"], "fact"), counted(graph["entities"], "entity", "entities")
    if graph["available"]:
        yield "graph", Text(f"{counted(graph['episodes'], 'moment')}, {facts}, {entities}")
    else:
        yield "graph", Text("away: turns are kept and found by their words meanwhile", style="red")
    if graph["available"]:
        yield "read", _read(mind)
    if graph["waiting_for"]:
        yield "waits for", Text(one_line(graph["waiting_for"]), style="yellow")
    for at, parked in enumerate(graph["parked"][:_MOST]):
        why = f"turn {parked['sequence']}, after {parked['attempts']} attempts: {one_line(parked['error'], most=200)}"
        yield "" if at else "parked", Text(why, style="yellow")
    if graph["parked"]:
        more = len(graph["parked"]) - _MOST
        yield "", Text(f"{f'and {more} more; ' if more > 0 else ''}`mind-memory retry --mind {mind['mind_id']}`")
    for damage in mind["damaged"][:_MOST]:
        why = f"{damage['file']} at byte {damage['offset']}: {damage['reason']}; its bytes are in {damage['aside']}"
        yield "damaged", Text(why, style="red")
    yield "story", _told(story)
    if story["waiting_for"]:
        yield "", Text(f"it waits: {one_line(story['waiting_for'])}", style="yellow")
    if usage["calls"]:
        tokens = usage["prompt_tokens"] + usage["completion_tokens"]
        calls = counted(usage["calls"], "model call")
        yield "spent", Text(f"{calls}, {counted(tokens, 'token')}, ${usage['cost_usd']:.4f} since the service started")


def _told(story: Mapping[str, Any]) -> Text:
    waits = f"{counted(story['pending_tokens'], 'token')} not yet told" if story["pending_turns"] else "nothing waits"
    if not story["words"]:
        return Text(f"not begun, {waits}")
    size = f"{counted(story['chapters'], 'chapter')}, {counted(story['words'], 'word')}"
    told = f", told up to {day(story['last_processed'])}" if story["last_processed"] else ""
    return Text(f"{size}{told}; {waits}")


def _read(mind: Mapping[str, Any]) -> Text:
    graph = mind["graph"]
    behind = mind["last_sequence"] - graph["saved"]
    if not graph["lag"] and behind <= 0:
        return Text("everything", style="green")
    parts = [f"up to turn {graph['sequence']} of {mind['last_sequence']}, {counted(graph['lag'], 'turn')} to go"]
    if behind > 0:
        parts.append(f"{counted(behind, 'turn')} still to be saved to the graph")
    return Text("; ".join(parts))
