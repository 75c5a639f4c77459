"""The cache asks for each text once, and keeps queries apart only where their vectors differ."""

from collections import Counter

import numpy as np
import pytest

from service.adapters.hashing_embedder import HashingEmbedder
from service.retrieval.embedding_cache import EmbeddingCache

pytestmark = pytest.mark.anyio


class Remembering(HashingEmbedder):
    """Remembers what it was asked for; a query's vector is turned round where queries are told apart."""

    def __init__(self, *, tells_queries_apart):
        super().__init__()
        self.tells_queries_apart = tells_queries_apart
        self.asked = []

    async def embed(self, texts, /):
        self.asked += texts
        return await super().embed(texts)

    async def embed_queries(self, texts, /):
        rows = await self.embed(texts)
        return -rows if self.tells_queries_apart else rows


@pytest.mark.parametrize("tells_queries_apart", [True, False])
async def test_a_text_is_asked_for_again_as_a_query_only_where_that_is_another_vector(tells_queries_apart):
    behind, counts = Remembering(tells_queries_apart=tells_queries_apart), Counter()
    cache = EmbeddingCache(behind, counts=counts)

    passage = await cache.embed(["fence", "fence"])
    query = await cache.embed_queries(["fence"])
    again = np.concatenate([await cache.embed(["fence"]), await cache.embed_queries(["fence"])])

    assert behind.asked == ["fence"] * (1 + tells_queries_apart)
    assert (query[0] == passage[0]).all() != tells_queries_apart
    assert (again == np.stack([passage[0], query[0]])).all()
    assert counts["miss"] == len(behind.asked)
