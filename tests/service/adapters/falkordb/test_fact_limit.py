"""Two entities with very many facts: the graph comes back after a restart, and no fact is lost."""

import asyncio

import pytest

from service.adapters.falkordb.fact_limit import KEPT, OLD, retire_oldest_facts
from service.adapters.falkordb.leased_graph import LeasedGraph
from service.adapters.falkordb.reads import GraphReads, size_of
from service.adapters.falkordb.schema import prepare
from service.index.mind_vectors import MindVectors
from service.ports.embedder import EmbedderIdentity
from tests.service.adapters.falkordb.test_mind_graph import served

pytestmark = pytest.mark.anyio

FACTS, TARGETS = 1_100, 3


def unleased(connection):
    return LeasedGraph(connection, "g", claim=None)


async def crowd(connection):
    """One entity with very many facts about each of three others."""
    await connection.write("g", "MERGE (s:Sentinel {name: 'first'})", {})
    await connection.write("g", "UNWIND range(0, 3) AS i CREATE (:Entity {uuid: toString(i), name: toString(i)})", {})
    made = """MATCH (a:Entity {uuid: '0'}), (b:Entity {uuid: $target}) UNWIND range(1, $facts) AS i
      CREATE (a)-[:RELATES_TO {uuid: $target + '-' + toString(i), fact: 'F', episodes: [],
        fact_embedding: vecf32([1.0, toFloat(i)]), valid_at: toString(100000 + i)}]->(b)"""
    for target in range(1, TARGETS + 1):
        await connection.write("g", made, {"target": str(target), "facts": FACTS})


async def indexed(connection, seconds):
    try:
        async with asyncio.timeout(seconds):
            while await connection.read(
                "g", "CALL db.indexes() YIELD status WHERE status <> 'OPERATIONAL' RETURN 1", {}
            ):
                await asyncio.sleep(0.1)
            return True
    except TimeoutError:
        return False


async def test_the_oldest_facts_of_a_crowded_pair_are_kept_apart_and_indexes_are_built(tmp_path):
    async with served(tmp_path) as (_, connection):
        await crowd(connection)
        for _ in range(2):  # again is harmless
            await retire_oldest_facts(unleased(connection), [f"{target}-{FACTS}" for target in range(1, TARGETS + 1)])
        await prepare(unleased(connection), embedder=EmbedderIdentity("made up", 2))
        is_built = await indexed(connection, 20)
        found = await GraphReads(connection, name="g", vectors=MindVectors(tmp_path / "v")).knowledge(
            after=0, limit=10_000
        )
        old = [row[0] for row in await connection.read("g", f"MATCH ()-[e:{OLD}]->() RETURN e.uuid", {})]
        counted = await size_of(connection, "g")

    assert is_built
    assert len({fact.uuid for fact in found.facts}) == FACTS * TARGETS == counted.facts
    assert len(old) == (FACTS - KEPT) * TARGETS and "1-1" in old and f"1-{FACTS}" not in old


async def test_a_pair_with_few_facts_is_left_alone(tmp_path):
    async with served(tmp_path) as (_, connection):
        await connection.write("g", "CREATE (:Entity {uuid: 'a'})-[:RELATES_TO {uuid: 'f'}]->(:Entity {uuid: 'b'})", {})
        await retire_oldest_facts(unleased(connection), ["f"])
        await retire_oldest_facts(unleased(connection), [])

        assert not await connection.read("g", f"MATCH ()-[e:{OLD}]->() RETURN e.uuid", {})
