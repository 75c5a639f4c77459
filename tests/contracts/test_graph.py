"""Every promise of `service/ports/graph.py` and of the ports of erasing and archiving, on each implementation alike."""

import asyncio
import re
import zlib
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from consolidation.kernel.errors import EmbedderMismatch, GraphFault, GraphUnavailable, InvalidModelOutput
from service.adapters.memory_graph.graphs import MemoryGraphs
from service.archive.graph_rows import KINDS, Row, decode, encode
from service.erasure.ports import Tainted
from service.ports.embedder import EmbedderIdentity
from service.ports.graph import (
    MOST_MENTIONS,
    MOST_STEPPING_STONES,
    MOST_STEPS,
    Extracted,
    GraphSize,
    Parked,
    Progress,
    VectorHits,
    episode_uuid,
)
from tests.support.graphs import (
    EMBEDDER,
    OURS,
    START,
    Reader,
    bench,
    episode,
    everything,
    extract,
    nicknames,
    save,
    tell,
    unit,
)
from tests.support.nasty_texts import NASTY

pytestmark = pytest.mark.anyio

OTHER = EmbedderIdentity("another", EMBEDDER.dimension)
STORABLE = [text for text in NASTY if re.search("[\0\ud800-\udfff]", text) is None]  # as what turns say
KIND_NAMES = ("memory", "falkordb")


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
async def benches(anyio_backend, tmp_path_factory):
    """Each implementation, on one server for all tests; each test takes a mind of its own."""
    async with AsyncExitStack() as stack:
        folder = tmp_path_factory.mktemp("graph")
        yield {kind: await stack.enter_async_context(bench(kind, folder)) for kind in KIND_NAMES}


@pytest.fixture(params=KIND_NAMES)
def on(request, benches):
    """One implementation, with a reader that goes by its own rules again."""
    found = benches[request.param]
    found.reader.rules, found.reader.asked = Reader().rules, []
    return found


@pytest.fixture
def mind(request):
    return f"m-_{zlib.crc32(request.node.nodeid.encode()):x}"


@pytest.fixture
def graph(on, mind):
    return on.of(mind)


def parked(sequence=1, *, error="InvalidModelOutput: {}"):
    return Parked(sequence, f"t{sequence}", error, 5, START)


async def texts_of(graph):
    return sorted(fact.text for fact in (await everything(graph))[0])


async def named(graph):
    return {entity.name: entity for entity in (await everything(graph))[1]}


# -- a graph that is not there


async def test_reading_a_graph_that_is_not_there_finds_nothing_and_creates_nothing(on, graph, mind):
    vectors = await EMBEDDER.embed(["anything", "else"])

    assert await graph.nearest(vectors, turns=5, facts=5, entities=5) == (VectorHits(), VectorHits())
    assert await graph.facts_around(["e1"], vectors[:1], limit=5) == ()
    assert await graph.facts(["f1"]) == await graph.entities(["e1"]) == ()
    assert await graph.knowledge(after=0, limit=5) == Extracted()
    assert (await graph.progress(), await graph.size(), await graph.identity()) == (Progress(), GraphSize(), None)
    assert [page async for page in on.graphs.archivable(mind).pages()] == []
    assert await on.graphs.erasable(mind).remains(["e1"], forms=["anything"]) == 0
    assert not await on.graphs.archivable(mind).exists()
    assert await on.graphs.erasable(mind).keys() == 0


async def test_nothing_is_written_to_a_graph_that_was_not_prepared(graph, mind):
    with pytest.raises(GraphUnavailable):
        await save(graph, mind, "Ada met Bruno.")
    reindexing = graph.reindex(embedder=OURS, advanced=lambda _: None)
    for moving in (graph.mark_extracted(1), graph.park(parked()), reindexing):
        with pytest.raises(GraphUnavailable):
            await moving

    assert (await graph.progress(), await graph.size()) == (Progress(), GraphSize())


async def test_the_server_is_asked_nothing_to_bind_a_graph(on, mind):
    assert on.of(mind) is not None
    await on.graphs.ping()
    assert not await on.graphs.archivable(mind).exists()


@pytest.mark.parametrize("others", [("a-b", "a_b", "a--b", "a__b", "a_hb", "ab")])
async def test_minds_of_similar_ids_share_nothing(on, others):
    for number, mind_id in enumerate(others, start=1):
        await tell(on.of(mind_id), mind_id, *["Ada met Bruno."] * number)

    assert [(await on.of(mind_id).size()).episodes for mind_id in others] == list(range(1, len(others) + 1))
    assert {uuid for one in others for fact in (await everything(on.of(one)))[0] for uuid in fact.episodes} == {
        episode_uuid(mind_id, f"t{at + 1}") for number, mind_id in enumerate(others, start=1) for at in range(number)
    }


# -- preparing


async def test_preparing_says_how_far_the_graph_is_and_may_be_repeated(graph, mind):
    assert await graph.prepare(embedder=OURS) == Progress()
    await save(graph, mind, "Ada met Bruno.", "Bruno saw Carla.")
    await graph.mark_extracted(1)

    assert await graph.prepare(embedder=OURS) == await graph.progress() == Progress(saved=2, extracted=1)
    assert await graph.identity() == OURS


async def test_another_embedders_graph_is_refused_and_its_vectors_are_never_compared(graph, mind):
    await graph.prepare(embedder=OTHER)
    [one] = await save(graph, mind, "Ada met Bruno.")
    with pytest.raises(EmbedderMismatch, match=r"another \(384 dimensions\), configured is .*mind-memory reindex"):
        await graph.prepare(embedder=OURS)

    for asking in (graph.nearest(unit(1)[None], turns=5, facts=5, entities=5), graph.extract(one, previous=())):
        with pytest.raises(EmbedderMismatch):
            await asking
    assert (await graph.identity(), await graph.size()) == (OTHER, GraphSize(episodes=1))
    await graph.prepare(embedder=OTHER)
    assert len((await graph.nearest(unit(1)[None], turns=5, facts=5, entities=5))[0].turns) == 1


async def test_reindexing_embeds_facts_and_names_and_lets_passages_be_saved_anew(graph, mind):
    await graph.prepare(embedder=OTHER)
    for one in await save(graph, mind, "Ada met Bruno.", "Bruno saw Carla."):
        await extract(graph, one)
    before, pages = await everything(graph), []

    count = await graph.reindex(embedder=OURS, advanced=pages.append)

    assert count == sum(pages) == 2 + 3
    assert await graph.prepare(embedder=OURS) == Progress(saved=0, extracted=2)
    assert await everything(graph) == before
    [hits] = await graph.nearest(await EMBEDDER.embed(["Bruno saw Carla."]), turns=5, facts=1, entities=1)
    assert hits.turns == ()
    assert (await graph.facts([hits.facts[0].key]))[0].text == "Bruno saw Carla."
    await save(graph, mind, "Ada met Bruno.", "Bruno saw Carla.")
    assert await graph.progress() == Progress(saved=2, extracted=2)


# -- saving


async def test_saving_twice_saves_once(graph, mind):
    await graph.prepare(embedder=OURS)
    for _ in range(2):
        await save(graph, mind, "Ada met Bruno.", "Bruno saw Carla.")

    assert await graph.size() == GraphSize(episodes=2)
    assert (await graph.progress()).saved == 2
    assert len((await graph.nearest(unit(1)[None], turns=9, facts=9, entities=9))[0].turns) == 2


async def test_a_cursor_never_goes_back(graph, mind):
    await graph.prepare(embedder=OURS)
    await save(graph, mind, "Ada met Bruno.", "Bruno saw Carla.")
    await graph.mark_extracted(2)

    await save(graph, mind, "Ada met Bruno.")
    await graph.mark_extracted(1)
    await graph.park(parked(1))

    progress = await graph.progress()
    assert (progress.saved, progress.extracted) == (2, 2)


async def test_a_cursor_moves_over_turns_that_are_not_remembered(graph):
    await graph.prepare(embedder=OURS)

    await graph.save((), own={}, leaning={}, cursor=7)

    assert (await graph.progress(), await graph.size()) == (Progress(saved=7), GraphSize())


async def test_an_earlier_passage_that_gains_a_neighbour_leans_anew(graph, mind):
    await graph.prepare(embedder=OURS)
    first, second = (episode(mind, number, f"Turn {number}.") for number in (1, 2))
    one, two = first.passages[0].uuid, second.passages[0].uuid
    await graph.save([first], own={one: unit(1)}, leaning={one: unit(1)}, cursor=1)

    leaning = {one: unit(1, 1), two: unit(0, 1), "of no passage": unit(1)}
    await graph.save([second], own={two: unit(0, 1)}, leaning=leaning, cursor=2)

    [hits] = await graph.nearest(unit(0, 1)[None], turns=9, facts=9, entities=9)
    assert [(hit.key, round(hit.similarity, 3), round(hit.own, 3)) for hit in hits.turns] == [
        ("2", 1.0, 1.0),
        ("1", 0.707, 0.0),
    ]


async def test_every_text_is_stored_as_it_is(on, graph, mind):
    await graph.prepare(embedder=OURS)
    episodes = [
        replace(episode(mind, number, text), text=text) for number, text in enumerate(STORABLE, start=1) if text
    ]
    vectors = {one.passages[0].uuid: unit(1) for one in episodes}
    await graph.save(episodes, own=vectors, leaning=vectors, cursor=len(STORABLE))

    rows = [row async for page in on.graphs.archivable(mind).pages() for row in page if row.kind == "Episodic"]
    assert {row.key: row.properties["content"] for row in rows} == {one.uuid: one.text for one in episodes}


async def test_a_turn_of_several_passages_keeps_its_whole_text(on, graph, mind):
    await graph.prepare(embedder=OURS)
    one = episode(mind, 1, "Ada met Bruno.", "Bruno saw Carla.", "Carla left.")
    vectors = dict.fromkeys([part.uuid for part in one.passages], unit(1))
    await graph.save([one], own=vectors, leaning=vectors, cursor=1)

    await extract(graph, one)

    assert next(ask for ask in on.reader.asked).words["said"] == one.said
    assert await texts_of(graph) == ["Ada met Bruno.", "Bruno saw Carla."]


# -- attempts and parked turns


async def test_attempts_are_counted_taken_back_and_forgotten_when_the_turn_is_extracted(graph, mind):
    await graph.prepare(embedder=OURS)
    [one] = await save(graph, mind, "Ada met Bruno.")

    assert [await graph.begin_attempt(one.uuid) for _ in range(3)] == [1, 2, 3]
    await graph.undo_attempt(one.uuid)
    assert await graph.begin_attempt(one.uuid) == 3
    await graph.mark_extracted(1)
    assert await graph.begin_attempt(one.uuid) == 1


async def test_an_attempt_at_an_episode_that_is_not_there_is_refused(graph):
    await graph.prepare(embedder=OURS)
    await graph.undo_attempt("no-such-episode")
    with pytest.raises(GraphUnavailable, match="lost"):
        await graph.begin_attempt("no-such-episode")


async def test_a_parked_turn_is_passed_listed_and_unparked_with_its_attempts(graph, mind):
    await graph.prepare(embedder=OURS)
    [one] = await save(graph, mind, "Ada met Bruno.")
    await graph.begin_attempt(one.uuid)
    for error in ("first", "second"):
        await graph.park(parked(error=error))

    assert await graph.progress() == Progress(saved=1, extracted=1, parked=(parked(error="second"),))
    for _ in range(2):
        await graph.unpark(parked())
    assert await graph.progress() == Progress(saved=1, extracted=1)
    assert await graph.begin_attempt(one.uuid) == 1


async def test_parked_turns_come_by_sequence(graph):
    await graph.prepare(embedder=OURS)
    for sequence in (7, 3, 11):
        await graph.park(parked(sequence))

    assert await graph.progress() == Progress(extracted=11, parked=(parked(3), parked(7), parked(11)))


# -- extraction


async def test_an_episode_becomes_entities_and_facts(on, graph, mind):
    await graph.prepare(embedder=OURS)
    [one] = await save(graph, mind, "Ada met Bruno. [2026-02-03] Bruno joined Contoso. The fence is green.")
    found = await extract(graph, one)

    facts, entities = await everything(graph)
    assert sorted(found.facts, key=lambda fact: fact.uuid) == list(facts)
    assert sorted(found.entities, key=lambda one: one.uuid) == sorted(entities, key=lambda one: one.uuid)
    assert {(fact.text, fact.source, fact.target, fact.episodes, fact.valid_at, fact.invalid_at) for fact in facts} == {
        ("Ada met Bruno.", "Ada", "Bruno", (one.uuid,), one.occurred_at, None),
        ("Bruno joined Contoso.", "Bruno", "Contoso", (one.uuid,), datetime(2026, 2, 3, tzinfo=UTC), None),
    }
    assert {(entity.name, entity.summary, entity.episodes) for entity in entities} == {
        ("Ada", "Ada met Bruno.", (one.uuid,)),
        ("Bruno", "Ada met Bruno.\nBruno joined Contoso.", (one.uuid,)),
        ("Contoso", "Bruno joined Contoso.", (one.uuid,)),
        ("The", "", (one.uuid,)),
    }
    assert on.spent[mind].calls == 1


async def test_a_known_name_is_the_known_entity_in_whatever_case(graph, mind):
    await tell(graph, mind, "Ada met Bruno.", "ADA saw Carla.", "Ada called Bruno.")

    found = await named(graph)
    assert set(found) == {"Ada", "Bruno", "Carla"}
    assert found["Ada"].summary == "Ada met Bruno.\nADA saw Carla.\nAda called Bruno."
    assert len(found["Ada"].episodes) == 3


async def test_a_name_that_the_reader_takes_for_a_known_one_is_no_new_entity(on, graph, mind):
    on.reader.rules["identities"] = nicknames
    await tell(graph, mind, "Ada met Bruno.", "Adas saw Brunos.")

    assert set(await named(graph)) == {"Ada", "Bruno"}
    assert [ask.prompt for ask in on.reader.asked].count("identities") == 1


async def test_a_fact_said_again_is_one_fact_of_two_episodes(graph, mind):
    one, two, three = await tell(graph, mind, "Ada met Bruno.", "Ada met  Bruno.", "Bruno met Ada.")

    facts, _ = await everything(graph)
    assert [(fact.text, fact.episodes) for fact in facts] == [("Ada met Bruno.", (one.uuid, two.uuid, three.uuid))]


async def test_a_fact_that_contradicts_another_ends_it_when_it_begins(graph, mind):
    _, later = await tell(graph, mind, "Ada lives in Lyon.", "Ada lives in Paris.")

    facts = {fact.text: fact for fact in (await everything(graph))[0]}
    assert facts["Ada lives in Lyon."].invalid_at == later.occurred_at == facts["Ada lives in Paris."].valid_at
    assert facts["Ada lives in Paris."].invalid_at is None


async def test_a_fact_that_was_over_before_is_ended_by_the_one_that_came_after_it(graph, mind):
    await tell(graph, mind, "[2026-05-01] Ada lives in Paris.", "[2025-05-01] Ada lives in Lyon.")

    facts = {fact.text: fact for fact in (await everything(graph))[0]}
    assert facts["Ada lives in Lyon."].invalid_at == facts["Ada lives in Paris."].valid_at
    assert facts["Ada lives in Paris."].invalid_at is None


async def test_an_extraction_that_is_repeated_after_another_attempt_says_everything_once(graph, mind):
    await tell(graph, mind, "Ada met Bruno.")
    [one] = await save(graph, mind, "Ada met Bruno. Bruno saw Carla.", first=2)
    for attempt in (1, 2):  # the first was killed before it was complete
        assert await graph.begin_attempt(one.uuid) == attempt
        found = await graph.extract(one, previous=())
    await graph.mark_extracted(2)

    facts, _ = await everything(graph)
    assert [fact.text for fact in sorted(facts, key=lambda fact: fact.text)] == ["Ada met Bruno.", "Bruno saw Carla."]
    assert {fact.uuid for fact in found.facts} == {fact.uuid for fact in facts}
    assert [len(fact.episodes) for fact in sorted(facts, key=lambda fact: fact.text)] == [2, 1]
    assert (await named(graph))["Bruno"].episodes == (one.uuid, episode_uuid(mind, "t1"))


async def test_what_an_attempt_left_half_done_is_gone_when_the_next_begins(graph, mind):
    await graph.prepare(embedder=OURS)
    [one] = await save(graph, mind, "Ada met Bruno.")
    await graph.begin_attempt(one.uuid)
    await graph.extract(one, previous=())
    await graph.begin_attempt(one.uuid)

    assert await texts_of(graph) == []
    assert {entity.episodes for entity in (await everything(graph))[1]} <= {()}


async def test_the_reader_is_given_what_was_said_and_what_was_said_before_with_their_speakers(on, graph, mind):
    first, second, third = await tell(graph, mind, "Ada met Bruno.", "Bruno saw Carla.", "Carla left.")
    on.reader.asked.clear()

    await graph.begin_attempt(third.uuid)
    await graph.extract(replace(third, text="not this"), previous=[*first.said, *second.said])

    [ask] = [ask for ask in on.reader.asked if ask.prompt == "extraction"]
    assert ask.words["said"] == third.said
    assert ask.words["previous"] == (*first.said, *second.said)
    assert datetime.fromisoformat(ask.words["occurred_at"]) == third.occurred_at


async def test_a_reader_that_fails_writes_nothing_and_costs_what_it_cost(on, graph, mind):
    def fails(words):
        raise InvalidModelOutput("the answer holds nothing")

    await graph.prepare(embedder=OURS)
    [one] = await save(graph, mind, "Ada lives in Lyon.")
    on.reader.rules["extraction"] = fails
    await graph.begin_attempt(one.uuid)
    with pytest.raises(InvalidModelOutput):
        await graph.extract(one, previous=())
    assert (on.spent[mind].calls, await graph.size()) == (0, GraphSize(episodes=1))

    on.reader.rules = {**Reader().rules, "settlements": fails}
    await extract(graph, one)
    [two] = await save(graph, mind, "Ada lives in Paris.", first=2)
    await graph.begin_attempt(two.uuid)
    with pytest.raises(InvalidModelOutput):
        await graph.extract(two, previous=())
    assert (on.spent[mind].calls, await texts_of(graph)) == (2, ["Ada lives in Lyon."])


async def test_an_episode_that_is_not_there_can_not_be_extracted(graph, mind):
    await graph.prepare(embedder=OURS)
    with pytest.raises(GraphFault):
        await graph.extract(episode(mind, 1, "Ada met Bruno."), previous=())


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
    await graph.save(episodes, own=vectors, leaning=vectors, cursor=30)

    for query in random.normal(size=(5, EMBEDDER.dimension)).astype(np.float32):
        [hits] = await graph.nearest(query[None], turns=10, facts=10, entities=10)
        cosines = rows @ (query / np.linalg.norm(query))
        assert [int(hit.key) - 1 for hit in hits.turns] == list(np.argsort(-cosines)[:10])
        assert [hit.similarity for hit in hits.turns] == pytest.approx(sorted(cosines, reverse=True)[:10], abs=1e-4)


async def test_a_turn_of_several_passages_is_one_hit_as_near_as_its_nearest(graph, mind):
    await graph.prepare(embedder=OURS)
    long, short = episode(mind, 1, "One.", "Two.", "Three."), episode(mind, 2, "Four.")
    own = dict(zip([part.uuid for part in long.passages], [unit(1), unit(0, 1), unit(1, 1)], strict=True))
    own |= {short.passages[0].uuid: unit(1, 0, 1)}
    await graph.save([long, short], own=own, leaning=own, cursor=2)

    [hits] = await graph.nearest(unit(1)[None], turns=9, facts=9, entities=9)
    assert [(hit.key, round(hit.similarity, 3)) for hit in hits.turns] == [("1", 1.0), ("2", 0.707)]


async def test_of_hits_that_are_equally_near_any_may_come_but_no_farther_one(graph, mind):
    await graph.prepare(embedder=OURS)
    episodes = [episode(mind, number, f"Turn {number}.") for number in range(1, 9)]
    own = {one.passages[0].uuid: unit(1) if one.sequence % 2 else unit(1, 1) for one in episodes}
    await graph.save(episodes, own=own, leaning=own, cursor=8)

    [hits] = await graph.nearest(unit(1)[None], turns=6, facts=9, entities=9)
    keys = [int(hit.key) for hit in hits.turns]
    assert {key for key in keys if key % 2} == {1, 3, 5, 7} and len(set(keys)) == 6
    assert [round(hit.similarity, 3) for hit in hits.turns] == [1.0] * 4 + [0.707] * 2


# -- around an entity


async def built(on, mind, rows):
    """Make the mind's graph of these rows."""
    moved = on.graphs.archivable(mind)
    site = moved.site("built")
    await moved.prepare_site(site, embedder=OURS)
    for kind in KINDS:
        of_kind = [row for row in rows if row.kind == kind]
        for start in range(0, len(of_kind), 500):
            await moved.put(site, of_kind[start : start + 500])
    await moved.adopt(site)


def entity(uuid, *, summary="", name=None):
    properties = {"uuid": uuid, "name": name or uuid, "summary": summary, "created_at": START.isoformat()}
    return Row("Entity", properties, {"name_embedding": unit(1)})


def fact(uuid, source, target, vector, *, text="Said.", kind="RELATES_TO", episodes=(), **more):
    properties = {"uuid": uuid, "fact": text, "name": "SAID", "episodes": list(episodes)}
    return Row(
        kind, properties | {"created_at": START.isoformat()} | more, {"fact_embedding": vector}, (source, target)
    )


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


# -- erasing


async def test_what_others_say_in_words_of_erased_turns_is_found_with_who_must_be_read_again(on, graph, mind):
    one, two, three = await tell(graph, mind, "Ada met Zorro.", "Ada met Zorro.", "Bruno saw Carla.")

    tainted = await on.graphs.erasable(mind).tainted([one.uuid], [], words=frozenset({"zorro"}))

    found, [about] = await named(graph), [fact for fact in (await everything(graph))[0] if "Zorro" in fact.text]
    assert tainted == Tainted((about.uuid,), (found["Zorro"].uuid,), (two.uuid,), (found["Ada"].uuid,))
    assert await on.graphs.erasable(mind).tainted([one.uuid], [three.uuid], words=frozenset({"nobody"})) == Tainted()


async def test_an_erased_episode_takes_with_it_what_only_it_says(on, graph, mind):
    one, two = await tell(graph, mind, "Ada met Bruno. Ada met Carla.", "Ada met Bruno.")

    gone = await on.graphs.erasable(mind).forget([one.uuid], Tainted())

    found = await named(graph)
    facts, _ = await everything(graph)
    assert [(fact.text, fact.episodes) for fact in facts] == [("Ada met Bruno.", (two.uuid,))]
    assert set(found) == {"Ada", "Bruno"}
    assert {name: entity.summary for name, entity in found.items()} == dict.fromkeys(found, "Ada met Bruno.")
    assert (gone.episodes, gone.passages, len(gone.facts), len(gone.entities)) == (1, 1, 1, 1)
    assert set(gone.changed_facts) == {fact.uuid for fact in facts}
    assert set(gone.changed_entities) == {entity.uuid for entity in found.values()}
    assert await graph.size() == GraphSize(episodes=1, entities=2, facts=1)
    assert await on.graphs.erasable(mind).remains([one.uuid], forms=["Carla"]) == 0
    assert await on.graphs.erasable(mind).remains([two.uuid], forms=["Bruno", "Ada"]) == 3 + 3
    again = await on.graphs.erasable(mind).forget([one.uuid], Tainted())
    assert (again.episodes, again.passages, again.facts, again.entities) == (0, 0, (), ())


async def test_tainted_knowledge_goes_whoever_says_it_and_parked_and_tried_turns_with_their_episode(on, graph, mind):
    one, two = await tell(graph, mind, "Ada met Zorro.", "Ada met Zorro.")
    await graph.park(parked(1))
    await graph.begin_attempt(one.uuid)
    erasable = on.graphs.erasable(mind)

    tainted = await erasable.tainted([one.uuid], [two.uuid], words=frozenset({"zorro"}))
    await erasable.forget([one.uuid], tainted)

    assert await texts_of(graph) == []
    assert {name: one.summary for name, one in (await named(graph)).items()} == {"Ada": ""}
    assert (await graph.progress()).parked == ()
    assert await erasable.remains([one.uuid], forms=["Zorro"]) == 0
    with pytest.raises(GraphUnavailable):
        await graph.begin_attempt(one.uuid)


async def test_a_fact_is_true_again_when_what_ended_it_is_erased(on, graph, mind):
    _, later = await tell(graph, mind, "Ada lives in Lyon.", "Ada lives in Paris.")

    gone = await on.graphs.erasable(mind).forget([later.uuid], Tainted())

    [left] = (await everything(graph))[0]
    assert (left.text, left.invalid_at, gone.changed_facts) == ("Ada lives in Lyon.", None, (left.uuid,))


async def test_passages_that_have_lost_a_neighbour_lean_anew(on, graph, mind):
    await graph.prepare(embedder=OURS)
    [one] = await save(graph, mind, "Ada met Bruno.")

    await on.graphs.erasable(mind).set_leaning({one.passages[0].uuid: unit(1), "of no passage": unit(1)})
    await on.graphs.erasable(mind).set_leaning({})

    [hits] = await graph.nearest(unit(1)[None], turns=1, facts=1, entities=1)
    assert hits.turns[0].similarity == pytest.approx(1, abs=1e-4) != hits.turns[0].own


async def test_an_erased_graph_is_gone_with_what_an_import_has_built_for_it(on, graph, mind):
    await tell(graph, mind, "Ada met Quirinius.", "Quirinius saw Carla.")
    moved, erasable = on.graphs.archivable(mind), on.graphs.erasable(mind)
    site = moved.site("4711")
    await moved.prepare_site(site, embedder=OURS)
    await moved.put(site, [entity("a")])
    assert await erasable.keys() >= 2

    assert await erasable.erase() == (GraphSize(episodes=2, entities=4, facts=2), pytest.approx(2, abs=2))

    assert (await erasable.keys(), await moved.exists(), await graph.identity()) == (0, False, None)
    assert (await erasable.erase())[0] == GraphSize()
    assert await graph.prepare(embedder=OURS) == Progress()
    assert (await erasable.rewrite_files()).is_done
    assert erasable.search_files(["Quirinius"]) == ()


# -- copies


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

        assert await everything(copy) == await everything(graph)
        assert (await copy.progress(), await copy.size(), await copy.identity()) == (
            await graph.progress(),
            await graph.size(),
            OURS,
        )
        query = await EMBEDDER.embed(["Where does Ada live?"])
        [ours], [theirs] = [await one.nearest(query, turns=9, facts=9, entities=9) for one in (graph, copy)]
        for mine, others in zip(ours, theirs, strict=True):
            found = [{hit.key: pytest.approx(hit[1:], abs=1e-4) for hit in hits} for hits in (mine, others)]
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


# -- the twin alone


async def test_an_outage_of_the_twin_is_met_by_everything_that_asks_the_server(benches):
    on = benches["memory"]
    on.graphs.outage = GraphUnavailable("the server is away")
    try:
        graph = on.of("away")
        for asking in (
            on.graphs.ping(),
            graph.prepare(embedder=OURS),
            graph.progress(),
            graph.knowledge(after=0, limit=1),
        ):
            with pytest.raises(GraphUnavailable, match="is away"):
                await asking
    finally:
        on.graphs.outage = None
    await on.graphs.ping()


async def test_a_twin_that_is_opened_again_on_the_same_server_finds_its_graphs(benches):
    on, server = benches["memory"], {}
    opened = [MemoryGraphs(readers=on.readers, embedder=EMBEDDER, server=server) for _ in range(2)]
    await tell(opened[0].of("ada"), "ada", "Ada met Bruno.")

    assert await opened[1].of("ada").size() == GraphSize(episodes=1, entities=2, facts=1)
    assert await asyncio.gather(*(one.of("ada").progress() for one in opened)) == [Progress(1, 1)] * 2
