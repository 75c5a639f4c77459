"""A person's edit laid upon what was written meanwhile, and an edit in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.story.chapters import parse
from consolidation.story.merge import merge
from service.cli.commands.story_edit import changes_in_words

LYON = "### [2026-01-09 18:30] Lyon\n\nI learned of Lyon.\n"
DOG = "### [2026-02-14 10:00] The dog\n\nPascal came.\n"
LINES = st.lists(st.sampled_from([*LYON.splitlines(), *DOG.splitlines(), "", "By hand.", "More\r"]), max_size=8)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n", "\r\n"]))


@given(TEXTS, TEXTS)
def test_where_nothing_was_written_meanwhile_an_edit_stands_byte_for_byte(base, edited):
    assert merge(base, ours=base, theirs=edited).text == edited


@given(TEXTS, TEXTS, TEXTS)
def test_no_chapter_told_meanwhile_is_lost_whatever_a_person_does(base, current, edited):
    found = merge(base, ours=current, theirs=edited)

    new = {one.first for one in parse(current).chapters} - {one.first for one in parse(base).chapters}
    assert new <= {one.first for one in parse(found.text).chapters}


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_chapter_told_behind_an_edited_last_line_stays_a_chapter(end):
    edited = LYON.rstrip() + " And of its bakery." + end

    found = merge(LYON, ours=f"{LYON}\n{DOG}", theirs=edited)

    assert (found.text, len(found.conflicts)) == (f"{edited.rstrip()}\n\n{DOG}", 0)


def test_a_chapter_revised_on_both_sides_is_the_persons_and_the_next_one_stays():
    current = LYON.replace("learned", "was told") + f"\n{DOG}"

    found = merge(LYON, ours=current, theirs=LYON.replace("learned", "dreamt"))

    assert (found.text, len(found.conflicts)) == (LYON.replace("learned", "dreamt") + f"\n{DOG}", 1)


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (LYON.replace("Lyon.", "Paris.") + DOG, "1 chapter changed"),
        (LYON, "1 chapter removed"),
        ("", "2 chapters removed"),
        (LYON + DOG + DOG, "1 chapter added"),
        (LYON.replace("Lyon.", "Paris."), "1 chapter changed, 1 removed"),
        (f"By hand.\n\n{LYON}{DOG}", "the text before the chapters changed"),
        (f"{LYON}\n{DOG}", "only blanks changed"),
    ],
)
def test_an_edit_in_words(after, said):
    assert changes_in_words(LYON + DOG, after) == said
