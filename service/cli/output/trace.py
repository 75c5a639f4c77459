"""A trace shown to a person: what was searched, what was found, and what became of each candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from service.cli.output.terminal import Row, day, one_line, plain_table, show_facts

_MOST_CANDIDATES = 12
_LONGEST_CANDIDATE = 120


def show_trace(console: Console, trace: Mapping[str, Any], *, is_noted: bool = True) -> None:
    """Print it, phase by phase; of one that is not noted, without its id."""
    show_facts(console, (row for row in _rows(trace, trace["phases"]) if is_noted or row.name != "trace"))
    candidates = trace["phases"].get("retrieval", {}).get("candidates", [])
    if candidates:
        console.print()
        console.print(_table(candidates[:_MOST_CANDIDATES], trace, is_read_by_people=console.is_terminal))
    if len(candidates) > _MOST_CANDIDATES:
        console.print(Text(f"  … and {len(candidates) - _MOST_CANDIDATES} weaker candidates", style="dim"))


def _rows(trace: Mapping[str, Any], phases: Mapping[str, Any]) -> tuple[Row, ...]:
    seeds = phases.get("seeds", {})
    relevance = phases.get("filters", {}).get("relevance")
    queries = phases.get("retrieval", {}).get("queries", seeds.get("queries", []))
    outcome = f"{len(trace['shown'])} surfaced" if trace["surfaced"] else f"nothing surfaced: {trace['silence']}"
    took = f"{trace['timings_ms'].get('total', 0):.0f} ms, {trace['usage']['calls']} model calls"
    rows = (
        Row("message", trace["message"]),
        Row("searched", " · ".join(queries) or "nothing"),
        Row("names", ", ".join(seeds.get("names", []))),
        Row("model's seeds", _seeds(seeds.get("model"))),
        Row("relevance", f"{relevance['probability']:.2f}, needed {relevance['needed']:.2f}" if relevance else ""),
        Row("outcome", outcome),
        Row("learnt", _learnt(trace.get("outcomes", ()))),
        Row("skipped", ", ".join(trace["degraded"])),
        Row("took", took),
        Row("trace", trace["trace_id"]),
    )
    return tuple(row._replace(words=one_line(row.words)) for row in rows)


def _learnt(outcomes: Sequence[Mapping[str, Any]]) -> str:
    """What became of what was shown; what nobody reported was noticed."""
    return " · ".join(
        f"{one['id']} {one['outcome']}{' (noticed)' if one['reporter'] == 'noticed' else ''}" for one in outcomes
    )


def _seeds(model: object) -> str:
    if not isinstance(model, dict):
        return str(model or "")
    wonders = (one.get("hypothesis", one) if isinstance(one, dict) else one for one in model.get("wonders", ()))
    return " · ".join(map(str, (*model.get("entities", ()), *model.get("queries", ()), *wonders)))


def _table(candidates: Sequence[Mapping[str, Any]], trace: Mapping[str, Any], *, is_read_by_people: bool) -> Table:
    """Each candidate with its id; on a terminal in a line of its own, so that it can be copied whole."""
    table = plain_table()
    between = "\n" if is_read_by_people else "  "
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("what became of it", max_width=14)
    table.add_column("when", no_wrap=True)
    table.add_column("candidate", overflow="fold", ratio=1)
    for one in candidates:
        fate = _fate(one["id"], trace)
        words = f"{one_line(one['text'], most=_LONGEST_CANDIDATE)}{between}{one_line(one['id'])}"
        when = day(datetime.fromisoformat(one["occurred_at"]))
        cells = (Text(f"{one['score']:.2f}"), Text(fate), Text(when), Text(words))
        table.add_row(*cells, style="bold" if fate == "surfaced" else "dim")
    return table


def _fate(fragment: str, trace: Mapping[str, Any]) -> str:
    """Surfaced, or which filter dropped it."""
    filters = trace["phases"].get("filters", {})
    if any(one["id"] == fragment for one in trace["shown"]):
        return "surfaced"
    if fragment in filters.get("dropped", {}):
        return str(filters["dropped"][fragment])
    if fragment in filters.get("kept", ()):
        return "narration: left out"
    return "gate: not relevant" if "relevance" in filters else "not looked at"
