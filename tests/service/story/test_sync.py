"""What is imported before a story is narrated: each message once, nothing that was erased or off the record."""

import json

import pytest

from consolidation.kernel.errors import InvalidRequest, MindNotFound
from consolidation.kernel.turns import Message, Speaker
from consolidation.story.triggers import Trigger
from tests.service.story.conftest import NOW

pytestmark = pytest.mark.anyio


def user(text, **more):
    return Message(Speaker.USER, text, **more)


def bot(text, **more):
    return Message(Speaker.ASSISTANT, text, **more)


async def ada(stage):
    return await stage.minds.find_or_create("ada")


async def contents(mind):
    return [[one.content for one in stored.turn.messages] for stored in await mind.transcript.after(0, limit=99)]


def write_session(mind, name, *messages):
    mind.workspace.sessions.mkdir(exist_ok=True)
    lines = (json.dumps({"role": one.role.value, "content": one.content}) for one in messages)
    (mind.workspace.sessions / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines))


async def test_each_exchange_of_a_window_becomes_a_turn(stage):
    mind = await ada(stage)

    found = await stage.sync.compact(mind, "s1", [user("I sowed beans."), bot("How many?"), user("Forty."), bot("Oh!")])

    assert (found.new_messages, found.known_messages, len(found.turn_ids)) == (4, 0, 2)
    assert await contents(mind) == [["I sowed beans.", "How many?"], ["Forty.", "Oh!"]]


async def test_messages_that_the_transcript_holds_are_not_stored_again(stage):
    mind = await ada(stage)
    await stage.sync.compact(mind, "s1", [user("I sowed beans."), bot("How many?")])

    found = await stage.sync.compact(mind, "s1", [user("I sowed beans."), bot("How many?"), user("Forty.")])

    assert (found.new_messages, found.known_messages) == (1, 2)
    assert await contents(mind) == [["I sowed beans.", "How many?"], ["Forty."]]


async def test_the_same_words_in_another_session_are_new(stage):
    mind = await ada(stage)
    for session_id in ("s1", "s2"):
        await stage.sync.compact(mind, session_id, [user("Good night!")])

    assert await contents(mind) == [["Good night!"], ["Good night!"]]


async def test_empty_messages_and_exchanges_off_the_record_are_dropped_with_the_reason(stage):
    mind = await ada(stage)
    window = [user("#offtherecord I am ill."), bot("Oh."), user(" "), user("I sowed beans.")]

    found = await stage.sync.compact(mind, "s1", window)

    assert [(one.index, one.reason) for one in found.dropped] == [
        (0, "off_the_record"),
        (1, "off_the_record"),
        (2, "empty"),
    ]
    assert (found.new_messages, found.known_messages) == (1, 0) and await contents(mind) == [["I sowed beans."]]


async def test_what_was_erased_does_not_come_back_with_a_window(stage):
    mind = await ada(stage)
    window = [user("I sowed beans.")]
    await stage.sync.compact(mind, "s1", window)
    await mind.transcript.erase([1])

    found = await stage.sync.compact(mind, "s1", window)

    assert (found.new_messages, found.turn_ids) == (0, ())


async def test_a_time_that_is_far_ahead_refuses_the_window(stage):
    mind = await ada(stage)

    with pytest.raises(InvalidRequest):
        await stage.sync.compact(mind, "s1", [user("I sowed beans.", timestamp=NOW.replace(year=2027))])


async def test_session_files_give_what_is_new_in_them_and_say_what_is_not(stage):
    mind = await ada(stage)
    write_session(mind, "telegram", user("I sowed beans."), bot("How many?"), user("#offtherecord I am ill."))
    first = await stage.sync.import_sessions(mind)
    write_session(mind, "telegram", user("I sowed beans."), bot("How many?"), user("Forty."))
    again = await stage.sync.import_sessions(mind)

    assert (first.files, first.new, first.skipped) == (1, 1, ("telegram.jsonl: 1 messages off the record",))
    assert again.new == 1 and await contents(mind) == [["I sowed beans.", "How many?"], ["Forty."]]
    assert {stored.turn.session_id for stored in await mind.transcript.after(0, limit=9)} == {"telegram"}


async def test_dated_files_are_imported_once_and_todays_is_left_for_later(stage):
    mind = await ada(stage)
    folder = mind.workspace.folder / "memory"
    (folder / "2025-03-04.md").write_text("I booked the night train.\n")
    (folder / f"{NOW:%Y-%m-%d}.md").write_text("I am still writing.\n")

    first, again = [await stage.sync.import_legacy(mind) for _ in range(2)]

    assert (first.files, first.new, again.new) == (1, 1, 0) and "its day is not over" in first.skipped[0]
    assert await contents(mind) == [["I booked the night train."]]


async def test_a_folder_that_a_person_made_is_a_mind_for_imports_from_files_alone(stage):
    (stage.home / "minds/bo").mkdir(parents=True)

    with pytest.raises(MindNotFound):
        await stage.sync.open_mind("bo", trigger=Trigger.MANUAL)
    mind = await stage.sync.open_mind("bo", trigger=Trigger.BOOTSTRAP)

    assert mind.mind_id == "bo"


async def test_at_start_new_session_files_are_narrated_and_known_ones_begin_nothing(stage):
    mind = await ada(stage)
    write_session(mind, "telegram", user("I promised my sister Carla to visit her in Lyon in March."))
    await stage.sync.import_at_start()
    await stage.idle(mind)
    run = mind.story.last_run
    await stage.sync.import_at_start()

    assert run.trigger == Trigger.GLOBAL_SYNC and run.narrated == 1
    assert not mind.story.is_running and mind.story.last_run is run
