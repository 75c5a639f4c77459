"""`with memory.turn(…)`: what the model sees, what is kept, and what of it when something fails on the way."""

import asyncio

import pytest

from mind_memory_client import AsyncMemoryClient, MemoryClient, Patience, Shelf, TurnUnsaved
from tests.client.conftest import ASKS, MOTHER, kept, said, through_faults

pytestmark = pytest.mark.anyio

NOWHERE = "http://127.0.0.1:9"
HASTY = Patience(attempts=1, seconds=2)
ANSWER = {"role": "assistant", "content": "Hello!"}


def answered(content, *, home, mind):
    """The last turn that is kept."""
    return kept(home, mind)[-1] == ("later", [("user", ASKS), ("assistant", content)])


def test_the_model_sees_what_surfaced_and_what_was_said_is_kept(memory, told, home):
    history = [{"role": "system", "content": "Be brief."}, said("Hello?"), ANSWER, said(ASKS)]

    with memory.turn(told, "later", history, deadline_ms=0) as turn:
        turn.answer("In Lyon.")

    assert MOTHER in turn.block
    assert [one["role"] for one in turn.messages] == ["system", "user", "assistant", "system", "user"]
    assert turn.messages[0]["content"].startswith("Be brief.\n\n[MY MEMORY]")
    assert turn.messages[3]["content"] == turn.block
    assert answered("In Lyon.", home=home, mind=told)
    assert (turn.kept.turn_id, turn.unsaved) == (turn.turn_id, None)


async def test_the_awaited_turn_does_the_same(url, told, home):
    async with AsyncMemoryClient(url) as memory, memory.turn(told, "later", ASKS, deadline_ms=0) as turn:
        turn.answer({"role": "assistant", "content": "In Lyon."})

    assert MOTHER in turn.flashbacks[0].raw
    assert answered("In Lyon.", home=home, mind=told)


def test_an_answer_that_streams_is_kept_whole_and_when_it_breaks_as_far_as_it_came(memory, told, home):
    with memory.turn(told, "later", ASKS) as turn:
        for piece in ("In ", None, "Lyon."):
            turn.add(piece)
    assert answered("In Lyon.", home=home, mind=told)

    with pytest.raises(ConnectionError), memory.turn(told, "later", ASKS) as turn:
        turn.add("In Ly")
        raise ConnectionError
    assert answered("In Ly", home=home, mind=told)


def test_when_the_model_fails_the_users_words_are_kept_and_once_though_they_are_answered_later(memory, mind, home):
    with pytest.raises(ConnectionError), memory.turn(mind, "s", MOTHER):
        raise ConnectionError
    assert kept(home, mind) == [("s", [("user", MOTHER)])]

    with memory.turn(mind, "s", [said(MOTHER), said(ASKS)]) as turn:
        turn.answer("In Lyon.")
    with memory.turn(mind, "s", MOTHER) as turn:
        turn.answer("I know.")

    assert kept(home, mind)[1:] == [
        ("s", [("user", ASKS), ("assistant", "In Lyon.")]),
        ("s", [("user", MOTHER), ("assistant", "I know.")]),
    ]


async def test_a_turn_whose_caller_is_cancelled_is_kept(url, mind, home):
    entered = asyncio.Event()

    async def chat(memory):
        async with memory.turn(mind, "s", MOTHER) as turn:
            turn.add("How of")
            entered.set()
            await asyncio.Event().wait()

    async with AsyncMemoryClient(url) as memory:
        task = asyncio.create_task(chat(memory))
        await entered.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert kept(home, mind) == [("s", [("user", MOTHER), ("assistant", "How of")])]


def test_a_chat_goes_on_without_its_memory_and_the_turn_is_handed_over(memory, mind, home):
    shelf = Shelf()
    with MemoryClient(NOWHERE, patience=HASTY) as away, away.turn(mind, "s", MOTHER, on_unsaved=shelf) as turn:
        assert turn.messages == [said(MOTHER)]
        turn.answer("Nice.")

    assert turn.resonance.degraded == ("memory_unavailable",)
    (unsaved,) = shelf.take()
    assert [memory.send(unsaved.call).duplicate for _ in range(2)] == [False, True]
    assert kept(home, mind) == [("s", [("user", MOTHER), ("assistant", "Nice.")])]
    assert len(shelf) == 0


def test_a_turn_that_can_not_be_kept_is_raised_with_all_that_was_said(mind):
    with MemoryClient(NOWHERE, patience=HASTY) as away, pytest.raises(TurnUnsaved) as caught:
        with away.turn(mind, "s", MOTHER) as turn:
            turn.answer("Nice.")

    assert [one["content"] for one in caught.value.unsaved.body["messages"]] == [MOTHER, "Nice."]
    assert turn.unsaved is caught.value.unsaved


async def test_the_callers_own_error_is_what_is_raised_when_the_turn_can_not_be_kept_either(mind):
    with MemoryClient(NOWHERE, patience=HASTY) as away, pytest.raises(KeyError), away.turn(mind, "s", MOTHER) as turn:
        raise KeyError
    assert turn.unsaved is not None

    async with AsyncMemoryClient(NOWHERE, patience=HASTY) as away:
        with pytest.raises(KeyError):
            async with away.turn(mind, "s", MOTHER) as turn:
                raise KeyError
    assert turn.unsaved is not None


def test_a_turn_that_is_lost_on_the_way_and_sent_again_by_hand_is_kept_once(url, memory, mind, home):
    shelf = Shelf()
    with through_faults(url) as (proxy, way), MemoryClient(way, patience=HASTY) as faulty:
        with faulty.turn(mind, "s", MOTHER, on_unsaved=shelf) as turn:
            turn.answer("Nice.")
            proxy.mode = "lost"

    assert memory.send(shelf.take()[0].call).sequence == 1
    assert len(kept(home, mind)) == 1


def test_what_became_of_a_flashback_goes_with_the_turn(memory, told, home):
    with memory.turn(told, "later", ASKS, deadline_ms=0) as turn:
        turn.answer("In Lyon.")
        turn.outcome(turn.flashbacks[0].id, "used")

    line = sorted((home / "minds" / told / "transcript").glob("*.jsonl"))[-1].read_text().splitlines()[-1]
    assert turn.resonance.trace_id in line
    assert '"used"' in line


def test_a_message_without_words_is_the_models_alone(memory, mind):
    picture = said([{"type": "image_url", "image_url": {"url": "data:,"}}])

    with memory.turn(mind, "s", [picture]) as turn:
        turn.answer("")

    assert (turn.messages, turn.kept) == ([picture], None)


def test_off_the_record_nothing_is_kept(memory, mind, home):
    with memory.turn(mind, "s", MOTHER, off_the_record=True) as turn:
        turn.answer("Nice.")

    assert turn.kept is not None
    assert "Lyon" not in str(kept(home, mind))


def test_a_shelf_lets_go_of_the_oldest_and_says_so(caplog):
    shelf = Shelf(1)
    with MemoryClient(NOWHERE, patience=HASTY) as away:
        for words in ("one", "two"):
            with away.turn("ada", "s", words, on_unsaved=shelf, turn_id=words):
                pass

    assert [one.turn_id for one in shelf.take()] == ["two"]
    assert "turn one is let go" in caplog.text
