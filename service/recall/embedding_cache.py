"""An embedder that remembers what it embedded lately: a turn is a neighbour of the next, and is asked for again."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from service.ports import Embedder, Vector, Vectors


class EmbeddingCache:
    """Embedder over another, with the newest *most* texts at hand (1.5 kB each at 384 dimensions)."""

    def __init__(self, embedder: Embedder, *, counts: Counter[str], most: int = 4_000) -> None:
        """Bind to *embedder*; how often a text was at hand (``hit``) or not (``miss``) is added to *counts*."""
        self._counts = counts
        self._embedder = embedder
        self._most = most
        self._known: OrderedDict[str, Vector] = OrderedDict()

    @property
    def name(self) -> str:
        """The name of the embedder behind."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """The dimension of the embedder behind."""
        return self._embedder.dimension

    def clear(self) -> None:
        """Forget every text: one of them is to be erased."""
        self._known.clear()

    async def embed(self, texts: Sequence[str], /) -> Vectors:
        """Rows in order, each text asked for once. Raises EmbedderUnavailable."""
        asked = tuple(dict.fromkeys(texts))
        rows = {text: self._known[text] for text in asked if text in self._known}
        new = [text for text in asked if text not in rows]
        self._counts.update(hit=len(rows), miss=len(new))
        if new:
            rows |= dict(zip(new, await self._embedder.embed(new), strict=True))
        for text in asked:
            self._known[text] = rows[text]
            self._known.move_to_end(text)
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        import numpy as np  # the embedder behind has it in memory by now

        return np.stack([rows[text] for text in texts]) if texts else np.zeros((0, self.dimension), np.float32)
