"""All vectors of a journal side by side: a row a passage, the passages of a chunk together. numpy at first use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.ports import Vector, Vectors


@dataclass(frozen=True, slots=True)
class Matrix:
    """Where each chunk's rows begin and end, by its number; the chunks in the rows' order."""

    places: Mapping[int, tuple[int, int]]
    rows: Vectors

    def cosines(self, vector: Vector) -> dict[int, float]:
        """How near the nearest passage of each chunk is; nothing where the vector is of another kind."""
        import numpy as np

        if not self.places or self.rows.shape[1] != len(vector):
            return {}
        begins = [begin for begin, _ in self.places.values()]
        nearest = np.maximum.reduceat(self.rows @ vector, begins)
        return dict(zip(self.places, nearest.tolist(), strict=True))

    def nearest_part(self, number: int, vector: Vector) -> int:
        """Which passage of a chunk is nearest."""
        begin, end = self.places[number]
        return int((self.rows[begin:end] @ vector).argmax())

    def direction(self, number: int) -> Vector | None:
        """Where a chunk's passages point together, as a unit vector."""
        import numpy as np

        if number not in self.places:
            return None
        begin, end = self.places[number]
        mean = self.rows[begin:end].sum(axis=0)
        length = float(np.linalg.norm(mean))
        return (mean / length).astype(np.float32) if length > 0 else None
