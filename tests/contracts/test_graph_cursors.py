"""Cursors name the turn that they stand on, and a graph goes back to where its transcript has other turns."""

from contextlib import suppress

import pytest

from consolidation.kernel.errors import EmbedderMismatch, GraphUnavailable
from service.erasure.ports import Tainted
from service.ports.embedder import EmbedderIdentity
from service.ports.graph import GraphSize, Progress, episode_uuid
from tests.support.graphs import EMBEDDER, OURS, episode, everything, extract, named, parked, save, tell, texts_of, unit

pytestmark = pytest.mark.anyio

OTHER = EmbedderIdentity("another", EMBEDDER.dimension)


def turns(progress):
    return progress.saved_turn, progress.extracted_turn


async def test_each_move_names_the_turn_that_the_cursor_then_stands_on(graph, mind):
    assert turns(await graph.prepare(embedder=OURS)) == ("", "")
    await save(graph, mind, "Ada met Bruno.", "Bruno saw Carla.")
    assert turns(await graph.progress()) == ("t2", "")
    await graph.mark_extracted(1, turn_id="t1", after=0)
    await graph.park(parked(2), after=1)
    await graph.park(parked(1))
    assert turns(await graph.progress()) == ("t2", "t2")
    await graph.save((), own={}, leaning={}, after=2, cursor=3, turn_id="a heartbeat")

    assert turns(await graph.prepare(embedder=OURS)) == ("a heartbeat", "t2")


async def test_a_cursor_that_was_set_back_for_its_vectors_names_no_turn(graph, mind):
    await tell(graph, mind, "Ada met Bruno.")
    await graph.reindex(embedder=OURS, advanced=lambda _: None)

    assert turns(await graph.progress()) == ("", "t1")


async def test_episodes_come_newest_first(graph, mind):
    await graph.prepare(embedder=OURS)
    one = episode(mind, 1, "Ada met Bruno.", "Bruno left.")
    vectors = dict.fromkeys([part.uuid for part in one.passages], unit(1))
    await graph.save([one], own=vectors, leaning=vectors, after=0, cursor=1, turn_id="t1")
    await save(graph, mind, "Bruno saw Carla.", "Carla left.", first=2)

    of = {number: (number, episode_uuid(mind, f"t{number}")) for number in (1, 2, 3)}
    assert await graph.episodes_until(9, limit=2) == (of[3], of[2])
    assert await graph.episodes_until(2, limit=9) == (of[2], of[1])
    assert await graph.episodes_until(0, limit=9) == ()
    assert [await graph.lowest_saved(some) for some in ((7, 3, 2), (4, 0), ())] == [2, None, None]


async def test_going_back_leaves_what_was_there_before_the_turns_above(on, graph, mind):
    """Facts of both stay, those of the turns above alone go, and what they ended is true again."""
    await tell(graph, mind, "Ada lives in Lyon. Ada met Bruno.")
    before = await everything(graph)
    vectors = {one.name: one.uuid for one in before[1]}
    await tell(graph, mind, "Ada lives in Paris. Ada met Bruno. Bruno saw Zoe.", "Zoe called Yves.", first=2)
    await graph.park(parked(3))

    for _ in range(2):
        await graph.go_back(to=1, turn_id="t1")

        assert await graph.progress() == Progress(1, 1)
        assert turns(await graph.progress()) == ("t1", "t1")
        assert await graph.size() == GraphSize(episodes=1, entities=3, facts=2)
        facts, entities = await everything(graph)
        assert facts == before[0]
        assert {(one.name, one.uuid, one.episodes) for one in entities} == {
            (one.name, one.uuid, one.episodes) for one in before[1]
        }
        [hits] = await graph.nearest(unit(1)[None], turns=9, facts=9, entities=9)
        assert {hit.key for hit in hits.turns} == {"1"}
        assert {hit.key for hit in hits.entities} == set(vectors.values())
    assert await on.graphs.erasable(mind).remains([episode_uuid(mind, f"t{n}") for n in (2, 3)], forms=["Zoe"]) == 0


async def test_a_graph_that_went_back_goes_on_with_other_turns(graph, mind):
    await tell(graph, mind, "Ada met Bruno.", "Bruno saw Zoe.")
    await graph.go_back(to=1, turn_id="t1")

    [other] = await save(graph, mind, "Bruno saw Carla.", first=2)
    await extract(graph, other)

    assert await texts_of(graph) == ["Ada met Bruno.", "Bruno saw Carla."]
    assert set(await named(graph)) == {"Ada", "Bruno", "Carla"}


async def test_what_an_extraction_wrote_while_the_graph_went_back_goes_the_next_time(on, graph, mind):
    """No passage names its turn any more; the cursor does."""
    await graph.prepare(embedder=OURS)
    _, gone = await save(graph, mind, "Ada met Bruno.", "Bruno saw Zoe.")
    await graph.mark_extracted(1, turn_id="t1", after=0)
    read = on.reader.answer

    async def slow(ask):
        await graph.go_back(to=1, turn_id="t1")
        return await read(ask)

    on.reader.answer = slow
    await graph.begin_attempt(gone.uuid)
    with suppress(GraphUnavailable):
        await graph.extract(gone, previous=())
    del on.reader.answer
    await graph.mark_extracted(2, turn_id="t2", after=1)
    await graph.go_back(to=1, turn_id="t1")

    assert await texts_of(graph) == []
    assert await on.graphs.erasable(mind).remains([gone.uuid], forms=["Zoe"]) == 0


async def test_a_turn_that_is_also_below_stays_though_a_cursor_above_names_it(graph, mind):
    """A failed write that could not be cut away may have left it twice in the transcript."""
    await tell(graph, mind, "Ada met Bruno.", "Bruno saw Carla.")
    await graph.save((), own={}, leaning={}, after=2, cursor=3, turn_id="t1")

    await graph.go_back(to=2, turn_id="t2")

    assert await texts_of(graph) == ["Ada met Bruno.", "Bruno saw Carla."]
    assert (await graph.progress(), await graph.size()) == (Progress(2, 2), GraphSize(2, 3, 2))


async def test_a_graph_goes_back_whoever_embedded_it(graph, mind):
    await graph.prepare(embedder=OTHER)
    await save(graph, mind, "Ada met Bruno.", "Bruno saw Zoe.")
    with pytest.raises(EmbedderMismatch):
        await graph.prepare(embedder=OURS)

    await graph.go_back(to=1, turn_id="t1")

    assert (await graph.progress(), await graph.size()) == (Progress(1), GraphSize(episodes=1))
    assert await graph.prepare(embedder=OTHER) == Progress(1)


async def test_a_cursor_below_stays_where_it_is(graph, mind):
    await graph.prepare(embedder=OURS)
    await save(graph, mind, "Ada met Bruno.", "Bruno saw Carla.", "Carla left.")
    await graph.mark_extracted(1, turn_id="t1", after=0)

    await graph.go_back(to=2, turn_id="t2")

    assert await graph.progress() == Progress(2, 1)
    assert turns(await graph.progress()) == ("t2", "t1")


async def test_a_graph_that_is_not_there_can_not_go_back(graph):
    with pytest.raises(GraphUnavailable):
        await graph.go_back(to=0, turn_id="")

    assert (await graph.progress(), await graph.size()) == (Progress(), GraphSize())


async def test_no_cursor_names_a_turn_that_was_erased(on, graph, mind):
    """Its id is nowhere then: a cursor that names no turn counts as agreeing."""
    await tell(graph, mind, "Ada met Bruno.", "Bruno saw Carla.")
    assert turns(await graph.progress()) == ("t2", "t2")

    await on.graphs.erasable(mind).forget([episode_uuid(mind, "t2")], Tainted())

    found = await graph.progress()
    assert (turns(found), found.saved, found.extracted) == (("", ""), 2, 2)


async def test_that_turns_lack_vectors_is_noted_until_it_is_over_or_all_are_dropped(graph, mind):
    assert await graph.missing_until() == 0
    await tell(graph, mind, "Ada met Bruno.")

    await graph.note_missing(40)
    assert await graph.missing_until() == 40
    await graph.close()  # whoever opens it next knows
    assert await graph.missing_until() == 40
    await graph.note_missing(0)
    assert await graph.missing_until() == 0

    await graph.note_missing(40)
    await graph.reindex(embedder=OURS, advanced=lambda _: None)
    assert await graph.missing_until() == 0
