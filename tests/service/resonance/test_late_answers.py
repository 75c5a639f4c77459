"""
A model that is asked beside a call: in time it serves this call, late it serves the next turn, never both.

Every docstring says what was broken, once, to see the test fail.
"""

import asyncio
from types import SimpleNamespace

import pytest

from consolidation.kernel.errors import ModelTimedOut, ModelUnavailable, TranscriptUnreadable
from consolidation.kernel.ports import Reply, Usage
from service.resonance.late_answers import LateAnswers, LateStore, Pace
from service.runtime.background import Background
from service.runtime.foreground import Foreground
from tests.support.read_path import call_of

pytestmark = pytest.mark.anyio

LYON = Reply("Lyon", Usage(calls=1, cost_usd=0.5))


class Asked:
    """A question whose answer is given by the test; ``late`` is what was kept."""

    def __init__(self, late_answers, call):
        self.given = asyncio.get_running_loop().create_future()
        self.late = []
        self.call = call
        self.question = late_answers.ask(call.mind, "seeds", self._answer, keep=self.late.append)
        call.questions.append(self.question)

    async def _answer(self):
        return await self.given

    async def settle(self):
        """Let everything run that can."""
        for _ in range(5):
            await asyncio.sleep(0)


@pytest.fixture
async def asked():
    call = call_of(
        SimpleNamespace(
            mind_id="ada", disk=SimpleNamespace(worked=lambda **_: None), health=SimpleNamespace(usage=Usage())
        ),
        "Hello.",
    )
    async with Background(drain_seconds=1) as background:
        asked = Asked(LateAnswers(background), call)
        yield asked
        if not asked.given.done():
            asked.given.cancel()


async def test_an_answer_in_time_serves_this_call_alone(asked):
    """Broken: ``release`` keeps it all the same."""
    asked.given.set_result(LYON)

    async with asked.call.failing_open(Foreground()):
        assert await asked.question.answer(seconds=None) == LYON
    await asked.settle()

    assert asked.late == []


async def test_an_answer_that_came_before_it_was_waited_for_serves_this_call_alone(asked):
    """Broken: it is kept as soon as it comes."""
    async with asked.call.failing_open(Foreground()):
        asked.given.set_result(LYON)
        await asked.settle()
        assert await asked.question.answer(seconds=0) == LYON
    await asked.settle()

    assert asked.late == []


async def test_an_answer_that_comes_late_is_kept(asked):
    """Broken: ``release`` does nothing; the answer is waited for without a limit."""
    async with asked.call.failing_open(Foreground()):
        assert await asked.question.answer(seconds=0.001) is None
    asked.given.set_result(LYON)
    await asked.settle()

    assert asked.late == [LYON]


async def test_an_answer_that_nobody_waited_for_is_kept(asked):
    """Broken: ``failing_open`` releases no question when the phases end early."""
    async with asked.call.failing_open(Foreground()):
        asked.given.set_result(LYON)
    await asked.settle()

    assert asked.late == [LYON]


async def test_an_answer_whose_call_was_ended_while_it_waited_is_kept(asked):
    """Broken: ``_is_used`` is set before the answer is there."""

    async def wait():
        async with asked.call.failing_open(Foreground()):
            await asked.question.answer(seconds=None)

    waiting = asyncio.create_task(wait())
    await asked.settle()
    waiting.cancel()
    await asyncio.wait({waiting})
    asked.given.set_result(LYON)
    await asked.settle()

    assert asked.late == [LYON]


async def test_a_model_that_fails_is_an_answer_and_is_not_kept(asked):
    """Broken: the fault is raised; the fault is kept as an answer."""
    asked.given.set_exception(ModelTimedOut("too slow"))

    assert isinstance(await asked.question.answer(seconds=None), ModelTimedOut)
    asked.question.release()
    await asked.settle()

    assert asked.late == []


async def test_a_disk_that_fails_meanwhile_is_raised(asked):
    """Broken: ``HomeFault`` is logged as a failed job, and the call takes it for a late answer."""
    asked.given.set_exception(TranscriptUnreadable("gone"))

    with pytest.raises(TranscriptUnreadable):
        await asked.question.answer(seconds=None)


def test_what_is_taken_is_gone_and_what_is_read_stays():
    """Broken: ``take`` leaves it; ``get`` takes it."""
    store = LateStore(most=10)
    store.put(("ada", "s1"), "seeds")

    assert store.get(("ada", "s1")) == store.get(("ada", "s1")) == "seeds"
    assert store.take(("ada", "s1")) == "seeds"
    assert store.take(("ada", "s1")) is None


def test_the_oldest_goes_where_there_are_too_many():
    """Broken: the newest goes; nothing goes."""
    store = LateStore(most=2)
    for number in range(3):
        store.put(("ada", str(number)), number)

    assert [store.get(("ada", str(number))) for number in range(3)] == [None, 1, 2]


def test_a_mind_that_is_forgotten_leaves_nothing_and_takes_nothing_of_others():
    """Broken: ``forget`` drops all, or none."""
    store = LateStore(most=10)
    store.put(("ada", "s1"), 1)
    store.put(("bob", "s1"), 2)
    store.forget("ada")

    assert (store.get(("ada", "s1")), store.get(("bob", "s1"))) == (None, 2)


@pytest.mark.parametrize(
    ("took", "seconds", "fits"),
    [
        ((), 0.1, True),  # nothing is known yet
        ((2.0, 2.0), 1.0, True),  # too little is known
        ((2.0, 2.0, 2.0), 1.0, False),
        ((2.0, 2.0, 0.9), 1.0, True),  # its quickest answer was quick enough
        ((0.9, 2.0, 2.0, 2.0), 1.0, False),  # that is long ago
        ((2.0, 2.0, 2.0), None, True),
    ],
)
def test_a_model_is_asked_unless_even_its_quickest_answer_of_late_was_too_slow(took, seconds, fits):
    """Broken: ``min`` is ``max``; the oldest are never dropped; None is no limit."""
    pace = Pace()
    for one in took:
        pace.took(one)

    assert pace.fits(seconds) is fits


def test_an_answer_that_is_under_way_may_come_when_little_is_left_of_what_the_quickest_took():
    """Broken: *passed* counts for nothing; each question counts as one that was left out."""
    pace = Pace()
    for seconds in (3.0, 2.0, 4.0):
        pace.took(seconds)

    assert [pace.may_come(1.0, passed=passed) for passed in (0.0, 0.9, 1.0, 5.0)] == [False, False, True, True]
    assert pace.may_come(None)
    assert not any(pace.may_come(1.0) for _ in range(16))


def test_a_slow_model_is_tried_again_now_and_then():
    """Broken: it is never tried again, or always."""
    pace = Pace()
    for _ in range(3):
        pace.took(2.0)

    assert [pace.fits(1.0) for _ in range(16)].count(True) == 2


def test_the_time_of_an_answer_and_of_a_time_out_is_noted_and_that_of_another_fault_is_not():
    """Broken: every fault counts, or none."""
    pace, clock = Pace(), iter((0.0, 5.0, 10.0, 15.0, 20.0, 30.0, 35.0)).__next__
    with pace.timed(clock):
        pass
    with pytest.raises(ModelTimedOut), pace.timed(clock):
        raise ModelTimedOut("too slow")
    with pytest.raises(ModelUnavailable), pace.timed(clock):
        raise ModelUnavailable("refused")

    assert pace.fits(1.0)  # two times are known, not three
    with pace.timed(iter((30.0, 35.0)).__next__):
        pass
    assert not pace.fits(1.0)


def test_a_question_that_was_given_up_says_nothing_once_a_later_one_was_answered():
    """Broken: ``given_up`` counts it always."""
    pace = Pace()
    with pace.timed(iter((40.0, 40.5)).__next__):
        pass
    for _ in range(3):
        with pytest.raises(ModelTimedOut), pace.timed(iter((20.0, 50.0)).__next__):
            raise ModelTimedOut

    assert pace.fits(1.0)
