"""A graph that is embedded anew, and whose service is killed meanwhile."""

from contextlib import suppress
from itertools import count

import pytest

from consolidation.kernel.errors import EmbedderMismatch, GraphUnavailable
from service.ports.embedder import EmbedderIdentity
from service.ports.graph import Progress
from tests.service.adapters.falkordb.test_mind_graph import EMBEDDER, OURS, extract, graph_on, save, served

pytestmark = pytest.mark.anyio

EARLIER = EmbedderIdentity("another version", EMBEDDER.dimension)
SAID = ("Yesterday Ada met Bruno in Lyon.", "Carla plays the cello in Prague.")


class Dying:
    """A connection of a service that is killed after its first *left* writes."""

    def __init__(self, connection, *, left):
        self._connection, self.left = connection, left

    def __getattr__(self, name):
        return getattr(self._connection, name)

    async def table(self, *words):
        if self.left == 0:
            raise GraphUnavailable("killed")
        self.left -= 1
        return await self._connection.table(*words)


async def killed(connection, mind, *, after):
    """Tell a mind in an earlier version, and kill a later one after so many writes of its reindexing."""
    earlier = graph_on(connection, mind)
    await earlier.prepare(embedder=EARLIER)
    for one in await save(earlier, mind, *SAID):
        await extract(earlier, one)
    await earlier.close()
    later = graph_on(connection, mind)
    later._connection = Dying(connection, left=after)
    with suppress(GraphUnavailable):
        await later.reindex(embedder=OURS, advanced=lambda _: None)
    await later.close()


async def turns_found(graph, mind, progress):
    """The turns that have vectors, once the lane has saved what the cursor says is missing."""
    if progress.saved < len(SAID):
        await save(graph, mind, *SAID[progress.saved :], first=progress.saved + 1)
    [hits] = await graph.nearest(await EMBEDDER.embed([SAID[0]]), turns=9, facts=9, entities=9)
    return {hit.key for hit in hits.turns}


async def test_no_turn_goes_without_vectors_whichever_version_starts_after_a_kill(tmp_path):
    """Broken: the passages are gone, and the older version, whose identity the graph has still, misses none."""
    async with served(tmp_path) as (_, connection):
        for after in count():
            await killed(connection, f"m{after}", after=after)
            older = graph_on(connection, f"m{after}")
            try:
                progress = await older.prepare(embedder=EARLIER)
            except EmbedderMismatch:
                break  # all of it is the later version's
            assert await turns_found(older, f"m{after}", progress) == {"1", "2"}, after
        later = graph_on(connection, f"m{after}")
        progress = await later.prepare(embedder=OURS)

        assert after > 1
        assert progress == Progress(saved=0, extracted=2)
        assert await turns_found(later, f"m{after}", progress) == {"1", "2"}
