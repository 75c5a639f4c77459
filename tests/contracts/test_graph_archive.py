"""Every promise of `ArchivableGraph` in `service/archive/ports.py`, on each implementation alike."""

import pytest

from service.archive.graph_rows import KINDS, decode, encode
from service.ports.graph import (
    GraphSize,
)
from tests.support.graphs import (
    EMBEDDER,
    OURS,
    entity,
    everything,
    fact,
    parked,
    save,
    tell,
    unit,
)

pytestmark = pytest.mark.anyio


async def test_a_graph_is_copied_row_by_row_into_either_implementation(on, benches, graph, mind):
    await tell(graph, mind, "Ada lives in Lyon.", "Ada lives in Paris.", "Bruno saw Ada.")
    [last] = await save(graph, mind, "Ada left.", first=4)
    await graph.begin_attempt(last.uuid)
    await graph.park(parked(3))
    pages = [page async for page in on.graphs.archivable(mind).pages()]
    kinds = [row.kind for page in pages for row in page]
    assert [kind for at, kind in enumerate(kinds) if kind not in kinds[:at]] == [
        kind for kind in KINDS if kind in kinds
    ]
    assert all(len({row.kind for row in page}) == 1 for page in pages)

    for kind, other in benches.items():
        copy, moved = other.of(f"{mind}-{kind}"), other.graphs.archivable(f"{mind}-{kind}")
        site = moved.site("of-a-copy")
        await moved.prepare_site(site, embedder=OURS)
        for page in pages:
            rows = [decode(encode(row), dimension=EMBEDDER.dimension) for row in page]
            for _ in range(2):
                await moved.put(site, rows)
        assert not await moved.exists()
        for _ in range(2):
            await moved.adopt(site)
        await copy.prepare(embedder=OURS)

        assert await everything(copy) == await everything(graph)
        assert (await copy.progress(), await copy.size(), await copy.identity()) == (
            await graph.progress(),
            await graph.size(),
            OURS,
        )
        query = await EMBEDDER.embed(["Where does Ada live?"])
        [ours], [theirs] = [await one.nearest(query, turns=9, facts=9, entities=9) for one in (graph, copy)]
        for mine, others in zip(ours, theirs, strict=True):
            # processors that count in half precision differ from those that do not
            found = [{hit.key: pytest.approx(hit[1:], abs=2e-3) for hit in hits} for hits in (mine, others)]
            assert found[0] == {hit.key: hit[1:] for hit in others}
        copied = [page async for page in moved.pages()]
        assert _plain(copied) == _plain(pages)


def _plain(pages):
    return sorted(
        (row.kind, str(row.key), sorted(row.vectors), row.ends, _given(row)) for page in pages for row in page
    )


def _given(row):
    return sorted((name, str(value)) for name, value in row.properties.items() if value is not None)


async def test_a_site_takes_the_place_of_whatever_stood_there(on, graph, mind):
    await tell(graph, mind, "Ada met Bruno.")
    moved = on.graphs.archivable(mind)
    site = moved.site("4711")
    assert site != moved.site("4712") != on.graphs.archivable(f"{mind}x").site("4711")
    await moved.prepare_site(site, embedder=OURS)
    await moved.put(site, [entity("new"), entity("newer")])
    await moved.put(site, [fact("f", "new", "nobody", unit(1))])
    assert await graph.size() == GraphSize(episodes=1, entities=2, facts=1)

    await moved.adopt(site)
    assert await graph.size() == GraphSize(entities=2)
    await moved.adopt(moved.site("never built"))
    assert await moved.exists()
    for _ in range(2):
        await moved.discard(site)
        await moved.drop()
    assert not await moved.exists()
