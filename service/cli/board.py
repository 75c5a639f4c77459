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
    from collections.abc import Callable, Mapping, Sequence

    from rich.console import RenderableType

type Standing = Mapping[str, Any]
type Cell = Callable[[Mapping[str, Any], Look], Text]

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_AROUND = 9  # lines of the board that are no minds'
_NOTHING = Text("·", style="dim")
_NARROW = 100
_LONG_NAME, _SHORT_NAME = 32, 18
_LONGEST_TROUBLE, _MOST_TROUBLES = 100, 5


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen: how it stands now, how many turns each mind had when the looking began, why it can not be seen."""

    standing: Standing
    turns_before: Mapping[str, int]
    lost: str | None = None


def board(look: Look, *, place: str, width: int, height: int | None = None, footer: str = "") -> RenderableType:
    """All of it, on a screen so *width* and of *height* lines; None where it may be of any."""
    minds = sorted(look.standing["minds"], key=lambda mind: (not _troubles(mind), mind["mind_id"]))
    troubles = [line for mind in minds for line in _troubles(mind)][:_MOST_TROUBLES]
    room = len(minds) if height is None else max(1, height - _AROUND - len(troubles))
    parts: list[RenderableType] = [_title(look.standing, place), dependencies(look.standing), Text("")]
    is_narrow = width < _NARROW
    nobody = Text("No minds yet: the first turn begins one.", style="dim")
    parts.append(_table(minds[:room], look, is_narrow=is_narrow) if minds else nobody)
    if len(minds) > room:
        parts.append(Text(f"and {len(minds) - room:,} more", style="dim"))
    is_cut = height is not None  # a line that folds would push the last one off the screen
    parts.extend(Text(line, style="yellow", no_wrap=is_cut, overflow="ellipsis") for line in troubles)
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


def _table(minds: Sequence[Mapping[str, Any]], look: Look, *, is_narrow: bool) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("mind", no_wrap=True, max_width=_SHORT_NAME if is_narrow else _LONG_NAME)
    columns = _NARROW_COLUMNS if is_narrow else _COLUMNS
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for mind in minds:
        who = Text(mind["mind_id"], style="yellow" if _troubles(mind) else "bold")
        table.add_row(who, *(cell(mind, look) for cell in columns.values()))
    return table


def _turns(mind: Mapping[str, Any], look: Look) -> Text:
    more = mind["turns"] - look.turns_before.get(mind["mind_id"], mind["turns"])
    return Text.assemble(f"{mind['turns']:,}", (f" +{more:,}", "green") if more > 0 else "")


def _lag(lane: str) -> Cell:
    return lambda mind, _: _number(mind["lag"][lane], style="cyan")


def _parked(mind: Mapping[str, Any], _: Look) -> Text:
    return _number(mind["parked"], style="yellow")


def _story(mind: Mapping[str, Any], _: Look) -> Text:
    story = mind["story"]
    return Text("now", style="cyan") if story["is_running"] else _number(story["pending_tokens"], style="")


def _surfaced(mind: Mapping[str, Any], _: Look) -> Text:
    calls = mind["resonance"]["calls"]
    return Text.assemble(_rate(mind, _), (f" of {calls}", "dim")) if calls else _NOTHING


def _rate(mind: Mapping[str, Any], _: Look) -> Text:
    calls = mind["resonance"]
    return Text(f"{calls['surfaced'] / calls['calls']:.0%}") if calls["calls"] else _NOTHING


def _last(mind: Mapping[str, Any], look: Look) -> Text:
    last = mind["resonance"]["last_at"]
    return Text(ago(_since(last, look.standing))) if last else _NOTHING


def _spent(mind: Mapping[str, Any], _: Look) -> Text:
    usage = mind["usage"]
    return Text(f"${usage['cost_usd']:.4f}") if usage["calls"] else _NOTHING


def _number(number: int, *, style: str) -> Text:
    return Text(f"{number:,}", style=style) if number else _NOTHING


_COLUMNS: Mapping[str, Cell] = {
    "turns": _turns,
    "to index": _lag("indexing"),
    "save": _lag("saving"),
    "read": _lag("extracting"),
    "tell": _story,
    "parked": _parked,
    "surfaced": _surfaced,
    "last": _last,
    "spent": _spent,
}
_NARROW_COLUMNS = {name: cell for name, cell in _COLUMNS.items() if name not in {"parked", "spent"}} | {
    "surfaced": _rate
}


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
