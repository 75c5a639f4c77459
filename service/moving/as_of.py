"""
What of a graph belongs to the progress that was read before it, while turns go on being digested. Pure.

A cursor says what is surely there. What came after it is left out of the archive, or the next extraction of that turn
would find its own facts as if another had told them; where the mind is imported, the turn is read again.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from service.moving.rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.ports import Progress

_NAMED = re.compile(r"turn (\d+)")


def rows_of(progress: Progress) -> Iterator[Row]:
    """Cursors and parked turns, as the graph keeps them."""
    for one in progress.parked:
        said = {"turn_id": one.turn_id, "error": one.error, "attempts": one.attempts}
        yield Row("Parked", {"sequence": one.sequence, **said, "parked_at": one.parked_at.isoformat()})
    for name, sequence in (("saved", progress.saved), ("extracted", progress.extracted)):
        if sequence:
            yield Row("Cursor", {"name": name, "sequence": sequence})


class AsOf:
    """Fed with all rows of a graph, in the order of KINDS, says of each what of it belongs to the archive."""

    def __init__(self, extracted: int) -> None:
        """Bind to the cursor ``extracted`` that was read before any row; what tells progress, is that very progress."""
        self._extracted = extracted
        self._episodes: dict[str, int] = {}
        self._entities: set[str] = set()
        self._seen: set[tuple[str, str | int]] = set()

    def of(self, row: Row) -> Row | None:
        """*row* as it belongs to the archive; None where it does not."""
        if (row.kind, row.key) in self._seen:  # a fact that became an old one while we read
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
                return row if self._is_read(row.ends[0]) and row.ends[1] in self._entities else None
            case "RELATES_TO" | "RELATED_TO":
                return self._fact(row)
            case "Cursor" | "Parked":
                return None
        return row

    def _episode(self, row: Row) -> Row:
        named = _NAMED.fullmatch(str(row.properties["name"]))
        sequence = int(named[1]) if named else 0
        self._episodes[str(row.key)] = sequence
        if sequence <= self._extracted:
            return row
        return replace(row, properties={**row.properties, "entity_edges": []})

    def _fact(self, row: Row) -> Row | None:
        assert row.ends is not None  # noqa: S101 - an edge
        named = row.properties["episodes"]
        told = [episode for episode in named if self._is_read(episode)]
        if (named and not told) or not self._entities.issuperset(row.ends):
            return None
        return replace(row, properties={**row.properties, "episodes": told})

    def _is_read(self, episode: str) -> bool:
        return episode in self._episodes and self._episodes[episode] <= self._extracted
