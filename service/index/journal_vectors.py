"""
All vectors of a journal in one matrix: one row per passage, the passages of a chunk side by side.

numpy is imported at first use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.ports.embedder import Vector, Vectors


@dataclass(frozen=True, slots=True)
class VectorMatrix:
    """The first and last row of each chunk, by its number; chunks in the order of the rows."""

    row_ranges: Mapping[int, tuple[int, int]]
    rows: Vectors

    def cosines(self, vector: Vector) -> dict[int, float]:
        """The cosine of the nearest passage of each chunk; empty if the vector has another dimension."""
        import numpy as np

        if not self.row_ranges or self.rows.shape[1] != len(vector):
            return {}
        begins = [begin for begin, _ in self.row_ranges.values()]
        nearest = np.maximum.reduceat(self.rows @ vector, begins)
        return dict(zip(self.row_ranges, nearest.tolist(), strict=True))

    def nearest_passage(self, number: int, vector: Vector) -> int:
        """The nearest passage of a chunk."""
        begin, end = self.row_ranges[number]
        return int((self.rows[begin:end] @ vector).argmax())

    def direction(self, number: int) -> Vector | None:
        """The mean direction of a chunk's passages, as a unit vector."""
        import numpy as np

        if number not in self.row_ranges:
            return None
        begin, end = self.row_ranges[number]
        mean = self.rows[begin:end].sum(axis=0)
        length = float(np.linalg.norm(mean))
        return (mean / length).astype(np.float32) if length > 0 else None
