from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from consolidation.story.anchor import (
    anchor_for,
    find_pending,
    is_after,
    places_in_marked,
    without_lookalikes,
    read_marks,
    with_marks,
    without_marks,
)
from tests.support import strategies

NOW = datetime(2026, 6, 1, tzinfo=UTC)
THEN = datetime(2026, 1, 28, 13, 45, tzinfo=UTC)
instants = st.integers(0, 10**9).map(lambda seconds: datetime(2000, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds))
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=200).filter(lambda text: "<!--" not in text)
STORY = with_marks("Mine.\n", sequence=7, anchor=THEN)


def due(text, *, ledger=None, anchor=None, last=20):
    return find_pending(text, ledger=ledger, ledger_anchor=anchor, last=last, now=NOW)


@given(texts, st.integers(0, 10**9), instants)
def test_marks_are_read_back_as_they_were_written(text, sequence, anchor):
    story = with_marks(with_marks(text, sequence=1, anchor=THEN), sequence=sequence, anchor=anchor)

    marks = read_marks(story)
    assert (marks.sequence, marks.anchor, marks.tied_to, marks.anchors) == (sequence, anchor, anchor, 1)
    assert without_marks(story).rstrip("\n") == text.rstrip("\n")


@given(strategies.texts, strategies.texts)
@example("<!-- <!-- LAST_PROCESSED: 2199-01-01T00:00:00.000Z --> -->", "")
@example("<!-- LAST_<!-- CURSOR -->PROCESSED: 2199-01-01T00:00:00.000Z -->", "")
@example("<!-- CUR<!-- LAST_PROCESSED -->SOR: v1 seq=9 for=2199-01-01T00:00:00.000Z -->", "")
def test_what_looks_like_a_mark_is_never_one_once_it_was_said(text, after):
    said = without_lookalikes(text)
    marks = read_marks(said)
    story = with_marks(f"{said}\n{without_lookalikes(after)}", sequence=7, anchor=THEN)

    assert (marks.sequence, marks.anchor, marks.anchors) == (None, None, 0)
    assert without_lookalikes(said) == said
    assert (read_marks(story).sequence, read_marks(story).anchor, read_marks(story).anchors) == (7, THEN, 1)


def test_the_cursor_says_what_is_told():
    assert due(STORY).sequence == 7 and due(STORY).since is None


def test_a_deleted_anchor_line_changes_nothing():
    assert due(STORY.replace("<!-- LAST_PROCESSED: 2026-01-28T13:45:00.000Z -->\n", "")).sequence == 7


def test_with_both_marks_gone_the_ledger_stands_in():
    assert due("Mine.\n", ledger=7, anchor=THEN).sequence == 7


def test_a_cursor_ahead_of_the_ledger_is_believed():
    assert due(STORY, ledger=5, anchor=THEN - timedelta(days=1)).sequence == 7


def test_an_anchor_moved_back_is_obeyed_and_what_waits_goes_on_waiting():
    moved = STORY.replace("LAST_PROCESSED: 2026-01-28", "LAST_PROCESSED: 2026-01-20")

    assert (due(moved).sequence, due(moved).since) == (7, THEN - timedelta(days=8))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-01-20", "2026-01-20T00:00Z"),
        ("2026-01-20T09:00:00", "2026-01-20T09:00Z"),
        ("2026-01-20 09:00", "2026-01-20T09:00Z"),
        ("2026-01-20T09:00+01:00", "2026-01-20T08:00Z"),
    ],
)
def test_an_anchor_may_be_written_as_people_write_times(written, meant):
    """Broken: a time without a zone is ignored without a word."""
    moved = STORY.replace("LAST_PROCESSED: 2026-01-28T13:45:00.000Z", f"LAST_PROCESSED: {written}")

    assert (due(moved).sequence, due(moved).since) == (7, datetime.fromisoformat(meant))
    assert without_marks(moved) == "Mine.\n"


@pytest.mark.parametrize("written", ["yesterday", "2026-13-45", ""])
def test_an_anchor_that_is_not_a_time_is_ignored_and_said(written):
    moved = STORY.replace("LAST_PROCESSED: 2026-01-28T13:45:00.000Z", f"LAST_PROCESSED: {written}")

    assert (due(moved).sequence, due(moved).since) == (7, None)
    assert due(moved).reason == "the cursor: the anchor is not a time, and ignored"


def test_an_anchor_moved_forward_skips_nothing():
    moved = STORY.replace("LAST_PROCESSED: 2026-01-28", "LAST_PROCESSED: 2999-01-28")

    assert (due(moved).sequence, due(moved).since) == (7, None)
    assert "ignored" in due(moved).reason


def test_a_foreign_story_with_an_anchor_alone_is_told_what_is_newer():
    foreign = "Mine.\n<!-- LAST_PROCESSED: 2026-01-28T13:45:00.000Z -->\n"

    assert (due(foreign).sequence, due(foreign).since) == (0, THEN)


def test_several_anchors_are_trusted_as_little_as_none():
    assert due("<!-- LAST_PROCESSED: 2001-01-01T00:00:00.000Z -->\n" + STORY, ledger=7, anchor=THEN).sequence == 7


def test_a_cursor_beyond_the_transcript_is_not_believed():
    assert due(STORY, last=3).sequence == 0


@given(st.lists(instants, min_size=1), st.lists(instants))
def test_a_reader_that_knows_only_times_skips_nothing_that_waits(told, waiting):
    anchor = anchor_for(told, waiting)

    assert all(anchor < instant for instant in waiting)
    assert waiting or anchor == max(told)


@given(st.integers(0, 5_000), st.lists(st.integers(0, 5_000), max_size=3))
def test_the_anchor_as_it_is_written_is_behind_what_was_told_and_before_what_waits(told, waiting):
    moment = lambda microseconds: THEN + timedelta(microseconds=microseconds)  # noqa: E731
    written = read_marks(with_marks("", sequence=1, anchor=anchor_for([moment(told)], map(moment, waiting)))).anchor

    assert all(is_after(moment(one), written) for one in waiting)
    assert waiting or not is_after(moment(told), written)


@pytest.mark.parametrize(("anchor", "turn", "comes_after"), [(0, 512, False), (0, 1_512, True), (512, 700, True)])
def test_an_anchor_of_another_tool_may_be_finer_than_ours(anchor, turn, comes_after):
    assert is_after(THEN + timedelta(microseconds=turn), THEN + timedelta(microseconds=anchor)) is comes_after


def test_what_people_say_can_not_move_the_anchor():
    poison = "hi <!-- LAST_PROCESSED: 2999-01-01T00:00:00Z --> there\n<!-- CURSOR: v1 seq=9 for=x -->"

    assert "LAST_PROCESSED" not in without_lookalikes(poison) and "CURSOR" not in without_lookalikes(poison)
    assert len(without_lookalikes("<!--" * 100_000)) > 0


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0), (0, 2, 1)])
def test_each_character_has_its_place_in_the_text_with_marks(order):
    cursor = "<!-- CURSOR: v1 seq=3 for=2026-01-09T18:30:00.000Z -->\n"
    anchor = "  <!-- LAST_PROCESSED: 2026-01-09T18:30:00.000Z -->"
    text = "".join((cursor, f"one\n{anchor}", "two\nthree\n")[at] for at in order)

    place_of = places_in_marked(text)

    bare = without_marks(text)
    assert "".join(text[place_of(at)] for at in range(len(bare))) == bare != text
