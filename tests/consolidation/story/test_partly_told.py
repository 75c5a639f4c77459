"""What of a batch stays told, which of its turns are quoted, and that no turn is in both or in neither."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn
from consolidation.story.chapter_turns import turns_of_draft
from consolidation.story.chapters import as_chapter
from consolidation.story.draft import StoryDraft
from consolidation.story.partly_told import partly_told, with_quoted

FIRST = datetime(2026, 2, 14, 10, tzinfo=UTC)


def stored(number):
    at = FIRST + timedelta(days=number)
    said = Message(Speaker.USER, f"Bruno{number} came to see the house in Bonn.", at, "Ann")
    return StoredTurn(number, at, Turn(f"t{number}", "s", (said,)))


def chapter(number, text):
    return as_chapter(f"### [{FIRST + timedelta(days=number):%Y-%m-%d %H:%M}] T\n\n{text}\n\n")


def quoting(turns):
    return StoryDraft(tuple(chapter(one.sequence, f"Ann told me: “{one.turn.messages[0].content}”") for one in turns))


def told(batch, good, bad):
    usable, lost = (tuple(chapter(at, f"{word} {at}") for at in days) for word, days in (("Good", good), ("Bad", bad)))
    return partly_told(batch, StoryDraft(usable), lost, new=usable)


@given(st.sets(st.integers(0, 9), min_size=1), st.sets(st.integers(0, 9), min_size=1), st.sets(st.integers(0, 9)))
def test_each_turn_is_narrated_in_one_chapter(days, good, bad):
    batch = [stored(at) for at in sorted(days)]
    part = told(batch, sorted(good - bad), sorted(bad))
    if part is None:
        return
    untold = {one.sequence for one in part.untold}
    draft = with_quoted(part, quoting(part.untold))
    narrated = [at for one in turns_of_draft(batch, draft, {}).values() for at in one.narrated]

    assert sorted(narrated) == sorted(days)
    assert untold.isdisjoint(part.told) and untold | part.told == days
    quoted = {at for one in draft.append if "Ann told me" in one.text for at in days if f"Bruno{at} " in one.text}
    assert quoted == untold
    assert [one.first for one in draft.append] == sorted(one.first for one in draft.append)


def test_the_turns_of_a_lost_chapter_are_quoted_and_no_others():
    part = told([stored(at) for at in range(4)], good=(0, 3), bad=(1,))

    assert [one.sequence for one in part.untold] == [1, 2]


def test_nothing_is_kept_where_a_lost_chapter_is_of_no_turn_that_is_known():
    batch = [stored(0)]

    assert told(batch, good=(0,), bad=(0,)) is None
    assert told(batch, good=(0,), bad=(5,)) is None


def test_a_chapter_that_is_in_the_story_already_is_not_kept():
    batch = [stored(0), stored(1)]

    assert partly_told(batch, StoryDraft((chapter(0, "Good"),)), (chapter(1, "Bad"),), new=()) is None
