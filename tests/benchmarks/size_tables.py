"""What size costs, as tables: titles, columns and rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Rows = Iterable[Iterable[object]]
    Shown = tuple[str, tuple[str, ...], Rows]

_CALLS = ("samples", "p50 ms", "p95 ms", "per second")
_ARM = ("recall@10", "repeating", "compared")
_FEW_MS = 0.5
_RATIOS = "Times as long, by the median call; – where not every call was answered whole"


def size_tables(results: Mapping[str, Any]) -> Iterator[Shown]:
    """The tables of both parts, those that were measured."""
    if "size" in results:
        yield from _of_size(results["size"])
    if "writes" in results:
        yield from _of_writes(results["writes"])


def _of_size(found: Mapping[str, Any]) -> Iterator[Shown]:
    sizes = found["sizes"]
    calls = [
        (label, name, callers, *_of(cell, _CALLS), _wrong(cell))
        for label, size in sizes.items()
        for name, cells in size["cells"].items()
        for callers, cell in cells.items()
    ]
    yield "Before a turn, by facts: one caller, and 8", ("facts", "call", "callers", *_CALLS, "not whole"), calls
    arms = [
        (label, arm, callers, *_of(row, _ARM))
        for label, size in sizes.items()
        for callers, pages in size["arms"].items()
        for arm, row in pages.items()
        if "recall@10" in row
    ]
    yield "Our vector arms against an exact comparison", ("facts", "arm", "callers", *_ARM), arms
    yield from _beside("Where a search of ours spends its time: ms in the middle one", sizes, "profile ms")
    yield from _beside("Where the whole call spends its time: ms in the middle one", sizes, "phases ms")
    yield from _beside("Megabytes", sizes, "megabytes", least=0)
    loads = [(label, size["turns"], size["entities"], size["load seconds"]) for label, size in sizes.items()]
    yield "Until FalkorDB answers", ("facts", "turns", "entities", "seconds"), loads
    yield _RATIOS, ("", "times"), ((name, _shown(times)) for name, times in found["ratios"].items())


def _of_writes(found: Mapping[str, Any]) -> Iterator[Shown]:
    sizes = found["sizes"]
    accepted = [(label, *_of(size["accepting"], _CALLS), _wrong(size["accepting"])) for label, size in sizes.items()]
    yield "Turns accepted over HTTP, 32 callers", ("facts", *_CALLS, "not whole"), accepted
    columns = _CALLS[:3]
    digested = [
        (label, name, *_of(row, columns))
        for label, size in sizes.items()
        for name, row in ({**size["digestion"], "stock add_episode": size.get("stock add_episode", {})}).items()
        if "p50 ms" in row
    ]
    yield "A turn digested, a model's time left out", ("facts", "lane", *columns), digested
    told = {label: {"ms": size["digestion"]["ms"]} for label, size in sizes.items()}
    yield from _beside("Where digestion spends its time: ms of the middle turn, at once where they overlap", told, "ms")
    yield _RATIOS, ("", "times"), ((name, _shown(times)) for name, times in found["ratios"].items())


def _beside(title: str, sizes: Mapping[str, Any], part: str, *, least: float = _FEW_MS) -> Iterator[Shown]:
    """A row a name, a column a size; what is nowhere *least* is left out."""
    names = dict.fromkeys(name for size in reversed(sizes.values()) for name in size[part])
    rows = [
        (name, *(f"{size[part].get(name, 0):g}" for size in sizes.values()))
        for name in names
        if max(size[part].get(name, 0) for size in sizes.values()) >= least
    ]
    yield title, ("", *sizes), rows


def _of(cell: Mapping[str, Any], names: Iterable[str]) -> tuple[str, ...]:
    return tuple(_shown(cell[name]) for name in names)


def _shown(figure: float | None) -> str:
    return "–" if figure is None else f"{figure:g}"


def _wrong(cell: Mapping[str, Any]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in cell["not whole"].items())
