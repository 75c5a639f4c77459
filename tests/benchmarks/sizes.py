"""The parts `size` and `writes`: each size in turn, and what the figures are beside each other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tests.benchmarks.size import BARE, CALLERS, DOOR, ONE, OURS, STOCK, size
from tests.benchmarks.writes import writes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

SIZES = {"1k": 1_000, "10k": 10_000, "100k": 100_000}
EMPTY = "empty"
_MOST_FOR_STOCK = 10_000  # facts: beyond, one of its episodes takes long


@dataclass(frozen=True, slots=True)
class Pace:
    """How long each cell may take, and how many turns are digested."""

    seconds: float = 10.0
    turns: int = 20


async def measured_sizes(
    folder: Path,
    *,
    sizes: Mapping[str, int],
    parts: Sequence[str],
    advanced: Callable[[str], None],
    pace: Pace = Pace(),
) -> dict[str, Any]:
    """Both parts, those of *parts*, on minds of each of *sizes*: facts by label."""
    found: dict[str, Any] = {}
    if "size" in parts:
        cells = {
            label: await size(
                folder / label,
                facts=facts,
                seconds=pace.seconds,
                advanced=lambda what, label=label: advanced(f"{label}: {what}"),
            )
            for label, facts in sizes.items()
        }
        found["size"] = {"sizes": cells, "ratios": _size_ratios(cells)}
    if "writes" in parts:
        cells = {
            label: await writes(
                folder / label,
                facts=facts,
                seconds=pace.seconds,
                turns=pace.turns,
                with_stock=facts <= _MOST_FOR_STOCK,
                advanced=lambda what, label=label: advanced(f"{label}: {what}"),
            )
            for label, facts in {EMPTY: 0, **sizes}.items()
        }
        found["writes"] = {"sizes": cells, "ratios": _write_ratios(cells)}
    return found


def _size_ratios(cells: Mapping[str, Mapping[str, Any]]) -> dict[str, float | None]:
    """How many times as long the first takes as the second, by the median call; None where not all were whole."""
    ratios = {}
    for label, found in cells.items():
        for callers in CALLERS:
            for name in (STOCK, BARE):
                for ours in (OURS, ONE):
                    one, other = (found["cells"][of][callers] for of in (name, ours))
                    ratios[f"{label}, {callers}: {name} / {ours}"] = _times(one, other)
    for small, large in pairwise(cells):
        for name in (OURS, ONE, DOOR, STOCK, BARE):
            one, other = (cells[of]["cells"][name]["alone"] for of in (large, small))
            ratios[f"{large} / {small}: {name}"] = _times(one, other)
    return ratios


def _write_ratios(cells: Mapping[str, Mapping[str, Any]]) -> dict[str, float | None]:
    ratios = {}
    for label, found in cells.items():
        if label != EMPTY:
            digested, empty = found["digestion"], cells[EMPTY]["digestion"]
            ratios[f"{label} / {EMPTY}: a turn digested"] = _times(digested["a turn"], empty["a turn"])
        if "stock add_episode" in found:
            ratios[f"{label}: stock add_episode / a turn digested"] = _times(
                found["stock add_episode"], found["digestion"]["a turn"]
            )
    return ratios


def _times(one: Mapping[str, Any], other: Mapping[str, Any]) -> float | None:
    if one.get("not whole") or other.get("not whole") or not other["p50 ms"]:
        return None
    return round(one["p50 ms"] / other["p50 ms"], 2)
