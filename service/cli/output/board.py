"""`status --watch` as one looks at it: the dependencies, a line a mind, and what somebody should see to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from mind_memory_client.service_status import MindStatus, ServiceStatus, StoryBacklog
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from service.cli.output.terminal import one_line, plain, plain_table, typed

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_OTHER_LINES = 9  # lines of the board that do not belong to a mind
_NOTHING = Text("·", style="dim")
_UNKNOWN = Text("?", style="dim")  # while nothing of a mind is known
_NARROW = 100
_COLUMNS = ("turns", "to index", "to save", "to read", "to write", "parked", "surfaced", "last", "spent")
_NARROW_COLUMNS = tuple(name for name in _COLUMNS if name not in {"parked", "spent"})
_LONG_NAME, _SHORT_NAME = 32, 18
_LONGEST_TROUBLE, _MOST_TROUBLES = 100, 5


@dataclass(frozen=True, slots=True)
class Look:
    """
    The status, how many turns each mind had at the first look, and why the service is not seen any more.

    *mind* is the one that was asked for; None stands for all.
    """

    status: ServiceStatus
    turns_before: Mapping[str, int]
    lost: str | None = None
    mind: str | None = None


def board(look: Look, *, place: str, width: int, height: int | None = None, footer: str = "") -> RenderableType:
    """All of it, for a screen of *width* columns and *height* lines; None where it may have any number."""
    minds = sorted(look.status.minds, key=lambda mind: (not _troubles(mind), mind.mind_id))
    found = [line for mind in minds for line in _troubles(mind)]
    troubles = found[:_MOST_TROUBLES]
    if len(found) > _MOST_TROUBLES:
        troubles.append(f"and {len(found) - _MOST_TROUBLES:,} more to see to")
    room = len(minds) if height is None else max(1, height - _OTHER_LINES - len(troubles))
    parts: list[RenderableType] = [_title(look.status, place), dependencies(look.status), Text("")]
    is_narrow = width < _NARROW
    none = "No minds yet: the first turn makes one."
    if look.mind is not None:
        none = f"The mind {look.mind} does not exist any more."
    nobody = Text(none, style="dim")
    parts.append(_table(minds[:room], look, is_narrow=is_narrow) if minds else nobody)
    if len(minds) > room:
        parts.append(Text(f"and {len(minds) - room:,} more", style="dim"))
    is_cut = height is not None  # a line that folds would push the last one off the screen
    parts.extend(Text(line, style="yellow", no_wrap=is_cut, overflow="ellipsis") for line in troubles)
    if look.lost is not None:
        parts.append(Text(f"Lost: {one_line(look.lost, most=_LONGEST_TROUBLE)}", style="red"))
    if footer:
        parts.extend((Text(""), Text(footer, style="dim")))
    return Group(*parts)


def dependencies(status: ServiceStatus) -> Text:
    """What the service needs, each with a dot; behind one that fails, why."""
    line = Text()
    for one in status.dependencies:
        works = one.trouble is None
        line.append("● " if works else "○ ", style="green" if works else "red")
        line.append(one.name, style="" if works else "red")
        if one.breaker not in {None, "closed"}:
            line.append(f" (breaker {str(one.breaker).replace('_', ' ')})", style="red")
        if one.trouble is not None:
            line.append(f": {one_line(one.trouble, most=_LONGEST_TROUBLE)}", style="red")
        line.append("   ")
    return line


def ago(seconds: float) -> str:
    """``now``, ``12 s``, ``3 min``, ``5 h``, ``9 d``."""
    if seconds < 1:
        return "now"
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE:.0f} min"
    return f"{seconds // _HOUR:.0f} h" if seconds < _DAY else f"{seconds // _DAY:.0f} d"


def _title(status: ServiceStatus, place: str) -> Text:
    up = ago(_since(status.started_at, status))
    return Text.assemble(
        ("mind-memory ", "bold"), status.version, (f"  {plain(place)}", "bold green"), (f"  up {up}", "dim")
    )


def _table(minds: Sequence[MindStatus], look: Look, *, is_narrow: bool) -> Table:
    names = _NARROW_COLUMNS if is_narrow else _COLUMNS
    table = plain_table()
    table.add_column("mind", no_wrap=True, max_width=_SHORT_NAME if is_narrow else _LONG_NAME)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for mind in minds:
        cells = _cells(mind, look, is_narrow=is_narrow)
        table.add_row(
            Text(mind.mind_id, style="yellow" if _troubles(mind) else "bold"), *(cells[name] for name in names)
        )
    return table


def _cells(mind: MindStatus, look: Look, *, is_narrow: bool) -> dict[str, Text]:
    calls, story, lag, usage = mind.resonance, mind.story, mind.lag, mind.usage
    if mind.turns is None or calls is None or story is None or lag is None or usage is None:
        return dict.fromkeys(_COLUMNS, _UNKNOWN)
    last = calls.last_at
    more = mind.turns - look.turns_before.get(mind.mind_id, mind.turns)
    rate = f"{calls.surfaced / calls.calls:.0%}" if calls.calls else ""
    return {
        "turns": Text.assemble(f"{mind.turns:,}", (f" +{more:,}", "green") if more > 0 else ""),
        "to index": _number(lag.indexing, "cyan"),
        "to save": _number(lag.saving, "cyan"),
        "to read": _number(lag.extracting, "cyan"),
        "to write": _writing(story),
        "parked": _number(mind.parked or 0, "yellow"),
        "surfaced": Text.assemble(rate, ("" if is_narrow else f" of {calls.calls}", "dim")) if rate else _NOTHING,
        "last": Text(ago(_since(last, look.status))) if last else _NOTHING,
        "spent": Text(f"${usage.cost_usd:.4f}") if usage.calls else _NOTHING,
    }


def _writing(story: StoryBacklog) -> Text:
    """The tokens that wait for the story; while a model writes it, how many letters have come."""
    if not story.is_running:
        return _number(story.pending_tokens)
    return Text(f"{story.received:,} letters" if story.received else "now", style="cyan")


def _number(number: int, style: str = "") -> Text:
    return Text(f"{number:,}", style=style) if number else _NOTHING


def _troubles(mind: MindStatus) -> list[str]:
    name = mind.mind_id
    found = []
    if mind.waiting_for:
        found.append(f"{name} waits: {one_line(mind.waiting_for, most=_LONGEST_TROUBLE)}")
    if mind.story is not None and mind.story.waiting_for:
        found.append(f"{name}'s story waits: {one_line(mind.story.waiting_for, most=_LONGEST_TROUBLE)}")
    if mind.parked:
        found.append(f"{name} has parked turns: {typed(f'retry --mind {name}')}")
    return found


def _since(instant: datetime, status: ServiceStatus) -> float:
    """Seconds by the service's own clock, which need not be ours."""
    return (status.now - instant).total_seconds()
