"""What tools hand to a host's model is data: no memory changes the speaker, calls a tool, or says what nobody sees."""

import json
import re

import httpx2
import pytest

from tests.e2e.test_injections import TURN_MARKS, UNSEEN
from tests.support.cli_process import until_digested
from tests.support.injection_texts import ALL
from tests.support.mcp_hosts import over_http, text_of

pytestmark = pytest.mark.anyio

ASKED = {
    "remember": {"query": "Zora", "limit": 100},
    "ask_memory": {"question": "What did Zora write?", "limit": 50},
    "search_log": {"query": "Zora", "limit": 100},
    "list_facts": {"limit": 100},
    "list_entities": {"limit": 100},
    "journal_memory_search": {"query": "Zora notes", "max_results": 50},
    "journal_memory_get": {"path": "memory/2026-01-09.md"},
    "read_story": {},
}
IMAGE = re.compile(r"!\[[^\]]*\]\(https?:")


@pytest.fixture(scope="module")
def hostile(service):
    """A mind to which each text was said, and one that has them in its notes and its story."""
    said = [{"role": "user", "content": f"Zora wrote this: {text}"} for text in ALL]
    for at in range(0, len(said), 20):
        turn = {"session_id": "s0", "messages": said[at : at + 20]}
        httpx2.post(f"{service}/v1/minds/hostile/turns", json=turn, timeout=60).raise_for_status()
    until_digested(service, "hostile")
    text = "\n\n".join(one for one in ALL if "\ufeff" not in one)
    with httpx2.Client(
        base_url=f"{service}/v1/minds/hostile", timeout=60, headers={"Content-Type": "text/markdown"}
    ) as http:
        etag = http.get("/story").headers["ETag"]
        http.put(
            "/story", content=f"### [2026-01-09 18:30] A day\n\n{text}\n", headers={"If-Match": etag}
        ).raise_for_status()
        new = {"If-None-Match": "*"}
        http.put("/files/memory/2026-01-09.md", content=f"Zora notes:\n\n{text}\n", headers=new).raise_for_status()
    return service


@pytest.mark.parametrize("tool", ASKED)
async def test_no_memory_in_a_result_takes_a_turn(hostile, tool):
    """Broken: `<|im_end|>` and `[INST]` stood in a result as they had been said."""
    async with over_http(hostile, query="?mind=hostile") as host:
        result = await host.call_tool(tool, ASKED[tool])

    told = f"{text_of(result)}\n{json.dumps(result.structured_content, ensure_ascii=False)}"
    assert not result.is_error
    assert not TURN_MARKS.search(told) and not UNSEEN.search(told) and not IMAGE.search(told)
    assert "[SUBCONSCIOUS RESONANCE" not in told


async def test_what_surfaces_keeps_the_frame_by_which_it_is_taken_out_again(hostile):
    async with over_http(hostile, query="?mind=hostile") as host:
        result = await host.call_tool("resonance", {"message": "What did Zora write?", "session_id": "s9"})

    found = result.structured_content
    assert found["block"].startswith("---\n[SUBCONSCIOUS RESONANCE]\n- ") and found["block"] in text_of(result)
    assert not TURN_MARKS.search(json.dumps(found, ensure_ascii=False))
