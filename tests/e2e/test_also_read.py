"""Minds that also read others: by a setting or for one call, for whom may see them all, with whose memory it is."""

import json

import pytest

from mind_memory_client import AsyncMemoryClient
from tests.support.api_keys import make_key
from tests.support.service import running

pytestmark = pytest.mark.anyio

SHELF = "The spare key of the summer house lies under the blue pot."
OWN = "Ada keeps her bicycle in the cellar."
ASKS = "Where does the spare key of the summer house lie?"


async def two_minds(service):
    """Two minds, of which one may read the other; a session of each has the same id."""
    await service.keep("ada", OWN, session_id="same")
    await service.keep("family", SHELF, session_id="same")
    await service.digested("ada")
    await service.digested("family")


async def set_also_read(service, *names):
    change = {"also_read": [*names]}
    answer = await service.http.patch("/v1/minds/ada/settings", json=change, headers={"If-Match": "*"})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def asked(service, *, session_id="now", http=None, **more):
    body = {"session_id": session_id, "messages": [{"role": "user", "content": ASKS}], "deadline_ms": 0, **more}
    answer = await (http or service.http).post("/v1/minds/ada/resonance", json=body)
    return answer.status_code, answer.json()


async def recalled(http, **more):
    return await http.get("/v1/minds/ada/remember", params={"query": ASKS, **more})


async def test_nothing_of_another_mind_surfaces_unless_it_is_read(tmp_path):
    async with running(tmp_path) as service:
        await two_minds(service)

        _, found = await asked(service)

        assert "blue pot" not in json.dumps(found)
        assert "blue pot" not in (await recalled(service.http)).text


async def test_a_call_that_names_a_mind_gets_what_it_knows_and_whose_it_is(tmp_path):
    async with running(tmp_path) as service:
        await two_minds(service)

        _, found = await asked(service, session_id="same", also_read=["family"])
        memories = (await recalled(service.http, also_read="family", limit=3)).json()["memories"]

        [line] = [one for one in found["block"].splitlines() if "blue pot" in one]
        assert "[family] " in line
        [flashback] = [one for one in found["flashbacks"] if "blue pot" in one["text"]]
        assert flashback["id"].startswith("family/")
        assert {one["mind_id"] for one in flashback["sources"]} == {"family"}
        assert memories[0]["id"].startswith("family/")
        assert memories[0]["sources"][0]["mind_id"] == "family"
        own = [one for one in memories if not one["id"].startswith("family/")]
        assert {source["mind_id"] for one in own for source in one["sources"]} <= {None}


async def test_a_setting_holds_for_every_call_and_the_proxy_and_a_call_may_switch_it_off(tmp_path):
    async with running(tmp_path) as service:
        await two_minds(service)
        changed = await set_also_read(service, "family")
        assert changed["settings"]["also_read"] == {"value": ["family"], "source": "mind"}

        _, found = await asked(service)
        chat = {"model": "memory", "user": "ada", "messages": [{"role": "user", "content": ASKS}]}
        proxied = await service.http.post("/v1/chat/completions", json=chat)
        _, without = await asked(service, session_id="other", also_read=[])

        assert "blue pot" in found["block"]
        assert "blue pot" in proxied.text  # the echo shows what came to mind
        assert "blue pot" not in without["block"]


async def test_what_was_shown_is_an_echo_and_what_is_found_wrong_stays_away_here_alone(tmp_path):
    async with running(tmp_path) as service:
        await two_minds(service)
        _, first = await asked(service, also_read=["family"])
        _, again = await asked(service, also_read=["family"])
        shown = next(one for one in first["flashbacks"] if one["id"].startswith("family/"))
        report = {"trace_id": first["trace_id"], "outcomes": [{"id": shown["id"], "outcome": "contradicted"}]}
        applied = (await service.http.post("/v1/minds/ada/outcomes", json=report)).json()
        _, elsewhere = await asked(service, session_id="later", also_read=["family"])

        assert shown["id"] not in {one["id"] for one in again["flashbacks"]}
        assert applied == {"applied": 1, "unknown": []}
        assert shown["id"] not in {one["id"] for one in elsewhere["flashbacks"]}
        assert "blue pot" in (await service.resonate("family", ASKS)).json()["block"]


async def test_no_word_of_another_mind_is_kept_in_the_one_that_reads(tmp_path):
    async with running(tmp_path) as service:
        await two_minds(service)
        _, found = await asked(service, also_read=["family"])
        assert "blue pot" in found["block"]
        trace = (await service.http.get(f"/v1/minds/ada/traces/{found['trace_id']}")).json()
        assert any(one["id"].startswith("family/") for one in trace["shown"])

        assert (await service.http.delete("/v1/minds/family")).status_code == 200

        _, after = await asked(service, session_id="after", also_read=["family"])
        assert "blue pot" not in json.dumps(after)
    for file in (tmp_path / "minds" / "ada").rglob("*"):
        assert not file.is_file() or b"blue pot" not in file.read_bytes(), file


async def test_a_key_reads_only_minds_that_it_may_see(tmp_path):
    async with running(tmp_path) as service:
        await two_minds(service)
        await set_also_read(service, "family")
    both, one = make_key(tmp_path, minds=("ada", "family")), make_key(tmp_path, minds=("ada",))
    async with running(tmp_path) as service, service.client(key=both) as of_both, service.client(key=one) as of_one:
        _, allowed = await asked(service, http=of_both)
        _, hidden = await asked(service, session_id="b", http=of_one)
        status, problem = await asked(service, session_id="c", http=of_one, also_read=["family"])
        recalls = await recalled(of_one)
        named = await recalled(of_one, also_read="family")
        change = {"also_read": ["family"]}
        changed = await of_one.patch("/v1/minds/ada/settings", json=change, headers={"If-Match": "*"})

        assert "blue pot" in allowed["block"]
        assert "blue pot" not in json.dumps(hidden)
        assert "also_read_unavailable" in hidden["degraded"]
        assert (status, problem["type"]) == (404, "/problems/mind-not-found")
        assert "blue pot" not in recalls.text
        assert "also_read_unavailable" in recalls.json()["degraded"]
        assert (named.status_code, changed.status_code) == (404, 404)


async def test_minds_that_do_not_exist_and_the_mind_itself_are_no_trouble(tmp_path):
    async with running(tmp_path) as service:
        await two_minds(service)

        status, found = await asked(service, also_read=["nobody", "ada", "family"])

        assert status == 200
        assert "blue pot" in found["block"]
        assert not (tmp_path / "minds" / "nobody").exists()
        status, problem = await asked(service, also_read=["a"] * 6)
        assert (status, problem["errors"][0]["pointer"]) == (422, "#/also_read")
        status, problem = await asked(service, also_read=["family", " "])
        assert (status, problem["errors"][0]["pointer"]) == (422, "#/also_read/1")


async def test_a_correction_of_the_other_mind_holds_here_too(tmp_path):
    async with running(tmp_path) as service:
        await two_minds(service)
        target = {"kind": "turn", "id": "episode:1"}
        body = {"what": "edit", "target": target, "to": "The spare key of the summer house lies in the well."}
        assert (await service.http.post("/v1/minds/family/corrections", json=body)).status_code == 201

        _, found = await asked(service, also_read=["family"])

        assert "blue pot" not in found["block"]
        assert "[family] " in found["block"]
        assert "in the well" in found["block"]


async def test_the_client_names_other_minds(tmp_path):
    async with running(tmp_path) as service:
        await two_minds(service)
        memory = AsyncMemoryClient("http://localhost", http=service.http)

        found = await memory.remember("ada", ASKS, also_read=["family"])
        async with memory.turn("ada", "s9", ASKS, also_read=["family"]) as turn:
            turn.answer("Under the blue pot.")

        assert found.memories[0].sources[0].mind_id == "family"
        assert "[family]" in turn.block


async def test_what_is_asked_of_the_bot_for_good_keeps_its_place_beside_another_minds_memories(tmp_path):
    """Broken: the other mind's memories, which fitted better, took it."""
    async with running(tmp_path) as service:
        await service.keep("ada", "never suggest docker to me")
        for at in range(4):
            await service.keep("family", f"The dockerfile of app {at} copies the folder and runs make {at}.")
        await service.digested("ada")
        await service.digested("family")

        body = {"session_id": "now", "messages": [{"role": "user", "content": "write a dockerfile"}], "deadline_ms": 0}
        answer = await service.http.post(
            "/v1/minds/ada/resonance", json={**body, "max_fragments": 2, "also_read": ["family"]}
        )

        texts = [one["text"] for one in answer.json()["flashbacks"]]
        assert any("never suggest docker" in one for one in texts), texts
