"""`mind-memory story show`, `history` and `diff`: rendered for a person at a screen, as it is for everything else."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from consolidation.story.anchor import without_marks
from consolidation.workspace import checked_mind_id
from service.cli.configuration import read_settings
from service.cli.hints import command
from service.cli.reaching import reach
from service.cli.terminal import note, out, plain
from service.cli.versions import LAST, meant, when
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from pathlib import Path

    from service.cli.client import Answer, MemoryClient

_WIDEST = 100  # columns a person reads a text in
_STYLES = (("+++", "bold"), ("---", "bold"), ("@@", "cyan"), ("+", "green"), ("-", "red"))


@dataclass(frozen=True, slots=True)
class _Difference:
    """A unified diff, and what it is between; None where there is nothing to compare with."""

    text: str | None
    names: str = ""


def show(*, mind: str, version: str | None, is_raw: bool, home: Path | None, url: str | None) -> None:
    """Print the story, or an earlier one. Raises CommandFailed."""
    configure_logs(level="ERROR", as_json=False)
    checked_mind_id(mind)
    story = asyncio.run(_story(mind, version, home=home, url=url))
    console = out()
    told = without_marks(story.decode(errors="replace"))
    if not told.strip():
        begins = command("consolidate", mind=mind)
        note(f"{mind} has no story yet: it begins when enough was said, or with {begins}.")
    if is_raw or not console.is_terminal:
        typer.echo(story, nl=False)
    elif told.strip():
        from rich.markdown import Markdown

        console.print(Markdown(plain(told), hyperlinks=False), width=min(console.width, _WIDEST))


def history(*, mind: str, home: Path | None, url: str | None) -> None:
    """List the earlier versions. Raises CommandFailed."""
    configure_logs(level="ERROR", as_json=False)
    checked_mind_id(mind)
    versions = asyncio.run(_history(mind, home=home, url=url))
    if not versions:
        note(f"The story of {mind} has no earlier version yet: it has not been changed.")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("version", no_wrap=True)
    table.add_column("until", no_wrap=True)
    table.add_column("size", justify="right", no_wrap=True)
    for one in versions:
        table.add_row(one["version"], when(one), f"{one['bytes']:,} bytes")
    out().print(table)


def diff(*, mind: str, version: str | None, to: str | None, home: Path | None, url: str | None) -> None:
    """Print what changed. Raises CommandFailed."""
    configure_logs(level="ERROR", as_json=False)
    checked_mind_id(mind)
    found = asyncio.run(_difference(mind, version, to, home=home, url=url))
    if found.text is None:
        note(f"The story of {mind} has no earlier version yet: it has not been changed.")
    elif not found.text:
        note(f"Not a word differs between {found.names}.")
    elif out().is_terminal:
        out().print(_coloured(found.text), soft_wrap=True)
    else:
        typer.echo(found.text.encode(errors="replace"), nl=not found.text.endswith("\n"))


async def _story(mind: str, version: str | None, *, home: Path | None, url: str | None) -> bytes:
    async with reach(read_settings(home=home), url=url) as memory:
        name = await _named(memory, mind, version) if version is not None else None
        return await memory.story_bytes(mind, name)


async def _history(mind: str, *, home: Path | None, url: str | None) -> list[Answer]:
    async with reach(read_settings(home=home), url=url) as memory:
        return await memory.history(mind)


async def _difference(
    mind: str, version: str | None, to: str | None, *, home: Path | None, url: str | None
) -> _Difference:
    async with reach(read_settings(home=home), url=url) as memory:
        if version is None and not await memory.history(mind):
            return _Difference(None)
        first = await _named(memory, mind, version or LAST)
        second = await _named(memory, mind, to) if to is not None else None
        text = await memory.diff(mind, first, to=second)
        return _Difference(text, f"{first} and {second or 'the story as it stands'}")


async def _named(memory: MemoryClient, mind: str, said: str) -> str:
    return str(meant(said, await memory.history(mind))["version"])


def _coloured(text: str) -> Text:
    """A unified diff as it is known from elsewhere: what came is green, what went is red."""
    lines = Text()
    for line in plain(text).splitlines():
        style = next((style for mark, style in _STYLES if line.startswith(mark)), "")
        lines.append(f"{line}\n", style=style)
    lines.rstrip()
    return lines
