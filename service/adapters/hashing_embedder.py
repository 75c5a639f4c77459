"""
The embedder of last resort, for when the weights of MiniLM are missing: no model, so no meaning, only shared words.

Each stem, and each of its runs of three to five letters, adds or takes away at the place its checksum says. Measured,
it finds nothing that a word index would not: it keeps the service running, and deserves no weight in a ranking.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from typing import TYPE_CHECKING

from anyio import to_thread

from consolidation.text.words import stems
from service.ports.embedder import EmbedderIdentity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

DIMENSION = 384
RUN_LENGTHS = (3, 4, 5)
RUNS_WEIGHT = 0.5


class HashingEmbedder:
    """Embeds in a worker thread; a text's vector depends on its English stems alone."""

    name = stored_name = "hashing-384"
    dimension = DIMENSION
    has_meaning = False
    is_calibrated = False
    tells_queries_apart = False
    is_in_process = True

    async def identity(self) -> EmbedderIdentity:
        """Its name and dimension."""
        return EmbedderIdentity(self.stored_name, self.dimension)

    async def warm(self) -> None:
        """Return: there is nothing to load."""

    async def embed(self, texts: Sequence[str], /) -> Floats:
        """Return unit rows, one for each text, in order."""
        return await to_thread.run_sync(_embed, tuple(texts), abandon_on_cancel=True)

    async def embed_queries(self, texts: Sequence[str], /) -> Floats:
        """Return the same: words are words."""
        return await self.embed(texts)


def _embed(texts: Sequence[str]) -> Floats:
    import numpy as np

    rows = np.zeros((len(texts), DIMENSION), np.float32)
    for row, text in zip(rows, texts, strict=True):
        # A text without words (emoji, punctuation) is its own word.
        for stem, count in Counter(stems(text, language="en") or (text.strip(),)).items():
            for place, value in _features(stem):
                row[place] += value * (1 + math.log(count))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows[lengths[:, 0] == 0, 0] = 1  # features may, rarely, cancel out
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32, copy=False)


def _features(stem: str) -> Iterator[tuple[int, float]]:
    """Where a stem counts and how much: once whole, and less through its runs of letters, the ends marked."""
    yield _placed(f"={stem}", 1.0)
    marked = f"<{stem}>"
    runs = [marked[start : start + size] for size in RUN_LENGTHS for start in range(len(marked) - size + 1)]
    for run in runs:
        yield _placed(run, RUNS_WEIGHT / math.sqrt(len(runs)))


def _placed(feature: str, weight: float) -> tuple[int, float]:
    checksum = zlib.crc32(feature.encode(errors="surrogatepass"))
    return (checksum & 0x7FFFFFFF) % DIMENSION, weight if checksum >> 31 else -weight
