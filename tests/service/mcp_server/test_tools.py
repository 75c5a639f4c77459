"""What the tools do, asked over HTTP: search the log, save, sleep, report, list, put right."""

import json

import httpx2
import pytest

from tests.support.cli_process import until_digested
from tests.support.mcp_hosts import LYON, called, over_http, refused, text_of
from tests.support.scripted_models import Brain, hosted, provider_of
from tests.support.service import running

pytestmark = pytest.mark.anyio


async def test_the_log_is_searched_word_for_word(told):
    async with over_http(told, query="?mind=ada") as host:
        result = await host.call_tool("search_log", {"query": "LIVES in", "timezone": "Europe/Paris"})
        nothing = await host.call_tool("search_log", {"query": "l.ves"})
        wrong = await refused(host, "search_log", query="x", limit=1_000_000)

    (item,) = result.structured_content["items"]
    assert (item["role"], item["turn_id"]) == ("user", "lyon")
    assert "   > user: " in text_of(result)
    assert "     assistant: " in text_of(result)
    assert "2026-01-09 18:30 UTC" in text_of(result)
    assert text_of(nothing) == "No message in the log holds these words."
    assert "limit" in wrong


async def test_who_asks_is_led_by_what_they_told(service):
    """Broken: turns have names, and nobody can say who asks."""
    asks = {"Ada": ("My dog is called Rex.", "Rex", "Max"), "Bob": ("My dog is called Max.", "Max", "Rex")}
    async with over_http(service, query="?mind=dogs") as host:
        for name, (text, *_) in asks.items():
            await called(
                host, "store_turn", messages=[{"role": "user", "content": text, "name": name}], session_id="s0"
            )
        until_digested(service, "dogs")
        for name, (_, own, other) in asks.items():
            question = "What is my dog called?"
            found = {
                "remember": await host.call_tool("remember", {"query": question, "asker": name}),
                "ask_memory": await host.call_tool("ask_memory", {"question": question, "asker": name}),
                "resonance": await host.call_tool(
                    "resonance", {"message": question, "name": name, "session_id": f"of-{name}"}
                ),
            }
            for tool, result in found.items():
                told = text_of(result)
                assert own in told and (other not in told or told.index(own) < told.index(other)), (name, tool, told)
        wrong = [
            await refused(host, "remember", query="x", asker="system"),
            await refused(host, "ask_memory", question="x", asker="the assistant"),
            await refused(host, "resonance", message="x", name="system"),
        ]

    assert "asker: must not be a word for another speaker" in wrong[0] and "asker: must not be" in wrong[1]
    assert "name: must not be a word for another speaker" in wrong[2]


async def test_a_question_is_answered_of_what_was_said_between_two_days(service):
    async with over_http(service, query="?mind=days") as host:
        for number, day in enumerate(("2026-01-09", "2026-03-02"), start=1):
            memory = {"text": f"Ines lives in town {number}.", "importance": 0.8, "occurred_at": day}
            await host.call_tool("save_memory", memory)
        asked = {"question": "Where does Ines live?"}
        older = text_of(await host.call_tool("ask_memory", asked | {"until": "2026-01-31"}))
        newer = text_of(await host.call_tool("ask_memory", asked | {"since": "2026-02-01"}))

    assert "town 1" in older and "town 2" not in older
    assert "town 2" in newer and "town 1" not in newer


async def test_something_is_saved_on_purpose_and_repeated_under_its_id_it_is_saved_once(service):
    async with over_http(service, query="?mind=noted") as host:
        result = await host.call_tool("save_memory", {"text": "I promised Ann the report.", "importance": 0.8})
        saved = result.structured_content
        again = await host.call_tool(
            "save_memory", {"text": "I promised Ann the report.", "importance": 0.8, "id": saved["id"]}
        )
        small = await host.call_tool("save_memory", {"text": "She said hello.", "importance": 0.01})
        wrong = await refused(host, "save_memory", text="x", importance=7)

    assert text_of(result) == f"Saved as {saved['id']} of noted."
    assert again.structured_content["duplicate"] is True
    assert text_of(small) == "Not kept: below the write threshold."
    assert "importance" in wrong


async def test_a_list_that_is_sent_as_text_and_one_thing_in_its_place_are_read_as_the_list(service):
    """Broken: the call is refused, and a model that does so once does it again."""
    message = {"role": "user", "content": "My mother lives in Lyon."}
    async with over_http(service, query="?mind=lists") as host:
        kept = [
            await called(host, "store_turn", messages=sent, turn_id="one")
            for sent in ([message], json.dumps([message]), json.dumps(message), message)
        ]
        for kinds in (["episode"], '["episode"]', "episode"):
            found = await called(host, "remember", query="mother", kinds=kinds)
            assert [one["kind"] for one in found["memories"]] == ["episode"]
        wrong = await refused(host, "store_turn", messages="My mother lives in Lyon.")

    assert [one["duplicate"] for one in kept] == [False, True, True, True]
    assert "messages.0: " in wrong


async def test_an_agent_sets_its_own_sleep(service):
    actions = [{"kind": "tool_call", "tool": "shell", "output": f"step {n} done"} for n in range(6)]
    path = f"{service}/v1/minds/clerk/sessions/cycle-1/actions"
    httpx2.post(path, json={"actions": actions}, timeout=60).raise_for_status()
    async with over_http(service, query="?mind=clerk") as host:
        nap = await host.call_tool("set_sleep", {"seconds": 20})
        slept = await host.call_tool("set_sleep", {"seconds": 600})
        wrong = await refused(host, "set_sleep", seconds=1)
    async with over_http(service, query="?mind=nobody") as host:
        missing = await called(host, "set_sleep", seconds=600)

    assert text_of(nap).startswith("You nap for 20 seconds, until 20")
    assert text_of(slept).startswith("You sleep for 600 seconds, until 20")
    assert slept.structured_content["kind"] == "dream"
    assert slept.structured_content["dream_id"]
    assert "seconds" in wrong
    assert "No mind is called 'nobody'" in missing["note"]


async def test_a_model_reports_what_became_of_what_it_was_shown(service):
    said = [{"role": "user", "content": "My cousin Declan plays the cello in Cork."}]
    async with over_http(service) as host:
        await called(host, "store_turn", mind="declan", messages=said)
        until_digested(service, "declan")
        asked = {"mind": "declan", "message": "Which instrument does my cousin Declan play?"}
        found = await called(host, "resonance", session_id="one", **asked)
        wrong = [{"id": found["flashbacks"][0]["id"], "outcome": "contradicted"}, {"id": "fact:no", "outcome": "used"}]
        result = await host.call_tool(
            "report_outcome", {"mind": "declan", "trace_id": found["trace_id"], "outcomes": wrong}
        )
        after = await called(host, "resonance", session_id="two", **asked)
        remembered = await called(host, "remember", mind="declan", query="Declan cello")
        facts = await host.call_tool("list_facts", {"mind": "declan"})

    assert (result.structured_content["applied"], result.structured_content["unknown"]) == (1, ["fact:no"])
    assert "Not shown, or no memory: fact:no." in text_of(result)
    assert "cello" not in after["block"]
    assert any(one["is_contradicted"] for one in remembered["memories"])
    assert [one["is_contradicted"] for one in facts.structured_content["items"]] == [True]
    assert "found wrong once]" in text_of(facts)


async def test_what_is_known_is_listed_with_its_sources(told):
    async with over_http(told, query="?mind=ada") as host:
        facts = await host.call_tool("list_facts", {"limit": 1})
        entities = await host.call_tool("list_entities", {"sort": "name"})
        of_one = await host.call_tool("list_facts", {"entity": entities.structured_content["items"][0]["id"]})
        none = await host.call_tool("list_facts", {"query": "xanadu"})
        wrong = await refused(host, "list_facts", cursor="nonsense")

    [fact] = facts.structured_content["items"]
    assert text_of(facts).startswith(f"1. [holding, since 2026-01-09 18:30 UTC] {fact['text']} (id {fact['id']})\n")
    assert fact["sources"][0]["turn_id"]
    for one in entities.structured_content["items"]:
        assert f": 1 fact, last spoken of 2026-01-09 18:30 UTC (id {one['id']})" in text_of(entities)
    assert not of_one.is_error
    assert text_of(none) == "No such fact is known."
    assert "cursor" in wrong


async def test_a_memory_is_put_right_in_the_words_of_the_user(service):
    httpx2.post(f"{service}/v1/minds/eva/turns", json={"session_id": "s0", "messages": LYON}, timeout=60)
    async with over_http(service, query="?mind=eva") as host:
        made = await host.call_tool("correct_memory", {"what": "edit", "id": "episode:1", "to": "She lives in Porto."})
        again = await host.call_tool("correct_memory", {"what": "edit", "id": "episode:1", "to": "She lives in Porto."})
        found = await host.call_tool("remember", {"query": "Where does she live?"})
        nothing = await refused(host, "correct_memory", what="edit", id="episode:1")
        nameless = await refused(host, "correct_memory", what="wrong")
        missing = await refused(host, "correct_memory", what="wrong", id="fact:nope")
        observed = await refused(host, "correct_memory", what="wrong", id="observation:1")

    assert text_of(made).startswith("Done: edit: ")
    assert "→ She lives in Porto." in text_of(made)
    assert text_of(again).startswith("It stood already: ")
    assert "She lives in Porto." in text_of(found).splitlines()[0]
    assert "source: a person" in text_of(found)
    assert "is needed for edit" in nothing
    assert "no such fact" in missing and missing.endswith("give the id that they show.")
    assert nameless.startswith("Memory refused it: id: is missing: which memory is meant? Correct")
    assert "an observation is put right in observations.md" in observed


async def test_a_day_is_meant_in_the_time_zone_of_the_call(service):
    """Broken: days are those of UTC, and an evening west of it is on the day after."""
    said = {"role": "user", "content": "The plumber Gordon wants 450 euros.", "timestamp": "2026-01-10T07:30:00Z"}
    httpx2.post(f"{service}/v1/minds/west/turns", json={"session_id": "s0", "messages": [said]}, timeout=60)
    until_digested(service, "west")
    there = {"since": "2026-01-09", "until": "2026-01-09", "timezone": "America/Los_Angeles"}
    async with over_http(service, query="?mind=west") as host:
        found = [
            len((await called(host, "search_log", query="450 euros", **there))["items"]),
            len((await called(host, "remember", query="plumber Gordon", kinds=["fact"], **there))["memories"]),
            len((await called(host, "list_facts", **there))["items"]),
        ]
        elsewhere = await called(host, "search_log", query="450 euros", **there | {"timezone": "UTC"})
        wrong = await refused(host, "list_facts", since="2026-01-09", timezone="Mars")
        valentine = {"text": "I met Zelda at the opera.", "occurred_at": "2026-02-14", "timezone": "Asia/Tokyo"}
        await called(host, "save_memory", **valentine)
        saved = await called(host, "search_log", query="Zelda")

    assert (found, elsewhere["items"]) == ([1, 1, 1], [])
    assert "timezone: is not a time zone of the IANA list" in wrong
    assert saved["items"][0]["at"] == "2026-02-14T03:00:00Z"


async def test_what_people_put_right_is_shown_in_the_log_and_in_lists(service):
    """Broken: a model reads in the log, or in a list, what a person said is not so."""
    said = {"role": "user", "content": "My cousin Declan lives in Cork.", "timestamp": "2026-01-09T18:30:00Z"}
    httpx2.post(f"{service}/v1/minds/cork/turns", json={"session_id": "s0", "messages": [said]}, timeout=60)
    until_digested(service, "cork")
    for decided in (
        {"what": "rename", "target": {"kind": "entity", "text": "Declan"}, "to": "Declan O'Brien"},
        {"what": "edit", "target": {"kind": "turn", "id": "episode:1"}, "to": "Declan lives in Galway."},
    ):
        httpx2.post(f"{service}/v1/minds/cork/corrections", json=decided, timeout=60).raise_for_status()
    async with over_http(service, query="?mind=cork") as host:
        log = await host.call_tool("search_log", {"query": "Cork"})
        facts = await host.call_tool("list_facts", {"query": "Cork"})
        entities = await host.call_tool("list_entities", {"query": "Declan"})

    edited = "a person: edit → Declan lives in Galway."
    assert text_of(log).splitlines()[0].endswith(f", session s0, {edited}")
    assert [one["what"] for one in log.structured_content["items"][0]["corrections"]] == ["edit"]
    assert text_of(facts).startswith(f"1. [wrong, since 2026-01-09 18:30 UTC, {edited}] ")
    assert text_of(entities).startswith("1. Declan O'Brien, told as Declan: ")
    assert "a person: rename → Declan O'Brien (id " in text_of(entities)
    assert entities.structured_content["items"][0]["called"] == "Declan O'Brien"


async def test_what_is_left_out_of_an_answer_is_said_with_its_reason(tmp_path):
    """Broken: the model reads that something was "looked without: answer_lines_dropped", and not why."""
    rule = {"answer": [{"text": "She lives with Pierre.", "evidence": [1]}], "missing": [], "contradictions": []}
    asks = {"name": "ask_memory", "arguments": {"question": "Where does my mother Ines live?"}}
    with provider_of(Brain(ask=rule)) as model:
        async with running(tmp_path, settings=hosted(tmp_path, model, "subconscious")) as service:
            await service.keep("ada", "My mother Ines lives in Lyon.")
            await service.digested("ada")
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asks}
            answer = await service.http.post("/mcp", json=call, headers={"X-Mind-Id": "ada"})

    text = answer.json()["result"]["content"][0]["text"]
    assert "Left out, as memory does not bear it out: a line of the answer: the name 'Pierre' is not in" in text
    assert "Looked without" not in text
