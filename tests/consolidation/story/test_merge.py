from hypothesis import given
from hypothesis import strategies as st

from consolidation.story.merge import merge

lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n", "\n"]), max_size=12).map("".join)
BASE = "# Story\n\nIntro.\nMiddle.\nLast.\n"


@given(lines, lines)
def test_where_only_one_side_changed_its_text_stands(base, changed):
    assert merge(base, ours=changed, theirs=base).text == changed
    assert merge(base, ours=base, theirs=changed).text == changed


@given(lines, lines)
def test_the_same_change_on_both_sides_is_made_once(base, changed):
    assert merge(base, ours=changed, theirs=changed) == merge(base, ours=base, theirs=changed)


@given(lines, lines, lines)
def test_no_line_of_the_person_is_lost(base, ours, theirs):
    merged = merge(base, ours=ours, theirs=theirs).text.splitlines()

    added = [line for line in theirs.splitlines() if line not in base.splitlines()]
    assert all(line in merged for line in added)


def test_a_chapter_added_behind_a_corrected_line_keeps_both():
    merged = merge(BASE, ours=BASE + "### New\n", theirs=BASE.replace("Last.", "Last, corrected."))

    assert merged.text == BASE.replace("Last.", "Last, corrected.") + "### New\n"
    assert merged.conflicts == ()


def test_where_both_changed_a_line_the_person_wins_and_ours_is_handed_back():
    merged = merge(BASE, ours=BASE.replace("Middle.", "Ours."), theirs=BASE.replace("Middle.", "Theirs."))

    assert "Theirs." in merged.text and "Ours." not in merged.text
    assert [conflict.ours for conflict in merged.conflicts] == ["Ours.\n"]


def test_a_missing_last_line_end_glues_nothing():
    base = "### [2026-01-09 18:30] A\n\nOne.\n"
    ours = base + "### [2026-01-10 18:30] B\n\nTwo.\n"

    merged = merge(base, ours=ours, theirs=base + "More").text

    assert "More\n### [2026-01-10 18:30] B\n" in merged


def test_a_chapter_of_ours_stands_behind_a_paragraph_that_both_changed():
    base = "### [2026-01-09 18:30] A\n\nOne.\n"
    ours = "### [2026-01-09 18:30] A\n\nOne, revised.\n\n### [2026-01-10 18:30] B\n\nTwo.\n"

    merged = merge(base, ours=ours, theirs="### [2026-01-09 18:30] A\n\nOne, mine.\n")

    assert "One, mine." in merged.text and "revised" not in merged.text
    assert merged.text.count("### [2026-01-10 18:30] B") == 1 and "Two." in merged.text
    assert merged.conflicts


@given(
    lines,
    st.sampled_from(["Ann was here.\n", "One.\n\nTwo.\n"]),
    st.integers(0, 4),
    st.sampled_from(["", "Bo, too.\n"]),
)
def test_a_save_that_was_merged_already_is_not_merged_twice(base, added, at, since):
    """Broken: what both sides added is kept twice where one of them added more."""
    was = base.splitlines(keepends=True)
    theirs = "".join([*was[:at], added, *was[at:]])
    once = merge(base, ours=f"{base}### Ours\n", theirs=theirs).text
    edited = once.replace(added, f"{added}{since}")

    again = merge(base, ours=edited, theirs=theirs).text

    assert again.count(added) == 1


def test_a_save_that_was_merged_already_may_stand_behind_a_line_that_was_corrected_since():
    theirs = BASE + "Ann was here.\n"
    ours = BASE.replace("Last.", "Last, corrected.") + "Ann was here.\nBo, too.\n"

    assert merge(BASE, ours=ours, theirs=theirs).text == ours
