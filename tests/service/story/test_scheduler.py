"""When a run is due, and what a sweep finds."""

import asyncio
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from consolidation.story.ledger import read_ledger, write_ledger
from consolidation.story.triggers import Trigger
from service.mind.mind_gate import Paused
from tests.service.story.conftest import staged
from tests.support.waiting import until_async

pytestmark = pytest.mark.anyio


def trigger_of(mind):
    return mind.story.last_run.trigger if mind.story.last_run is not None else None


async def test_enough_pending_tokens_begin_a_run_and_fewer_do_not(stage):
    mind, first = await stage.store_and_notice(tokens=40)
    _, second = await stage.store_and_notice(tokens=40)
    before = mind.story.is_running
    _, third = await stage.store_and_notice(tokens=40)
    await stage.idle(mind)

    assert (first, second, third) == (40, 80, 120) and not before
    assert trigger_of(mind) == Trigger.THRESHOLD and mind.story.last_run.narrated == 3
    assert mind.story.pending(mind.transcript.positions).tokens == 0


async def test_a_quiet_mind_is_narrated_however_little_is_pending(stage):
    mind, _ = await stage.store_and_notice(tokens=1)
    stage.pass_time(599)
    await stage.scheduler.look("ada")
    early = mind.story.is_running
    stage.pass_time(1)
    await stage.scheduler.look("ada")
    await stage.idle(mind)

    assert not early and trigger_of(mind) == Trigger.IDLE


async def test_a_sweep_finds_turns_of_which_nobody_was_told(stage):
    mind = await stage.store(tokens=500)
    assert not mind.story.is_running

    await stage.scheduler.look("ada")
    await stage.idle(mind)

    assert mind.story.last_run.narrated == 1


async def test_what_an_erasure_left_to_be_told_again_is_told_at_the_next_start(tmp_path):
    """Broken: ``look`` waits until the mind is quiet, as for any other turn."""
    async with staged(tmp_path) as stage:
        mind = await stage.store(tokens=1)
        await stage.writer.narrate(mind, trigger=Trigger.MANUAL)
        story, ledger = mind.workspace.story, read_ledger(mind.workspace.published)
        story.write_text("".join(f"{line}\n" for line in story.read_text().splitlines() if line.startswith("<!--")))
        write_ledger(mind.workspace.published, replace(ledger, owed=frozenset({1})))  # and then the service was killed

    async with staged(tmp_path) as again:
        await again.scheduler.look("ada")
        mind = await again.minds.find("ada")
        assert mind.story.is_running
        await again.idle(mind)

        assert mind.story.last_run.narrated == 1
        assert read_ledger(mind.workspace.published).owed == frozenset()


async def test_where_nothing_is_pending_a_sweep_begins_nothing(stage):
    mind = await stage.store(tokens=500)
    await stage.scheduler.look("ada")
    await stage.idle(mind)
    stage.pass_time(10_000)
    run = mind.story.last_run

    await stage.scheduler.look("ada")

    assert not mind.story.is_running and mind.story.last_run is run


async def test_turns_that_are_stored_during_a_run_begin_the_next_one(stage):
    stage.model.go = asyncio.Event()
    mind, _ = await stage.store_and_notice(tokens=500)
    await until_async(lambda: stage.model.asked)
    await stage.store_and_notice(tokens=500)
    assert mind.story.runs == 1  # none begins beside it

    stage.model.go.set()
    await until_async(lambda: mind.story.sequence == 2)


async def test_a_run_that_is_asked_for_waits_for_the_one_under_way(stage):
    stage.model.go = asyncio.Event()
    mind, _ = await stage.store_and_notice(tokens=500)
    await until_async(lambda: stage.model.asked)
    second = stage.scheduler.begin(mind, trigger=Trigger.MANUAL)
    await asyncio.sleep(0.05)
    shown = mind.story.last_run
    stage.model.go.set()

    assert (mind.story.runs, shown.trigger) == (2, Trigger.THRESHOLD)
    assert (await second).narrated == 0 and stage.model.asked == 1  # nothing is narrated twice


async def test_after_a_failure_a_run_waits_twice_as_long_each_time(stage):
    stage.model.is_away = True
    mind, _ = await stage.store_and_notice(tokens=500)
    await stage.idle(mind)
    tries = []
    for seconds in range(10, 1_000, 10):
        stage.pass_time(10)
        asked = stage.model.asked
        await stage.scheduler.look("ada")
        await stage.idle(mind)
        tries += [seconds] if stage.model.asked > asked else []

    assert tries == [60, 180, 420, 900]
    assert mind.story.failures == 1 + len(tries) and mind.story.pending(mind.transcript.positions).turns == 1


async def test_a_success_ends_the_waiting(stage):
    stage.model.is_away = True
    mind, _ = await stage.store_and_notice(tokens=500)
    await stage.idle(mind)
    stage.model.is_away = False
    stage.pass_time(60)
    await stage.scheduler.look("ada")
    await stage.idle(mind)

    assert mind.story.failures == 0 and mind.story.sequence == 1


async def test_a_mind_that_can_not_be_read_is_logged_once_and_stops_no_sweep(stage):
    mind = await stage.store("ada", tokens=500)
    mind.workspace.story.unlink(missing_ok=True)
    mind.workspace.story.mkdir()
    other = await stage.store("bo", tokens=500)

    with capture_logs() as logged:
        for mind_id in ("ada", "ada", "bo"):
            await stage.scheduler.look(mind_id)
        await stage.idle(other)

    assert other.story.sequence == 1 and not mind.story.is_checked
    assert [one["mind_id"] for one in logged if one["event"] == "story.unreadable"] == ["ada"]


async def test_while_a_mind_is_paused_its_run_waits(stage):
    mind = await stage.store(tokens=500)
    stage.minds.gate.set_paused("ada", Paused.ALL)
    task = stage.scheduler.begin(mind, trigger=Trigger.MANUAL)
    await asyncio.sleep(0.05)
    held = (mind.story.runs, stage.model.asked)
    stage.minds.gate.set_paused("ada", Paused.NOTHING)

    assert held == (1, 0) and (await task).narrated == 1


async def test_nothing_begins_once_the_service_is_stopping(stage):
    mind = await stage.store(tokens=500)
    stage.background._stopping.set()

    stage.scheduler.begin_if_due(mind)

    assert not mind.story.is_running
