"""
What is searched for where the message is filler, a cue in its place, and the parts that a caller wants: flashbacks,
story, protocol.
"""

import pytest
from mind_memory_client import AsyncMemoryClient

from tests.support.service import running

pytestmark = pytest.mark.anyio

LYON, CELLO = "My mother lives in Lyon.", "Tom practises the cello every evening."
STORY = "# My story\n\n### [2026-01-09 18:30] A winter\n\nI heard of Lyon.\n"


async def told(service):
    await service.keep("ada", LYON, "How often do you see her?")
    await service.keep("ada", CELLO, "Lovely.")
    await service.digested("ada")


async def test_a_query_is_searched_for_in_place_of_the_message(tmp_path):
    async with running(tmp_path / "home") as service:
        await told(service)

        asked = {"message": "Where does my mother live?", "max_fragments": 1}
        plain = (await service.resonate("ada", session_id="a", **asked)).json()
        cued = (await service.resonate("ada", session_id="b", query="Who plays the cello?", **asked)).json()

        assert (LYON in plain["block"], CELLO in plain["block"]) == (True, False)
        assert (LYON in cued["block"], CELLO in cued["block"]) == (False, True)
        assert cued["messages"][-1] == {"role": "user", "content": "Where does my mother live?"}
        trace = (await service.http.get(f"/v1/minds/ada/traces/{cued['trace_id']}")).json()
        assert trace["message"] == "Who plays the cello?"
        again = (await service.resonate("ada", "Hm.", session_id="b", query="Who plays the cello?")).json()
        assert CELLO not in again["block"]


async def test_a_query_leaves_no_secret_and_nothing_private_in_the_trace(tmp_path):
    async with running(tmp_path / "home") as service:
        await told(service)

        for query in ("cello and 4111 1111 1111 1111", "cello #offtherecord"):
            found = (await service.resonate("ada", "Hm.", query=query)).json()
            trace = (await service.http.get(f"/v1/minds/ada/traces/{found['trace_id']}")).text
            assert "4111 1111" not in trace
            assert "offtherecord" not in trace


async def test_only_the_parts_that_are_wanted_are_in_the_answer(tmp_path):
    async with running(tmp_path / "home") as service:
        await told(service)
        (tmp_path / "home" / "minds" / "ada" / "STORY.md").write_text(STORY)

        async def ask(session, *parts, message="Where does my mother live?"):
            more = {"include": [*parts]} if parts else {}
            return (await service.resonate("ada", message, session_id=session, **more)).json()

        whole, alone = await ask("a"), await ask("b", "flashbacks")
        story, protocol = await ask("c", "story"), await ask("d", "protocol", "flashbacks")
        silent = await ask("e", "flashbacks", message="What is the capital of Mongolia?")

        assert "[MY STORY]" in whole["stable"]["text"] and "[MY MEMORY]" in whole["stable"]["text"]
        assert whole["surfaced"] and alone["surfaced"] and protocol["surfaced"]
        assert alone["stable"]["text"] == ""
        assert "[MY STORY]" in story["stable"]["text"] and "[MY MEMORY]" not in story["stable"]["text"]
        assert (story["surfaced"], story["silence"]) == (False, "flashbacks were not asked for")
        assert "[MY MEMORY]" in protocol["stable"]["text"] and "[MY STORY]" not in protocol["stable"]["text"]
        assert silent["messages"] == [{"role": "user", "content": "What is the capital of Mongolia?"}]
        assert "[MY STORY]" in (await ask("f"))["stable"]["text"]


@pytest.mark.parametrize(
    ("more", "pointer"),
    [
        ({"query": ""}, "#/query"),
        ({"query": "x" * 2001}, "#/query"),
        ({"include": []}, "#/include"),
        ({"include": ["dreams"]}, "#/include/0"),
    ],
)
async def test_a_bad_cue_or_part_is_refused_with_its_place(tmp_path, more, pointer):
    async with running(tmp_path / "home") as service:
        answer = await service.resonate("ada", "Hm.", **more)

        assert answer.status_code == 422
        assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]


async def test_the_client_and_mcp_pass_the_cue_on(tmp_path):
    async with running(tmp_path / "home") as service:
        await told(service)
        async with AsyncMemoryClient("http://localhost", http=service.http) as memory:
            asked = {"query": "Who plays the cello?", "include": ["flashbacks"], "deadline_ms": 0}
            found = await memory.resonance("ada", "a", "Hm.", **asked)
            async with memory.turn("ada", "b", "Hm.", **asked) as turn:
                pass
        call = {"name": "resonance", "arguments": {"message": "Hm.", "query": "Who plays the cello?", "mind": "ada"}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        headers = {"Accept": "application/json, text/event-stream"}
        answer = (await service.http.post("/mcp", json=body, headers=headers)).json()

        assert CELLO in found.block
        assert found.stable.text == turn.stable == ""
        assert CELLO in turn.block
        assert CELLO in answer["result"]["structuredContent"]["block"]


async def test_filler_looks_for_what_the_person_said_before_it_too(tmp_path):
    """Broken: ``_exchange`` takes only what the bot said last."""
    talk = [
        {"role": "user", "content": "I want to visit my aunt Carla this weekend."},
        {"role": "assistant", "content": "That sounds nice! Should I suggest a train?"},
        {"role": "user", "content": "yes please"},
    ]
    async with running(tmp_path / "home") as service:
        for content in ("My aunt Carla lives in Lyon.", "We painted the fence green.", "The soup was cold."):
            await service.keep("ada", content)
        await service.digested("ada")
        found = (await service.resonate("ada", talk, session_id="new", deadline_ms=20_000)).json()
    assert "Lyon" in found["flashbacks"][0]["raw"]
