"""A graph that nobody uses leaves memory and comes back as it was: on each implementation alike."""

import asyncio

import pytest

from service.ports.graph import GraphSize
from tests.support.graphs import EMBEDDER, OURS, everything, save, tell
from tests.support.waiting import GIVE_UP, OFTEN

pytestmark = pytest.mark.anyio

SAID = "Ada likes Lyon."


@pytest.fixture
async def known(graph, mind):
    """A graph with a turn that was saved and read."""
    await tell(graph, mind, SAID)
    return graph


async def test_an_evicted_graph_is_as_it_was_at_its_next_use(on, known, mind):
    before, size, progress = await everything(known), await known.size(), await known.progress()

    assert await on.graphs.evict(mind)

    assert mind not in await on.graphs.in_memory()
    assert await everything(known) == before
    assert (await known.size(), await known.progress()) == (size, progress)
    assert mind in await on.graphs.in_memory()


async def test_it_is_found_by_meaning_and_goes_on(on, known, mind):
    await on.graphs.evict(mind)
    vectors = await EMBEDDER.embed([SAID])

    (hits,) = await known.nearest(vectors, turns=5, facts=5, entities=5)
    await tell(known, mind, "Ada likes Paris.", first=2)

    assert [hit.key for hit in hits.turns] == ["1"] and hits.facts and hits.entities
    assert (await known.size()).facts == 2


async def test_many_who_ask_at_once_find_it_once(on, known, mind):
    await on.graphs.evict(mind)

    sizes = await asyncio.gather(*(known.size() for _ in range(20)))

    assert set(sizes) == {GraphSize(1, 2, 1)}


async def test_memory_is_given_back(on, mind):
    empty = await on.graphs.memory()
    graph = on.of(mind)
    await graph.prepare(embedder=OURS)
    await save(graph, mind, *(f"Turn number {at}." for at in range(1, 200)))
    taken = await on.graphs.memory() - empty

    await on.graphs.evict(mind)

    async with asyncio.timeout(GIVE_UP):  # a server frees it in the background, and keeps some for its next graph
        while await on.graphs.memory() - empty > taken / 2:
            await asyncio.sleep(OFTEN)


async def test_a_graph_that_is_not_there_is_not_evicted(on, mind):
    assert not await on.graphs.evict(mind)
    assert not await on.graphs.archivable(mind).exists()


async def test_an_evicted_graph_exists_and_is_exported_whole(on, known, mind):
    rows = [page async for page in on.graphs.archivable(mind).pages()]
    await on.graphs.evict(mind)

    assert await on.graphs.archivable(mind).exists()
    await on.graphs.evict(mind)
    assert len([page async for page in on.graphs.archivable(mind).pages()]) == len(rows)


async def test_an_evicted_graph_is_erased_whole(on, known, mind):
    await on.graphs.evict(mind)

    size, keys = await on.graphs.erasable(mind).erase()

    assert (size, keys >= 1) == (GraphSize(1, 2, 1), True)
    assert await known.size() == GraphSize()


async def test_what_is_dropped_does_not_come_back(on, known, mind):
    await on.graphs.evict(mind)

    await on.graphs.archivable(mind).drop()

    assert await known.size() == GraphSize()
