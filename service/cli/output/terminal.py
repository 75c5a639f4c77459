"""
What every command prints with.

The consoles take text as it is: no markup, and nothing in it can steer the terminal. Answers go to stdout; notes,
progress and failures to stderr. Times are shown in the time zone of the mind that a command is about, else of this
machine. Where stdout is not a terminal, a line of an answer is one line, however long, since a program or a file
reads it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, cast
from zoneinfo import ZoneInfo

import anyio
import typer
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from consolidation.workspace import DEFAULT_MIND
from service.adapters.local_zone import here

if TYPE_CHECKING:
    from mind_memory_client.models import Usage  # not at a start of the service: it brings an HTTP library

# Escape sequences, other control characters but newline and tab, and marks that reverse the direction of writing.
_STEERING = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_console = partial(Console, markup=False, highlight=False, emoji=False)
_PROGRAM = "mind-memory"
_UNWRAPPED = 100_000  # columns: wider than any line
_MOST_LISTED = 5
_GAP = 2  # between columns
_LEAST_LAST = 20  # columns of the terminal for the last of a table
_LONGEST_LISTED, _LONGEST_NAME = 200, 40


_zone: ContextVar[ZoneInfo | None] = ContextVar("zone", default=None)  # of the mind that the command is about
_place: ContextVar[str] = ContextVar("place", default="")  # the options that name the memory it is called on


class Row(NamedTuple):
    """A line of a list of facts. The name is empty where the line goes on with the one above."""

    name: str
    words: str
    style: str = ""


class _Unpadded:
    """A file without the spaces that fill the last column of a table."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> int:
        *lines, last = text.split("\n")
        return self._file.write("\n".join([*(line.rstrip(" ") for line in lines), last]))

    def flush(self) -> None:
        self._file.flush()


def out() -> Console:
    """The console for answers: stdout as it is now, as wide as the terminal, or as COLUMNS says, or else unwrapped."""
    console = _console()
    if console.is_terminal or os.environ.get("COLUMNS"):
        return console
    return _console(file=cast("IO[str]", _Unpadded(sys.stdout)), width=_UNWRAPPED)


def err() -> Console:
    """The console for notes, progress and failures: stderr as it is now."""
    return _console(stderr=True)


def complain(sentence: str, *, style: str = "red") -> None:
    """Print on stderr why a command ends; on one line where stderr is not a terminal."""
    console = err()
    console.print(plain(sentence), style=style, soft_wrap=not console.is_terminal)


def note(sentence: str) -> None:
    """Print on stderr, dimmed, what is worth knowing."""
    complain(sentence, style="dim")


async def confirm(question: str) -> None:
    """
    Ask the person at the terminal. Raises typer.Abort for every answer but yes.

    The answer is awaited, and read once it is there: a Ctrl-C ends the wait at once.
    """
    sys.stderr.write(f"{plain(question)} [y/N]: ")
    sys.stderr.flush()
    await anyio.wait_readable(sys.stdin)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise typer.Abort


def show_json(answer: object, *, indent: int | None = 2) -> None:
    """Print an answer of the API; never wrapped."""
    sys.stdout.write(json.dumps(answer, ensure_ascii=False, indent=indent) + "\n")
    sys.stdout.flush()


def indented(console: Console, what: RenderableType, *, by: int = 2, below: int = 0) -> None:
    """Print it *by* columns further in, also where it is folded; with *below* empty lines at the end."""
    console.print(Padding(what, (0, 0, below, by), expand=False))


def show_facts(console: Console, rows: Iterable[Row], *, below: int = 0) -> None:
    """Print two columns, names dimmed; a row without words is left out."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        if row.words:
            table.add_row(row.name, Text(plain(row.words), style=row.style))
    if table.row_count:
        indented(console, table, below=below)


def show_list(console: Console, table: RenderableType | None, nothing: str, next_cursor: str | None) -> None:
    """Print a page of a list, or that there is *nothing*; and that there is more, where there is a *next_cursor*."""
    console.print(table if table is not None else nothing, crop=False)  # an id may be wider than the terminal
    if next_cursor is not None:
        note("there are more: raise --limit, or narrow it")


def plain_table(*headings: str, rows: Iterable[Iterable[str]] = ()) -> Table:
    """A table without lines; headings dimmed, long cells folded."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def table_with_ids(
    console: Console, headings: Sequence[str], rows: Iterable[tuple[str, tuple[str, ...]]]
) -> RenderableType:
    """
    Rows, each with an id, which can be copied whole where this is printed with ``crop=False``.

    A terminal shows an id in a line of its own below its row; a pipe gets it first. Where a terminal has too little
    room for columns, a row is a paragraph.
    """
    if not console.is_terminal:
        return plain_table("id", *headings, rows=((plain(key), *cells) for key, cells in rows))
    found = list(rows)
    *widths, _ = (max(map(cell_len, column)) for column in zip(headings, *(cells for _, cells in found), strict=True))
    has_columns = console.width - sum(widths) - _GAP * len(widths) >= _LEAST_LAST
    lines: list[RenderableType] = [_in_columns(headings, widths, style="dim")] if has_columns else []
    for key, cells in found:
        lines.append(_in_columns(cells, widths) if has_columns else Text((" " * _GAP).join(filter(None, cells))))
        lines.append(Text(f"  {plain(key)}", style="dim", no_wrap=True, overflow="ignore"))
    return Group(*lines)


def _in_columns(cells: Sequence[str], widths: Sequence[int], *, style: str = "") -> Table:
    """A row of a table; the last cell has the rest of the line."""
    table = Table.grid(padding=(0, _GAP, 0, 0))
    for width in widths:
        table.add_column(width=width)
    table.add_column(overflow="fold")
    table.add_row(*cells, style=style)
    return table


def rows_of(name: str, words: Iterable[str], style: str = "") -> Iterator[Row]:
    """A row for each, the name beside the first alone."""
    for at, one in enumerate(words):
        yield Row("" if at else name, one, style)


def first_of(name: str, words: str, found: list[str], *, total: int | None = None) -> Iterator[Row]:
    """A row that says how many there are, and a row for each of the first few; nothing where there are none."""
    number = len(found) if total is None else total
    if not number:
        return
    yield Row(name, f"{number:,} {words}", "yellow")
    for one in found[:_MOST_LISTED]:
        yield Row("", one_line(one, most=_LONGEST_LISTED), "dim")
    if number > _MOST_LISTED:
        yield Row("", f"and {number - _MOST_LISTED:,} more", "dim")


def plain(text: str) -> str:
    """*text* without what would move the cursor, change colours or reverse the line. Idempotent."""
    return _STEERING.sub("", text.encode(errors="replace").decode())


def one_line(text: str, *, most: int | None = None) -> str:
    """*text* on one line, cut with an ellipsis beyond *most* characters."""
    line = " / ".join(part.strip() for part in plain(text).splitlines() if part.strip())
    return line if most is None or len(line) <= most else f"{line[: most - 1].rstrip()}…"


def short_name(text: str) -> str:
    """A name as a list has it."""
    return one_line(text, most=_LONGEST_NAME)


def counted(number: int, one: str, many: str = "") -> str:
    """``1 turn``, ``1,204 turns``."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def facts_and_entities(facts: int, entities: int) -> str:
    """``12 facts, 1 entity``."""
    return f"{counted(facts, 'fact')}, {counted(entities, 'entity', 'entities')}"


def speaker(role: str, name: str | None, *, style: str = "") -> Text:
    """``user Ann: ``, the beginning of what somebody said."""
    return Text(style=style).append(f"{plain(role)}{f' {plain(name)}' if name else ''}: ", style="italic")


def spent(usage: Usage) -> str:
    """``2 model calls, 310 tokens, $0.0004``."""
    calls, tokens = counted(usage.calls, "model call"), counted(usage.prompt_tokens + usage.completion_tokens, "token")
    return f"{calls}, {tokens}, ${usage.cost_usd:.4f}"


def typed(words: str, *, mind: str = DEFAULT_MIND) -> str:
    """A command as it must be typed for this mind and place: ```mind-memory consolidate --mind ada```."""
    whose = "" if mind == DEFAULT_MIND else f" --mind {mind}"
    return f"`{_PROGRAM} {words}{whose}{_place.get()}`"


def ready_to_type(words: str) -> str:
    """A command as it can be copied here, for the same place: ``.venv/bin/mind-memory chat --home /tmp/home``."""
    return f"{program()} {words}{_place.get()}"


def show_commands_for(place: str) -> None:
    """Show commands with the options *place* from now on, which name the memory that this one is called on."""
    _place.set(place)


def program() -> str:
    """The command as it can be typed here: by its name where the shell finds it, else by its path."""
    own = Path(sys.executable).with_name(_PROGRAM)
    if shutil.which(_PROGRAM) is not None or not own.is_file():
        return _PROGRAM
    return str(own.relative_to(Path.cwd())) if own.is_relative_to(Path.cwd()) else shortened(own)


def shortened(path: Path) -> str:
    """A path with ``~`` for the person's own folder."""
    own = path.home()
    return f"~/{path.relative_to(own)}" if path.is_relative_to(own) and path != own else str(path)


def days(first: datetime, last: datetime) -> str:
    """``9 Jan 2026 – 3 Mar 2026``; one day where both are of it."""
    return " – ".join(dict.fromkeys((day(first), day(last))))


def day(instant: datetime) -> str:
    """``9 Jan 2026``, in the shown time zone."""
    there = instant.astimezone(shown_zone())
    return f"{there.day} {there:%b %Y}"


def minute(instant: datetime) -> str:
    """``2026-01-09 18:30``, in the shown time zone."""
    return f"{instant.astimezone(shown_zone()):%Y-%m-%d %H:%M}"


def show_times_in(zone: ZoneInfo | None) -> None:
    """Show times in *zone* from now on; with None, where this machine is."""
    _zone.set(zone)


def shown_zone() -> ZoneInfo:
    """The time zone that times are shown in, and that a day is meant in."""
    return _zone.get() or here()
