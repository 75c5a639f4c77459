"""How everything stands, as one looks at it: what is stood on, a line a mind, what somebody should see to. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from service.cli.terminal import one_line, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import RenderableType

type Standing = Mapping[str, Any]

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_AROUND = 9  # lines of the board that are no minds'
_NOTHING = Text("·", style="dim")
_LANES = {"indexing": "to index", "saving": "to save", "extracting": "to read"}
_LONGEST_NAME, _LONGEST_TROUBLE, _MOST_TROUBLES = 32, 100, 5


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen: how it stands now, how many turns each mind had when the looking began, why it can not be seen."""

    standing: Standing
    turns_before: Mapping[str, int]
    lost: str | None = None


def board(look: Look, *, place: str, height: int | None = None, footer: str = "") -> RenderableType:
    """All of it, on a screen of *height* lines, where there is one."""
    minds = sorted(look.standing["minds"], key=lambda mind: (not _troubles(mind), mind["mind_id"]))
    troubles = [line for mind in minds for line in _troubles(mind)][:_MOST_TROUBLES]
    room = len(minds) if height is None else max(1, height - _AROUND - len(troubles))
    parts: list[RenderableType] = [_title(look.standing, place), dependencies(look.standing), Text("")]
    parts.append(_table(minds[:room], look) if minds else Text("No minds yet: the first turn begins one.", "dim"))
    if len(minds) > room:
        parts.append(Text(f"and {len(minds) - room:,} more", style="dim"))
    parts.extend(Text(line, style="yellow") for line in troubles)
    if look.lost is not None:
        parts.append(Text(f"It does not answer any more: {one_line(look.lost, most=_LONGEST_TROUBLE)}", style="red"))
    if footer:
        parts.extend((Text(""), Text(footer, style="dim")))
    return Group(*parts)


def dependencies(standing: Standing) -> Text:
    """What is stood on, each with a dot; behind one that fails, why."""
    line = Text()
    for one in standing["dependencies"]:
        is_well = one["trouble"] is None
        line.append("● " if is_well else "○ ", style="green" if is_well else "red")
        line.append(one["name"], style="" if is_well else "red")
        if one["breaker"] not in {None, "closed"}:
            line.append(f" (breaker {one['breaker'].replace('_', ' ')})", style="red")
        if not is_well:
            line.append(f": {one_line(one['trouble'], most=_LONGEST_TROUBLE)}", style="red")
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


def _title(standing: Standing, place: str) -> Text:
    up = ago(_since(standing["started_at"], standing))
    return Text.assemble(
        ("mind-memory ", "bold"), standing["version"], (f"  {plain(place)}", "bold green"), (f"  up {up}", "dim")
    )


def _table(minds: Sequence[Mapping[str, Any]], look: Look) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("mind", no_wrap=True, max_width=_LONGEST_NAME)
    for name in ("turns", *_LANES.values(), "parked", "story waits", "surfaced", "last", "spent"):
        table.add_column(name, justify="right", no_wrap=True)
    for mind in minds:
        table.add_row(*_cells(mind, look))
    return table


def _cells(mind: Mapping[str, Any], look: Look) -> Iterator[Text]:
    yield Text(mind["mind_id"], style="yellow" if _troubles(mind) else "bold")
    yield _turns(mind["turns"], before=look.turns_before.get(mind["mind_id"], mind["turns"]))
    for lane in _LANES:
        yield _number(mind["lag"][lane], style="cyan")
    yield _number(mind["parked"], style="yellow")
    story = mind["story"]
    waits = _number(story["pending_tokens"], style="", unit=" tokens")
    yield Text("is told now", style="cyan") if story["is_running"] else waits
    calls = mind["resonance"]
    rate = f"{calls['surfaced'] / calls['calls']:.0%} of {calls['calls']}" if calls["calls"] else ""
    yield Text(rate) if rate else _NOTHING
    yield Text(ago(_since(calls["last_at"], look.standing))) if calls["last_at"] else _NOTHING
    usage = mind["usage"]
    yield Text(f"${usage['cost_usd']:.4f}") if usage["calls"] else _NOTHING


def _turns(number: int, *, before: int) -> Text:
    more = number - before
    return Text.assemble(f"{number:,}", (f" +{more:,}", "green") if more > 0 else "")


def _number(number: int, *, style: str, unit: str = "") -> Text:
    return Text(f"{number:,}{unit}", style=style) if number else _NOTHING


def _troubles(mind: Mapping[str, Any]) -> list[str]:
    name = mind["mind_id"]
    found = []
    if mind["waiting_for"]:
        found.append(f"{name} waits: {one_line(mind['waiting_for'], most=_LONGEST_TROUBLE)}")
    if mind["story"]["waiting_for"]:
        found.append(f"{name}'s story waits: {one_line(mind['story']['waiting_for'], most=_LONGEST_TROUBLE)}")
    if mind["parked"]:
        found.append(f"{name} has parked turns: `mind-memory retry --mind {name}`")
    return found


def _since(instant: str, standing: Standing) -> float:
    """Seconds by the service's own clock, which need not be ours."""
    return (datetime.fromisoformat(standing["now"]) - datetime.fromisoformat(instant)).total_seconds()
