"""
Takes out of a vector what it has whatever the text says: the common mean, its language, and whether it asks.

As the model makes them, unrelated texts have cosines of .7 to .9, higher in one language than across two. Without the
mean and the fifteen directions they are near 0 in every language, as MiniLM's are in English, and a question finds
what was said instead of other questions. `tests/benchmarks/e5_directions.py` computes them from its sentences.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import TYPE_CHECKING

from consolidation.kernel.errors import ConfigurationFault
from service.adapters.multilingual_e5.weights import verify

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

DIRECTIONS = Path(__file__).with_name("directions.txt")
DIRECTIONS_SHA256 = "eb9ef75c1a83c168d6a2706030695420d334955cf6cd6dfa34c7d5a4374d369a"


class Centring:
    """The mean, and directions at right angles to each other."""

    def __init__(self, mean: Floats, directions: Floats) -> None:
        self._mean, self._directions = mean, directions

    def __call__(self, rows: Floats) -> Floats:
        """Unit rows without the mean and the directions."""
        import numpy as np

        centred = rows / np.linalg.norm(rows, axis=1, keepdims=True) - self._mean
        centred -= (centred @ self._directions.T) @ self._directions
        # A text that says nothing may be left with nothing: its length has a floor, so that no row has a hole.
        unit: Floats = centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), np.float32(1e-6))
        return unit


def read_centring(path: Path = DIRECTIONS) -> Centring:
    """What *path* holds: the mean on the first line, a direction on each other, in half precision and base64."""
    import numpy as np

    verify(path, expected=DIRECTIONS_SHA256)
    try:
        rows = [np.frombuffer(base64.b64decode(line), "<f2") for line in path.read_text().split()]
    except binascii.Error as error:
        raise ConfigurationFault(f"{path} can not be read: {error}") from error
    mean, *directions = np.stack(rows).astype(np.float32)
    return Centring(mean, np.linalg.qr(np.stack(directions).T)[0].T)


def written(mean: Floats, directions: Floats) -> str:
    """The text that `read_centring` reads."""
    rows = (mean, *directions)
    return "".join(f"{base64.b64encode(row.astype('<f2').tobytes()).decode()}\n" for row in rows)
