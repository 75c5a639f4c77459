"""The client against a real service: every call, blocking and awaited, and what goes wrong."""

import asyncio
import threading
import time

import httpx
import pytest

import mind_memory_client as mm
from mind_memory_client import _endpoints as api
from mind_memory_client._retry import Try
from tests.client.conftest import ASKS, MOTHER, stored_turns, user_says, through_faults

pytestmark = pytest.mark.anyio

NOWHERE = "http://127.0.0.1:9"
HASTY = mm.RetryPolicy(max_attempts=2, total_seconds=5, first_backoff_seconds=0.01)


# -- the calls


def test_what_was_said_comes_back_in_a_later_session_with_its_sources(memory, told_mind):
    found = memory.resonance(told_mind, "later", ASKS, deadline_ms=0)

    assert found.surfaced, found.silence
    assert MOTHER in found.flashbacks[0].raw
    assert found.flashbacks[0].sources[0].session_id == "earlier"
    assert found.block in found.messages[-2]["content"]
    assert memory.trace(told_mind, trace_id=found.trace_id)["session_id"] == "later"
    assert memory.traces(told_mind, limit=1)[0]["trace_id"] == found.trace_id


def test_recall_on_purpose_finds_facts_and_turns(memory, told_mind):
    found = memory.remember(told_mind, ASKS, kinds=["episode"], limit=1)

    assert MOTHER in found.memories[0].text
    assert found.memories[0].kind == "episode"


def test_the_same_turn_sent_again_is_stored_once(memory, mind):
    first = memory.store_turn(mind, "s", MOTHER, turn_id="t1")
    again = memory.store_turn(mind, "s", MOTHER, turn_id="t1")

    assert (first.sequence, first.duplicate, again.sequence, again.duplicate) == (1, False, 1, True)
    with pytest.raises(mm.Conflict) as caught:
        memory.store_turn(mind, "s", "Something else.", turn_id="t1")
    assert (caught.value.status, caught.value.slug) == (409, "turn-conflict")


def test_a_story_is_written_read_and_edited_and_nobodys_edit_is_lost(memory, told_mind):
    run = memory.consolidate(told_mind)
    first = memory.story(told_mind)
    edited = memory.edit_story(told_mind, text=first.text.replace("Lyon", "Nice"), etag=first.etag)

    assert run.last_run.told == 1
    assert (first.chapters[0].edited_by_person, edited.chapters[0].edited_by_person) == (False, True)
    with pytest.raises(mm.StoryChanged) as caught:
        memory.edit_story(told_mind, text="mine", etag=first.etag)
    assert (caught.value.etag, caught.value.current) == (edited.etag, edited.text)
    assert memory.consolidation(told_mind).pending_turns == 0


def test_a_context_window_is_stored_once_before_it_is_cut(memory, mind):
    window = [user_says(MOTHER, timestamp="2026-01-09T18:30:00Z")]

    first, again = (memory.compaction(mind, session="a b?c#d", messages=window) for _ in range(2))

    assert (first.new_messages, first.session_id, again.new_messages, again.known_messages) == (1, "a b?c#d", 0, 1)


def test_a_window_is_trimmed_and_what_left_it_is_stored(memory, mind, home):
    odd = {"role": "user", "content": "cut \ud83d", "cache_control": {"type": "ephemeral"}, "ratio": 1.5}
    window = [user_says(MOTHER), {"role": "assistant", "content": "Where?"}, odd]

    first, again = (memory.trim(mind, "s", window, keep=1) for _ in range(2))

    assert (list(first.messages), first.dropped) == ([odd], 2)
    assert first.digest.splitlines()[1:-1] == [f"- user: {MOTHER}", "- assistant: Where?"]
    assert again == first
    assert stored_turns(home, mind) == [("s", [("user", MOTHER), ("assistant", "Where?")])]
    with pytest.raises(mm.InvalidRequest) as caught:
        memory.trim(mind, "s", [{"role": "narrator"}])
    assert caught.value.errors[0].pointer == "#/messages/0/role"


async def test_the_awaited_client_trims_a_window(url, mind):
    async with mm.AsyncMemoryClient(url) as memory:
        found = await memory.trim(mind, "s", [user_says(MOTHER), user_says(ASKS)], max_characters=1)

    assert (found.messages, found.dropped) == ((user_says(ASKS),), 1)


def test_a_mind_shows_what_it_holds_and_is_in_the_list(memory, told_mind):
    assert (memory.mind(told_mind).turns, memory.mind(told_mind).graph.episodes) == (1, 1)
    assert told_mind in {one.mind_id for one in memory.minds()}


def test_the_journal_is_searched_and_read(memory, told_mind, home):
    notes = home / "minds" / told_mind / "MEMORY.md"
    notes.write_text("# Garden\n\nThe apple tree was planted by Ingrid.\n")

    page = memory.journal_get(told_mind, path="MEMORY.md", from_line=3, lines=1)
    until = time.monotonic() + 30
    while (
        not (found := memory.journal_search(told_mind, query="Who planted the apple tree?")).results
        and time.monotonic() < until
    ):
        time.sleep(0.05)

    assert (page.text, page.total_lines) == ("The apple tree was planted by Ingrid.", 3)
    assert found.results[0].path == "MEMORY.md"

    surfaced = memory.resonance(told_mind, "later", "Who planted the apple tree?", deadline_ms=0)
    assert [source.path for source in surfaced.flashbacks[0].sources] == ["MEMORY.md"]


async def test_the_awaited_client_does_the_same(url, told_mind):
    async with mm.AsyncMemoryClient(url) as memory:
        found = await memory.resonance(told_mind, "later", ASKS, deadline_ms=0)
        recalled = await memory.remember(told_mind, ASKS)
        mind = await memory.mind(told_mind)

    assert MOTHER in found.flashbacks[0].raw
    assert recalled.memories
    assert mind.turns == 1


# -- what goes wrong


def test_a_problem_says_which_field_is_at_fault(memory, mind):
    with pytest.raises(mm.InvalidRequest) as caught:
        memory.store_turn(mind, "s", [user_says("fine"), user_says("not\x00fine")])

    assert [one.pointer for one in caught.value.errors] == ["#/messages/1/content"]
    assert "NUL" in caught.value.errors[0].detail


def test_a_mind_without_a_turn_is_silent_and_reading_it_is_an_error(memory, mind):
    assert "its first turn creates it" in memory.resonance(mind, "s", ASKS).silence
    with pytest.raises(mm.MindNotFound):
        memory.mind(mind)


def test_a_service_that_is_away_is_an_error_or_silence_as_the_caller_chose():
    with mm.MemoryClient(NOWHERE, retry=HASTY) as memory:
        with pytest.raises(mm.Unreachable):
            memory.resonance("ada", "s", ASKS)
        found = memory.resonance("ada", "s", ASKS, on_failure="silent")

    assert (found.surfaced, found.degraded, found.messages) == (False, ("memory_unavailable",), [user_says(ASKS)])


def test_a_turn_whose_answer_is_lost_is_sent_again_and_stored_once(url, home, mind):
    retry = mm.RetryPolicy(max_attempts=500, total_seconds=60, first_backoff_seconds=0.02, max_backoff_seconds=0.1)
    with through_faults(url) as (proxy, way), mm.MemoryClient(way, retry=retry) as memory:
        proxy.mode = "lost"
        healing = threading.Thread(target=heal, args=(proxy,))
        healing.start()
        answer = memory.store_turn(mind, "s", MOTHER)
        healing.join()

    assert (answer.sequence, answer.duplicate) == (1, True)
    assert stored_turns(home, mind) == [("s", [("user", MOTHER)])]


def heal(proxy):
    """Let answers pass once two are lost."""
    while proxy.connections < 3:
        time.sleep(0.01)
    proxy.mode = "pass"


@pytest.mark.parametrize("mode", ["blackhole", "reset", "half", "garbage"])
async def test_whatever_the_network_does_a_call_ends_with_an_error_of_ours(url, mind, mode):
    short = mm.RetryPolicy(max_attempts=2, total_seconds=1, first_backoff_seconds=0.01)
    with through_faults(url) as (proxy, way):
        proxy.mode = mode
        with mm.MemoryClient(way, retry=short) as memory, pytest.raises(mm.Unreachable):
            memory.store_turn(mind, "s", MOTHER)
        async with mm.AsyncMemoryClient(way, retry=short) as memory:
            with pytest.raises(mm.Unreachable):
                await memory.store_turn(mind, "s", MOTHER)


def test_an_answer_of_something_else_is_recognised(url):
    class Elsewhere(httpx.BaseTransport):
        def handle_request(self, request):
            return httpx.Response(200, text="<html>It works!</html>")

    with httpx.Client(transport=Elsewhere()) as http, pytest.raises(mm.UnexpectedAnswer):
        mm.MemoryClient(url, http=http).minds()


@pytest.mark.parametrize("wrong", ["localhost:8001", "ftp://localhost", "http://", "http://[::"])
def test_a_text_that_is_not_an_address_is_refused_at_once(wrong):
    with pytest.raises(ValueError, match="not the address"):
        mm.MemoryClient(wrong)


@pytest.mark.parametrize("wrong", ["mm_1 ", "mm_\n", "schlüssel"])
def test_a_key_that_no_header_can_hold_is_refused_at_once(wrong):
    with pytest.raises(ValueError, match="no HTTP header"):
        mm.MemoryClient(key=wrong)


@pytest.mark.parametrize("client", [mm.MemoryClient, mm.AsyncMemoryClient])
def test_certificates_are_read_where_tls_is_spoken_and_nowhere_else(client, tmp_path, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))

    client("http://memory.example.com")
    with pytest.raises(FileNotFoundError):
        client("https://memory.example.com")


def test_address_and_key_come_from_the_environment(monkeypatch, url):
    monkeypatch.setenv("MIND_MEMORY_URL", f"{url}/")
    monkeypatch.setenv("MIND_MEMORY_KEY", "mm_unknown")

    with mm.MemoryClient() as memory:
        seen = memory._transport._address.request(Try(api.MINDS.call(), 1))
        assert memory.minds() is not None  # a service without keys lets everyone in

    assert (seen["url"], seen["headers"]["Authorization"]) == (f"{url}/v1/minds", "Bearer mm_unknown")


def test_one_client_serves_many_threads(memory, mind, home):
    async def all_at_once():
        await asyncio.gather(*(asyncio.to_thread(memory.store_turn, mind, f"s{n}", f"Number {n}.") for n in range(16)))

    asyncio.run(all_at_once())

    assert sorted(session for session, _ in stored_turns(home, mind)) == sorted(f"s{n}" for n in range(16))
