"""Every promise of `service/ports/graph.py` on searching and reading, on each implementation alike."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from service.archive.graph_rows import Row
from service.ports.graph import (
    MOST_MENTIONS,
    MOST_STEPPING_STONES,
    MOST_STEPS,
    Extracted,
    GraphSize,
)
from tests.support.graphs import (
    EMBEDDER,
    OURS,
    START,
    built,
    entity,
    episode,
    fact,
    tell,
    unit,
)

pytestmark = pytest.mark.anyio


# -- near


async def test_several_queries_find_each_its_nearest(graph, mind):
    texts = ("Yesterday Ada met Bruno in Lyon.", "The fence is green.", "Carla plays the cello in Prague.")
    await tell(graph, mind, *texts)

    found = await graph.nearest(await EMBEDDER.embed([texts[2], texts[0], texts[1]]), turns=2, facts=2, entities=2)
    assert [hits.turns[0].key for hits in found] == ["3", "1", "2"]
    assert all((len(hits.turns), len(hits.facts), len(hits.entities)) == (2, 2, 2) for hits in found)
    assert all(hits.turns[0].similarity == pytest.approx(1, abs=1e-4) for hits in found)
    assert all(hit.own == hit.similarity for hits in found for hit in (*hits.facts, *hits.entities))


async def test_hits_come_nearest_first_with_their_cosines(graph, mind):
    await graph.prepare(embedder=OURS)
    random = np.random.default_rng(7)
    rows = random.normal(size=(30, EMBEDDER.dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    episodes = [episode(mind, number, f"Turn {number}.") for number in range(1, 31)]
    vectors = {one.passages[0].uuid: row for one, row in zip(episodes, rows, strict=True)}
    await graph.save(episodes, own=vectors, leaning=vectors, after=0, cursor=30, turn_id="t30")

    for query in random.normal(size=(5, EMBEDDER.dimension)).astype(np.float32):
        [hits] = await graph.nearest(query[None], turns=10, facts=10, entities=10)
        cosines = rows @ (query / np.linalg.norm(query))
        assert [int(hit.key) - 1 for hit in hits.turns] == list(np.argsort(-cosines)[:10])
        assert [hit.similarity for hit in hits.turns] == pytest.approx(sorted(cosines, reverse=True)[:10], abs=1e-4)


async def test_likeness_compares_the_first_passages_of_episodes(graph, mind):
    await graph.prepare(embedder=OURS)
    episodes = [episode(mind, 1, "one"), episode(mind, 2, "two", "and more"), episode(mind, 3, "three")]
    own = {
        episodes[0].passages[0].uuid: unit(1),
        episodes[1].passages[0].uuid: unit(1, 1),
        episodes[1].passages[1].uuid: unit(1),
        episodes[2].passages[0].uuid: unit(0, 1),
    }
    await graph.save(episodes, own=own, leaning=dict.fromkeys(own, unit(0, 0, 1)), after=0, cursor=3, turn_id="t3")

    first, second, third = (one.uuid for one in episodes)
    found = await graph.likeness([first, third], among=[second, third])

    assert found[0] == {second: pytest.approx(0.7071, abs=1e-3), third: pytest.approx(0, abs=1e-3)}
    assert found[1] == {second: pytest.approx(0.7071, abs=1e-3), third: pytest.approx(1, abs=1e-3)}


async def test_likeness_leaves_out_what_has_no_vectors(graph, mind):
    [one] = await tell(graph, mind, "The fence is green.")

    assert await graph.likeness(["nobody's"], among=[one.uuid]) == ({},)
    assert await graph.likeness([one.uuid], among=["nobody's"]) == ({},)
    assert await graph.likeness([], among=[one.uuid]) == ()


async def test_a_turn_of_several_passages_is_one_hit_as_near_as_its_nearest(graph, mind):
    await graph.prepare(embedder=OURS)
    long, short = episode(mind, 1, "One.", "Two.", "Three."), episode(mind, 2, "Four.")
    own = dict(zip([part.uuid for part in long.passages], [unit(1), unit(0, 1), unit(1, 1)], strict=True))
    own |= {short.passages[0].uuid: unit(1, 0, 1)}
    await graph.save([long, short], own=own, leaning=own, after=0, cursor=2, turn_id="t2")

    [hits] = await graph.nearest(unit(1)[None], turns=9, facts=9, entities=9)
    assert [(hit.key, round(hit.similarity, 3)) for hit in hits.turns] == [("1", 1.0), ("2", 0.707)]


async def test_of_hits_that_are_equally_near_any_may_come_but_no_farther_one(graph, mind):
    await graph.prepare(embedder=OURS)
    episodes = [episode(mind, number, f"Turn {number}.") for number in range(1, 9)]
    own = {one.passages[0].uuid: unit(1) if one.sequence % 2 else unit(1, 1) for one in episodes}
    await graph.save(episodes, own=own, leaning=own, after=0, cursor=8, turn_id="t8")

    [hits] = await graph.nearest(unit(1)[None], turns=6, facts=9, entities=9)
    keys = [int(hit.key) for hit in hits.turns]
    assert {key for key in keys if key % 2} == {1, 3, 5, 7} and len(set(keys)) == 6
    assert [round(hit.similarity, 3) for hit in hits.turns] == [1.0] * 4 + [0.707] * 2


# -- around an entity


def hub(spokes):
    """A hub with *spokes* facts to as many entities, each with a fact to a leaf, each with one to somebody far away."""
    near, far = unit(1), unit(0, 1)
    for at in range(spokes):
        yield from (entity(f"{ring}{at}") for ring in ("m", "l", "x"))
        yield fact(f"one{at}", "hub", f"m{at}", near)
        yield fact(f"two{at}", f"l{at}", f"m{at}", far)
        yield fact(f"three{at}", f"l{at}", f"x{at}", near)
    yield entity("hub")


async def test_facts_are_found_two_steps_around_an_entity_in_either_direction_and_no_further(on, graph, mind):
    await built(on, mind, list(hub(2)))

    found = await graph.facts_around(["hub", "hub", "nobody"], unit(1)[None], limit=50)
    assert sorted(hit.key for hit in found) == ["one0", "one1", "two0", "two1"]
    assert [hit.key[:3] for hit in found] == ["one", "one", "two", "two"]
    assert [round(hit.similarity, 4) for hit in found] == [1, 1, 0, 0]
    assert len(await graph.facts_around(["hub"], unit(1)[None], limit=1)) == 1
    assert await graph.facts_around([], unit(1)[None], limit=50) == ()


async def test_a_huge_hub_gives_no_more_than_others(on, graph, mind):
    await built(on, mind, list(hub(600)))

    found = await graph.facts_around(["hub"], unit(1)[None], limit=60)
    assert len([hit for hit in found if hit.key.startswith("one")]) == MOST_STEPS
    assert len([hit for hit in found if hit.key.startswith("two")]) == MOST_STEPPING_STONES
    assert len({hit.key for hit in found}) == len(found) == MOST_STEPS + MOST_STEPPING_STONES


# -- facts and entities


async def test_facts_and_entities_are_read_by_uuid_each_once_and_unknown_ones_left_out(on, graph, mind):
    end = {"invalid_at": "2026-03-01T00:00:00+00:00", "valid_at": "2026-02-01T01:00:00+01:00"}
    expired = {"expired_at": "2026-04-01T00:00:00+00:00", "valid_at": "not a date"}
    rows = [entity("a", name="Ada"), entity("b", name="Bruno", summary="Met Ada.")]
    rows += [fact("f", "a", "b", unit(1), **end), fact("g", "b", "a", unit(1), text="Née «Ω»\n\u2028", **expired)]
    await built(on, mind, rows)

    facts = {one.uuid: one for one in await graph.facts(["f", "f", "g", "nobody's"])}
    assert (facts["f"].valid_at, facts["f"].invalid_at) == (
        datetime(2026, 2, 1, tzinfo=UTC),
        datetime(2026, 3, 1, tzinfo=UTC),
    )
    assert (facts["g"].valid_at, facts["g"].invalid_at) == (None, datetime(2026, 4, 1, tzinfo=UTC))
    assert (facts["g"].source, facts["g"].target, facts["g"].text) == ("Bruno", "Ada", "Née «Ω»\n\u2028")
    assert len(await graph.facts(["f", "f", "g"])) == 2
    assert [(one.name, one.summary, one.episodes) for one in await graph.entities(["b", "b", "x"])] == [
        ("Bruno", "Met Ada.", ())
    ]
    assert await graph.facts([]) == await graph.entities([]) == ()


async def test_an_entity_comes_with_the_newest_episodes_that_mention_it_each_once(on, graph, mind):
    told = [f"e{at:02}" for at in range(MOST_MENTIONS + 10)]
    rows = [entity("a")]
    for at, uuid in enumerate(told):
        when = (START + timedelta(hours=at)).isoformat()
        rows.append(
            Row("Episodic", {"uuid": uuid, "name": "turn 1", "content": "", "valid_at": when, "created_at": when})
        )
        rows += [Row("MENTIONS", {"uuid": f"{uuid}-{twice}"}, ends=(uuid, "a")) for twice in range(2)]
    await built(on, mind, rows)

    [found] = await graph.entities(["a"])
    assert list(found.episodes) == told[::-1][:MOST_MENTIONS]


async def test_all_knowledge_comes_page_by_page_by_uuid_each_once(on, graph, mind):
    rows = [entity(f"e{at}") for at in range(7)]
    rows += [fact(f"f{at}", "e0", f"e{at}", unit(1), kind=("RELATES_TO", "RELATED_TO")[at % 2]) for at in range(1, 6)]
    await built(on, mind, rows)

    pages = [await graph.knowledge(after=after, limit=2) for after in range(0, 10, 2)]
    assert [one.uuid for page in pages for one in page.facts] == [f"f{at}" for at in range(1, 6)]
    assert [one.uuid for page in pages for one in page.entities] == [f"e{at}" for at in range(7)]
    assert all(one.episodes == () for page in pages for one in page.entities)
    assert pages[-1] == Extracted()
    assert await graph.size() == GraphSize(entities=7, facts=5)


async def test_a_fact_that_is_no_longer_compared_is_found_by_nothing_but_its_words(on, graph, mind):
    await built(on, mind, [entity("a"), entity("b"), fact("old", "a", "b", unit(1), kind="RELATED_TO")])

    assert await graph.facts(["old"]) == await graph.facts_around(["a"], unit(1)[None], limit=5) == ()
    assert (await graph.nearest(unit(1)[None], turns=1, facts=1, entities=1))[0].facts == ()
    assert [one.uuid for one in (await graph.knowledge(after=0, limit=5)).facts] == ["old"]
