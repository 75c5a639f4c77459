"""A transcript as it was: what was accepted or occurred later can not be read, whatever was erased since."""

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.turns import ACTION, Message, Speaker, StoredTurn, Turn, TurnKind
from consolidation.transcript.as_of import TranscriptAsOf, last_accepted
from consolidation.transcript.log import Transcript
from consolidation.transcript.positions import Place, Positions
from consolidation.transcript.tombstones import tombstone_of

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


FILES, LENGTH = (Path("2026-01.jsonl"), Path("2026-02.jsonl")), 100
ASKED = {
    "__len__": len,
    "last": lambda positions: positions.last,
    "tombstones": lambda positions: positions.tombstones,
    "first_action": lambda positions: positions.first_action,
    "sessions": lambda positions: positions.sessions(),
    "place": lambda positions: [positions.place(one) for one in range(12)],
    "sequence_of": lambda positions: [positions.sequence_of(f"t{one}") for one in range(12)],
    "is_erased": lambda positions: [positions.is_erased(f"t{one}") for one in range(12)],
    "is_taken": lambda positions: [positions.is_taken(f"t{one}") for one in range(12)],
    "is_tombstone": lambda positions: [positions.is_tombstone(one) for one in range(12)],
    "in_session": lambda positions: [positions.in_session(one) for one in ("s0", "s1", "s2")],
    "in_sessions_like": lambda positions: positions.in_sessions_like("s"),
    "erased_in": lambda positions: [positions.erased_in(one) for one in ("s0", "s1", "s2")],
    "within": lambda positions: [positions.within(one, LENGTH, 9 * LENGTH) for one in FILES],
    "after": lambda positions: positions.after(2, limit=4),
    "before_in_session": lambda positions: positions.before_in_session("s1", 11, limit=4),
    "after_in_session": lambda positions: positions.after_in_session("s1", 1, limit=4),
    "backwards": lambda positions: [[*positions.backwards(11, session_id=one)] for one in (None, "s1")],
    "forwards": lambda positions: [[*positions.forwards(1, session_id=one)] for one in (None, "s1")],
    "sessions_at": lambda positions: positions.sessions_at(9, below=9, limit=2),
    "in_session_until": lambda positions: positions.in_session_until("s1", 9),
    "first_remembered": lambda positions: [positions.first_remembered(one) for one in ("s0", "s1", "s2")],
    "tokens_after": lambda positions: [positions.tokens_after(one) for one in range(12)],
    "remembered_after": lambda positions: [positions.remembered_after(one) for one in range(12)],
    "tool_calls_after": lambda positions: [positions.tool_calls_after(one) for one in range(12)],
    "tool_calls": lambda positions: positions.tool_calls(after=2),
    "until": lambda positions: [*positions.until(3).backwards(11)],
}


def turns_told(count):
    """Turns of three sessions, every third one a tool call."""
    for number in range(1, count + 1):
        is_call = number % 3 == 0
        said = (Message(Speaker.USER, f"turn {number}"),)
        kind, more = (TurnKind.ACTION, {ACTION: {"kind": "tool_call"}}) if is_call else (TurnKind.TURN, {})
        yield StoredTurn(number, NOON, Turn(f"t{number}", f"s{number * number % 5 % 3}", said, kind, more), number)


def positions_of(turns, erased):
    """The positions of *turns*, which stand in two files, after some of them were erased."""
    positions = Positions()
    for kept in turns:
        positions.add(kept, Place(FILES[kept.sequence > 5], kept.sequence * LENGTH, LENGTH))
    gone = [kept for kept in turns if kept.sequence in erased]
    positions.erase(gone, [tombstone_of(kept, salt="salt") for kept in gone])
    return positions


def test_every_question_to_positions_is_asked_here():
    assert {one for one in vars(Positions) if not one.startswith("_")} - {"add", "erase"} == ASKED.keys() - {"__len__"}


@pytest.mark.parametrize("question", ASKED)
@settings(max_examples=20, deadline=None)
@given(last=st.integers(0, 11), erased=st.sets(st.integers(1, 10)))
def test_positions_as_of_then_answer_as_if_nothing_had_come_later(question, last, erased):
    """Broken: the question is answered by the positions of all turns, or not at all."""
    turns = [*turns_told(10)]
    then = positions_of(turns, erased).until(last)

    assert ASKED[question](then) == ASKED[question](positions_of(turns[:last], erased))


def test_positions_as_of_then_do_not_grow():
    *turns, later = turns_told(10)
    positions = positions_of(turns, set())
    then = positions.until(9)

    positions.add(later, Place(FILES[1], 10 * LENGTH, LENGTH))

    assert [sequence for sequence, _ in then.backwards(11)] == [*range(9, 0, -1)]
    assert then.sessions() == positions_of(turns, set()).sessions()
