"""What a run leaves behind: the story, the mind's progress, the list of pending turns, the metrics."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from consolidation.kernel.sharing_errors import NotInCustody
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


class Custodian:
    """Of a home that several services share; another one disturbs so many runs."""

    def __init__(self, disturbed):
        self.disturbed, self.runs, self.is_narrating = disturbed, 0, False

    @asynccontextmanager
    async def narrating(self, mind_id, *, waits):
        assert mind_id == "ada"
        self.runs += 1
        waits()
        self.is_narrating = True
        yield
        self.is_narrating = False

    async def gather(self):
        assert self.is_narrating
        if self.runs <= self.disturbed:
            raise NotInCustody("another process works on 'ada' now")
        return Gathered()


@pytest.mark.parametrize(("disturbed", "runs", "narrated"), [(0, 1, 1), (2, 3, 1), (9, 3, 0)])
async def test_a_run_that_another_service_disturbs_begins_anew_some_times(stage, disturbed, runs, narrated):
    mind = await stage.store()
    stage.minds.custodian = custodian = Custodian(disturbed)

    run = await stage.writer.narrate(mind, trigger=Trigger.MANUAL, first=custodian.gather)

    assert (custodian.runs, run.narrated, run.error is None) == (runs, narrated, narrated == 1)
    assert mind.story.last_run == run


async def test_a_run_behind_that_of_another_service_says_why_it_had_nothing_to_tell(stage):
    mind = await stage.store()
    await stage.writer.narrate(mind, trigger=Trigger.MANUAL)
    stage.minds.custodian = Custodian(disturbed=0)  # whose other service is at a run when it is asked

    run = await stage.writer.narrate(mind, trigger=Trigger.MANUAL)

    assert (run.turns, run.error) == (0, None)
    assert "another service" in run.reason


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
