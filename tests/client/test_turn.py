"""`with memory.turn(…)`: what the model sees, what is stored, and what happens to both when something fails."""

import asyncio
from types import SimpleNamespace

import anyio
import pytest
from mind_memory_client import (
    AsyncMemoryClient,
    MemoryClient,
    Resonance,
    RetryPolicy,
    TurnUnsaved,
    UnsavedTurns,
)

from tests.client.conftest import ASKS, MOTHER, stored_turns, through_faults, user_says

pytestmark = pytest.mark.anyio

NOWHERE = "http://127.0.0.1:9"
HASTY = RetryPolicy(max_attempts=1, total_seconds=10)
ANSWER = {"role": "assistant", "content": "Hello!"}


def answered(content, *, home, mind):
    """Whether the last stored turn is this question with *content* as its answer."""
    return stored_turns(home, mind)[-1] == ("later", [("user", ASKS), ("assistant", content)])


def test_the_model_sees_what_surfaced_and_what_was_said_is_stored(memory, told_mind, home):
    history = [{"role": "system", "content": "Be brief."}, user_says("Hello?"), ANSWER, user_says(ASKS)]

    with memory.turn(told_mind, "later", history, deadline_ms=0) as turn:
        turn.answer("In Lyon.")

    assert MOTHER in turn.block
    assert [one["role"] for one in turn.messages] == ["system", "user", "assistant", "system", "user"]
    assert turn.messages[0]["content"].startswith("Be brief.\n\n[MY MEMORY]")
    assert turn.messages[3]["content"] == turn.block
    assert answered("In Lyon.", home=home, mind=told_mind)
    assert (turn.stored.turn_id, turn.unsaved) == (turn.turn_id, None)


async def test_the_awaited_turn_does_the_same(url, told_mind, home):
    async with AsyncMemoryClient(url) as memory, memory.turn(told_mind, "later", ASKS, deadline_ms=0) as turn:
        turn.answer({"role": "assistant", "content": "In Lyon."})

    assert MOTHER in turn.flashbacks[0].raw
    assert answered("In Lyon.", home=home, mind=told_mind)


def test_a_streamed_answer_is_stored_whole_or_as_far_as_it_came(memory, told_mind, home):
    with memory.turn(told_mind, "later", ASKS) as turn:
        for piece in ("In ", None, "Lyon."):
            turn.add(piece)
    assert answered("In Lyon.", home=home, mind=told_mind)

    with pytest.raises(ConnectionError), memory.turn(told_mind, "later", ASKS) as turn:
        turn.add("In Ly")
        raise ConnectionError
    assert answered("In Ly", home=home, mind=told_mind)


def chunk(**delta):
    return SimpleNamespace(choices=[SimpleNamespace(delta=SimpleNamespace(**delta))])


def test_chunks_of_an_sdk_are_pieces_and_anything_else_is_refused_at_once(memory, mind, home):
    """Broken: chunks are joined as texts when the turn ends, and all of it is lost."""
    pieces = (
        chunk(content="In "),
        chunk(content=None),
        SimpleNamespace(choices=[]),
        {"choices": [{"delta": {"content": "Ly"}}]},
        SimpleNamespace(type="content_block_delta", delta=SimpleNamespace(type="text_delta", text="on")),
        SimpleNamespace(type="message_stop"),
        {"type": "response.output_text.delta", "delta": "."},
    )
    with memory.turn(mind, "s", ASKS) as turn:
        for piece in pieces:
            turn.add(piece)
    with pytest.raises(TypeError, match="not of the type int"), memory.turn(mind, "s", MOTHER) as turn:
        turn.add(7)

    assert stored_turns(home, mind) == [
        ("s", [("user", ASKS), ("assistant", "In Lyon.")]),
        ("s", [("user", MOTHER)]),
    ]


def test_when_the_model_fails_the_users_words_are_stored_and_not_again_with_a_later_answer(memory, mind, home):
    with pytest.raises(ConnectionError), memory.turn(mind, "s", MOTHER):
        raise ConnectionError
    assert stored_turns(home, mind) == [("s", [("user", MOTHER)])]

    with memory.turn(mind, "s", [user_says(MOTHER), user_says(ASKS)]) as turn:
        turn.answer("In Lyon.")
    with memory.turn(mind, "s", MOTHER) as turn:
        turn.answer("I know.")

    assert stored_turns(home, mind)[1:] == [
        ("s", [("user", ASKS), ("assistant", "In Lyon.")]),
        ("s", [("user", MOTHER), ("assistant", "I know.")]),
    ]


@pytest.mark.parametrize("is_away", [False, True])
def test_words_beside_a_part_of_an_answer_are_not_stored_again_with_the_whole_one(url, mind, home, is_away):
    with through_faults(url) as (proxy, way), MemoryClient(way, retry=HASTY) as memory:
        proxy.mode = "reset" if is_away else "pass"
        with pytest.raises(ConnectionError), memory.turn(mind, "s", MOTHER) as turn:
            turn.add("How of")
            raise ConnectionError
        proxy.mode = "pass"
        with memory.turn(mind, "s", MOTHER) as turn:
            turn.answer("Nice.")
        with memory.turn(mind, "s", MOTHER) as turn:
            turn.answer("I know.")

    assert sorted(stored_turns(home, mind)) == [
        ("s", [("assistant", "Nice.")]),
        ("s", [("user", MOTHER), ("assistant", "How of")]),
        ("s", [("user", MOTHER), ("assistant", "I know.")]),
    ]


def test_words_that_are_said_anew_after_a_part_of_an_answer_are_stored_again(memory, mind, home):
    with pytest.raises(ConnectionError), memory.turn(mind, "s", "Go on.") as turn:
        turn.add("Once there")
        raise ConnectionError
    with memory.turn(
        mind, "s", [user_says("Go on."), {"role": "assistant", "content": "Once there"}, user_says("Go on.")]
    ) as turn:
        turn.answer("was a king.")

    assert stored_turns(home, mind)[1:] == [("s", [("user", "Go on."), ("assistant", "was a king.")])]


@pytest.mark.parametrize("is_away", [False, True])
@pytest.mark.parametrize("part", ["", "How of"])
def test_words_off_the_record_are_stored_when_they_are_said_on_it(url, mind, home, is_away, part):
    with through_faults(url) as (proxy, way), MemoryClient(way, retry=HASTY) as memory:
        proxy.mode = "reset" if is_away else "pass"
        with pytest.raises(ConnectionError), memory.turn(mind, "s", MOTHER, off_the_record=True) as turn:
            turn.add(part)
            raise ConnectionError
        proxy.mode = "pass"
        with memory.turn(mind, "another", ASKS) as turn:
            turn.answer("In Lyon.")
        with memory.turn(mind, "s", MOTHER) as turn:
            turn.answer("Nice.")

    assert stored_turns(home, mind)[-1] == ("s", [("user", MOTHER), ("assistant", "Nice.")])


async def test_a_turn_whose_caller_is_cancelled_is_stored(url, mind, home):
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

    assert stored_turns(home, mind) == [("s", [("user", MOTHER), ("assistant", "How of")])]


def test_a_chat_goes_on_without_memory_and_the_turn_is_handed_to_the_caller(memory, mind, home):
    queue = UnsavedTurns()
    with MemoryClient(NOWHERE, retry=HASTY) as away, away.turn(mind, "s", MOTHER, on_unsaved=queue) as turn:
        assert turn.messages == [user_says(MOTHER)]
        turn.answer("Nice.")

    assert turn.resonance.degraded == ("memory_unavailable",)
    (unsaved,) = queue.take()
    assert [memory.resend(unsaved).duplicate for _ in range(2)] == [False, True]
    assert stored_turns(home, mind) == [("s", [("user", MOTHER), ("assistant", "Nice.")])]
    assert len(queue) == 0


def test_a_turn_that_can_not_be_stored_is_raised_with_all_its_words(mind):
    with MemoryClient(NOWHERE, retry=HASTY) as away, pytest.raises(TurnUnsaved) as caught:
        with away.turn(mind, "s", MOTHER, on_unsaved="raise") as turn:
            turn.answer("Nice.")

    assert [one["content"] for one in caught.value.unsaved.body["messages"]] == [MOTHER, "Nice."]
    assert turn.unsaved is caught.value.unsaved


@pytest.mark.parametrize("is_cancelled_by_scope", [True, False])
async def test_a_turn_whose_caller_is_cancelled_while_it_is_stored_is_not_lost(url, mind, home, is_cancelled_by_scope):
    with through_faults(url) as (proxy, way):
        async with AsyncMemoryClient(way, retry=HASTY) as memory:
            answered = asyncio.Event()

            async def chat():
                async with memory.turn(mind, "s", MOTHER) as turn:
                    turn.answer("Nice.")
                    proxy.mode = "slow"
                    answered.set()

            if is_cancelled_by_scope:
                async with anyio.create_task_group() as group:
                    group.start_soon(chat)
                    await answered.wait()
                    await asyncio.sleep(0)
                    group.cancel_scope.cancel()
            else:
                task = asyncio.create_task(chat())
                await answered.wait()
                await asyncio.sleep(0)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            proxy.mode = "pass"
            for unsaved in memory.unsaved.take():
                await memory.resend(unsaved)

    assert stored_turns(home, mind) == [("s", [("user", MOTHER), ("assistant", "Nice.")])]


async def test_the_callers_own_error_is_raised_when_the_turn_can_not_be_stored_either(mind):
    with MemoryClient(NOWHERE, retry=HASTY) as away, pytest.raises(KeyError), away.turn(mind, "s", MOTHER) as turn:
        raise KeyError
    assert turn.unsaved is not None

    async with AsyncMemoryClient(NOWHERE, retry=HASTY) as away:
        with pytest.raises(KeyError):
            async with away.turn(mind, "s", MOTHER) as turn:
                raise KeyError
    assert turn.unsaved is not None


def test_a_turn_whose_answer_is_lost_and_that_is_resent_is_stored_once(url, memory, mind, home):
    queue = UnsavedTurns()
    with through_faults(url) as (proxy, way), MemoryClient(way, retry=HASTY) as faulty:
        with faulty.turn(mind, "s", MOTHER, on_unsaved=queue) as turn:
            turn.answer("Nice.")
            proxy.mode = "lost"

    assert memory.resend(queue.take()[0]).sequence == 1
    assert len(stored_turns(home, mind)) == 1


@pytest.mark.parametrize("mode", ["pass", "lost"])
def test_a_turn_of_the_callers_own_id_that_is_made_again_is_stored_once(url, mind, home, caplog, mode):
    """Broken: each time it got other times, so it was another turn under a used id: 409."""
    with through_faults(url) as (proxy, way), MemoryClient(way, retry=HASTY) as memory:
        for at in range(2):
            with memory.turn(mind, "s", MOTHER, turn_id="msg-17") as turn:
                turn.answer("Nice.")
                proxy.mode = "pass" if at else mode
            proxy.mode = "pass"

    assert turn.stored.duplicate
    assert stored_turns(home, mind) == [("s", [("user", MOTHER), ("assistant", "Nice.")])]
    assert "is lost" not in caplog.text


def test_what_became_of_a_flashback_is_reported_with_the_turn(memory, told_mind):
    with memory.turn(told_mind, "later", ASKS, deadline_ms=0) as turn:
        turn.answer("In Lyon.")
        turn.outcome(turn.flashbacks[0].id, "deferred")

    trace = memory.trace(told_mind, trace_id=turn.resonance.trace_id)
    assert (turn.stored.outcomes.applied, turn.stored.outcomes.unknown) == (1, ())
    assert [(one["id"], one["outcome"]) for one in trace["outcomes"]] == [(turn.flashbacks[0].id, "deferred")]


def test_what_became_of_all_that_surfaced_is_reported_in_a_word(memory, told_mind):
    found = memory.resonance(told_mind, "another", [user_says(ASKS)], deadline_ms=0)

    applied = memory.report_outcomes(found, "dismissed")
    by_hand = memory.report_outcomes(told_mind, {found.flashbacks[0].id: "acted", "fact:none": "used"})
    silence = memory.report_outcomes(Resonance.silent(told_mind, [], why="…"), "acted")

    assert (applied.applied, applied.unknown) == (len(found.flashbacks), ())
    assert (by_hand.applied, by_hand.unknown) == (1, ("fact:none",))
    assert silence.applied == 0
    assert memory.mind(told_mind).outcomes["dismissed"] == len(found.flashbacks)


def test_a_message_without_words_is_not_stored(memory, mind):
    picture = user_says([{"type": "image_url", "image_url": {"url": "data:,"}}])

    with memory.turn(mind, "s", [picture]) as turn:
        turn.answer("")

    assert (turn.messages, turn.stored) == ([picture], None)


def test_off_the_record_nothing_is_stored(memory, mind, home):
    with memory.turn(mind, "s", MOTHER, off_the_record=True) as turn:
        turn.answer("Nice.")

    assert turn.stored is not None
    assert "Lyon" not in str(stored_turns(home, mind))
