from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.kernel.errors import StoryChanged
from consolidation.story.anchor import (
    replace_marks,
    find_pending,
    without_lookalikes,
    read_marks,
    with_marks,
    without_marks,
)
from consolidation.story.edits import ANY, check_unchanged, difference, edited, etag_of

NOW = datetime(2026, 6, 1, tzinfo=UTC)
THEN = datetime(2026, 1, 28, 13, 45, tzinfo=UTC)
STANDING = with_marks("Mine.\n", sequence=7, anchor=THEN)
instants = st.integers(-(10**7), 10**7).map(lambda seconds: THEN + timedelta(seconds=seconds))
words = st.text(st.characters(exclude_categories=("C", "Z")), max_size=60)
cursors = st.builds(
    "<!-- CURSOR: v1 seq={} for={} -->\n".format, st.integers(0, 10**6), instants.map(datetime.isoformat)
)
anchors = st.builds("<!-- LAST_PROCESSED: {} -->\n".format, instants.map(datetime.isoformat))
garbage = st.sampled_from(
    [
        "<!-",
        "<!--",
        "- ",
        "-->",
        "<!-- CURSOR: v1 seq=x for=y -->\n",
        "<!-- LAST_PROCESSED: soon -->\n",
        "<!--\n",
        "\r\n",
    ]
)
texts = st.lists(st.one_of(words.map("{}\n".format), cursors, anchors, garbage), max_size=6).map("".join)


def due(text, *, ledger=7, anchor=THEN):
    return find_pending(text, ledger=ledger, ledger_anchor=anchor, last=20, now=NOW)


@given(texts)
def test_a_put_text_never_claims_more_than_what_stands(text):
    asked = due(edited(STANDING, text))

    assert asked.sequence == 7  # whatever it says, all above is told, and nothing else is counted as told
    assert asked.since is None or asked.since < THEN


@given(texts)
def test_a_put_text_has_one_pair_of_marks_at_its_end_and_else_only_its_words(text):
    new = edited(STANDING, text)

    assert new.count("\n<!-- CURSOR: v1 seq=7") + new.startswith("<!-- CURSOR: v1 seq=7") == 1
    assert read_marks(new).anchors == 1 and read_marks(new).sequence == 7
    assert without_marks(new).rstrip("\n") == without_marks(text).rstrip("\n")


@given(texts)
def test_putting_what_stands_changes_nothing_and_putting_twice_is_putting_once(text):
    new = edited(STANDING, text)

    assert edited(STANDING, STANDING) == STANDING
    assert edited(new, text) == new and edited(new, new) == new


@given(instants)
def test_an_anchor_moved_back_is_taken_over_and_one_moved_forward_is_not(instant):
    moved = f"Mine.\n<!-- LAST_PROCESSED: {instant.isoformat()} -->\n"

    assert read_marks(edited(STANDING, moved)).anchor == min(instant, THEN)
    assert due(edited(STANDING, moved)).since == (instant if instant < THEN else None)


@given(texts, st.booleans(), st.booleans())
def test_nor_does_it_claim_more_where_a_person_has_deleted_marks(text, keeps_cursor, keeps_anchor):
    standing = replace_marks("Mine.\n", with_some(keeps_cursor, keeps_anchor))

    assert due(edited(standing, text)).sequence == 7
    since = due(edited(standing, text)).since
    assert since is None or since < THEN


def with_some(keeps_cursor, keeps_anchor):
    lines = STANDING.splitlines(keepends=True)
    return read_marks("".join(lines[1:2] * keeps_cursor + lines[2:] * keeps_anchor))


def test_the_anchor_of_another_tool_comes_along_with_its_story_where_nothing_was_ever_told():
    foreign = "Theirs.\n<!-- LAST_PROCESSED: 2026-01-28T13:45:00Z -->\n"

    assert read_marks(edited("", foreign)).anchor == THEN
    assert read_marks(edited("", "<!-- CURSOR: v1 seq=9 for=2026-01-28T13:45:00Z -->\n")).sequence is None


@given(texts, texts)
def test_only_the_very_story_that_was_read_may_be_replaced(story, other):
    check_unchanged(story, expected=etag_of(story))
    check_unchanged(story, expected=f'W/{etag_of(story)}, "another"')
    check_unchanged(story, expected=etag_of(story).strip('"'))
    check_unchanged(story, expected=f" {ANY} ")
    if story != other:
        with pytest.raises(StoryChanged) as fault:
            check_unchanged(story, expected=etag_of(other))
        assert (fault.value.current, fault.value.etag) == (story, etag_of(story))


@pytest.mark.parametrize("expected", ["", '""', ",", '"*"x', "W/"])
def test_no_etag_at_all_is_not_any_etag(expected):
    with pytest.raises(StoryChanged):
        check_unchanged("Mine.\n", expected=expected)


def test_bytes_that_are_no_letters_have_an_etag_too():
    assert etag_of(b"caf\xe9".decode("utf-8", "surrogateescape")) != etag_of("caf")


@given(words, instants)
def test_the_marks_take_no_part_in_a_difference(text, instant):
    assert difference(text, with_marks(text, sequence=3, anchor=instant), names=("a", "b")) == ""


@given(texts)
def test_what_is_defanged_holds_no_mark(text):
    assert without_marks(without_lookalikes(text)) == without_lookalikes(text)


def test_a_mark_can_not_be_hidden_around_another():
    poison = "<!-<!-- CURSOR -->- CURSOR: v1 seq=9 for=2026-01-28T13:45:00.000Z -->\n"

    assert read_marks(without_lookalikes(poison)).sequence is None
