"""How a lane is run: what wakes it, what it does after a failure, what holds it, and what it wakes in turn."""

import asyncio
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

from consolidation.kernel.errors import EmbedderUnavailable, GraphUnavailable, HomeFault
from consolidation.kernel.sharing_errors import Fenced
from service.ingest.lane import LaneRunner
from service.ingest.lane_telemetry import LaneTelemetry
from service.mind.health import Health, LaneName
from service.mind.mind_gate import MindGate, Paused
from service.observability.counters import Tally
from service.observability.dependency_health import Dependency
from service.ports.spans import NoopSpans
from service.runtime.background import Background
from service.runtime.foreground import Foreground

pytestmark = pytest.mark.anyio

FOR_EVER = 3_600


class ScriptedLane:
    """A lane that does what its script says: a bool is returned, an error raised, an event waited for."""

    def __init__(self, *script, name=LaneName.SAVING, uses_graph=True):
        self.name = name
        self.uses_graph = uses_graph
        self.script = list(script)
        self.steps = []

    async def step(self, mind):
        self.steps.append(mind.mind_id)
        act = self.script.pop(0) if self.script else False
        if isinstance(act, asyncio.Event):
            await act.wait()
            return False
        if isinstance(act, Exception):
            raise act
        return act


class Pauses:
    """A backoff that always asks for the same pause, and says how often it was asked and reset."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.asked = self.resets = 0

    def next_seconds(self):
        self.asked += 1
        return self.seconds

    def reset(self):
        self.resets += 1


def mind_called(mind_id):
    disk = Dependency("disk", monotonic=lambda: 0.0, recovered=lambda: None)
    return SimpleNamespace(mind_id=mind_id, health=Health(), disk=disk)


@asynccontextmanager
async def runner_of(lane, *, pause_seconds=0.0, following=None, gate=None, foreground=None):
    pauses, tally = Pauses(pause_seconds), Tally()
    telemetry = LaneTelemetry(tally=tally, spans=NoopSpans(), monotonic=lambda: 0.0)
    async with Background(drain_seconds=0) as background:
        runner = LaneRunner(
            lane,
            following=following,
            gate=gate or MindGate(),
            background=background,
            foreground=foreground or Foreground(),
            telemetry=telemetry,
            new_backoff=lambda: pauses,
        )
        runner.pauses, runner.tally, runner.background = pauses, tally, background
        yield runner


async def until_idle(runner):
    while runner.background._tasks:
        await asyncio.wait(set(runner.background._tasks))


async def test_a_woken_lane_takes_steps_until_there_is_no_more_to_do():
    lane = ScriptedLane(True, True, False)
    async with runner_of(lane) as runner:
        runner.wake(mind_called("ada"))
        await until_idle(runner)

    assert lane.steps == ["ada"] * 3


async def test_a_lane_that_is_woken_while_it_works_looks_again_before_it_sleeps():
    finishes, ada = asyncio.Event(), mind_called("ada")
    lane = ScriptedLane(finishes)
    async with runner_of(lane) as runner:
        runner.wake(ada)
        await asyncio.sleep(0)
        runner.wake(ada)
        runner.wake(ada)
        finishes.set()
        await until_idle(runner)

    assert lane.steps == ["ada", "ada"]


async def test_each_step_that_worked_wakes_the_next_lane_and_one_that_failed_does_not():
    following = ScriptedLane(name=LaneName.EXTRACTING)
    async with runner_of(following) as next_runner:
        lane = ScriptedLane(GraphUnavailable("away"), True, False)
        woken = []
        next_runner.wake = lambda _: woken.append(len(lane.steps))
        async with runner_of(lane, following=next_runner) as runner:
            runner.wake(mind_called("ada"))
            await until_idle(runner)

    assert woken == [2, 3]


async def test_a_provider_that_asks_to_be_left_alone_is_whatever_else_works_again():
    loop, times = asyncio.get_running_loop(), []
    fault = EmbedderUnavailable("at its limit")
    fault.retry_after = 0.3
    lane = ScriptedLane(fault, False)
    async with runner_of(lane) as runner:
        take_step = lane.step
        lane.step = lambda mind: (times.append(loop.time()), take_step(mind))[1]
        runner.wake(mind_called("ada"))
        while not lane.steps:
            await asyncio.sleep(0)
        runner.retry_now()
        await until_idle(runner)

    assert len(times) == 2
    assert times[1] - times[0] > 0.29


@pytest.mark.parametrize("error", [GraphUnavailable("away"), ValueError("nobody foresaw this")])
async def test_a_step_that_fails_of_whatever_is_tried_again_and_says_meanwhile_why(error):
    finishes, ada = asyncio.Event(), mind_called("ada")
    lane = ScriptedLane(error, error, finishes)
    async with runner_of(lane) as runner:
        runner.wake(ada)
        while len(lane.steps) < 3:
            await asyncio.sleep(0)
        waiting_for = ada.health.waiting_for
        finishes.set()
        await until_idle(runner)

    assert waiting_for.startswith(type(error).__name__)
    assert ("nobody" in waiting_for) is False  # an unforeseen error may quote anybody
    assert ada.health.waiting_for is None
    assert (runner.pauses.asked, runner.pauses.resets, runner.tally.lane_failures["saving"]) == (2, 1, 2)


async def test_a_lane_ends_where_another_service_has_claimed_the_mind_and_begins_again_when_it_is_woken():
    """Broken: it tries again after each pause, for as long as the other one has the mind."""
    ada = mind_called("ada")
    lane = ScriptedLane(True, Fenced("claimed"), False)
    async with runner_of(lane) as runner:
        runner.wake(ada)
        await until_idle(runner)
        steps, asked = list(lane.steps), runner.pauses.asked
        runner.wake(ada)
        await until_idle(runner)

    assert (len(steps), asked, len(lane.steps)) == (2, 0, 3)
    assert (ada.health.waiting_for, runner.tally.lane_failures["saving"]) == (None, 0)


async def test_a_dependency_that_works_again_ends_the_pause():
    ada = mind_called("ada")
    lane = ScriptedLane(GraphUnavailable("away"), False)
    async with runner_of(lane, pause_seconds=FOR_EVER) as runner:
        runner.wake(ada)
        while not runner.pauses.asked:
            await asyncio.sleep(0)
        runner.retry_now()
        await until_idle(runner)

    assert lane.steps == ["ada", "ada"]


async def test_what_works_again_during_the_step_that_still_fails_of_it_ends_the_pause_as_well():
    class FailsLate(ScriptedLane):
        async def step(self, mind):
            if not self.steps:
                runner.retry_now()
            return await super().step(mind)

    lane = FailsLate(GraphUnavailable("away"), False)
    async with runner_of(lane, pause_seconds=FOR_EVER) as runner:
        runner.wake(mind_called("ada"))
        await until_idle(runner)

    assert lane.steps == ["ada", "ada"]


async def test_one_mind_that_fails_does_not_stop_another():
    lane = ScriptedLane(GraphUnavailable("away"))
    async with runner_of(lane, pause_seconds=FOR_EVER) as runner:
        runner.wake(mind_called("ada"))
        await asyncio.sleep(0)
        runner.wake(mind_called("bob"))
        while "bob" not in lane.steps:
            await asyncio.sleep(0)

    assert lane.steps == ["ada", "bob"]


@pytest.mark.parametrize(
    ("hold", "uses_graph", "runs"),
    [(Paused.ALL, True, False), (Paused.ALL, False, False), (Paused.GRAPH, True, False), (Paused.GRAPH, False, True)],
)
async def test_a_mind_on_hold_is_not_worked_on(hold, uses_graph, runs):
    gate, lane = MindGate(), ScriptedLane(uses_graph=uses_graph)
    gate.set_paused("ada", hold)
    async with runner_of(lane, gate=gate) as runner:
        runner.wake(mind_called("ada"))
        runner.wake(mind_called("bob"))
        await until_idle(runner)

    assert sorted(lane.steps) == (["ada", "bob"] if runs else ["bob"])


async def test_what_is_under_way_for_a_suspended_mind_is_given_up_and_not_begun_before_it_is_resumed():
    ada = mind_called("ada")
    lane = ScriptedLane(asyncio.Event())
    async with runner_of(lane) as runner:
        runner.wake(ada)
        await asyncio.sleep(0)
        runner.suspend("ada")
        await runner.give_up("ada")
        runner.wake(ada)
        assert lane.steps == ["ada"]
        runner.resume("ada")
        runner.wake(ada)
        await until_idle(runner)

    assert lane.steps == ["ada", "ada"]


async def test_a_job_that_is_suspended_before_it_began_keeps_no_later_one_from_beginning():
    ada, lane = mind_called("ada"), ScriptedLane()
    async with runner_of(lane) as runner:
        runner.wake(ada)
        runner.suspend("ada")
        await runner.give_up("ada")
        runner.resume("ada")
        runner.wake(ada)
        await until_idle(runner)

    assert lane.steps == ["ada"]


async def test_a_disk_that_refuses_is_trouble_of_the_disk_until_the_step_works():
    ada, finishes = mind_called("ada"), asyncio.Event()
    lane = ScriptedLane(HomeFault("read-only"), finishes)
    async with runner_of(lane) as runner:
        runner.wake(ada)
        while len(lane.steps) < 2:
            await asyncio.sleep(0)
        trouble = ada.disk.trouble
        finishes.set()
        await until_idle(runner)

    assert (trouble, ada.disk.trouble) == ("read-only", None)


async def test_a_lane_takes_steps_of_a_few_minds_at_a_time_and_of_all_in_the_end():
    finishes = asyncio.Event()
    lane = ScriptedLane(*(finishes for _ in range(20)))
    async with runner_of(lane) as runner:
        for number in range(20):
            runner.wake(mind_called(f"m{number}"))
        await asyncio.sleep(0.01)
        at_once = len(lane.steps)
        finishes.set()
        await until_idle(runner)

    assert at_once == 8 and len(lane.steps) == 20


@pytest.mark.parametrize(("uses_graph", "taken"), [(True, 0), (False, 1)])
async def test_a_step_gives_way_to_a_call_that_somebody_waits_for_unless_the_call_waits_for_it(uses_graph, taken):
    foreground, lane = Foreground(), ScriptedLane(uses_graph=uses_graph)
    async with runner_of(lane, foreground=foreground) as runner:
        with foreground.call():
            runner.wake(mind_called("ada"))
            await asyncio.sleep(0.05)
            assert len(lane.steps) == taken
        await until_idle(runner)

    assert len(lane.steps) == 1
