"""What the client offers to look into a memory: what if, traces, events."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing

import pytest

from mind_memory_client import AsyncMemoryClient, MemoryClient, MindNotFound, RetryPolicy

from tests.client.conftest import ASKS
from tests.support.cli_process import serving, until_digested
from tests.support.free_ports import free_port
from tests.support.waiting import GIVE_UP

HASTY = RetryPolicy(max_attempts=2, total_seconds=5, first_backoff_seconds=0.01)


def test_a_probe_says_what_would_surface_and_why(memory, told_mind):
    found = memory.probe(told_mind, "s1", ASKS)
    earlier = memory.probe(told_mind, "s1", ASKS, as_of="2020-01-01T00:00:00Z", without=["graph"])

    assert found.surfaced
    assert found.trace_id is None
    assert found.trace["surfaced"]
    assert not earlier.surfaced
    assert memory.traces(told_mind) == ()


def test_traces_are_found_by_what_they_showed_page_by_page(memory, told_mind):
    shown = [memory.resonance(told_mind, f"s{n}", ASKS) for n in range(3)]
    memory_id = shown[0].flashbacks[0].id

    first = memory.find_traces(told_mind, memory=memory_id, role="shown", limit=2)
    rest = memory.find_traces(told_mind, memory=memory_id, role="shown", limit=2, cursor=first.next_cursor)
    one = memory.find_traces(told_mind, session="s1", surfaced=True)

    found = [trace["trace_id"] for trace in (*first.traces, *rest.traces)]
    assert found == [answer.trace_id for answer in reversed(shown)]
    assert [trace["trace_id"] for trace in one.traces] == [shown[1].trace_id]


def test_events_are_heard_as_they_happen_and_again_from_where_one_was(memory, told_mind):
    (reset,) = memory.events(told_mind, last_event_id="unknown", follow=False)
    heard = memory.events(told_mind, last_event_id=reset.id)
    stored = memory.store_turn(told_mind, "s1", "And she likes tea.")

    kept = next(heard)
    heard.close()
    again = next(iter(memory.events(told_mind, last_event_id=reset.id, follow=False)))

    assert reset.kind == "reset"
    assert (kept.kind, kept.about["turn_id"]) == ("turn.kept", stored.turn_id)
    assert again == kept


def test_events_go_on_when_the_service_starts_again_and_end_where_it_refuses(tmp_path):
    """Broken: a restart ended them with Unreachable."""
    port = free_port()
    with MemoryClient(url := f"http://127.0.0.1:{port}", retry=HASTY) as memory, ThreadPoolExecutor(2) as threads:
        with serving(tmp_path / "home", "--port", str(port)):
            memory.store_turn("ada", "s1", "Hello.")
            (place,) = memory.events("ada", last_event_id="unknown", follow=False)
            heard = memory.events("ada", last_event_id=place.id)
            memory.store_turn("ada", "s1", "She likes tea.")
            assert next(heard).kind == "turn.kept"
            with pytest.raises(MindNotFound):
                next(memory.events("nobody"))

        waiting = [threads.submit(until_reset, heard), threads.submit(asyncio.run, reset_awaited(url, place.id))]
        with serving(tmp_path / "home", "--port", str(port)):
            assert [one.result(timeout=GIVE_UP).kind for one in waiting] == ["reset", "reset"]


def until_reset(events):
    return next(one for one in events if one.kind == "reset")


async def reset_awaited(url, place):
    async with AsyncMemoryClient(url, retry=HASTY) as memory:
        async with aclosing(memory.events("ada", last_event_id=place)) as events:
            async for one in events:
                if one.kind == "reset":
                    return one


def test_a_timeline_tells_what_a_day_brought(memory, told_mind):
    memory.resonance(told_mind, "s1", ASKS)

    (today,) = memory.timeline(told_mind).buckets
    (week,) = memory.timeline(told_mind, bucket="week").buckets

    assert (today.turns, today.resonance.calls, today.resonance.surfaced) == (1, 1, 1)
    assert week.start.weekday() == 0


def test_news_go_on_where_an_earlier_answer_ended(url, memory, told_mind):
    first = memory.news(told_mind)
    memory.store_turn(told_mind, "s1", "My sister lives in Ghent.")
    until_digested(url, told_mind)
    memory.resonance(told_mind, "s2", ASKS)
    said = memory.correct(told_mind, "say", to="Ada likes tea.")

    found = memory.news(told_mind, since=first.until, limit=1)

    assert (first.turns, found.turns, found.learned.count, found.surfaced.count) == (1, 1, 1, 1)
    assert "Ghent" in found.learned.items[0].text
    assert [one.id for one in found.put_right.items] == [said.id]
    assert (found.told.version, found.parked.items) == (None, ())
