"""The measures of a story, each on a text in which it has something to find and something to miss."""

from datetime import date

import pytest

from tests.benchmarks.story_figures import (
    Asked,
    Said,
    answerable,
    book_of,
    dates_named,
    days_of_talk,
    names_kept,
    openings,
    resolved_dates,
    revised,
    size,
    story_words,
    telling_words,
)

_MARCH = date(2026, 3, 12)  # a Thursday


def _book(*chapters):
    """A story of chapters, each a heading's day and its text."""
    return book_of("".join(f"### [{day} 10:00] A title\n\n{text}\n\n" for day, text in chapters))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("7 May 2023", {"2023-05-07"}),
        ("May 7, 2023", {"2023-05-07"}),
        ("2023-05-07", {"2023-05-07"}),
        ("Sunday, 7th of May 2023", {"2023-05-07"}),
        ("13 August", {"08-13"}),
        ("June 2023", {"2023-06"}),
        ("four years", {"4", "year"}),
        ("Adopted two dogs", {"adopt", "2", "dog"}),
        ("Likely no", set()),
        ("The week before 9 June 2023", {"week before 2023-06-09"}),
    ],
)
def test_an_answers_telling_words_are_stems_numbers_and_dates(answer, words):
    assert telling_words(answer, language="en") == words


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("We met on 7 May.", "2023-05-07"),
        ("We met on Sunday, May 7th.", "2023-05-07"),
        ("Nothing.", "2023-05-08"),
        ("They adopted a dog.", "adopt"),
        ("It took four years.", "4"),
        ("They will marry in June 2024.", "2024-06"),
        ("I ran last week.", "week before 2023-05-08"),
        ("They ran the weekend before.", "weekend before 2023-05-08"),
        ("They ran the week before 1 May.", "week before 2023-05-01"),
    ],
)
def test_a_story_holds_dates_as_answers_write_them(text, word):
    assert word in story_words(_book(("2023-05-08", text)), language="en")


def test_a_heading_counts_as_its_day_and_not_as_its_month():
    found = story_words(_book(("2023-06-08", "Nothing.")), language="en")

    assert "2023-06-08" in found
    assert "2023-06" not in found
    assert "2023" not in found


def test_a_question_is_answerable_where_all_telling_words_of_one_answer_stand_in_the_story():
    book = _book(("2023-05-08", "Ada adopted a greyhound called Pixel."))
    asked = (
        Asked("who", ("Pixel",)),
        Asked("who", ("Rex", "a greyhound")),
        Asked("what", ("a black greyhound",)),
        Asked("what", ("Likely no",)),
    )

    found = answerable(asked, book, language="en")

    assert (found["questions"], found["whole"], found["words"]) == (3, 0.667, 0.833)
    assert found["by kind"]["what"] == {"questions": 1, "whole": 0.0, "words": 0.5}


def test_the_friday_before_a_day_is_answered_by_its_date():
    book = _book(("2023-07-18", "The meeting was on Friday, 14 July."))

    found = answerable((Asked("when", ("The Friday before 15 July 2023",)),), book, language="en")

    assert found["whole"] == 1.0
    assert answerable((Asked("when", ("The Monday before 15 July 2023",)),), book, language="en")["whole"] == 0.0


def test_names_that_are_said_in_three_messages_are_kept_or_left_out():
    said = [Said(_MARCH, text) for text in ("I met Pavel.", "So Pavel called.", "Is Pavel well?", "I saw Ines.")]

    assert names_kept(said, _book(("2026-03-12", "I heard of Pavel.")), language="en") == {
        "names": 1,
        "share": 1.0,
        "left out": [],
    }
    assert names_kept(said, _book(("2026-03-12", "I heard of him.")), language="en")["left out"] == ["Pavel"]


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("On 14 March we spoke. Then it rained.", True),
        ("It was Thursday when we spoke.", True),
        ("He called me on March 12th.", True),
        ("He called me. It was Thursday.", False),
        ("He was to come on 19 March.", False),
    ],
)
def test_a_chapter_opens_with_its_date_where_its_first_sentence_holds_it(text, opens):
    assert openings(_book(("2026-03-12", text)), language="en")["with their date"] == opens


def test_chapters_that_open_alike_are_counted():
    texts = ("Ann told me so.", "Ann told me more.", "Ann laughed.", "Then it rained.")

    found = openings(_book(*(("2026-03-12", text) for text in texts)), language="en")

    assert found["with another's three words"] == 2
    assert (found["first word"], found["chapters with it"]) == ("ann", 3)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("", _MARCH),
        ("I was there yesterday.", date(2026, 3, 11)),
        ("She comes tomorrow.", date(2026, 3, 13)),
        ("She's 4 on sunday.", date(2026, 3, 15)),
        ("We met last Friday.", date(2026, 3, 6)),
        ("We meet next Friday.", date(2026, 3, 20)),
        ("It was two weeks ago.", date(2026, 2, 26)),
        ("It was 3 days ago.", date(2026, 3, 9)),
        ("Last weekend we hiked.", date(2026, 3, 8)),
        ("It's the 22nd now.", date(2026, 3, 22)),
        ("24 july they're after.", date(2026, 7, 24)),
    ],
)
def test_a_day_follows_from_the_talk_that_says_it(text, day):
    assert day in days_of_talk([Said(_MARCH, text)], language="en")


def test_days_that_nobody_named_do_not_follow():
    found = days_of_talk([Said(_MARCH, "We met last Friday, I may come in june, at 3 or 4.")], language="en")

    assert date(2026, 3, 10) not in found
    assert len(found) <= 5


def test_a_date_is_right_where_its_weekday_fits_and_it_follows_from_the_talk():
    said = [Said(_MARCH, "She's 4 on sunday.")]
    text = "On Sunday 15 March she turned four. On Monday 15 March it rained. On Tuesday 31 March it snowed."

    found = resolved_dates(said, _book(("2026-03-12", text)), language="en")

    assert found == {"dates": 3, "with weekday": 3, "weekday fits": 2, "right": 0.333}


def test_a_story_without_dates_has_no_share_of_right_ones():
    assert resolved_dates([], _book(("2026-03-12", "It may rain at 5.")), language="en")["right"] is None


def test_dates_are_read_in_the_language_of_the_story():
    (found,) = dates_named("Am Sonntag, den 15. März, wurde sie vier.", language="de")

    assert (found.month, found.day, found.weekday) == (3, 15, 6)


def test_a_size_is_of_words_without_headings():
    assert size(_book(("2026-03-12", "One two three."), ("2026-03-13", "One."), ("2026-03-14", "One two."))) == {
        "words": 6,
        "chapters": 3,
        "words a chapter": 2,
    }


def test_a_chapter_is_revised_where_a_later_version_has_other_words_under_its_heading():
    first = "### [2026-03-12 10:00] A\n\nOne.\n\n"
    then = "### [2026-03-12 10:00] A\n\nTwo.\n\n### [2026-03-13 10:00] B\n\nNew.\n\n"

    assert revised(("", first, then)) == 1
    assert revised((first, "")) == 0
    assert revised(("", first, first + "### [2026-03-13 10:00] B\n\nNew.\n\n")) == 0
