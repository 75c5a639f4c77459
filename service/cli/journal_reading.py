"""`mind-memory journal`: what was found in the notes, with where it stands; and the notes themselves."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.text import Text

from consolidation.workspace import checked_mind_id
from service.cli.configuration import read_settings
from service.cli.faults import CommandFailed
from service.cli.reaching import reach
from service.cli.terminal import note, out, plain
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rich.console import Console


def search(
    query: str, *, mind: str, limit: int, min_score: float | None, as_json: bool, home: Path | None, url: str | None
) -> None:
    """Ask and print. Raises CommandFailed."""
    configure_logs(level="ERROR", as_json=False)
    checked_mind_id(mind)
    if not query.strip():
        raise CommandFailed("say what to look for: the query is empty")

    async def ask() -> dict[str, Any]:
        async with reach(read_settings(home=home), url=url) as memory:
            return await memory.journal_search(mind, query=query, max_results=limit, min_score=min_score)

    answer = asyncio.run(ask())
    if as_json:
        out().file.write(json.dumps(answer, ensure_ascii=False, indent=2) + "\n")
    else:
        _show_found(out(), answer)


def show(path: str, *, mind: str, from_line: int, lines: int | None, home: Path | None, url: str | None) -> None:
    """Print lines of a file as they stand. Raises CommandFailed."""
    configure_logs(level="ERROR", as_json=False)
    checked_mind_id(mind)

    async def ask() -> dict[str, Any]:
        async with reach(read_settings(home=home), url=url) as memory:
            return await memory.journal_file(mind, path=path, from_line=from_line, lines=lines)

    answer = asyncio.run(ask())
    if answer["lines"]:
        out().file.write(f"{plain(answer['text'])}\n")
    last = from_line + answer["lines"] - 1
    if last < answer["total_lines"] or from_line > 1:
        told = f"lines {from_line} to {last}" if answer["lines"] else "no lines"
        note(f"{told} of {answer['total_lines']}")


def _show_found(console: Console, answer: Mapping[str, Any]) -> None:
    for one in answer["results"]:
        head = Text("◦ ")
        head.append(f"{plain(one['path'])}:{one['start_line']}-{one['end_line']}", style="bold")
        head.append(f"  {one['score']:.2f}", style="dim")
        console.print(Padding(head, (0, 0, 0, 2), expand=False))
        console.print(Padding(Text(plain(one["snippet"])), (0, 0, 1, 4), expand=False))
    if not answer["results"]:
        console.print("Nothing is written down about that.")
    if answer["degraded"]:
        console.print(f"Looked without: {', '.join(answer['degraded'])}", style="dim")
