"""What one graph holds: its nodes and edges as the rows that an archive is made of."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from service.archive.graph_rows import KINDS
from service.ports.graph import StoredEntity, StoredFact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.archive.graph_rows import Row
    from service.ports.embedder import EmbedderIdentity

type Key = str | int

FACTS = ("RELATES_TO", "RELATED_TO")  # those that are compared; those that an import brings and that no longer are


@dataclass(slots=True)
class Content:
    """
    The rows of one graph by kind and key, and which embedder made their vectors (None before it is prepared).

    ``epoch`` is the highest under which it was written to. Turns up to ``missing_until`` have yet to get vectors.
    """

    identity: EmbedderIdentity | None = None
    epoch: int = 0
    missing_until: int = 0
    rows: dict[str, dict[Key, Row]] = field(default_factory=lambda: {kind: {} for kind in KINDS})

    @property
    def is_only_lease(self) -> bool:
        """Whether it holds only the lease that a deleted graph left."""
        return self.identity is None and not any(self.rows.values())

    def all(self, *kinds: str) -> Iterator[Row]:
        """Yield the rows of some kinds."""
        for kind in kinds:
            yield from self.rows[kind].values()

    def put(self, row: Row) -> None:
        """Add a row, or replace the one of its kind and key; a property that is None is not stored."""
        given = {name: value for name, value in row.properties.items() if value is not None}
        self.rows[row.kind][row.key] = replace(row, properties=given)

    def change(self, row: Row, **properties: Any) -> None:  # noqa: ANN401 - whatever a row holds
        """Set some properties of a row that is there."""
        self.put(replace(row, properties={**row.properties, **properties}))

    def remove(self, kind: str, keys: Iterable[Key]) -> None:
        """Remove those of the rows that are there."""
        for key in keys:
            self.rows[kind].pop(key, None)

    def cursor(self, name: str) -> int:
        """Return a cursor; 0 where it has never moved."""
        row = self.rows["Cursor"].get(name)
        return int(row.properties["sequence"]) if row is not None else 0

    def turn_at(self, name: str) -> str:
        """Return the id of the turn that a cursor stands on; empty where it is not known."""
        row = self.rows["Cursor"].get(name)
        return str(row.properties.get("turn_id", "")) if row is not None else ""

    def name_of(self, uuid: str) -> str:
        """Return the name of an entity."""
        return str(self.rows["Entity"][uuid].properties["name"])

    def mentions(self, uuid: str) -> Iterator[str]:
        """Yield the episodes (uuids) that mention an entity; one may come twice."""
        return (source for source, target in self.ends("MENTIONS") if target == uuid)

    def ends(self, kind: str) -> Iterator[tuple[str, str]]:
        """Yield what each edge of a kind joins."""
        return (row.ends for row in self.all(kind) if row.ends is not None)

    def fact(self, row: Row) -> StoredFact:
        """Return a fact as it is read."""
        source, target = joined(row)
        given = row.properties
        return StoredFact(
            uuid=str(row.key),
            text=given["fact"],
            source=self.name_of(source),
            target=self.name_of(target),
            episodes=tuple(given["episodes"]),
            valid_at=instant(given.get("valid_at")),
            invalid_at=instant(given.get("invalid_at") or given.get("expired_at")),
            importance=given.get("importance"),
        )

    def entity(self, row: Row, *, most_episodes: int) -> StoredEntity:
        """Return an entity as it is read, with the newest episodes that mention it."""
        told = (self.rows["Episodic"][uuid] for uuid in dict.fromkeys(self.mentions(str(row.key))))
        newest = sorted(told, key=lambda episode: str(episode.properties["valid_at"]), reverse=True)
        uuids = tuple(str(episode.key) for episode in newest[:most_episodes])
        given = row.properties
        return StoredEntity(
            str(row.key), given["name"], given.get("summary") or "", uuids, str(given.get("kind") or "")
        )


def joined(row: Row) -> tuple[str, str]:
    """Return the uuids that an edge joins."""
    assert row.ends is not None, row.kind  # noqa: S101 - callers have edges
    return row.ends


def instant(text: object) -> datetime | None:
    """Read a stored date; None for anything else."""
    if not isinstance(text, str) or not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
