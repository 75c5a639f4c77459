"""A trace told to a person: what was looked for, what was found, and what became of each candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from service.cli.terminal import day, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_MOST = 12


def show_why(console: Console, trace: Mapping[str, Any]) -> None:
    """Print it, phase by phase."""
    phases = trace["phases"]
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, value in _lines(trace, phases):
        facts.add_row(name, one_line(value))
    console.print(Padding(facts, (0, 0, 0, 2), expand=False))
    candidates = phases.get("retrieval", {}).get("candidates", [])
    if candidates:
        console.print()
        console.print(Padding(_table(candidates[:_MOST], trace), (0, 0, 0, 2), expand=False))
    if len(candidates) > _MOST:
        console.print(Text(f"  … and {len(candidates) - _MOST} weaker candidates", style="dim"))


def _lines(trace: Mapping[str, Any], phases: Mapping[str, Any]) -> list[tuple[str, str]]:
    seeds = phases.get("seeds", {})
    relevance = phases.get("filters", {}).get("relevance")
    lines = [
        ("message", trace["message"]),
        ("searched", " · ".join(phases.get("retrieval", {}).get("queries", seeds.get("queries", []))) or "nothing"),
        ("names", ", ".join(seeds.get("names", []))),
        ("the model's seeds", _seeds(seeds.get("model"))),
        ("relevance", f"{relevance['probability']:.2f}, needed {relevance['needed']:.2f}" if relevance else ""),
        ("outcome", f"{len(trace['shown'])} surfaced" if trace["surfaced"] else f"silence: {trace['silence']}"),
        ("without", ", ".join(trace["degraded"])),
        ("took", f"{trace['timings_ms'].get('total', 0):.0f} ms, {trace['usage']['calls']} model calls"),
        ("trace", trace["trace_id"]),
    ]
    return [(name, value) for name, value in lines if value]


def _seeds(model: object) -> str:
    if not isinstance(model, dict):
        return str(model or "")
    parts = [str(part) for part in (*model.get("entities", ()), *model.get("queries", ()))]
    wonders = [
        str(one.get("hypothesis", one)) if isinstance(one, dict) else str(one) for one in model.get("wonders", ())
    ]
    return " · ".join([*parts, *wonders])


def _table(candidates: list[dict[str, Any]], trace: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("what became of it", max_width=20)
    table.add_column("when", no_wrap=True)
    table.add_column("candidate", overflow="fold", ratio=1)
    for one in candidates:
        fate = _fate(one["id"], trace)
        style = "bold" if fate == "surfaced" else "dim"
        words = f"{one_line(one['text'], most=120)} ({one['kind']})"
        table.add_row(Text(f"{one['score']:.2f}"), Text(fate), Text(day(one["occurred_at"])), Text(words), style=style)
    return table


def _fate(fragment: str, trace: Mapping[str, Any]) -> str:
    """Surfaced, or which filter let go of it."""
    filters = trace["phases"].get("filters", {})
    if any(one["id"] == fragment for one in trace["shown"]):
        return "surfaced"
    if fragment in filters.get("dropped", {}):
        return str(filters["dropped"][fragment])
    if fragment in filters.get("kept", ()):
        return "narration: not told"
    return "gate: not meant" if "relevance" in filters else "not looked at"
