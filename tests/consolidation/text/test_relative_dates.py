"""Relative words become days where the calendar leaves no doubt, and stay words where it does."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.text.relative_dates import LANGUAGES, possible_days, resolve_dates

TUESDAY, SATURDAY = date(2023, 6, 13), date(2023, 6, 17)


def resolved(text, *, on=TUESDAY, language="en"):
    return [(one.words, one.name) for one in resolve_dates(text, said_on=on, language=language)]


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("I climbed last Friday", "en", "Friday 2023-06-09"),
        ("It was last Fri.", "en", "Friday 2023-06-09"),
        ("It was yesterday.", "en", "Monday 2023-06-12"),
        ("Three days ago I left", "en", "Saturday 2023-06-10"),
        ("See you this Thursday", "en", "Thursday 2023-06-15"),
        ("We moved last weekend", "en", "Saturday 2023-06-10 to Sunday 2023-06-11"),
        ("I start next month", "en", "July 2023"),
        ("It was last year", "en", "2022"),
        ("Wir waren letzten Freitag dort", "de", "Friday 2023-06-09"),
        ("Vor drei Tagen kam sie", "de", "Saturday 2023-06-10"),
        ("El viernes pasado la vi", "es", "Friday 2023-06-09"),
        ("Nous y étions vendredi dernier", "fr", "Friday 2023-06-09"),
        ("C'était hier soir", "fr", "Monday 2023-06-12"),
    ],
)
def test_words_that_mean_one_day_are_resolved(text, language, name):
    assert [one for _, one in resolved(text, language=language)] == [name]


@pytest.mark.parametrize(
    "text", ["I climbed last Friday", "last weekend", "two weeks ago", "next Friday", "300 days ago", "the last days"]
)
def test_words_that_may_mean_two_days_are_left_as_they_are(text):
    assert resolved(text, on=SATURDAY) == []


def test_the_day_before_yesterday_is_not_yesterday_and_each_is_named_once():
    text = "The day before yesterday it rained, yesterday it rained. Yesterday!"

    assert resolved(text) == [
        ("The day before yesterday", "Sunday 2023-06-11"),
        ("yesterday", "Monday 2023-06-12"),
    ]


def test_months_and_years_go_over_the_turn_of_the_year():
    assert resolved("next month and last month", on=date(2023, 12, 31)) == [
        ("next month", "January 2024"),
        ("last month", "November 2023"),
    ]


def test_a_language_that_is_not_known_resolves_nothing():
    assert resolved("昨日", language="ja") == []


@pytest.mark.parametrize(
    ("text", "language", "day", "is_possible"),
    [
        ("See you on Sunday", "en", date(2023, 6, 18), True),
        ("See you on Sunday", "en", date(2023, 6, 19), False),
        ("Am Sonntag kommt sie", "de", date(2023, 6, 18), True),
        ("It is on the 22nd", "en", date(2023, 6, 22), True),
        ("Es el 22", "es", date(2023, 7, 22), True),
        ("Two weeks ago", "en", date(2023, 5, 30), True),
        ("Dans deux semaines", "fr", date(2023, 6, 27), True),
        ("I like it", "en", date(2023, 6, 14), False),
        ("I like it", "en", TUESDAY, True),
    ],
)
def test_a_day_that_words_may_mean_is_told_from_one_that_they_do_not(text, language, day, is_possible):
    assert (day in possible_days(text, said_on=TUESDAY, language=language)) is is_possible


@given(st.dates(), st.sampled_from(LANGUAGES), st.sampled_from(["yesterday", "gestern", "ayer", "hier", "in 9 days"]))
def test_any_day_of_the_calendar_is_reckoned_with_or_left(day, language, text):
    for one in resolve_dates(text, said_on=day, language=language):
        assert one.first <= one.last and one.name
    assert day in possible_days(f"{text} on Sunday the 31st, two weeks", said_on=day, language=language)
