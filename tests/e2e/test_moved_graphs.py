"""What was erased stays erased when the graph moves to another FalkorDB, or an older copy of it is put back."""

import pytest

from tests.support.embedded_graph import column
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

SAID = ("Rolf bought a yak called Bertil.", "Rolf sings in Bergen.")


async def lived(service, *said):
    for number, one in enumerate(said, start=1):
        await service.keep("ada", one, "Noted.", session_id="s1", turn_id=f"t{number}")
    await service.digested("ada")


def holding(folder, word):
    return [file for file in folder.rglob("*") if file.is_file() and word in file.read_bytes()]


async def test_an_erasure_on_a_server_reaches_what_the_embedded_graph_left(tmp_path, graph_server):
    """Broken: the receipt says `verified`, and the words are in the append-only file that is read again later."""
    async with running(tmp_path) as service:
        await lived(service, *SAID)
    assert holding(tmp_path / "graph", b"Bertil")

    settings = settings_of(tmp_path, falkordb_url=graph_server.url, graph_prefix="left_")
    async with running(tmp_path, settings=settings) as service:
        await service.digested("ada")
        receipt = (await service.http.delete("/v1/minds/ada/turns/t1")).json()

    assert receipt["verified"] and holding(tmp_path, b"Bertil") == []
    async with running(tmp_path) as service:
        await service.digested("ada")
        assert await column(service, "ada", "MATCH (n:Episodic) RETURN n.content") != []


async def test_an_erasure_names_files_that_another_server_works_on_and_leaves_them(tmp_path, graph_server):
    """Broken: whatever stood in the folder of the embedded graph was deleted, and with it the data of that server."""
    async with running(tmp_path) as service:
        await lived(service, *SAID)

    settings = settings_of(tmp_path, falkordb_url=graph_server.url, graph_prefix="used_")
    async with running(tmp_path, settings=settings) as service:
        await service.digested("ada")
        files = holding(tmp_path / "graph", b"Bertil")
        for file in files:
            with file.open("ab") as handle:  # as a server does whose folder this is
                handle.write(b"# still in use")
        receipt = (await service.http.delete("/v1/minds/ada/turns/t1")).json()

    assert holding(tmp_path / "graph", b"Bertil") == files != []
    assert not receipt["verified"] and "graph/appendonlydir" in str(receipt)


@pytest.mark.parametrize("erased", ["t1", "t2"])
async def test_a_graph_that_was_away_while_a_turn_was_erased_loses_it_when_it_is_back(tmp_path, graph_server, erased):
    """Broken: a fact and an entity of the erased turn are listed and recalled from the graph that did not hear of it."""
    gone, stays = ("Bertil", "Bergen") if erased == "t1" else ("Bergen", "Bertil")
    settings = settings_of(tmp_path, falkordb_url=graph_server.url, graph_prefix=f"away_{erased}_")
    async with running(tmp_path, settings=settings) as service:
        await lived(service, *SAID)
    async with running(tmp_path) as service:
        await service.digested("ada")
        assert (await service.http.delete(f"/v1/minds/ada/turns/{erased}")).json()["verified"]

    async with running(tmp_path, settings=settings) as service:
        await service.until("ada", lambda status: status["graph"]["episodes"] == 1)
        await service.digested("ada")
        pages = [(await service.http.get(f"/v1/minds/ada/{kind}")).text for kind in ("facts", "entities")]
        recalled = (await service.http.get("/v1/minds/ada/remember", params={"query": f"Rolf {gone}"})).text
        stored = await column(service, "ada", "MATCH (n) RETURN n")
        facts = await column(service, "ada", "MATCH ()-[e:RELATES_TO]->() RETURN e.fact")

    everything = " ".join((*pages, recalled, str([*(node.properties for node in stored), *facts])))
    assert gone not in everything.replace(f"Rolf {gone}", "") and stays in everything
