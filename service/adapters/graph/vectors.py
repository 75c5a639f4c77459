"""Vectors as FalkorDB takes them: plain lists, six decimals, less than half the bytes of full precision. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def literal(vector: NDArray[np.float32]) -> list[float]:
    """One vector as a list of floats."""
    return [round(number, 6) for number in vector.tolist()]


def matrix(vectors: NDArray[np.float32]) -> str:
    """Rows of vectors as the text of a Cypher list of lists."""
    rows = (",".join([f"{number:.6f}" for number in row]) for row in vectors.tolist())
    return f"[{','.join(f'[{row}]' for row in rows)}]"
