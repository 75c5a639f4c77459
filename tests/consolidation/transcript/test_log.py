"""The transcript's promises: what was answered is on disk, a sequence is given once, nothing takes a turn with it."""

import asyncio
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.errors import TranscriptUnwritable, TurnConflict, TurnNotFound
from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from consolidation.transcript.log import Transcript
from tests.support import strategies
from tests.support.paths import ROOT

pytestmark = pytest.mark.anyio
NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)


def turn_of(turn_id, content="I said something.", *, session_id="s1", **more):
    return Turn(turn_id, session_id, (Message(Speaker.USER, content),), **more)


async def opened(folder, *, clock=None):
    return await Transcript(folder, clock=clock or FixedClock(NOON)).open()


async def keep(transcript, *turn_ids):
    return [(await transcript.append(turn_of(turn_id), tokens=1)).kept.sequence for turn_id in turn_ids]


async def everything(transcript):
    return await transcript.after(0, limit=10_000)


@contextmanager
def full_disk(folder, *, spare):
    """No file of this process grows beyond the transcript's size and *spare* bytes while this lasts."""
    size = max((file.stat().st_size for file in folder.glob("*.jsonl")), default=0)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + spare, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@settings(max_examples=30, deadline=None)
@given(st.lists(strategies.turns, max_size=6, unique_by=lambda turn: turn.turn_id))
def test_what_was_kept_is_read_back_in_order_after_opening_again(turns):
    async def both(folder):
        first = await opened(folder)
        kept = [(await first.append(turn, tokens=2)).kept for turn in turns]
        await first.close()
        return kept, await everything(await opened(folder))

    with tempfile.TemporaryDirectory() as folder:
        kept, found = asyncio.run(both(Path(folder)))

    assert list(found) == kept
    assert [one.turn for one in found] == turns
    assert [one.sequence for one in found] == list(range(1, len(turns) + 1))


async def test_a_second_opening_continues_the_sequence(tmp_path):
    first = await opened(tmp_path)
    assert await keep(first, "a", "b") == [1, 2]
    await first.close()

    second = await opened(tmp_path)

    assert await keep(second, "c") == [3]
    assert second.damages == ()
    assert second.positions.sequence_of("a") == 1


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.integers(0, 10_000), st.integers(0, 10_000), st.binary(max_size=40))
@example(2, 0, 0, b"\n")
@example(1, 0, 10_000, b"")
@example(3, 5, 5, b"\n{}\n")
@example(4, 1, 9_999, b"\xff\x00")
def test_damage_inside_a_line_never_takes_another_line(which, first, last, bytes_put):
    """The line's own end stays where it is: what a disk does to a line, not what an editor does to a file."""

    async def damaged(folder):
        transcript = await opened(folder)
        await keep(transcript, "t1", "t2", "t3", "t4")
        await transcript.close()
        [file] = folder.glob("*.jsonl")
        lines = file.read_bytes().splitlines(keepends=True)
        line = lines[which - 1][:-1]
        start, end = sorted((first % (len(line) + 1), last % (len(line) + 1)))
        kept = line[:start] + bytes_put + line[end:]
        lines[which - 1] = (kept if kept.strip(b"\n") else b"?") + b"\n"  # of nothing, nothing could be told
        is_harmed = lines[which - 1][:-1] != line
        file.write_bytes(b"".join(lines))
        again = await opened(folder)
        found = [kept.turn.turn_id for kept in await everything(again)]
        told = len(again.damages)
        [new] = await keep(again, "t5")
        await again.close()
        return is_harmed, found, told, new

    with tempfile.TemporaryDirectory() as folder:
        is_harmed, found, told, new = asyncio.run(damaged(Path(folder)))

    others = [f"t{number}" for number in range(1, 5) if number != which]
    assert [one for one in found if one != f"t{which}"] == others
    assert new == 5 or (new > 5 and which == 4 and b"\n" in bytes_put)  # each piece of a last line may have been one
    assert bool(told) or f"t{which}" in found
    assert is_harmed or not told


async def test_a_sequence_is_not_given_again_after_a_damaged_tail(tmp_path):
    first = await opened(tmp_path)
    await keep(first, "a", "b", "c")
    await first.close()
    [file] = tmp_path.glob("*.jsonl")
    file.write_bytes(file.read_bytes()[:-5])

    second = await opened(tmp_path)

    assert len(second.damages) == 1
    assert await keep(second, "d") == [4]
    assert [kept.turn.turn_id for kept in await everything(second)] == ["a", "b", "d"]


async def test_a_sequence_is_not_given_again_when_several_last_lines_are_damaged(tmp_path):
    first = await opened(tmp_path)
    await keep(first, "a", "b", "c", "d")
    await first.close()
    [file] = tmp_path.glob("*.jsonl")
    file.write_bytes(re.sub(rb'"turn_id":"[bcd]"', b'"turn_id":"x"', file.read_bytes()))

    second = await opened(tmp_path)

    assert await keep(second, "e") == [5]


async def test_a_sequence_that_a_projection_holds_is_not_given_again(tmp_path):
    transcript = await opened(tmp_path)

    transcript.never_below(41)

    assert await keep(transcript, "a", "b") == [42, 43]


async def test_a_missing_sequence_is_a_fault_with_a_name(tmp_path):
    transcript = await opened(tmp_path)
    await keep(transcript, "a")

    with pytest.raises(TurnNotFound):
        await transcript.read(2)


async def test_200_appends_at_once_keep_their_order_and_one_sequence_each(tmp_path):
    transcript = await opened(tmp_path)
    turns = [turn_of(f"t{n}") for n in range(200)]

    accepted = await asyncio.gather(*(transcript.append(turn, tokens=n) for n, turn in enumerate(turns)))

    assert [one.kept.sequence for one in accepted] == list(range(1, 201))
    assert all(one.is_new for one in accepted)
    await transcript.close()
    found = await everything(await opened(tmp_path))
    assert [kept.turn.turn_id for kept in found] == [turn.turn_id for turn in turns]


async def test_the_same_turn_again_is_the_turn_first_kept(tmp_path):
    clock = FixedClock(NOON)
    transcript = await opened(tmp_path, clock=clock)
    first = await transcript.append(turn_of("a"), tokens=7)
    clock.advance(timedelta(hours=1))

    again = await transcript.append(turn_of("a"), tokens=9)

    assert (again.is_new, again.kept) == (False, first.kept)
    assert len(transcript.positions) == 1


async def test_the_same_turn_at_once_is_kept_once(tmp_path):
    transcript = await opened(tmp_path)

    accepted = await asyncio.gather(*(transcript.append(turn_of("a"), tokens=1) for _ in range(64)))

    assert sorted(one.is_new for one in accepted) == [False] * 63 + [True]
    assert {one.kept.sequence for one in accepted} == {1}
    assert len(await everything(transcript)) == 1


@pytest.mark.parametrize(
    "other",
    [
        turn_of("a", "Something else."),
        turn_of("a", session_id="s2"),
        turn_of("a", metadata={"n": 1}),
        turn_of("a", kind=TurnKind.PROBE),
        Turn("a", "s1", (Message(Speaker.ASSISTANT, "I said something."),)),
    ],
)
async def test_the_same_id_with_other_content_is_a_conflict(tmp_path, other):
    transcript = await opened(tmp_path)
    await keep(transcript, "a")

    with pytest.raises(TurnConflict):
        await transcript.append(other, tokens=1)

    assert [kept.turn for kept in await everything(transcript)] == [turn_of("a")]


async def test_a_turn_that_gets_its_times_only_when_it_is_sent_again_is_the_same_and_other_times_are_not(tmp_path):
    transcript = await opened(tmp_path)
    timed, later = (
        Turn(turn_id, "s1", (Message(Speaker.USER, "I said something.", at),))
        for turn_id, at in (("a", NOON), ("b", NOON + timedelta(hours=1)))
    )
    await keep(transcript, "a")
    await transcript.append(later, tokens=1)

    assert not (await transcript.append(timed, tokens=1)).is_new
    with pytest.raises(TurnConflict):
        await transcript.append(replace(timed, turn_id="b"), tokens=1)


async def test_the_same_id_with_other_content_at_once_is_a_conflict_for_all_but_one(tmp_path):
    transcript = await opened(tmp_path)
    turns = [turn_of("a", f"version {n}") for n in range(20)]

    outcomes = await asyncio.gather(*(transcript.append(turn, tokens=1) for turn in turns), return_exceptions=True)

    assert [type(one).__name__ for one in outcomes] == ["Accepted"] + ["TurnConflict"] * 19


@pytest.mark.parametrize("spare", [0, 1, 50, 260])
async def test_a_full_disk_keeps_nothing_and_says_so_until_there_is_space_again(tmp_path, spare):
    transcript = await opened(tmp_path)
    await keep(transcript, "a")
    [file] = tmp_path.glob("*.jsonl")
    before = file.read_bytes()

    with full_disk(tmp_path, spare=spare):
        for turn_id in ("b", "b", "c"):
            with pytest.raises(TranscriptUnwritable):
                await transcript.append(turn_of(turn_id, "long " * 200), tokens=1)
        assert [kept.turn.turn_id for kept in await everything(transcript)] == ["a"]

    assert file.read_bytes() == before
    assert (await transcript.append(turn_of("b", "long " * 200), tokens=1)).is_new
    await transcript.close()
    again = await opened(tmp_path)
    assert [kept.turn.turn_id for kept in await everything(again)] == ["a", "b"]
    assert again.damages == ()


async def test_a_full_disk_refuses_every_turn_that_waits_together(tmp_path):
    transcript = await opened(tmp_path)
    turns = [turn_of(f"t{n}", "long " * 200) for n in range(10)]

    with full_disk(tmp_path, spare=1500):
        outcomes = await asyncio.gather(*(transcript.append(turn, tokens=1) for turn in turns), return_exceptions=True)

    kept = {kept.turn.turn_id for kept in await everything(transcript)}
    assert {turn.turn_id for turn, one in zip(turns, outcomes, strict=True) if not isinstance(one, Exception)} == kept
    assert any(isinstance(one, TranscriptUnwritable) for one in outcomes)
    await asyncio.gather(*(transcript.append(turn, tokens=1) for turn in turns))
    sequences = [kept.sequence for kept in await everything(transcript)]
    assert len(sequences) == len(set(sequences)) == 10


async def test_a_disk_that_can_not_sync_keeps_nothing(tmp_path):
    transcript = await opened(tmp_path)
    file = tmp_path / "2026-01.jsonl"
    os.mkfifo(file)  # takes every byte, and answers fsync with an error

    with pytest.raises(TranscriptUnwritable):
        await keep(transcript, "a")

    assert len(transcript.positions) == 0
    file.unlink()
    [sequence] = await keep(transcript, "a")
    await transcript.close()
    assert [kept.sequence for kept in await everything(await opened(tmp_path))] == [sequence]


async def test_a_folder_that_went_away_is_a_refusal_and_no_leak(tmp_path):
    folder = tmp_path / "transcript"
    transcript = await opened(folder)
    folder.rmdir()
    handles = len(os.listdir("/proc/self/fd"))

    for _ in range(5):
        with pytest.raises(TranscriptUnwritable):
            await keep(transcript, "a")

    assert len(os.listdir("/proc/self/fd")) <= handles
    folder.mkdir()
    assert len(await keep(transcript, "a")) == 1


async def test_a_file_where_the_folder_should_be_is_a_fault_with_a_name(tmp_path):
    (tmp_path / "transcript").write_text("not a folder")

    with pytest.raises(TranscriptUnwritable):
        await opened(tmp_path / "transcript")


def rot(folder, number):
    """Flip a bit in the line of this number."""
    [file] = folder.glob("*.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    lines[number - 1] = lines[number - 1].replace(b"said", b"sAid")
    file.write_bytes(b"".join(lines))


async def test_a_line_that_rots_under_a_running_service_takes_no_other_with_it(tmp_path):
    transcript = await opened(tmp_path)
    await keep(transcript, "a", "b", "c")

    rot(tmp_path, 2)

    assert [kept.sequence for kept in await everything(transcript)] == [1, 3]
    assert [kept.sequence for kept in await transcript.before_in_session("s1", 4, limit=2)] == [3]
    with pytest.raises(TurnNotFound):
        await transcript.read(2)
    [damage] = transcript.damages
    assert b"sAid" in (tmp_path / damage.aside).read_bytes()


async def test_a_retry_of_a_turn_that_the_disk_lost_is_kept_anew(tmp_path):
    transcript = await opened(tmp_path)
    await keep(transcript, "a", "b")
    rot(tmp_path, 1)

    accepted = await transcript.append(turn_of("a"), tokens=1)

    assert (accepted.is_new, accepted.kept.sequence) == (True, 3)
    assert (await transcript.append(turn_of("a"), tokens=1)).kept.sequence == 3


async def test_a_clock_set_back_over_the_end_of_a_month_keeps_the_order(tmp_path):
    clock = FixedClock(datetime(2026, 2, 1, 0, 0, 1, tzinfo=UTC))
    transcript = await opened(tmp_path, clock=clock)
    await keep(transcript, "a")
    clock.advance(timedelta(seconds=-10))
    await keep(transcript, "b")
    await transcript.close()
    again = await opened(tmp_path, clock=clock)
    await keep(again, "c")
    clock.advance(timedelta(days=40))
    await keep(again, "d")
    await again.close()

    found = await everything(await opened(tmp_path))

    assert [(kept.sequence, kept.turn.turn_id) for kept in found] == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]
    assert [file.name for file in sorted(tmp_path.glob("*.jsonl"))] == ["2026-02.jsonl", "2026-03.jsonl"]


@pytest.mark.parametrize("seed", range(6))
async def test_cancelled_callers_lose_nobody_elses_turn_and_double_none(tmp_path, seed):
    import random

    chance = random.Random(seed)
    transcript = await opened(tmp_path)
    tasks = []
    for n in range(150):
        tasks.append(asyncio.create_task(transcript.append(turn_of(f"t{n}"), tokens=1)))
        if chance.random() < 0.5:
            await asyncio.sleep(0)
        if chance.random() < 0.6:
            chance.choice(tasks).cancel()

    async with asyncio.timeout(20):
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(transcript.append(turn_of(f"t{n}"), tokens=1) for n in range(150)))

    answered = [one.kept for one in outcomes if not isinstance(one, BaseException)]
    assert all(isinstance(one, asyncio.CancelledError) for one in outcomes if isinstance(one, BaseException))
    await transcript.close()
    found = await everything(await opened(tmp_path))
    assert sorted(kept.turn.turn_id for kept in found) == sorted(f"t{n}" for n in range(150))
    assert set(kept.sequence for kept in answered) <= set(kept.sequence for kept in found)
    assert [kept.sequence for kept in found] == sorted({kept.sequence for kept in found})


async def test_a_caller_cancelled_on_its_way_to_the_disk_takes_nobody_with_it(tmp_path):
    for ticks in range(12):
        transcript = await opened(tmp_path / str(ticks))
        first = asyncio.create_task(transcript.append(turn_of("holds the turnstile"), tokens=1))
        await asyncio.sleep(0)
        second, *others = [asyncio.create_task(transcript.append(turn_of(f"t{n}"), tokens=1)) for n in range(4)]
        await first
        for _ in range(ticks):
            await asyncio.sleep(0)
        second.cancel()

        async with asyncio.timeout(5):
            accepted = await asyncio.gather(*others)

        assert len({one.kept.sequence for one in accepted}) == 3
        await asyncio.gather(second, return_exceptions=True)
        await transcript.close()


APPENDS = """
import asyncio, sys
from pathlib import Path
from consolidation.kernel.clock import SystemClock
from consolidation.kernel.turns import Message, Speaker, Turn
from consolidation.transcript.log import Transcript

async def append(transcript, n):
    turn = Turn(f"{sys.argv[2]}-{n}", "s", (Message(Speaker.USER, "word " * (n % 50)),))
    accepted = await transcript.append(turn, tokens=1)
    sys.stdout.write(f"{turn.turn_id} {accepted.kept.sequence}\\n")
    sys.stdout.flush()

async def main():
    transcript = await Transcript(Path(sys.argv[1]), clock=SystemClock()).open()
    n = 0
    while True:
        await asyncio.gather(*(append(transcript, n + at) for at in range(7)))
        n += 7

asyncio.run(main())
"""


async def test_a_killed_process_loses_and_doubles_nothing_that_it_had_answered(tmp_path):
    answered = {}
    for life in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", APPENDS, str(tmp_path), f"life{life}"], stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        lines = [process.stdout.readline() for _ in range(60)]
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.read().splitlines(keepends=True)
        process.stdout.close()
        process.wait()
        answered |= dict(line.split() for line in lines if line.endswith("\n"))

    transcript = await opened(tmp_path)
    found = await everything(transcript)

    assert len(answered) >= 180
    by_id = {kept.turn.turn_id: str(kept.sequence) for kept in found}
    assert len(by_id) == len(found)
    assert {turn_id: by_id.get(turn_id) for turn_id in answered} == answered


async def test_turns_that_come_together_are_stored_together_or_not_at_all(tmp_path):
    transcript = await opened(tmp_path)
    await keep(transcript, "known")

    stored = await transcript.append_all([(turn_of("known"), 1), (turn_of("a"), 1), (turn_of("b"), 1)])

    assert [(one.kept.sequence, one.is_new) for one in stored] == [(1, False), (2, True), (3, True)]
    with pytest.raises(TurnConflict):
        await transcript.append_all([(turn_of("c"), 1), (turn_of("a", "Something else."), 1)])
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    (file,) = tmp_path.glob("*.jsonl")
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 300, limit[1]))  # room for one of them
    try:
        with pytest.raises(TranscriptUnwritable):
            await transcript.append_all([(turn_of("c"), 1), (turn_of("d"), 1)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)
    assert transcript.positions.last == 3
    assert [one.turn.turn_id for one in await (await opened(tmp_path)).after(0, limit=9)] == ["known", "a", "b"]
