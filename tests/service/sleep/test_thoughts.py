"""In which language an agent at work is reminded: that of what it says and hears, whatever its tools print."""

import pytest

from tests.support.agents import act, call, slept, thought
from tests.support.service import running
from tests.support.waiting import until_async

pytestmark = pytest.mark.anyio


async def test_a_thought_is_told_in_the_agents_language_whatever_a_tool_was_given(tmp_path):
    """Broken: "Wärmepumpe Test 1 Teil 3 de, HTTP 503 …" is taken for French, and the thought began "hier — 10 nov."."""
    given = {"q": "Wärmepumpe Test 1 Teil 3", "lang": "de"}
    printed = "3 Treffer\n1. Modell A1: JAZ 4,3"
    async with running(tmp_path) as service:
        await act(
            service,
            {"kind": "message", "text": "Bitte recherchiere, welche Wärmepumpen für ein Reihenhaus in Frage kommen."},
            thought("Heute lese ich einen Testbericht und notiere die Jahresarbeitszahl."),
            *(call(at, tool="web_search", input=given, output=printed) for at in range(6)),
            session="tag-1",
        )
        await slept(service)
        await service.digested("ada")
        failed = call(10, tool="web_search", ok=False, input=given, output="HTTP 503 Service Unavailable")
        await act(service, thought("Ich lese den nächsten Bericht, so wie gestern."), failed, session="tag-2")

        traces = (await service.memory.minds.find("ada")).trace_log
        found = await until_async(lambda: [one for one in traces.recent(limit=9) if "503" in one.message])

    assert [one.language for one in found] == ["de"]
