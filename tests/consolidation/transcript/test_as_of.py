"""A transcript as it was: what was accepted or occurred later can not be read, whatever was erased since."""

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.turns import Message, Speaker, Turn
from consolidation.transcript.as_of import TranscriptAsOf, last_accepted
from consolidation.transcript.log import Transcript

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)


class SteppingClock(SystemClock):
    """A clock that a test sets."""

    minutes = 0

    def now(self):
        return NOON + timedelta(minutes=self.minutes)


async def told(folder, minutes, erased=()):
    """A transcript of a turn for each of *minutes*, in which it was accepted, without the turns *erased*."""
    clock = SteppingClock()
    transcript = await Transcript(folder, clock=clock).open()
    for number, clock.minutes in enumerate(minutes, 1):  # noqa: B020 - the clock is set by the loop
        turn = Turn(f"t{number}", "s1", (Message(Speaker.USER, f"turn {number}"),))
        await transcript.append(turn, tokens=1)
    await transcript.erase(tuple(erased))
    return transcript


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 20), max_size=12).map(sorted), st.integers(-1, 21), st.data())
def test_the_last_turn_accepted_by_a_time_is_found_whatever_was_erased(minutes, at, data):
    erased = data.draw(st.sets(st.integers(1, max(1, len(minutes))))) if minutes else set()
    expected = max((n for n, minute in enumerate(minutes, 1) if minute <= at and n not in erased), default=0)
    later = min((n for n, minute in enumerate(minutes, 1) if minute > at and n not in erased), default=2**53)

    async def find(folder):
        transcript = await told(folder, minutes, erased)
        found = await last_accepted(transcript, NOON + timedelta(minutes=at))
        await transcript.close()
        return found

    with tempfile.TemporaryDirectory() as folder:
        found = anyio.run(find, Path(folder))

    assert expected <= found < later


def test_later_turns_can_neither_be_read_nor_counted(tmp_path):
    async def read():
        transcript = await told(tmp_path, range(1, 6))
        then = TranscriptAsOf(transcript, last=3, instant=NOON + timedelta(minutes=2))
        turns = await then.read_many((1, 2, 3, 4))
        before = then.positions.before_in_session("s1", 9, limit=9)
        await transcript.close()
        return [one.sequence for one in turns], len(then.positions), then.positions.last, before

    assert anyio.run(read) == ([1, 2], 3, 3, (1, 2, 3))
