"""After an upgrade that brings another version of the built-in embedder: nobody has to do anything, and nothing is mixed."""

import asyncio
from contextlib import suppress
from itertools import count

import pytest

from consolidation.kernel.errors import EmbedderMismatch
from service.adapters.multilingual_e5.embedder import MultilingualE5
from service.ports.embedder import EmbedderIdentity, is_other_version
from tests.support.earlier_embedder import OLD, Earlier
from tests.support.service import running
from tests.support.service_process import serving
from tests.support.waiting import GIVE_UP, until

pytestmark = pytest.mark.anyio

TOLD = "They gave me the post at the lighthouse, I begin in May."
_sessions = count()
TURN = (TOLD, "Congratulations!")
ASKS = "Who is my employer?"


class Held(MultilingualE5):
    """This version's, which makes no vector of anything that is stored before it is released."""

    def __init__(self):
        super().__init__()
        self.asked, self.released = asyncio.Event(), asyncio.Event()

    async def embed(self, texts, /):
        self.asked.set()
        await self.released.wait()
        return await super().embed(texts)


@pytest.fixture
async def upgraded(tmp_path):
    """A home in which an earlier version told a mind, and which nobody uses."""
    async with running(tmp_path, embedder=Earlier()) as service:
        await service.keep("ada", *TURN)
        await service.keep("ada", "Bruno came from Lyon: the window is stuck again.", "Try some soap on the rails.")
        await service.digested("ada")
        assert (await identity(service)).embedder == OLD
        archive = await service.http.get("/v1/minds/ada/export")
        assert archive.status_code == 200
        (tmp_path / "ada.zip").write_bytes(archive.content)
    return tmp_path


async def identity(service, mind_id="ada"):
    return await service.memory.graphs.of(mind_id).identity()


async def embedded_anew(service):
    """Wait until both turns have vectors of ours."""
    async with asyncio.timeout(GIVE_UP):
        found = []
        while len(found) < 2:
            await asyncio.sleep(0.02)
            with suppress(EmbedderMismatch):  # not yet
                found, _ = await nearest(service)
    await service.digested("ada")


async def graph_answers(service):
    async with asyncio.timeout(GIVE_UP):
        while (await service.ready())[1]["graph"] != "ready":
            await asyncio.sleep(0.02)


async def nearest(service, mind_id="ada"):
    """The turns that are nearest to the question by vectors, and how near the first is."""
    vectors = await service.memory.embedder.embed_queries([ASKS])
    [hits] = await service.memory.graphs.of(mind_id).nearest(vectors, turns=9, facts=1, entities=1)
    return [int(one.key) for one in hits.turns], max((one.own for one in hits.turns), default=0.0)


async def test_vectors_of_an_earlier_version_are_made_anew_unasked(upgraded):
    async with running(upgraded) as service:
        first = await service.resonate("ada", "What did they give me at the lighthouse?")
        await embedded_anew(service)
        found, cosine = await nearest(service)
        await service.keep("bo", *TURN)
        await service.digested("bo")
        _, expected = await nearest(service, "bo")

        assert await identity(service) == EmbedderIdentity(MultilingualE5.stored_name, 384)
        assert (await service.status("ada"))["graph"]["parked"] == []

    assert "lighthouse" in first.json()["block"]  # by its words, at the latest
    assert found == [1, 2]
    assert cosine == pytest.approx(expected, abs=0.01)  # as in a mind that only this version told


async def test_what_is_asked_on_purpose_is_found_by_its_words_until_the_vectors_are_made_anew(upgraded):
    held = Held()
    async with running(upgraded, embedder=held) as service:
        await service.resonate("ada", ASKS)  # a mind is embedded anew when it is used
        async with asyncio.timeout(GIVE_UP):
            await held.asked.wait()
        asked = {"query": "post at the lighthouse"}
        remembered = await service.http.get("/v1/minds/ada/remember", params=asked)
        answered = await service.http.post("/v1/minds/ada/ask", json={"question": "Who has a post at the lighthouse?"})
        with pytest.raises(EmbedderMismatch):
            await nearest(service)
        held.released.set()
        await embedded_anew(service)
        later = (await service.http.get("/v1/minds/ada/remember", params=asked)).json()

    assert (remembered.status_code, answered.status_code) == (200, 200), remembered.text
    assert "lighthouse" in remembered.json()["memories"][0]["text"]
    assert "lighthouse" in answered.json()["evidence"][0]["text"]
    assert "embedder_unavailable" in remembered.json()["degraded"]
    assert "embedder_unavailable" in answered.json()["degraded"]
    assert later["degraded"] == []


async def test_vectors_that_can_not_be_read_cost_the_vectors_only(upgraded):
    """Broken: what looks whose vectors they are, before the graph is prepared, lets the fault of the disk through."""
    state = upgraded / "minds/ada/derived/vectors/state.json"
    state.unlink()
    state.mkdir()
    async with running(upgraded) as service:
        await graph_answers(service)
        found = (await service.resonate("ada", "What did they give me at the lighthouse?")).json()

    assert "lighthouse" in found["block"]
    assert found["degraded"] == ["graph_unavailable"]


async def test_it_is_made_anew_once(upgraded):
    async with running(upgraded) as service:
        await service.resonate("ada", ASKS)
        await embedded_anew(service)
    async with running(upgraded) as service:
        await service.digested("ada")
        before = service.memory.graphs.of("ada")
        mark = before.vectors.mark
        await service.keep("ada", "The window moves again.", "Good.", session_id="s2")
        await service.digested("ada")

        assert service.memory.graphs.of("ada").vectors.mark == mark


async def test_an_archive_of_an_earlier_version_is_taken_without_being_asked_to_embed_it(upgraded):
    async with running(upgraded / "other") as service:
        await graph_answers(service)
        content = (upgraded / "ada.zip").read_bytes()
        answer = await service.http.post("/v1/minds/bo/import", content=content)
        assert answer.status_code in {200, 201}, answer.text
        await service.digested("bo")

        assert await identity(service, "bo") == EmbedderIdentity(MultilingualE5.stored_name, 384)
        assert (await nearest(service, "bo"))[0] == [1, 2]


def digested(service):
    found = service.http.get("/v1/minds/ada").raise_for_status().json()
    return found["graph"]["saved"] == found["last_sequence"] == 1


def arms(service):
    """The arms that find a turn, by its sequence."""
    asked = [{"role": "user", "content": ASKS}]
    body = {"session_id": f"session {next(_sessions)}", "messages": asked, "deadline_ms": 30_000}
    trace_id = service.http.post("/v1/minds/ada/resonance", json=body).raise_for_status().json()["trace_id"]
    trace = service.http.get(f"/v1/minds/ada/traces/{trace_id}").raise_for_status().json()
    candidates = trace["phases"]["retrieval"]["candidates"]
    return {one["sequences"][0]: one["arms"] for one in candidates if one["kind"] == "episode"}


def test_of_services_that_share_a_home_one_makes_the_vectors_anew_and_all_find_by_them(
    tmp_path, database_url, graph_server
):
    prefix = f"{database_url.rpartition('/')[2]}_"
    env = {"MIND_MEMORY_DATABASE": database_url, "FALKORDB_URL": graph_server.url, "MIND_MEMORY_GRAPH_PREFIX": prefix}
    with serving(tmp_path / "zero", factory="tests.support.earlier_embedder:create_app", **env) as earlier:
        earlier.keep("ada", TOLD)
        until(lambda: digested(earlier))

    with serving(tmp_path / "one", **env) as one, serving(tmp_path / "two", **env) as two:
        for service in (one, two):  # whom nobody tells anything
            until(lambda service=service: "vectors" in arms(service).get(1, ()))
        one.keep("ada", "The kettle is broken.", session_id="s2")
        until(lambda: one.http.get("/v1/minds/ada").raise_for_status().json()["graph"]["saved"] == 2)
        status = one.http.get("/v1/minds/ada").raise_for_status().json()

    assert (status["graph"]["saved"], status["graph"]["parked"]) == (2, [])


@pytest.mark.parametrize(
    ("found", "configured", "so"),
    [
        ("multilingual-e5-small@1", "multilingual-e5-small@2", True),
        ("multilingual-e5-small@1", "multilingual-e5-small@1", False),
        ("minilm@1", "multilingual-e5-small@1", False),
        ("hashing-384", "multilingual-e5-small@1", False),
        ("hashing-384", "hashing-384", False),
        ("litellm:vertex_ai/gecko@001", "litellm:vertex_ai/gecko@002", False),
    ],
)
def test_only_a_built_in_embedder_has_versions(found, configured, so):
    assert is_other_version(found, configured=configured) is so
