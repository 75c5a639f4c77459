"""An embedder that remembers what it embedded lately: a turn is a neighbour of the next, and is asked for again."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Awaitable, Callable, Sequence

    from service.ports.embedder import Embedder, EmbedderIdentity, Vector, Vectors

    _Key = tuple[bool, str]  # whether it is told apart as a query, and the text

_MOST = 4_000  # texts, of 1.5 kB each at 384 dimensions


class EmbeddingCache:
    """Embedder over another, with the newest texts at hand."""

    def __init__(self, embedder: Embedder, *, counts: Counter[str]) -> None:
        """*counts* receives how often a text was cached (``hit``) or had to be embedded (``miss``)."""
        self._counts = counts
        self._embedder = embedder
        self._known: OrderedDict[_Key, Vector] = OrderedDict()

    @property
    def name(self) -> str:
        """The name of the embedder behind."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """The dimension of the embedder behind."""
        return self._embedder.dimension

    @property
    def stored_name(self) -> str:
        """The stored name of the embedder behind."""
        return self._embedder.stored_name

    @property
    def has_meaning(self) -> bool:
        """Whether the embedder behind knows meanings."""
        return self._embedder.has_meaning

    @property
    def is_calibrated(self) -> bool:
        """Whether the cosines of the embedder behind were measured."""
        return self._embedder.is_calibrated

    @property
    def tells_queries_apart(self) -> bool:
        """Whether the embedder behind has other vectors for queries."""
        return self._embedder.tells_queries_apart

    @property
    def is_in_process(self) -> bool:
        """Whether the embedder behind is in this process."""
        return self._embedder.is_in_process

    async def identity(self) -> EmbedderIdentity:
        """The identity of the embedder behind."""
        return await self._embedder.identity()

    async def warm(self) -> None:
        """Warm the embedder behind."""
        await self._embedder.warm()

    def clear(self) -> None:
        """Forget every text: one of them is to be erased."""
        self._known.clear()

    async def embed(self, texts: Sequence[str], /) -> Vectors:
        """Rows in order, each text asked for once. Raises EmbedderUnavailable."""
        return await self._rows(texts, self._embedder.embed, are_queries=False)

    async def embed_queries(self, texts: Sequence[str], /) -> Vectors:
        """``embed`` for queries. Where the embedder has no other vectors for them, they share those of other texts."""
        return await self._rows(texts, self._embedder.embed_queries, are_queries=self.tells_queries_apart)

    async def _rows(
        self, texts: Sequence[str], embed: Callable[[Sequence[str]], Awaitable[Vectors]], *, are_queries: bool
    ) -> Vectors:
        asked = tuple(dict.fromkeys(texts))
        known = self._known
        rows = {text: known[are_queries, text] for text in asked if (are_queries, text) in known}
        new = [text for text in asked if text not in rows]
        self._counts.update(hit=len(rows), miss=len(new))
        if new:
            rows |= dict(zip(new, await embed(new), strict=True))
        for text in asked:
            known[are_queries, text] = rows[text]
            known.move_to_end((are_queries, text))
        while len(known) > _MOST:
            known.popitem(last=False)
        import numpy as np  # the embedder behind has it in memory by now

        return np.stack([rows[text] for text in texts]) if texts else np.zeros((0, self.dimension), np.float32)
