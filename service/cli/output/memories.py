"""Memories in a terminal: a mark, how long ago, the words, and the turn they come from; and what was not stored."""

from __future__ import annotations

from collections.abc import Iterable

from mind_memory_client import Flashback, Remembered, Resonance
from mind_memory_client.models import DroppedMessage, JournalSource, Memory
from mind_memory_client.sources import PersonSource, TurnSource
from rich.console import Console
from rich.table import Table
from rich.text import Text

from consolidation.kernel.clock import SystemClock
from service.cli.output.terminal import day, indented, one_line, plain, shown_zone
from service.resonance.labels import label

_LONGEST = 280
_SOURCES = 2
_DECIDED = {
    "wrong": "✗ a person: wrong",
    "edit": "✗ a person: it is",
    "right": "✓ a person: right",
    "pin": "★ pinned",
    "mute": "– never comes up",
}
_CORRECTABLE = ("fact", "entity", "episode")
_SECRET = "secret: "  # noqa: S105 - how a reason begins
_OFF_THE_RECORD = "off_the_record"


def show_memories(console: Console, found: Remembered) -> None:
    """What ``remember`` found, best first."""
    zone, now = shown_zone(), SystemClock().now()
    for memory in found.memories:
        words = date = ""
        if memory.occurred_at is not None:
            age = label(memory.occurred_at, now=now, timezone=zone, language="en")
            words, date = age.words, age.date
        if memory.invalid_at is not None:
            date += f", until {day(memory.invalid_at)}"
        _show_memory(console, words, memory, date=date)
    if not found.memories:
        console.print("Nothing is remembered about that.")
    show_degraded(console, found.degraded)


def show_surfaced(console: Console, found: Resonance) -> None:
    """What surfaced before a turn, or why nothing did, dimmed, above the bot's answer."""
    for flashback in found.flashbacks:
        _show_memory(console, flashback.label, flashback, date=flashback.date, style="dim")
    if not found.flashbacks:
        indented(console, Text(f"◦ nothing surfaced: {one_line(found.silence or 'no reason given')}", style="dim"))
    if found.degraded:
        indented(console, Text(f"  skipped: {', '.join(found.degraded)}", style="dim"))


def show_degraded(console: Console, degraded: tuple[str, ...]) -> None:
    """What a search had to do without."""
    if degraded:
        console.print(f"Skipped, as it timed out or was unavailable: {', '.join(degraded)}", style="dim")


def is_off_the_record(dropped: Iterable[DroppedMessage]) -> bool:
    """Whether nothing of a turn was stored."""
    return any(one.reason == _OFF_THE_RECORD for one in dropped)


def secrets_in(dropped: Iterable[DroppedMessage]) -> tuple[str, ...]:
    """The kinds of secrets that were taken out of a turn, in order."""
    found = (one.reason.removeprefix(_SECRET) for one in dropped if one.reason.startswith(_SECRET))
    return tuple(dict.fromkeys(found))


def _show_memory(console: Console, age: str, memory: Memory | Flashback, *, date: str, style: str = "") -> None:
    """A mark, then everything else in a column of its own."""
    words = Text(style=style)
    words.append(" — ".join(part for part in (plain(age), plain(date)) if part), style="bold")
    words.append(f" · {one_line(memory.text, most=_LONGEST)} ")
    sort = getattr(memory, "entity_kind", None)
    kind = f"{memory.kind} {plain(sort)}" if sort else memory.kind
    words.append(f"‹{kind} · {_sources(memory)}", style="italic")
    if isinstance(memory, Memory) and memory.kind in _CORRECTABLE:
        words.append(f" · {one_line(memory.id)}", style="italic")  # which `correct` takes
    words.append("›", style="italic")
    for one in memory.corrections if isinstance(memory, Memory) else ():
        decided = f" {_DECIDED.get(one.what, one.what)}"
        words.append(f"{decided} {one_line(one.to, most=_LONGEST)}" if one.to else decided, style="bold")
    row = Table.grid(padding=(0, 1))
    row.add_column(width=1, style=style)
    row.add_column(overflow="fold")
    row.add_row("◦", words)
    indented(console, row)


def _sources(memory: Memory | Flashback) -> str:
    """Where a memory comes from, compact: turns by session and position, notes by file and line."""
    if not memory.sources:
        return "no source"
    named = [_source(one) for one in memory.sources[:_SOURCES]]
    more = len(memory.sources) - _SOURCES
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")


def _source(source: TurnSource | JournalSource | PersonSource) -> str:
    if isinstance(source, PersonSource):
        return f"put right by {one_line(source.by, most=40)}"
    if source.turn_id is None:
        return f"{one_line(source.path, most=60)}:{source.start_line}"
    return f"{one_line(source.session_id, most=40)} #{source.sequence}"
