"""How memories look in a terminal: a mark, how long ago, the words, and the turn they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from service.cli.terminal import one_line, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_LONGEST = 280
_SOURCES = 2


def show_surfaced(console: Console, answer: Mapping[str, Any]) -> None:
    """What came up before a turn, or why nothing did, dimmed, in front of the bot's answer."""
    for flashback in answer["flashbacks"]:
        show_memory(console, flashback["label"] or "", flashback, date=flashback["date"], style="dim")
    if not answer["flashbacks"]:
        _aside(console, f"◦ silence: {one_line(answer['silence'] or 'no reason given')}")
    if answer["degraded"]:
        _aside(console, f"  without: {', '.join(answer['degraded'])}")


def show_memory(console: Console, label: str, memory: Mapping[str, Any], *, date: str, style: str = "") -> None:
    """One memory: a mark, then everything else in a column of its own."""
    words = Text(style=style)
    words.append(" — ".join(part for part in (plain(label), plain(date)) if part), style="bold")
    words.append(f" · {one_line(memory['text'], most=_LONGEST)} ")
    words.append(f"‹{memory['kind']} · {source_of(memory)}›", style="italic")
    row = Table.grid(padding=(0, 1))
    row.add_column(width=1, style=style)
    row.add_column(overflow="fold")
    row.add_row("◦", words)
    console.print(Padding(row, (0, 0, 0, 2), expand=False))


def source_of(memory: Mapping[str, Any]) -> str:
    """What a memory rests on, compact: turns by session and position, notes by file and line."""
    sources = memory["sources"]
    if not sources:
        return "no source"
    told = [_place(one) for one in sources[:_SOURCES]]
    more = len(sources) - _SOURCES
    return ", ".join(told) + (f" and {more} more" if more > 0 else "")


def _place(source: Mapping[str, Any]) -> str:
    if source.get("path") is not None:
        return f"{one_line(source['path'], most=60)}:{source['start_line']}"
    return f"{one_line(source['session_id'], most=40)} #{source['sequence']}"


def _aside(console: Console, words: str) -> None:
    console.print(Padding(Text(words, style="dim"), (0, 0, 0, 2), expand=False))
