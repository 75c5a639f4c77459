"""What is good in an answer is kept, only the chapters at fault are asked for again, and one word costs a sentence."""

from datetime import UTC, datetime

import pytest

from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn
from consolidation.story.chapter_tries import ChapterTries
from consolidation.story.chapters import parse
from consolidation.story.checks import ChapterChecks
from prompts.responses import NotedPerson, StoryChapter, StoryChapters, StoryRevision

AT = datetime(2026, 2, 14, 10, tzinfo=UTC)
SAID = "We adopted a dog today and called him Pascal. Eagles fly over Lyon, and Ann paid 47 euros for his basket."
BOOK = parse("### [2026-01-01 09:00] The first day\n\nA cold morning.\n")
LONG = (
    "Ann came home with a dog today, and he is called Pascal. I like him already, and I have only heard of his basket."
)


def told(text, *, at="10:00", title="The dog"):
    return StoryChapter(at=f"2026-02-14 {at}", title=title, text=text)


GOOD = told(LONG)
BAD = told("Roderick Spode came by.", at="11:00", title="A visit")
BETTER = told("Somebody came by.", at="11:00", title="A visit")


@pytest.fixture
def left_out():
    return []


@pytest.fixture
def tries(left_out):
    stored = StoredTurn(1, AT, Turn("t1", "s1", (Message(Speaker.USER, SAID, AT, "Ann"),)))
    checks = ChapterChecks([stored], book=BOOK, agent="the bot", soul="", language="en")
    return ChapterTries(checks, book=BOOK, revisable=BOOK.chapters, is_again=False, left_out=left_out.append)


def answered(tries, *append, revise=()):
    """An answer as it counts, and why it can not be used."""
    answer = tries.merged(StoryChapters(append=append, revise=revise))
    return answer, tries.fault(answer)


def test_the_second_try_is_asked_for_the_chapter_at_fault_alone_and_shown_it(tries):
    _, reason = answered(tries, GOOD, BAD)
    words = tries.words()

    assert reason.startswith("the chapter 'A visit': the name 'Roderick Spode'")
    assert [(one["at"], one["title"], one["text"]) for one in words["faulty"]] == [(BAD.at, BAD.title, BAD.text)]
    assert words["kept"] == ("The dog",)


def test_the_chapter_written_anew_joins_those_that_stand(tries):
    answered(tries, GOOD, BAD)
    answer, reason = answered(tries, BETTER)

    assert (reason, tries.usable(answer).append) == ("", (GOOD, BETTER))


def test_a_model_that_writes_everything_again_changes_only_what_was_wrong(tries):
    answered(tries, GOOD, BAD)
    answer, _ = answered(tries, told("Ann came, and Pascal barked at her."), BETTER)

    assert tries.usable(answer).append == (GOOD, BETTER)


def test_a_chapter_that_the_second_try_leaves_out_is_not_lost(tries, left_out):
    answered(tries, GOOD, told(f"{LONG} Roderick Spode came by.", at="11:00", title="A visit"))
    answer, reason = answered(tries)

    assert reason == ""
    assert [one.at for one in tries.usable(answer).append] == [GOOD.at, BAD.at]
    assert left_out[0].startswith("left out of 'A visit': the name 'Roderick Spode'")


def test_what_is_still_wrong_at_the_second_try_loses_the_sentence_and_nothing_else(tries):
    bad = told(f"{LONG} Roderick Spode came by.")
    answered(tries, bad)
    answer, reason = answered(tries, bad)

    assert (reason, tries.usable(answer).append) == ("", (GOOD,))


def test_a_chapter_that_can_not_be_mended_is_refused_at_the_second_try_too(tries):
    answered(tries, GOOD, BAD)

    assert answered(tries, BAD)[1].startswith("the chapter 'A visit'")


def test_of_an_answer_in_part_what_is_right_or_can_be_mended_is_kept_beside_what_is_lost(tries):
    mended = told(f"{LONG} Roderick Spode came by.")
    answered(tries, mended, BAD)
    answered(tries, BAD)

    usable, lost = tries.in_part()
    assert (usable.append, lost) == ((GOOD,), (BAD,))


@pytest.mark.parametrize(
    ("append", "revise"),
    [
        ((told("Roderick Spode came by.", at="soon"),), ()),
        ((), (StoryRevision(number=1, title="Mine", text="Roderick Spode came by."),)),
    ],
)
def test_where_nothing_says_which_turns_are_lost_nothing_is_kept(tries, append, revise):
    answered(tries, GOOD, *append, revise=revise)

    assert tries.in_part() is None


def test_a_revision_at_fault_is_asked_for_again_by_its_number(tries):
    answered(tries, GOOD, revise=[StoryRevision(number=1, title="Mine", text="Roderick Spode came by.")])
    number = tries.words()["faulty"][0]["number"]
    better = StoryRevision(number=1, title="Mine", text="A cold morning, and then Pascal.")
    answer, reason = answered(tries, revise=[better])

    assert (number, reason) == (1, "")
    assert (tries.usable(answer).append, tries.usable(answer).revise) == ((GOOD,), (better,))


def test_a_title_in_title_case_is_no_row_of_names_and_is_put_like_a_sentence(tries):
    answer, reason = answered(tries, told(LONG, title="Pascal And An Eagle Over The Basket Of Ann"))

    assert (reason, answer.append[0].title) == ("", "Pascal and an Eagle over the basket of Ann")
    assert "the name 'Spode'" in answered(tries, told(LONG, title="A Basket For Spode"))[1]


def test_an_answer_of_nothing_is_refused_and_one_of_revisions_alone_is_not(tries):
    assert answered(tries)[1] == "it has no chapter"
    assert answered(tries, revise=[StoryRevision(number=1, title="Mine", text="A cold morning, and Pascal.")])[1] == ""


FORGETS = StoryRevision(number=1, title="The dog", text="Ann came with Pascal, and she paid 47 euros for a basket.")


def test_a_revision_that_forgets_what_its_chapter_told_is_asked_for_again_and_then_left_out(tries, left_out):
    """Broken: the old chapter is gone, and nobody is told."""
    _, reason = answered(tries, GOOD, revise=[FORGETS])
    answer, again = answered(tries, revise=[FORGETS])

    assert reason == "the chapter 'The dog': it leaves out most of what the chapter tells"
    told = tries.usable(answer)
    assert (again, told.append, told.revise) == ("", (GOOD,), ())
    assert left_out == ["left out of 'The dog': it leaves out most of what the chapter tells"]


@pytest.mark.parametrize("text", ["A cold morning.", "A morning, and it was cold."])
def test_an_answer_that_only_tells_an_old_chapter_again_tells_nothing(tries, text):
    """Broken: any revision counts, and the turns are never told."""
    for _ in range(2):
        assert answered(tries, revise=[StoryRevision(number=1, title="Mine", text=text)])[1] == (
            "it repeats what the story already says"
        )
    assert answered(tries, revise=[FORGETS])[1] != ""


def test_a_revision_that_leaves_out_a_person_is_refused(left_out):
    book = parse("### [2026-01-01 09:00] The visit\n\nA cold morning, and Carla came with a red bicycle for Ann.\n")
    stored = StoredTurn(1, AT, Turn("t1", "s1", (Message(Speaker.USER, SAID, AT, "Ann"),)))
    checks = ChapterChecks([stored], book=book, agent="the bot", soul="", language="en")
    tries = ChapterTries(checks, book=book, revisable=book.chapters, is_again=False, left_out=left_out.append)
    text = "A cold morning, and somebody came with a red bicycle for Ann, who has a dog now."
    reason = answered(tries, GOOD, revise=[StoryRevision(number=1, title="The visit", text=text)])[1]

    assert reason == "the chapter 'The visit': it leaves out Carla, whom the chapter names"


def test_a_chapter_that_may_not_be_revised_is_not(tries):
    answer, _ = answered(tries, GOOD, revise=[StoryRevision(number=2, title="Another's", text="Pascal came.")])

    assert answer.revise == ()


def test_the_notes_of_the_first_try_stand_where_the_second_one_has_none(tries):
    people = (NotedPerson(name="Ann", who="has a dog"),)
    answer = tries.merged(StoryChapters(append=(GOOD, BAD), people=people))
    tries.fault(answer)

    assert tries.merged(StoryChapters(append=(BETTER,))).people == people
