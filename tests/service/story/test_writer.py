"""What a run leaves behind: the story, the mind's progress, the list of pending turns, the metrics."""

import asyncio

import pytest

from consolidation.story.chapter_turns import ErasedTurns
from consolidation.story.run import Gathered
from consolidation.story.triggers import Trigger
from tests.support.waiting import until_async

pytestmark = pytest.mark.anyio


async def test_a_run_narrates_what_is_pending_and_the_progress_says_so(stage):
    mind = await stage.store()

    run = await stage.writer.narrate(mind, trigger=Trigger.MANUAL)

    assert (run.error, run.turns, run.narrated) == (None, 1, 1) and mind.story.last_run is run
    assert (mind.story.sequence, mind.story.is_checked, mind.story.failures) == (1, True, 0)
    assert "promised my sister Carla" in mind.workspace.story.read_text()
    assert mind.workspace.pending.read_text() == ""
    assert stage.tally.story_runs["manual", "told"] == 1


async def test_what_fails_is_in_the_run_and_the_turns_stay_pending(stage):
    mind = await stage.store()
    stage.model.is_away = True

    run = await stage.writer.narrate(mind, trigger=Trigger.MANUAL)

    assert run.error == "ModelUnavailable: nobody answers" and mind.story.last_run is run
    assert mind.story.failures == 1 and mind.story.sequence == 0
    assert mind.workspace.pending.read_text().startswith("[1 | ")
    assert stage.tally.story_runs["manual", "failed"] == 1


async def test_a_story_that_can_not_be_written_is_trouble_of_the_disk(stage):
    mind = await stage.store()
    mind.workspace.story.unlink(missing_ok=True)
    mind.workspace.story.mkdir()

    first = await stage.writer.narrate(mind, trigger=Trigger.MANUAL)
    mind.workspace.story.rmdir()
    mind.workspace.history.rmdir() if mind.workspace.history.is_dir() else None
    mind.workspace.history.write_text("in the way")
    second = await stage.writer.narrate(mind, trigger=Trigger.MANUAL)
    trouble = stage.disk.trouble
    mind.workspace.history.unlink()
    third = await stage.writer.narrate(mind, trigger=Trigger.MANUAL)

    assert first.error.startswith("StoryUnreadable") and second.error.startswith("StoryUnwritable")
    assert "can not be read or written" in trouble
    assert third.error is None and stage.disk.trouble is None


async def test_turns_that_are_skipped_are_not_narrated(stage):
    mind = await stage.store()

    run = await stage.writer.skip(mind, trigger=Trigger.MANUAL)

    assert (run.turns, run.narrated, mind.story.sequence) == (1, 0, 1)
    assert "Carla" not in mind.workspace.story.read_text()


async def test_what_is_imported_first_is_narrated_too_and_counted(stage):
    mind = await stage.store()

    async def first():
        await stage.store()
        return Gathered(files=1, turns=1, new=1)

    run = await stage.writer.narrate(mind, trigger=Trigger.GLOBAL_SYNC, first=first)

    assert run.narrated == 2 and run.gathered == Gathered(files=1, turns=1, new=1)


async def test_an_import_that_fails_fails_the_run_and_nothing_else(stage):
    mind = await stage.store()

    async def first():
        raise OSError(5, "the disk is gone")

    run = await stage.writer.narrate(mind, trigger=Trigger.GLOBAL_SYNC, first=first)

    assert "the disk is gone" in run.error and run.disk_failed


async def test_a_run_that_is_stopped_says_so(stage):
    stage.model.go = asyncio.Event()
    mind = await stage.store()
    task = stage.scheduler.begin(mind, trigger=Trigger.MANUAL)
    await until_async(lambda: stage.model.asked)

    await stage.background.stop("ada")

    assert await task is None and mind.story.last_run.error == "stopped before its end"
    assert not mind.story.is_running and stage.tally.story_runs["manual", "stopped"] == 1


async def test_an_error_that_nobody_expected_is_logged_and_seen_in_the_run(stage):
    mind = await stage.store()

    async def first():
        raise ZeroDivisionError

    task = stage.scheduler.begin(mind, trigger=Trigger.MANUAL, first=first)

    assert await task is None and mind.story.last_run.error == "an unexpected error; see the log"


async def test_going_back_makes_the_turns_narrated_since_pending_again(stage):
    mind = await stage.store()
    await stage.writer.narrate(mind, trigger=Trigger.MANUAL)
    version = mind.workspace.story.read_text()
    await stage.store()
    await stage.writer.narrate(mind, trigger=Trigger.MANUAL)

    written = await stage.writer.rewind(mind, version)

    assert written == version == mind.workspace.story.read_text()
    assert mind.story.sequence == 1 and mind.story.pending(mind.transcript.positions).turns == 1
    assert mind.workspace.pending.read_text().startswith("[2 | ")


async def test_an_erased_turn_leaves_its_neighbours_owed_and_they_count_as_pending(stage):
    mind = await stage.store()
    await stage.store()
    await stage.writer.narrate(mind, trigger=Trigger.MANUAL)
    await mind.transcript.erase([1])

    found = await stage.writer.erase(mind, ErasedTurns(frozenset({1}), ("number 1.",)))

    assert (found.chapters, found.owed) == (1, 1)
    assert (mind.story.sequence, mind.story.owed.turns, mind.story.owed.tokens) == (2, 1, 40)
    assert mind.story.pending(mind.transcript.positions).turns == 1
