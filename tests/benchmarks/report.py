"""The figures as tables on a terminal; the JSON beside them holds everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

from tests.benchmarks.size_tables import size_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rich.console import Console

_RECALLS = ("recall@5", "recall@10", "hit@5", "hit@10")


def show(results: Mapping[str, Any], console: Console) -> None:
    """Every part that was measured, a table each."""
    if "lives" in results:
        _show_lives(results["lives"], console)
    if "pairs" in results:
        rows = [(f"the {holds} holds", *found.values()) for holds, found in results["pairs"].items()]
        columns = ("", *next(iter(results["pairs"].values())))
        console.print(_table("Pairs, much alike: how often what holds stands first", columns, rows))
    if "small_minds" in results:
        _show_small_minds(results["small_minds"], console)
    if "story" in results:
        console.print(_stories(results["story"]))
    if "learning" in results:
        _show_learning(results["learning"], console)
    if "recall" in results:
        _show_recall(results["recall"], console)
    if "ablation" in results:
        whole = results["recall"]["the service, gate off, limit 10"]
        console.print(_ablation({"the whole service": whole, **results["ablation"]}))
    if "silence" in results:
        _show_silence(results["silence"], console)
    if "cost" in results:
        _show_cost(results["cost"], console)
    if "proxy" in results:
        _show_proxy(results["proxy"], console)
    if "slow model" in results:
        _show_slow_model(results["slow model"], console)
    if "crowds" in results:
        names = ("p50 ms", "p95 ms", "per second", "whole per second")
        rows = [(callers, *(row[name] for name in names)) for callers, row in results["crowds"].items()]
        console.print(_table("Many callers at once", ("callers", *names), rows))
    if "lists" in results:
        _show_lists(results["lists"], console)
    if "many minds" in results:
        console.print(_table("Many minds in one home", ("", ""), results["many minds"].items()))
    if "scale" in results:
        console.print(_scale(results["scale"]))
    for title, columns, rows in size_tables(results):
        console.print(_table(title, columns, rows))


def _show_small_minds(found: Mapping[str, Mapping[str, int]], console: Console) -> None:
    columns = next(iter(found.values())).keys()
    rows = [(language, *counts.values()) for language, counts in found.items()]
    rows.append(("all", *(sum(counts[column] for counts in found.values()) for column in columns)))
    console.print(_table("Minds of 10 or 20 turns: how often the answer surfaces", ("", *columns), rows))


def _show_lives(lives: Mapping[str, Any], console: Console) -> None:
    kinds = dict.fromkeys(kind for life in lives.values() for kind in life["kinds"])
    for title, key in (
        ("Lives: points of what could be had, by kind", "kinds"),
        ("Lives, with a model that never errs", "kinds with a perfect model"),
        ("Lives, with facts as a model notes them", "kinds with facts"),
    ):
        rows = [
            (
                name,
                *(_share(*life[key].get(kind, (0, 0))) for kind in kinds),
                _share(sum(found for found, _ in life[key].values()), life["queries"]),
            )
            for name, life in lives.items()
            if key in life
        ]
        if rows:
            console.print(_table(title, ("", *kinds, "all"), rows))
    columns = tuple(next(iter(lives.values()))["remember"])
    found_first = [(name, *life["remember"].values()) for name, life in lives.items()]
    console.print(_table("Lives, `remember` asked: where a right turn is", ("", *columns), found_first))
    talked = {name: life["chat"] for name, life in lives.items() if life["chat"]}
    if talked:
        figures = tuple(next(iter(talked.values())))
        talks = [(name, *(f"{found[figure]:.2f}" for figure in figures)) for name, found in talked.items()]
        console.print(_table("Lives, talked: what comes up before each turn, see README.md", ("", *figures), talks))


def _stories(found: Mapping[str, Any]) -> Table:
    rows = {name: _story_row(story) for name, story in found.items()}
    figures = next(iter(rows.values()))
    table = ((figure, *("-" if row[figure] is None else row[figure] for row in rows.values())) for figure in figures)
    return _table("Stories: what code can measure, see README.md", ("", *rows), table)


def _story_row(story: Mapping[str, Any]) -> dict[str, Any]:
    asked, dates, openings = story["answerable"], story["dates"], story["openings"]
    return {
        "answers that stand in it, whole": asked["whole"],
        "their telling words": asked["words"],
        "questions": asked["questions"],
        "sentences carried": story["fidelity"] and story["fidelity"]["share"],
        "names kept": story["names"]["share"],
        "dates right": dates["right"],
        "dates": dates["dates"],
        "weekdays that fit": f"{dates['weekday fits']}/{dates['with weekday']}",
        "chapters": story["chapters"],
        "opening with their date": openings["with their date"],
        "opening like another": openings["with another's three words"],
        "opening with the usual word": f"{openings['chapters with it']} ({openings['first word']})",
        "words": story["words"],
        "words of the middle chapter": story["words a chapter"],
        "revised": story["revised"],
        "calls": story["calls"],
        "refused": len(story["refused"]),
        "tokens in": story["prompt tokens"],
        "tokens out": story["completion tokens"],
        "seconds": story["seconds"],
    }


def _show_learning(found: Mapping[str, Any], console: Console) -> None:
    lives = {name: found[name]["second half"] for name in ("without outcomes", "with outcomes")}
    keys = [key for key in lives["with outcomes"] if key not in {"outcomes", "what surfaced"}]
    title = f"The second half of a life of {found['turns']} turns; of use, with against without: {found['gain']:+.0%}"
    console.print(_table(title, ("", *lives), ((key, *(life[key] for life in lives.values())) for key in keys)))
    columns = tuple(found["favourites"][0])
    rows = (tuple("-" if place is None else place for place in row.values()) for row in found["favourites"])
    console.print(_table("An old favourite and something new: the place of each", columns, rows))


def _show_slow_model(rows: Mapping[str, Any], console: Console) -> None:
    columns = tuple(next(iter(rows.values())))
    table = (
        (name, *(", ".join(row[key]) if key == "rungs" else row[key] for key in columns)) for name, row in rows.items()
    )
    console.print(_table("A pre-turn call with a model that takes its time", ("", *columns), table))


def _share(points: float, most: int) -> str:
    return f"{points:g}/{most}"


def _show_recall(recall: Mapping[str, Any], console: Console) -> None:
    title = (
        "Evidence among the sources of what surfaced: mean share of evidence turns (recall), questions with any (hit)"
    )
    console.print(_table(title, ("way", *_RECALLS), ((name, *_of(row, _RECALLS)) for name, row in recall.items())))
    whole = recall["the service, gate off, limit 10"]
    for group in ("by_category", "by_conversation"):
        rows = ((name, row["questions"], *_of(row, _RECALLS)) for name, row in whole[group].items())
        title = f"The service, gate off, limit 10, {group.replace('_', ' ')}"
        console.print(_table(title, ("", "questions", *_RECALLS), rows))


def _ablation(rows: Mapping[str, Any]) -> Table:
    whole = rows["the whole service"]
    names = ("recall@5", "recall@10")
    told = ((name, *_of(row, names), *(f"{row[one] - whole[one]:+.3f}" for one in names)) for name, row in rows.items())
    return _table("What each part adds (gate off, limit 10)", ("", *names, "difference@5", "difference@10"), told)


def _show_silence(silence: Mapping[str, Any], console: Console) -> None:
    rows = ((name, row["share"], row["asked"]) for name, row in silence["overall"].items())
    console.print(_table("Answers and silence, gate and limit as shipped", ("", "share", "asked"), rows))


def _show_cost(cost: Mapping[str, Any], console: Console) -> None:
    names = ("calls", "prompt tokens", "completion tokens")
    rows = (
        (part, *(f"{row[name]['mean']:g} (most {row[name]['max']})" for name in names))
        for part, row in cost.items()
        if isinstance(row, dict)
    )
    title = f"Cost with a hosted model: mean of a turn, {cost['turns']} turns of {cost['tokens of a turn']:.0f} tokens"
    console.print(_table(title, ("", *names), rows))


def _show_proxy(proxy: Mapping[str, Any], console: Console) -> None:
    names = ("samples", "p50 ms", "p95 ms")
    rows = ((way, *(row[name] for name in names)) for way, row in proxy.items() if way != "outcomes")
    console.print(_table(f"Time to the first token; memory: {proxy['outcomes']}", ("", *names), rows))


def _show_lists(found: Mapping[str, Any], console: Console) -> None:
    names = ("samples", "p50 ms", "p95 ms", "not whole")
    rows = ((call, *(row[name] or "" for name in names)) for call, row in found["calls"].items())
    title = f"Lists over HTTP: {found['facts']:,} facts, and {found['sessions']:,} sessions"
    console.print(_table(title, ("", *names), rows))


def _scale(found: Sequence[Mapping[str, Any]]) -> Table:
    """A column for each row of figures, and a line for each process of a figure."""
    columns = ("", *(row.get("kept in") or f"{row['services']} × {row['minds']:,}" for row in found))
    lines: dict[str, list[object]] = {}
    for at, row in enumerate(found):
        for name, figure in row.items():
            cells = figure.items() if isinstance(figure, dict) else (("", figure),)
            for process, value in cells:
                lines.setdefault(f"{name} {process}".strip(), [""] * len(found))[at] = value
    rows = ((name, *values) for name, values in lines.items() if name not in {"services", "minds", "kept in"})
    return _table("Services × minds that share a home in PostgreSQL", columns, rows)


def _of(row: Mapping[str, Any], names: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{row[name]:.3f}" for name in names)


def _table(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> Table:
    table = Table(title=title, title_justify="left")
    for at, column in enumerate(columns):
        table.add_column(column, justify="right" if at else "left")
    for row in rows:
        table.add_row(*(escape(str(cell)) for cell in row))
    return table
