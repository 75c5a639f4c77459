"""Turns that wait in the client while a memory is away: sent once, in their order, and what is left is said."""

import asyncio
import sys
import time
from threading import Thread

import pytest
from mind_memory_client import (
    AsyncMemoryClient,
    MemoryClient,
    RetryPolicy,
    UnsavedTurn,
    UnsavedTurns,
)
from mind_memory_client.waiting import Resending

from tests.client.conftest import MOTHER, stored_turns, through_faults, user_says
from tests.support.api_keys import make_key
from tests.support.service import running

pytestmark = pytest.mark.anyio

NOWHERE = "http://127.0.0.1:9"
HASTY = RetryPolicy(max_attempts=1, total_seconds=10)


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_memory_that_is_away_breaks_no_turn_and_what_waits_is_sent_when_it_is_back(
    url, mind, home, caplog, is_async
):
    with through_faults(url) as (proxy, way):
        if is_async:
            async with AsyncMemoryClient(way, retry=HASTY) as memory:
                for number in range(3):
                    proxy.mode = "reset" if number < 2 else "pass"
                    async with memory.turn(mind, "s", f"Word {number}.") as turn:
                        turn.answer("Nice.")
                    assert len(memory.unsaved) == (number + 1 if number < 2 else 0)
        else:
            with MemoryClient(way, retry=HASTY) as memory:
                for number in range(3):
                    proxy.mode = "reset" if number < 2 else "pass"
                    with memory.turn(mind, "s", f"Word {number}.") as turn:
                        turn.answer("Nice.")
                    assert len(memory.unsaved) == (number + 1 if number < 2 else 0)

    said = [messages[0][1] for _, messages in stored_turns(home, mind)]
    assert said == ["Word 2.", "Word 0.", "Word 1."]
    assert "is not stored but queued" in caplog.text


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_long_queue_does_not_hold_up_the_turn_that_was_stored(url, mind, home, is_async):
    """Broken: ``_resend_all`` sends all that waits before it returns."""
    with through_faults(url) as (proxy, way):
        kind = AsyncMemoryClient if is_async else MemoryClient
        memory = kind(way, retry=HASTY)
        for number in range(40):
            body = {"turn_id": f"t{number}", "session_id": "s", "messages": [user_says(f"Word {number}.")]}
            memory.unsaved.put_back([UnsavedTurn(mind, f"t{number}", body), *memory.unsaved.take()])
        proxy.mode = "slow"
        began = time.monotonic()
        if is_async:
            async with memory.turn(mind, "s", "Newest.") as turn:
                turn.answer("Nice.")
        else:
            with memory.turn(mind, "s", "Newest.") as turn:
                turn.answer("Nice.")
        took = time.monotonic() - began
        left = memory.unsaved.take()
        await memory.aclose() if is_async else memory.close()

    assert turn.stored is not None
    assert 0 < len(left) < 40
    assert took < 5


def test_what_is_refused_for_good_is_not_sent_for_ever(memory, mind, caplog):
    with memory.turn(mind, "s", "Fine.", turn_id="t1") as turn:
        turn.answer("Nice.")
    with memory.turn(mind, "s", "Something else.", turn_id="t1") as turn:
        turn.answer("Nice.")
    assert len(memory.unsaved) == 1
    with memory.turn(mind, "s", "And more.") as turn:
        turn.answer("Nice.")

    assert len(memory.unsaved) == 0
    assert "turn t1 of" in caplog.text and "is lost" in caplog.text


async def test_a_turn_of_a_mind_that_is_refused_holds_up_no_other(tmp_path):
    """Broken: a refusal of one mind ends what is sent again, so whatever waits behind it waits for ever."""
    key = make_key(tmp_path, minds=("ada",))
    async with running(tmp_path) as service, service.client() as http:
        memory = AsyncMemoryClient("http://localhost", key=key, http=http, retry=HASTY)
        body = {"session_id": "s", "messages": [user_says("Lost.")]}
        waiting = [UnsavedTurn(mind, f"of {mind}", body | {"turn_id": f"of {mind}"}) for mind in ("bob", "ada")]
        memory.unsaved.put_back(waiting)
        async with memory.turn("ada", "s", "Later.") as turn:
            turn.answer("Nice.")

    assert [one.mind for one in memory.unsaved.take()] == ["bob"]
    assert [messages[0][1] for _, messages in stored_turns(tmp_path, "ada")] == ["Later.", "Lost."]


@pytest.mark.parametrize("is_answered", [True, False])
def test_words_that_wait_to_be_stored_are_not_stored_twice_when_they_are_said_again(url, mind, home, is_answered):
    with through_faults(url) as (proxy, way), MemoryClient(way, retry=HASTY) as memory:
        proxy.mode = "reset"
        with pytest.raises(ConnectionError), memory.turn(mind, "s", MOTHER):
            raise ConnectionError
        if not is_answered:
            with pytest.raises(ConnectionError), memory.turn(mind, "s", MOTHER):
                raise ConnectionError
        assert len(memory.unsaved) == 1
        proxy.mode = "pass"
        with memory.turn(mind, "s", MOTHER) as turn:
            turn.answer("Nice.")
        assert len(memory.unsaved) == 0

    assert stored_turns(home, mind) == [("s", [("user", MOTHER), ("assistant", "Nice.")])]


def test_words_that_were_stored_from_the_queue_are_not_stored_again_with_their_answer(url, mind, home):
    with through_faults(url) as (proxy, way), MemoryClient(way, retry=HASTY) as memory:
        proxy.mode = "reset"
        with pytest.raises(ConnectionError), memory.turn(mind, "s", MOTHER):
            raise ConnectionError
        proxy.mode = "pass"
        with memory.turn(mind, "another", "Hello.") as turn:
            turn.answer("Hi.")
        with memory.turn(mind, "s", MOTHER) as turn:
            turn.answer("Nice.")

    said = [messages for session, messages in stored_turns(home, mind) if session == "s"]
    assert said == [[("user", MOTHER)], [("assistant", "Nice.")]]


async def test_words_that_are_just_being_sent_are_not_stored_again_with_their_answer(url, mind, home):
    """Broken: a queued turn is sent while its words are stored with their answer, so they are stored twice."""
    answered = asyncio.Event()
    with through_faults(url) as (proxy, way):
        async with AsyncMemoryClient(way, retry=HASTY) as memory:
            proxy.mode = "reset"
            with pytest.raises(ConnectionError):
                async with memory.turn(mind, "s", MOTHER):
                    raise ConnectionError
            proxy.mode = "pass"

            async def say_it_again():
                async with memory.turn(mind, "s", MOTHER) as turn:
                    turn.answer("Nice.")
                    answered.set()

            sent = memory.unsaved.begin_sending()
            with Resending(memory.unsaved, memory._waiting).sending(sent):
                saying = asyncio.create_task(say_it_again())
                await answered.wait()
                await asyncio.sleep(0.2)  # in which it could be stored
                await memory.resend(sent)
            await saying

    assert stored_turns(home, mind) == [("s", [("user", MOTHER)]), ("s", [("assistant", "Nice.")])]


def test_threads_that_share_a_queue_lose_no_turn(caplog):
    caplog.set_level("CRITICAL")
    queue, number = UnsavedTurns(max_turns=10**6), 5000
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        adding = Thread(target=lambda: [queue(UnsavedTurn("ada", f"t{one}", {})) for one in range(number)])
        adding.start()
        while adding.is_alive():
            queue.put_back(list(queue.take()))
        adding.join()
    finally:
        sys.setswitchinterval(interval)

    assert len(queue) == number


@pytest.mark.parametrize("is_async", [False, True])
async def test_what_waits_is_sent_when_the_client_is_closed(url, mind, home, is_async):
    """Broken: closing it dropped the queue without a word."""
    with through_faults(url) as (proxy, way):
        proxy.mode = "reset"
        if is_async:
            async with AsyncMemoryClient(way, retry=HASTY) as memory:
                async with memory.turn(mind, "s", MOTHER) as turn:
                    turn.answer("Nice.")
                proxy.mode = "pass"
        else:
            with MemoryClient(way, retry=HASTY) as memory:
                with memory.turn(mind, "s", MOTHER) as turn:
                    turn.answer("Nice.")
                proxy.mode = "pass"

    assert stored_turns(home, mind) == [("s", [("user", MOTHER), ("assistant", "Nice.")])]


@pytest.mark.parametrize("is_async", [False, True])
async def test_what_is_left_when_the_client_is_closed_is_logged_and_can_still_be_taken(mind, caplog, is_async):
    patient = RetryPolicy(max_attempts=1_000)  # a close waits no longer than it may, whatever a call may
    memory = (AsyncMemoryClient if is_async else MemoryClient)(NOWHERE, retry=patient)
    memory.unsaved(UnsavedTurn(mind, "t1", {"messages": [user_says(MOTHER)]}))

    await memory.aclose() if is_async else memory.close()

    assert "the client is closed; turns that are not stored, and are in `unsaved`: 1" in caplog.text
    assert [one.turn_id for one in memory.unsaved.take()] == ["t1"]


def test_a_full_queue_loses_the_oldest_turn_and_says_so(caplog):
    queue = UnsavedTurns(1)
    with MemoryClient(NOWHERE, retry=HASTY) as away:
        for words in ("one", "two"):
            with away.turn("ada", "s", words, on_unsaved=queue, turn_id=words):
                pass

    assert [one.turn_id for one in queue.take()] == ["two"]
    assert "turn one is lost" in caplog.text
