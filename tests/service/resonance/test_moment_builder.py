"""
Which earlier calls a pre-turn call makes again, so that what they showed does not count as shown.

Every docstring says what was broken, once, to see the test fail.
"""

from datetime import timedelta

import pytest

from consolidation.kernel.turns import Turn
from service.mind.trace_document import TraceDocument
from service.resonance.moment_builder import calls_made_again
from tests.support.fragments import NOON, message_of
from tests.support.read_path import call_of, mind_in

pytestmark = pytest.mark.anyio


@pytest.fixture
async def mind(tmp_path):
    async with mind_in(tmp_path) as mind:
        yield mind


REMARK = "Gregor is getting on my nerves again."


def note(mind, trace_id, *, message=REMARK, session_id="s2", at=NOON):
    mind.trace_log.add(TraceDocument(trace_id, "ada", session_id, at, message=message))


async def made_again(mind, *, at=NOON, message=REMARK, **asked):
    return await calls_made_again(call_of(mind, message, **asked), at=at)


async def test_the_same_message_a_moment_later_makes_the_call_again(mind):
    """Broken: only the newest call counts; calls of other sessions do; old ones do."""
    note(mind, "t1", at=NOON - timedelta(hours=1))
    note(mind, "t2")
    note(mind, "t3")
    note(mind, "t4", session_id="another")

    assert await made_again(mind) == {"t2", "t3"}
    assert await made_again(mind, at=NOON + timedelta(hours=1)) == frozenset()
    assert await made_again(mind, message="Gregor is kind.") == frozenset()


async def test_another_message_between_two_ends_what_is_made_again(mind):
    """Broken: calls before another one count."""
    note(mind, "t1")
    note(mind, "t2", message="And Petra?")

    assert await made_again(mind) == frozenset()


async def test_the_same_words_after_a_turn_or_in_sight_are_another_call(mind):
    """Broken: ``accepted_at`` is not compared; what the person said before is not looked at."""
    note(mind, "t1", at=NOON - timedelta(minutes=1))
    assert await made_again(mind, window=[message_of(REMARK)]) == frozenset()
    assert await made_again(mind) == {"t1"}

    await mind.transcript.append(Turn("t9", "s2", (message_of(REMARK),)), tokens=1)

    assert await made_again(mind) == frozenset()
