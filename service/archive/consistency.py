"""
Decide which rows of a graph belong to the cursors that were read before it, while turns go on being ingested.

A cursor says what is certainly in the graph. What came after the cursor is left out of the archive. Otherwise the next
extraction of that turn would find its own facts, as if another turn had stated them. Where the mind is imported, the
turn is extracted again.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from service.archive.graph_rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.ports.graph import Progress

_NAME = re.compile(r"turn (\d+)")


def rows_of(progress: Progress) -> Iterator[Row]:
    """Cursors and parked turns as rows of the graph."""
    for parked in progress.parked:
        properties = {"turn_id": parked.turn_id, "error": parked.error, "attempts": parked.attempts}
        yield Row("Parked", {"sequence": parked.sequence, **properties, "parked_at": parked.parked_at.isoformat()})
    turns = progress.saved_turn, progress.extracted_turn
    for name, sequence, turn_id in zip(
        ("saved", "extracted"), (progress.saved, progress.extracted), turns, strict=True
    ):
        if sequence:
            named = {"turn_id": turn_id} if turn_id else {}
            yield Row("Cursor", {"name": name, "sequence": sequence, **named})


class GraphAsOf:
    """Takes all rows of a graph in the order of KINDS, and returns of each what belongs to the archive."""

    def __init__(self, extracted: int) -> None:
        """*extracted* is the graph's cursor of that name, read before any row."""
        self._extracted = extracted
        self._episodes: dict[str, int] = {}
        self._entities: set[str] = set()
        self._seen: set[tuple[str, str | int]] = set()

    def of(self, row: Row) -> Row | None:
        """*row* as it belongs to the archive, or None. Cursors and parked turns come from ``rows_of``."""
        if (row.kind, row.key) in self._seen:  # the graph moved a fact to RELATED_TO while we read
            return None
        found = self._of(row)
        if found is not None:
            self._seen.add((row.kind, row.key))
            if row.kind == "RELATES_TO":
                self._seen.add(("RELATED_TO", row.key))
        return found

    def _of(self, row: Row) -> Row | None:
        match row.kind:
            case "Episodic":
                return self._episode(row)
            case "Passage" | "Attempt":
                return row if row.properties["episode"] in self._episodes else None
            case "Entity":
                self._entities.add(str(row.key))
            case "MENTIONS":
                assert row.ends is not None  # noqa: S101 - an edge
                return row if self._is_extracted(row.ends[0]) and row.ends[1] in self._entities else None
            case "RELATES_TO" | "RELATED_TO":
                return self._fact(row)
            case "Cursor" | "Parked":
                return None
        return row

    def _episode(self, row: Row) -> Row:
        matched = _NAME.fullmatch(str(row.properties["name"]))
        sequence = int(matched[1]) if matched else 0
        self._episodes[str(row.key)] = sequence
        if sequence <= self._extracted:
            return row
        return replace(row, properties={**row.properties, "entity_edges": []})

    def _fact(self, row: Row) -> Row | None:
        assert row.ends is not None  # noqa: S101 - an edge
        episodes = row.properties["episodes"]
        extracted = [episode for episode in episodes if self._is_extracted(episode)]
        if (episodes and not extracted) or not self._entities.issuperset(row.ends):
            return None
        return replace(row, properties={**row.properties, "episodes": extracted})

    def _is_extracted(self, episode: str) -> bool:
        return episode in self._episodes and self._episodes[episode] <= self._extracted
