"""Vectors of a mind that has grown: near the same as by comparing all, never twice, through drops and restarts."""

import asyncio
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from service.adapters.extractive_model import ExtractiveModel
from service.adapters.falkordb.graphs import FalkorGraphs
from service.adapters.falkordb.graph_names import graph_name
from service.adapters.falkordb.schema import GROWN_TURNS
from service.adapters.falkordb.vector_index import ARMS, FACTS, TURNS, VectorIndexes
from service.ingest.extraction_prompts import TurnReaders
from service.ports.embedder import EmbedderIdentity
from service.ports.graph import Episode, Passage, episode_uuid
from tests.service.adapters.falkordb.test_mind_graph import graph_on, served

pytestmark = pytest.mark.anyio

DIMENSION, GROWN, TURNS_KEPT = 24, 300, 700
OURS = EmbedderIdentity("made up", DIMENSION)
START = datetime(2026, 1, 1, 10, tzinfo=UTC)
GRAPH = graph_name("ada", prefix="mind_")


class Made:
    """An embedder of a small dimension that is never asked."""

    name, dimension = "made up", DIMENSION

    async def embed(self, texts):
        raise NotImplementedError


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


def grown_graph(connection):
    readers = TurnReaders(ExtractiveModel(), overrides=lambda _: None, spent=lambda *_: None)
    return FalkorGraphs(connection, prefix="mind_", readers=readers, embedder=Made(), grown=GROWN).of("ada")


def vectors(count, *, seed=7):
    """Unit vectors around forty topics, so that there is something to be near to."""
    random = np.random.default_rng(seed)
    topics = np.random.default_rng(1).normal(size=(40, DIMENSION))
    rows = topics[random.integers(0, 40, count)] + random.normal(size=(count, DIMENSION)) * 0.7
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


async def save(graph, rows, *, first=1):
    episodes, own = [], {}
    for sequence, row in enumerate(rows, start=first):
        uuid = episode_uuid("ada", f"t{sequence}")
        at = START + timedelta(minutes=sequence)
        episodes.append(Episode(uuid, sequence, f"t{sequence}", "s", at, "Said.", (Passage(uuid, "Said."),), ()))
        own[uuid] = row
    await graph.save(episodes, own=own, leaning=own, after=first - 1, cursor=first + len(rows) - 1)


async def add_facts(connection, rows):
    words = [{"uuid": f"f{at}", "vector": [round(float(x), 6) for x in row]} for at, row in enumerate(rows)]
    made = """MERGE (a:Entity {uuid: 'a', name: 'A'}) MERGE (b:Entity {uuid: 'b', name: 'B'}) WITH a, b
    UNWIND $rows AS r CREATE (a)-[:RELATES_TO {uuid: r.uuid, fact: 'F', fact_embedding: vecf32(r.vector)}]->(b)"""
    await connection.write(GRAPH, made, {"rows": words})


async def filled(connection, rows):
    graph = grown_graph(connection)
    await graph.prepare(embedder=OURS)
    for at in range(0, len(rows), 100):
        await save(graph, rows[at : at + 100], first=at + 1)
    await add_facts(connection, rows)
    await graph.prepare(embedder=OURS)
    return graph


async def until_ready(connection, arms):
    async with asyncio.timeout(60):
        while not arms <= await VectorIndexes(connection).ready(GRAPH):
            await asyncio.sleep(0.1)


def exact(rows, query, limit=10):
    return [int(at) for at in np.argsort(-(rows @ query))[:limit]]


@pytest.fixture(scope="module")
async def grown(anyio_backend, tmp_path_factory):
    """A graph whose turns and facts have an index, and its vectors."""
    async with served(tmp_path_factory.mktemp("graph")) as (_, connection):
        rows = vectors(TURNS_KEPT)
        graph = await filled(connection, rows)
        await until_ready(connection, {TURNS, FACTS})
        yield graph, connection, rows


async def test_an_index_finds_what_comparing_all_finds(grown):
    graph, _, rows = grown
    asked = vectors(30, seed=3)
    found = await graph.nearest(asked, turns=10, facts=10, entities=10)

    hits = {"turns": 0, "facts": 0}
    for query, near in zip(asked, found, strict=True):
        best = exact(rows, query)
        hits["turns"] += len({int(one.key) - 1 for one in near.turns} & set(best))
        hits["facts"] += len({int(one.key[1:]) for one in near.facts} & set(best))
        similarities = [one.similarity for one in near.turns]
        assert similarities == sorted(similarities, reverse=True) and len(near.turns) == 10
    assert all(hit >= 0.98 * 300 for hit in hits.values()), hits


async def test_many_questions_at_once_are_answered_without_duplicates(grown):
    graph, _, rows = grown
    asked = vectors(40, seed=5)
    alone = [await graph.nearest(asked[at : at + 1], turns=10, facts=10, entities=10) for at in range(40)]
    together = [
        await asyncio.gather(*(graph.nearest(asked[at : at + 1], turns=10, facts=10, entities=10) for at in range(40)))
        for _ in range(5)
    ]

    for found in together:
        assert [one[0].turns for one in found] == [one[0].turns for one in alone]
        assert [one[0].facts for one in found] == [one[0].facts for one in alone]


async def test_a_small_arm_has_no_index_and_is_compared_exactly(grown):
    graph, connection, _ = grown
    await connection.write(GRAPH, "MERGE (x:Name {uuid: 'a'}) SET x.embedding = vecf32($v)", {"v": [1.0] * DIMENSION})
    found = await graph.nearest(vectors(1), turns=5, facts=5, entities=5)

    assert [one.key for one in found[0].entities] == ["a"]
    assert await VectorIndexes(connection).ready(GRAPH) == {TURNS, FACTS}


async def test_a_name_that_graphiti_itself_has_embedded_is_found_once_the_graph_is_ours(tmp_path):
    async with served(tmp_path) as (_, connection):
        graph = await filled(connection, vectors(3))
        words = {"v": [1.0] * DIMENSION}
        await connection.write(GRAPH, "MATCH (n:Entity {uuid: 'b'}) SET n.name_embedding = vecf32($v)", words)
        before = await graph.nearest(vectors(1), turns=5, facts=5, entities=5)
        await graph.prepare(embedder=OURS)
        after = await graph.nearest(vectors(1), turns=5, facts=5, entities=5)

    assert before[0].entities == ()
    assert [one.key for one in after[0].entities] == ["b"]


async def test_a_hub_is_looked_at_no_longer_than_others(grown):
    graph, connection, rows = grown
    found = await graph.facts_around(["a"], rows[:1], limit=60)

    assert 0 < len(found) <= 60
    assert all(one.key.startswith("f") for one in found)


async def test_without_its_index_an_arm_is_compared_and_the_index_made_again(tmp_path):
    async with served(tmp_path) as (_, connection):
        rows = vectors(400)
        graph = await filled(connection, rows)
        await until_ready(connection, {TURNS, FACTS})
        before = await graph.nearest(rows[:1], turns=10, facts=10, entities=10)
        for arm in (TURNS, FACTS):
            await connection.write(GRAPH, arm.drop, {})
        without = await graph.nearest(rows[:1], turns=10, facts=10, entities=10)
        await grown_graph(connection).prepare(embedder=OURS)
        await until_ready(connection, {TURNS, FACTS})

    assert [one.key for one in without[0].turns] == [one.key for one in before[0].turns]
    assert [one.key for one in without[0].facts] == [one.key for one in before[0].facts]


async def test_an_index_lives_through_a_restart_and_a_rewrite(tmp_path):
    rows = vectors(400)
    async with served(tmp_path) as (_, connection):
        graph = await filled(connection, rows)
        await until_ready(connection, {TURNS, FACTS})
        before = await graph.nearest(rows[:3], turns=10, facts=10, entities=10)
        await (await connection.client()).connection.execute_command("BGREWRITEAOF")
        await asyncio.sleep(1)
    async with served(tmp_path) as (_, connection):
        await until_ready(connection, {TURNS, FACTS})
        graph = grown_graph(connection)
        after = await graph.nearest(rows[:3], turns=10, facts=10, entities=10)

    for one, other in zip(before, after, strict=True):
        assert {near.key for near in one.turns} == {near.key for near in other.turns}
        assert {near.key for near in one.facts} == {near.key for near in other.facts}


async def test_other_dimensions_are_indexed_side_by_side_and_anew_after_a_change(tmp_path):
    async with served(tmp_path) as (_, connection):
        rows = vectors(400)
        graph = await filled(connection, rows)
        other = graph_on(connection, "bob")
        await other.prepare(embedder=EmbedderIdentity("another", other._embedder.dimension))
        await until_ready(connection, {TURNS, FACTS})
        await VectorIndexes(connection).drop(GRAPH)
        assert not await VectorIndexes(connection).ready(GRAPH)
        await VectorIndexes(connection, grown=GROWN).grow(GRAPH, dimension=DIMENSION)
        await until_ready(connection, {TURNS, FACTS})
        again = await graph.nearest(rows[:1], turns=10, facts=10, entities=10)

    assert int(again[0].turns[0].key) == 1
    assert {arm.label for arm in ARMS} == {"Passage", "RELATES_TO", "Name"}


async def test_keys_are_indexed_once_a_graph_has_grown(tmp_path):
    graph, labels = "mind_keys", "CALL db.indexes() YIELD label RETURN label"
    turns = "UNWIND range(2, $turns) AS n CREATE (:Episodic {uuid: toString(n)})"
    async with served(tmp_path) as (_, connection):
        indexes = VectorIndexes(connection, grown=10_000)
        await connection.write(graph, turns, {"turns": GROWN_TURNS})
        await indexes.grow(graph, dimension=3)
        small = await connection.read(graph, labels, {})

        await connection.write(graph, "CREATE (:Episodic {uuid: '1'})", {})
        await indexes.grow(graph, dimension=3)
        grown = {row[0] for row in await connection.read(graph, labels, {})}

    assert small == [] and {"Episodic", "Entity", "Passage", "MENTIONS"} <= grown
