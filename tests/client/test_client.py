"""The client against a real service: every call, both faces, what goes wrong."""

import asyncio
import inspect
import json
import re
import threading
import time

import httpx
import pytest

import mind_memory_client as mm
from mind_memory_client import answers, calls, states
from mind_memory_client.faces import Around, AroundAwaited, Awaited, Blocking
from mind_memory_client.turn import begin
from service.app import create_app
from service.settings import Settings
from tests.client.conftest import ASKS, MOTHER, kept, said, through_faults

pytestmark = pytest.mark.anyio

NOWHERE = "http://127.0.0.1:9"
HASTY = mm.Patience(attempts=2, seconds=5, first_rest=0.01)
FACES = sorted(name for name, one in vars(mm.MemoryClient).items() if isinstance(one, Blocking | Around))


# -- one source, two faces


def test_both_clients_have_the_same_methods():
    awaited = sorted(
        name for name, one in vars(mm.AsyncMemoryClient).items() if isinstance(one, Awaited | AroundAwaited)
    )

    assert awaited == FACES
    assert {"resonance", "store_turn", "turn", "remember", "story", "edit_story", "minds"} <= set(FACES)


@pytest.mark.parametrize("name", FACES)
def test_a_method_is_the_same_in_both_clients_and_tells_what_it_does(name):
    described = begin if name == "turn" else getattr(calls, name)

    blocking, awaited = (getattr(kind(NOWHERE), name) for kind in (mm.MemoryClient, mm.AsyncMemoryClient))

    assert inspect.signature(blocking) == inspect.signature(awaited) == inspect.signature(described)
    assert blocking.__doc__ == awaited.__doc__ == described.__doc__ is not None


def test_every_call_that_is_described_can_be_made():
    described = {
        name for name, one in vars(calls).items() if inspect.isfunction(one) and one.__module__ == calls.__name__
    }

    assert {name for name in described if not name.startswith("_")} == {*FACES} - {"turn"}


def test_all_that_the_package_offers_is_listed_in_order():
    assert sorted(mm.__all__) == mm.__all__
    assert all(hasattr(mm, name) for name in mm.__all__)


# -- what the service's own document says

SENT = [
    calls.resonance("ada", "s", "hi", now="2026-01-01T00:00:00Z", timezone="UTC", deadline_ms=1, max_fragments=1,
                    max_tokens=1, placement="tail", off_the_record=True, relevance=0.1),
    calls.store_turn("ada", "s", "hi", turn_id="t", kind="turn", off_the_record=True, metadata={"a": 1}, trace_id="x",
                     outcomes={"f": "used"}),
    calls.remember("ada", "q", kinds=["fact"], since="2026-01-01T00:00:00Z", until="2026-01-01T00:00:00Z",
                   at="2026-01-01T00:00:00Z", limit=1),
    calls.story("ada"), calls.edit_story("ada", "x", etag="y"), calls.consolidate("ada"), calls.consolidation("ada"),
    calls.compaction("ada", "s", "hi"), calls.mind("ada"), calls.minds(), calls.trace("ada", "t"),
    calls.traces("ada", limit=1), calls.journal_search("ada", "q", max_results=1, min_score=0.1),
    calls.journal_get("ada", "MEMORY.md", from_line=1, lines=1),
]  # fmt: skip
DOCUMENT = create_app(Settings()).openapi()
ANSWERS = {
    "TurnKept": mm.TurnKept, "ResonanceOut": mm.Resonance, "FlashbackOut": mm.Flashback, "SourceOut": mm.Source,
    "RememberedOut": mm.Remembered, "MemoryOut": mm.Memory, "StoryTold": mm.Story, "ChapterOut": mm.Chapter,
    "ConsolidationOut": mm.Consolidation, "RunOut": states.Run, "Compacted": mm.Compacted, "GraphOut": states.GraphState,
    "StoryOut": states.StoryState, "MindListed": mm.MindListed, "MindsOut": states.Minds, "Dropped": mm.Dropped,
    "ParkedOut": states.Parked, "GatheredOut": states.Gathered, "JournalSearchOut": mm.JournalFound,
    "JournalFound": mm.JournalChunk, "JournalFileOut": mm.JournalFile, "NoteOut": mm.Note,
    "StableOut": answers.Stable, "VolatileOut": answers.Volatile, "UsageOut": answers.Usage, "MindOut": mm.Mind,
    "TextOut": states.TextState, "DamageOut": states.Damage,
}  # fmt: skip


@pytest.mark.parametrize("call", SENT, ids=lambda call: f"{call.method} {call.path}")
def test_what_is_sent_stands_in_the_services_document(call):
    template = call.path.replace("/minds/ada", "/minds/{mind_id}").replace("/sessions/s/", "/sessions/{session_id}/")
    route = DOCUMENT["paths"][template.replace("/traces/t", "/traces/{trace_id}")][call.method.lower()]
    known = {one["name"] for one in route.get("parameters", ())}

    assert {name for name, _ in call.query} <= known
    if isinstance(call.body, dict):
        body = route["requestBody"]["content"]["application/json"]["schema"]
        fields = DOCUMENT["components"]["schemas"][body["$ref"].rsplit("/", 1)[-1]] if "$ref" in body else body
        assert set(call.body) <= set(fields["properties"])


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_has_each_field_that_the_services_document_knows_and_no_other(name):
    told = set(DOCUMENT["components"]["schemas"][name]["properties"])

    assert {field.alias or own for own, field in ANSWERS[name].model_fields.items()} == told


@pytest.mark.parametrize("name", ANSWERS)
def test_what_an_answer_is_made_of_is_known_too(name):
    parts = set(re.findall(r"schemas/(\w+)", json.dumps(DOCUMENT["components"]["schemas"][name])))

    assert parts - {*ANSWERS} <= {"InjectedMessage"}  # which is a plain dictionary, for a model


# -- the calls


def test_what_was_said_comes_back_in_a_later_session_with_its_sources(memory, told):
    found = memory.resonance(told, "later", ASKS, deadline_ms=0)

    assert found.surfaced, found.silence
    assert MOTHER in found.flashbacks[0].raw
    assert found.flashbacks[0].sources[0].session_id == "earlier"
    assert found.block in found.messages[-2]["content"]
    assert memory.trace(told, found.trace_id)["session_id"] == "later"
    assert memory.traces(told, limit=1)[0]["trace_id"] == found.trace_id


def test_recall_on_purpose_finds_facts_and_turns(memory, told):
    found = memory.remember(told, ASKS, kinds=["episode"], limit=1)

    assert MOTHER in found.memories[0].text
    assert found.memories[0].kind == "episode"


def test_the_same_turn_sent_again_is_kept_once(memory, mind):
    first = memory.store_turn(mind, "s", MOTHER, turn_id="t1")
    again = memory.store_turn(mind, "s", MOTHER, turn_id="t1")

    assert (first.sequence, first.duplicate, again.sequence, again.duplicate) == (1, False, 1, True)
    with pytest.raises(mm.Conflict) as caught:
        memory.store_turn(mind, "s", "Something else.", turn_id="t1")
    assert (caught.value.status, caught.value.slug) == (409, "turn-conflict")


def test_a_story_is_read_told_and_edited_and_nobodys_edit_is_lost(memory, told):
    run = memory.consolidate(told)
    first = memory.story(told)
    edited = memory.edit_story(told, first.text.replace("Lyon", "Nice"), etag=first.etag)

    assert run.last_run.told == 1
    assert (first.chapters[0].edited_by_person, edited.chapters[0].edited_by_person) == (False, True)
    with pytest.raises(mm.StoryChanged) as caught:
        memory.edit_story(told, "mine", etag=first.etag)
    assert (caught.value.etag, caught.value.current) == (edited.etag, edited.text)
    assert memory.consolidation(told).pending_turns == 0


def test_a_window_about_to_be_cut_is_kept_once(memory, mind):
    window = [said(MOTHER, timestamp="2026-01-09T18:30:00Z")]

    first, again = (memory.compaction(mind, "a b?c#d", window) for _ in range(2))

    assert (first.new_messages, first.session_id, again.new_messages, again.known_messages) == (1, "a b?c#d", 0, 1)


def test_a_mind_tells_what_it_holds_and_stands_in_the_list(memory, told):
    assert (memory.mind(told).turns, memory.mind(told).graph.episodes) == (1, 1)
    assert told in {one.mind_id for one in memory.minds()}


def test_the_journal_is_searched_and_read(memory, told, home):
    notes = home / "minds" / told / "MEMORY.md"
    notes.write_text("# Garden\n\nThe apple tree was planted by Ingrid.\n")

    page = memory.journal_get(told, "MEMORY.md", from_line=3, lines=1)
    until = time.monotonic() + 30
    while (
        not (found := memory.journal_search(told, "Who planted the apple tree?")).results and time.monotonic() < until
    ):
        time.sleep(0.05)

    assert (page.text, page.total_lines) == ("The apple tree was planted by Ingrid.", 3)
    assert found.results[0].path == "MEMORY.md"

    surfaced = memory.resonance(told, "later", "Who planted the apple tree?", deadline_ms=0)
    assert [source.path for source in surfaced.flashbacks[0].sources] == ["MEMORY.md"]


async def test_the_awaited_client_does_the_same(url, told):
    async with mm.AsyncMemoryClient(url) as memory:
        found = await memory.resonance(told, "later", ASKS, deadline_ms=0)
        recalled = await memory.remember(told, ASKS)
        mind = await memory.mind(told)

    assert MOTHER in found.flashbacks[0].raw
    assert recalled.memories
    assert mind.turns == 1


# -- what goes wrong


def test_a_problem_says_which_field_is_at_fault(memory, mind):
    with pytest.raises(mm.InvalidRequest) as caught:
        memory.store_turn(mind, "s", [said("fine"), said("not\x00fine")])

    assert [one.pointer for one in caught.value.errors] == ["#/messages/1/content"]
    assert "NUL" in caught.value.errors[0].detail


def test_a_mind_without_a_turn_is_silent_and_reading_it_says_that_there_is_none(memory, mind):
    assert memory.resonance(mind, "s", ASKS).silence == "there is no such mind yet"
    with pytest.raises(mm.MindNotFound):
        memory.mind(mind)


def test_a_memory_that_is_away_is_raised_or_silent_as_the_caller_chose():
    with mm.MemoryClient(NOWHERE, patience=HASTY) as memory:
        with pytest.raises(mm.Unreachable):
            memory.resonance("ada", "s", ASKS)
        found = memory.resonance("ada", "s", ASKS, on_failure="silent")

    assert (found.surfaced, found.degraded, found.messages) == (False, ("memory_unavailable",), [said(ASKS)])


def test_an_answer_that_gets_lost_is_asked_for_again_and_the_turn_is_kept_once(url, home, mind):
    patience = mm.Patience(attempts=500, seconds=60, first_rest=0.02, most_rest=0.1)
    with through_faults(url) as (proxy, way), mm.MemoryClient(way, patience=patience) as memory:
        proxy.mode = "lost"
        healing = threading.Thread(target=heal, args=(proxy,))
        healing.start()
        answer = memory.store_turn(mind, "s", MOTHER)
        healing.join()

    assert (answer.sequence, answer.duplicate) == (1, True)
    assert kept(home, mind) == [("s", [("user", MOTHER)])]


def heal(proxy):
    """Let answers pass once two are lost."""
    while proxy.connections < 3:
        time.sleep(0.01)
    proxy.mode = "pass"


@pytest.mark.parametrize("mode", ["blackhole", "reset", "half", "garbage"])
async def test_whatever_the_network_does_a_call_ends_with_a_fault_of_ours(url, mind, mode):
    short = mm.Patience(attempts=2, seconds=1, first_rest=0.01)
    with through_faults(url) as (proxy, way):
        proxy.mode = mode
        with mm.MemoryClient(way, patience=short) as memory, pytest.raises(mm.Unreachable):
            memory.store_turn(mind, "s", MOTHER)
        async with mm.AsyncMemoryClient(way, patience=short) as memory:
            with pytest.raises(mm.Unreachable):
                await memory.store_turn(mind, "s", MOTHER)


def test_something_else_that_answers_is_told_from_a_memory(url):
    class Elsewhere(httpx.BaseTransport):
        def handle_request(self, request):
            return httpx.Response(200, text="<html>It works!</html>")

    with httpx.Client(transport=Elsewhere()) as http, pytest.raises(mm.NotMemory):
        mm.MemoryClient(url, http=http).minds()


@pytest.mark.parametrize("wrong", ["localhost:8001", "ftp://localhost", "http://", "http://[::"])
def test_an_address_that_is_none_is_refused_at_once(wrong):
    with pytest.raises(ValueError, match="no address"):
        mm.MemoryClient(wrong)


@pytest.mark.parametrize("wrong", ["mm_1 ", "mm_\n", "schlüssel"])
def test_a_key_that_no_header_can_hold_is_refused_at_once(wrong):
    with pytest.raises(ValueError, match="no key"):
        mm.MemoryClient(key=wrong)


def test_address_and_key_come_from_the_environment(monkeypatch, url):
    monkeypatch.setenv("MIND_MEMORY_URL", f"{url}/")
    monkeypatch.setenv("MIND_MEMORY_KEY", "mm_unknown")

    with mm.MemoryClient() as memory:
        seen = memory._address.request(mm.client.Try(calls.minds(), 1))
        assert memory.minds() is not None  # a service without keys lets everyone in

    assert (seen["url"], seen["headers"]["Authorization"]) == (f"{url}/v1/minds", "Bearer mm_unknown")


def test_one_client_serves_many_threads(memory, mind, home):
    async def all_at_once():
        await asyncio.gather(*(asyncio.to_thread(memory.store_turn, mind, f"s{n}", f"Number {n}.") for n in range(16)))

    asyncio.run(all_at_once())

    assert sorted(session for session, _ in kept(home, mind)) == sorted(f"s{n}" for n in range(16))
