"""priorities.md, briefing.md and diary.md: what a person wrote or deleted counts more than what a dream writes."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from consolidation.dreams.dream_log import DreamRecord
from consolidation.dreams.writings import (
    OurLines,
    diary_heading,
    new_briefing,
    new_priorities,
    read_priorities,
    with_diary_entry,
)

AT = datetime(2026, 2, 12, 9, 32, tzinfo=UTC)


def left_by(rewritten):
    """What is known of our lines behind a rewrite."""
    lines = frozenset(rewritten.ours)
    return OurLines(known=lines, left=lines, deleted=rewritten.deleted)


def test_priorities_are_replaced_whole():
    first = new_priorities("", ["Ship the import", "Answer Ann"], before=OurLines())

    second = new_priorities(first.text, ["Rest"], before=left_by(first))

    assert first.text == "# Priorities\n\n- Ship the import\n- Answer Ann\n"
    assert read_priorities(second.text) == ("Rest",)


def test_a_persons_priority_stays_in_front_and_what_they_deleted_does_not_come_back():
    first = new_priorities("", ["Ship the import", "Answer Ann"], before=OurLines())
    edited = first.text.replace("- Answer Ann\n", "- Call my mother\n")

    after = new_priorities(edited, ["Answer Ann", "Rest"], before=left_by(first))

    assert read_priorities(after.text) == ("Call my mother", "Rest")


def test_what_a_person_deleted_does_not_come_back_however_many_dreams_follow():
    text = new_priorities("", ["Call Ann", "Rest"], before=OurLines())
    edited = text.text.replace("- Call Ann\n", "")

    for _ in range(3):
        text = new_priorities(edited, ["Call Ann", "Rest"], before=left_by(text))
        edited = text.text

    assert read_priorities(edited) == ("Rest",)


def test_a_line_that_a_person_deleted_and_wrote_again_is_theirs():
    first = new_briefing("", "Ann waits.\nI dug.", before=OurLines())
    second = new_briefing("I dug.\n", "Ann waits.\nI dug.", before=left_by(first))

    third = new_briefing("Ann waits.\nI dug.\n", "I sowed.", before=left_by(second))

    assert third.text == "Ann waits.\n\nI sowed.\n"


def test_what_a_dream_left_out_itself_may_come_back():
    first = new_briefing("", "Ann waits.\nI dug.", before=OurLines())
    second = new_briefing(first.text, "I dug.", before=left_by(first))

    third = new_briefing(second.text, "Ann waits.\nI dug.", before=left_by(second))

    assert third.text == "Ann waits.\nI dug.\n"


def test_a_persons_priority_is_never_ours_though_a_dream_sets_it_too():
    first = new_priorities("- Call my mother\n", ["Rest"], before=OurLines())

    second = new_priorities(first.text, ["Call my mother", "Dig"], before=left_by(first))
    third = new_priorities(second.text, ["Sow"], before=left_by(second))

    assert read_priorities(third.text) == ("Call my mother", "Sow")


def test_there_are_at_most_five_priorities():
    text = new_priorities("- Mine\n", [f"Number {at}" for at in range(9)], before=OurLines()).text

    assert read_priorities(text) == ("Mine", "Number 0", "Number 1", "Number 2", "Number 3")


def test_a_file_that_a_person_emptied_is_begun_anew():
    first = new_priorities("", ["Ship the import"], before=OurLines())

    after = new_priorities("", ["Ship the import"], before=left_by(first))

    assert read_priorities(after.text) == ("Ship the import",)


def test_a_briefing_keeps_a_persons_lines_and_has_eighty_lines_at_most():
    first = new_briefing("", "The import runs.\nAnn waits.", before=OurLines())
    edited = first.text.replace("Ann waits.", "Ann is on holiday.")

    after = new_briefing(edited, "\n".join(f"Line {at}" for at in range(200)), before=left_by(first)).text

    assert after.splitlines()[0] == "Ann is on holiday."
    assert "The import runs." not in after
    assert len(after.splitlines()) == 80


def test_a_persons_line_stays_in_the_briefing_however_many_dreams_follow():
    first = new_briefing("", "The import runs.", before=OurLines())

    second = new_briefing(f"Ann is on holiday.\n{first.text}", "I dug.", before=left_by(first))
    third = new_briefing(second.text, "I sowed.", before=left_by(second))

    assert third.text == "Ann is on holiday.\n\nI sowed.\n"


def test_a_persons_briefing_is_never_cut():
    theirs = "".join(f"Line {at}\n" for at in range(100))

    assert new_briefing(theirs, "I dug.", before=OurLines()).text == theirs


def test_a_diary_entry_is_written_once_and_behind_the_others():
    one = with_diary_entry("My notes\n", "I shipped it.", heading="## 2026-02-12 09:32")

    assert one == "My notes\n\n## 2026-02-12 09:32\n\nI shipped it.\n"
    assert with_diary_entry(one, "I shipped it again.", heading="## 2026-02-12 09:32") == one


def test_two_deep_sleeps_of_one_minute_have_an_entry_each():
    first, shallow, second, later = (
        DreamRecord(t=AT + timedelta(seconds=seconds), dream=number, deep=number != 2)
        for number, seconds in enumerate((5, 10, 20, 80), start=1)
    )
    dreams = (first, shallow, second, later)

    headings = [diary_heading(one, dreams, zone=ZoneInfo("Asia/Tokyo")) for one in (first, second, later)]

    assert headings == ["## 2026-02-12 18:32", "## 2026-02-12 18:32, dream 3", "## 2026-02-12 18:33"]
