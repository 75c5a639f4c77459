"""Which turns are pending and in which order: new ones, those asked for again, those that an erasure left owed."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn, TurnKind
from consolidation.story.anchor import with_marks, without_marks
from consolidation.story.backlog import batches, catch_up, read_backlog, read_owed, read_pending
from consolidation.story.chapter_turns import ChapterTurns
from consolidation.story.chapters import parse
from consolidation.story.ledger import StoryLedger, read_ledger, write_ledger
from consolidation.story.run import MindStory
from consolidation.story.storyfile import StoryFile
from consolidation.transcript.log import Transcript

pytestmark = pytest.mark.anyio

FIRST = datetime(2026, 1, 1, 10, tzinfo=UTC)
CLOCK = FixedClock(datetime(2026, 6, 1, tzinfo=UTC))


def at(day):
    return FIRST + timedelta(days=day)


def turn(number, *, day, kind=TurnKind.TURN):
    return Turn(f"t{number}", "s1", (Message(Speaker.USER, f"Said {number}.", at(day)),), kind)


@pytest.fixture
async def story(tmp_path):
    """A story of three turns, the second of which was said last."""
    transcript = await Transcript(tmp_path / "transcript", clock=CLOCK).open()
    for number, day in ((1, 0), (2, 5), (3, 2)):
        await transcript.append(turn(number, day=day), tokens=1)
    (tmp_path / "STORY.md").write_text("Mine.\n")
    file = StoryFile(tmp_path / "STORY.md", history=tmp_path / "history", clock=CLOCK)
    yield MindStory(transcript, file, tmp_path / "history/published.json")
    await transcript.close()


def write(story, text):
    story.file.change(lambda _: text)


def numbers(turns):
    return [stored.sequence for stored in turns]


async def test_of_a_story_without_marks_every_turn_is_pending_in_the_order_it_came(story):
    backlog = await read_backlog(story, now=CLOCK.now())

    assert (numbers(backlog.again), numbers(backlog.new)) == ([], [1, 2, 3])
    assert backlog.pending.reason == "nothing is narrated yet"


async def test_heartbeats_are_never_pending(story):
    await story.transcript.append(turn(4, day=6, kind=TurnKind.HEARTBEAT), tokens=1)

    assert numbers((await read_backlog(story, now=CLOCK.now())).turns) == [1, 2, 3]


async def test_only_turns_above_the_cursor_are_pending(story):
    write(story, with_marks("Mine.\n", sequence=2, anchor=at(5)))

    assert numbers((await read_backlog(story, now=CLOCK.now())).turns) == [3]
    assert (await read_pending(story, now=CLOCK.now()))[0].sequence == 2


async def test_turns_asked_for_again_come_first_in_the_order_of_their_times(story):
    write(story, with_marks("Mine.\n", sequence=3, anchor=at(1), tied_to=at(5)))
    await story.transcript.append(turn(4, day=1), tokens=1)

    backlog = await read_backlog(story, now=CLOCK.now())

    assert (numbers(backlog.again), numbers(backlog.new)) == ([3, 2], [4])


async def test_owed_turns_are_pending_until_a_chapter_of_theirs_is_in_the_story(story):
    write(story, with_marks("### [2026-01-06] One\n\nText.\n\n", sequence=3, anchor=at(5)))
    [chapter] = parse(without_marks(story.file.read())).chapters
    ledger = StoryLedger(sequence=3, anchor=at(5), newest=at(5), owed=frozenset({1, 2}))
    write_ledger(story.ledger, ledger)
    before = await read_owed(story, now=CLOCK.now())
    turns = {chapter.digest: ChapterTurns(chapter.first, frozenset({2}), frozenset({1, 2}))}
    write_ledger(story.ledger, replace(ledger, turns=turns))  # as after a crash: published, but still noted as owed

    assert (numbers(before), numbers(await read_owed(story, now=CLOCK.now()))) == ([1, 2], [1])
    assert numbers((await read_backlog(story, now=CLOCK.now())).turns) == []


async def test_a_ledger_that_a_crash_left_behind_is_brought_up_to_the_story(story):
    write(story, with_marks("Mine.\n", sequence=2, anchor=at(5)))

    assert catch_up(story) == 2
    assert (read_ledger(story.ledger).sequence, read_ledger(story.ledger).anchor) == (2, at(5))


sizes = st.lists(st.integers(1, 30), max_size=30)


@given(sizes, st.integers(1, 40))
def test_batches_hold_every_turn_once_in_order_and_fit_unless_one_turn_does_not(tokens, most_tokens):
    turns = [StoredTurn(at, FIRST, turn(at, day=0), size) for at, size in enumerate(tokens)]

    found = list(batches(turns, most_tokens=most_tokens))

    assert [stored for batch in found for stored in batch] == turns
    assert all(len(batch) == 1 or sum(one.tokens for one in batch) <= most_tokens for batch in found)


def talk(*minutes, tokens=10):
    """Turns of ten tokens each, so many minutes after the first."""
    times = [FIRST + timedelta(minutes=minute) for minute in minutes]
    turns = [Turn(f"t{at}", "s1", (Message(Speaker.USER, "Said.", at),)) for at in times]
    return [StoredTurn(n, at, one, tokens) for n, (at, one) in enumerate(zip(times, turns, strict=True), start=1)]


def test_a_full_batch_ends_at_the_longest_pause_of_its_second_half():
    turns = talk(0, 1, 300, 301, 1000, 1001, 1200, 1201)

    assert [numbers(batch) for batch in batches(turns, most_tokens=60)] == [[1, 2, 3, 4], [5, 6, 7, 8]]


def test_a_talk_without_a_pause_is_cut_where_the_batch_is_full():
    turns = talk(*range(8))

    assert [numbers(batch) for batch in batches(turns, most_tokens=60)] == [[1, 2, 3, 4, 5, 6], [7, 8]]


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 40)), max_size=30), st.integers(1, 60))
def test_no_turn_is_left_out_or_told_twice_and_no_batch_of_several_is_too_large(said, most):
    minutes = sorted(minute for minute, _ in said)
    turns = [replace(one, tokens=tokens) for one, (_, tokens) in zip(talk(*minutes), said, strict=True)]

    found = list(batches(turns, most_tokens=most))

    assert [one for batch in found for one in batch] == turns
    assert all(batch and (len(batch) == 1 or sum(one.tokens for one in batch) <= most) for batch in found)
