"""`mind-memory erase`: a mind, a session or a turn, gone everywhere; it asks before, and tells what went."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import anyio.to_thread
import httpx
import typer
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from consolidation.workspace import checked_mind_id, workspace_of
from service.cli.configuration import read_settings
from service.cli.faults import CommandFailed, Refused
from service.cli.reaching import reach
from service.cli.terminal import counted, note, one_line, out
from service.erasing.receipt import Wish
from service.erasing.remains import files_of
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from service.cli.client import Answer, MemoryClient

_AGAIN_SECONDS = 1.0
_GONE = frozenset({httpx.codes.NOT_FOUND, httpx.codes.GONE})
type Row = tuple[str, Text]


def erase(
    *, mind: str | None, session: str | None, turn: str | None, is_sure: bool, home: Path | None, url: str | None
) -> None:
    """Erase and report. Raises CommandFailed where it may not be, or where something was still found."""
    configure_logs(level="ERROR", as_json=False)
    if session is not None and turn is not None:
        raise CommandFailed("--session and --turn are two wishes: ask for one after the other")
    if mind is None:
        raise CommandFailed("say whose memory: --mind ID; with --session or --turn only a part of it")
    wish = Wish(checked_mind_id(mind), session, turn)
    if not is_sure and not sys.stdin.isatty():
        raise CommandFailed("nobody is here to be asked whether that is meant: add --yes")
    receipt = asyncio.run(_erased(wish, is_sure=is_sure, home=home, url=url))
    _show(wish, receipt)
    if receipt is not None and not receipt["verified"]:
        raise CommandFailed("Not all of it could be shown to be gone; what is named above is left.")


async def _erased(wish: Wish, *, is_sure: bool, home: Path | None, url: str | None) -> Answer | None:
    settings = read_settings(home=home)
    async with reach(settings, url=url) as memory:
        held = await memory.mind(wish.mind_id)
        if not is_sure:
            workspace = workspace_of(settings.folder, wish.mind_id)
            people = [name for _, name, is_ours in files_of(workspace) if not is_ours] if url is None else None
            question = _question(wish, held, people)
            await anyio.to_thread.run_sync(lambda: typer.confirm(question, abort=True, err=True))
        return await _until_erased(memory, wish)


async def _until_erased(memory: MemoryClient, wish: Wish) -> Answer | None:
    """The receipt; None where it was finished while nobody waited for it."""
    waited_for = None
    while True:
        try:
            answer = await memory.erase(wish.mind_id, session_id=wish.session_id, turn_id=wish.turn_id)
        except Refused as refusal:
            if waited_for is None or refusal.status not in _GONE:
                raise
            return None
        if answer["erased_at"] is not None:
            return answer
        if answer["waiting_for"] != waited_for:
            note(f"It waits: {one_line(answer['waiting_for'])}. It goes on by itself, also when this command ends.")
            waited_for = answer["waiting_for"]
        await anyio.sleep(_AGAIN_SECONDS)


def _question(wish: Wish, held: Answer, people: list[str] | None) -> str:
    if not wish.is_whole:
        what = f"session {wish.session_id}" if wish.session_id is not None else f"turn {wish.turn_id}"
        return f"Erase {what} of {wish.mind_id} everywhere, for good?"
    size = f"{counted(held['turns'], 'turn')} of {counted(held['sessions'], 'session')}"
    files = (
        f"people's own files with it ({', '.join(people)})" if people else "people's own files in its folder with it"
    )
    return f"Erase {wish.mind_id} everywhere, for good: {size}, its story and graph, and {files}?"


def _show(wish: Wish, receipt: Answer | None) -> None:
    console = out()
    what = "" if wish.is_whole else f" session {wish.session_id}" if wish.session_id else f" turn {wish.turn_id}"
    console.print(Text(f"Erased{f'{what} of' if what else ''} {wish.mind_id}", style="bold"))
    if receipt is None:
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, words in _rows(receipt):
        table.add_row(name, words)
    console.print(Padding(table, (0, 0, 0, 2), expand=False))


def _rows(receipt: Answer) -> Iterator[Row]:
    places: dict[str, list[str]] = {}
    for one in receipt["erased"]:
        places.setdefault(one["place"], []).append(f"{one['count']:,} {one['unit'].replace('_', ' ')}")
    for place, counts in places.items():
        yield place, Text(", ".join(counts))
    for name in receipt["peoples_files"]:
        yield "a person's", Text(one_line(name))
    yield "server's log", Text(receipt["append_only_file"])
    for heading in receipt["edited_by_person"]:
        yield "stays", Text(f"{one_line(heading)}: a person edited it, and it may tell of it", style="yellow")
    for name in receipt["left"]:
        yield "left", Text(f"{one_line(name)} is a person's, and shows it", style="yellow")
    for name in receipt["found"]:
        yield "found", Text(one_line(name), style="red")
    yield "searched", Text("nothing was found" if receipt["verified"] else "not verified")
