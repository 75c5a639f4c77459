"""A Graphiti graph in somebody's FalkorDB is read as it stands, and imported by its address."""

from __future__ import annotations

import json

import pytest

from consolidation.kernel.errors import ImportUnreadable
from service.adapters.falkordb.foreign_graph import is_address, read_graph
from tests.support.cli_process import call
from tests.support.embedded_graph import graph_server

GRAPH = """
CREATE (e:Episodic {uuid: 'e2', name: 'm2', group_id: 'tom', source: 'message', source_description: 'chat',
  content: 'Tom(user): Ann moved to Lyon.', valid_at: '2026-01-10T10:00:00+00:00', created_at: '2026-01-10T10:00:01+00:00',
  entity_edges: ['f1']}),
(:Episodic {uuid: 'e1', name: 'm1', group_id: 'tom', source: 'message', source_description: 'chat',
  content: 'Tom(user): I have a sister, Ann.', valid_at: '2026-01-09T10:00:00+00:00', created_at: '2026-01-10T10:00:01+00:00'}),
(a:Entity {uuid: 'n1', name: 'Ann', group_id: 'tom', summary: 'the sister of Tom', created_at: '2026-01-09T10:00:01+00:00'}),
(b:Entity {uuid: 'n2', name: 'Lyon', group_id: 'tom', summary: '', created_at: '2026-01-09T10:00:01+00:00'}),
(a)-[:RELATES_TO {uuid: 'f1', name: 'LIVES_IN', group_id: 'tom', fact: 'Ann lives in Lyon.',
  valid_at: '2026-01-10T10:00:00+00:00', created_at: '2026-01-10T10:00:01+00:00'}]->(b)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with graph_server(tmp_path_factory.mktemp("g")) as (socket, command):
        command("GRAPH.QUERY", "tom graph", GRAPH)
        command(
            "GRAPH.QUERY", "many", "UNWIND range(1, 1203) AS n CREATE (:Episodic {uuid: 'e' + n, content: 'x' + n})"
        )
        yield f"unix://{socket}"


def test_episodes_in_order_of_time_then_facts_and_entities(server):
    found = list(read_graph(f"{server}#tom%20graph"))
    assert [one["uuid"] for one in found] == ["e1", "e2", "f1", "n1"]
    assert found[2]["fact"] == "Ann lives in Lyon."
    assert (found[2]["source_node_name"], found[2]["target_node_name"]) == ("Ann", "Lyon")
    assert found[3]["summary"] == "the sister of Tom"


def test_a_large_graph_is_read_in_pages(server):
    assert len({one["uuid"] for one in read_graph(f"{server}#many")}) == 1203


def test_a_graph_is_imported_by_its_address(server, tmp_path):
    looked = call("import", f"{server}#tom%20graph", "--mind", "tom", "--home", tmp_path, "--dry-run")
    assert looked.exit_code == 0, looked.stderr
    assert "4 turns in 1 session" in looked.stdout
    assert not (tmp_path / "minds").exists()

    first, again = (call("import", f"{server}#tom%20graph", "--mind", "tom", "--home", tmp_path) for _ in range(2))
    assert "new    4" in first.stdout, first.stderr
    assert "4 were already there" in again.stdout
    found = call("remember", "Where does Ann live?", "--mind", "tom", "--home", tmp_path, "--json")
    assert "Lyon" in json.loads(found.stdout)["memories"][0]["text"]


@pytest.mark.parametrize(
    ("address", "says"),
    [("{server}#other", "'tom graph'"), ("{server}", "no such graph"), ("redis://127.0.0.1:1/x", "x")],
)
def test_a_graph_that_can_not_be_read_says_why(server, tmp_path, address, says):
    address = address.format(server=server)
    with pytest.raises(ImportUnreadable, match=says):
        list(read_graph(address))
    done = call("import", address, "--home", tmp_path)
    assert done.exit_code == 1 and says in done.stderr
    assert ".." not in done.stderr and "Known formats" not in done.stderr


def test_a_path_is_no_address(tmp_path):
    assert not is_address(str(tmp_path)) and not is_address("C:/x") and not is_address("https://x/y")
