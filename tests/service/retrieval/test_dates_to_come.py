"""A day or a month without a year may be one yet to come: the nearest one and the tense decide."""

from datetime import date
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.text.dates import DateHint
from service.retrieval.periods import date_to_come, names_date, period, without_period
from tests.support import strategies
from tests.support.growth import assert_linear, repeated

JUNE = date(2026, 6, 15)  # a Monday
AUGUST = (date(2025, 8, 1), date(2025, 8, 31))

THAT_DAY = ("5 August {}", "{}-08-05", "{}年8月5日")

COMING = [
    ("Where are we going in August?", DateHint(8)),
    ("What's on 3 August?", DateHint(8, 3)),
    ("Who gets married in September?", DateHint(9)),
    ("What do I have on the 20th of June?", DateHint(6, 20)),
    ("Do I have anything on 8/3?", DateHint(8, 3)),
    ("What happens in August 2027?", DateHint(8, None, 2027)),
    ("Was machen wir im August?", DateHint(8)),
    ("Was ist am 5.8.?", DateHint(8, 5)),
    ("Wann fahren wir im September los?", DateHint(9)),
    ("¿Adónde vamos en agosto?", DateHint(8)),
    ("¿Qué hay el 3 de agosto?", DateHint(8, 3)),
    ("Qu'est-ce qu'on fait en août ?", DateHint(8)),
    ("Cosa facciamo a settembre?", DateHint(9)),
    ("O que temos em agosto?", DateHint(8)),
    ("Wat doen we in augustus?", DateHint(8)),
    ("Co robimy w sierpniu?", DateHint(8)),
    ("Куда мы едем в августе?", DateHint(8)),
    ("八月我们去哪里？", DateHint(8)),
    ("8月3日に何がありますか？", DateHint(8, 3)),
    ("ماذا عندنا في أغسطس؟", DateHint(8)),
]
GONE = [
    "What did I tell you in August?",
    "What happened in August?",
    "Who came to dinner in August?",
    "Where were we last August?",
    "since August",
    "Was haben wir im August gemacht?",
    "Wo waren wir im August?",
    "¿Qué hicimos en agosto?",
    "Qu'est-ce qu'on a fait en août ?",
    "Cosa abbiamo fatto ad agosto?",
    "O que eu fiz em agosto?",
    "Wat hebben we in augustus gedaan?",
    "Co robiliśmy w sierpniu?",
    "Что мы делали в августе?",
    "八月我去了哪里？",
    "8月に何をしましたか？",
    "ماذا فعلت في أغسطس؟",
]


def days(text, *, today=JUNE):
    found = period(text, today=today)
    return found and (found.first, found.last)


@pytest.mark.parametrize(("text", "hint"), COMING)
def test_the_nearest_day_or_month_is_yet_to_come_where_the_past_is_not_asked_for(text, hint):
    assert date_to_come(text, today=JUNE) == hint
    assert days(text) is None


@pytest.mark.parametrize("text", GONE)
def test_in_the_past_tense_it_is_the_last_one(text):
    assert date_to_come(text, today=JUNE) is None
    assert days(text)[0] == AUGUST[0]


@pytest.mark.parametrize("text", ["What's up with April?", "And in March?", "Was ist im Mai?", "en mayo", "w maju"])
def test_one_that_has_just_been_is_the_last_one(text):
    assert date_to_come(text, today=JUNE) is None
    assert days(text) is not None


def test_what_was_planned_and_the_month_of_today_may_be_either():
    for text in ("What did we book for August?", "Was haben wir für August geplant?", "What is on in June?"):
        assert date_to_come(text, today=JUNE) is not None
        assert days(text) is not None


def test_a_weekday_beside_a_day_to_come_is_not_the_last_such_weekday():
    assert days("What do we have on Friday 14 August?") is None


def test_the_place_says_how_numbers_are_read():
    asked = "Is there anything on 8/7?"

    assert date_to_come(asked, today=JUNE, timezone=ZoneInfo("America/Chicago")) == DateHint(8, 7)
    assert date_to_come(asked, today=JUNE, timezone=ZoneInfo("Europe/London")) == DateHint(7, 8)


@pytest.mark.parametrize(
    ("text", "asked", "is_named"),
    [
        ("We booked Whitby, 1 to 8 August.", DateHint(8), True),
        ("We booked Whitby, 1 to 8 August.", DateHint(8, 3), True),
        ("We booked Whitby, 1 to 8 August.", DateHint(8, 9), False),
        ("August 1-8 in Whitby", DateHint(8, 3), True),
        ("vom 1. bis 8. August", DateHint(8, 3), True),
        ("del 1 al 8 de agosto", DateHint(8, 3), True),
        ("с 1 по 8 августа", DateHint(8, 3), True),
        ("8月1日から8日まで", DateHint(8, 3), True),
        ("8月1日到8月8日", DateHint(8, 3), True),
        ("8月1日", DateHint(8, 3), False),
        ("Jo's birthday is on 20 August.", DateHint(8, 3), False),
        ("The fair is in August.", DateHint(8, 3), True),
        ("2026-08-03: dentist", DateHint(8, 3), True),
        ("The fair is in September.", DateHint(8), False),
        ("The fair was in August 2024.", DateHint(8, None, 2026), False),
    ],
)
def test_a_turn_names_a_day_itself_or_within_a_span(text, asked, is_named):
    assert names_date(text, asked) is is_named


def test_the_words_of_a_date_stay_where_they_are_asked_for():
    assert without_period("What is on the 14th of April?", keeps_dates=True) == "What is on the 14 of April?"
    assert without_period("Was ist am 5.8. und gestern?", keeps_dates=True) == "Was ist am 5.8. und ?"
    assert without_period("What did I say on 12/05/2025?") == "What did I say on ?"


@given(strategies.texts, st.dates(date(1990, 1, 1), date(2200, 1, 1)))
def test_any_text_on_any_day_is_read(text, today):
    found = date_to_come(text, today=today)

    assert found is None or 1 <= found.month <= 12


@pytest.mark.parametrize("unit", ["5 August ", "1 to 8 ", "on 5/8 ", "5.8. ", "8月", "what will "])
def test_the_cost_grows_with_the_length(unit):
    assert_linear(lambda text: date_to_come(text, today=JUNE), repeated(unit), length=4_000)


@pytest.mark.parametrize("written", THAT_DAY)
def test_a_day_of_another_year_is_another_day(written):
    asked = DateHint(8, 5, 2025)

    assert names_date(f"The party is on {written.format(2025)}.", asked)
    assert not names_date(f"The party is on {written.format(2024)}.", asked)
    assert names_date(f"The party is on {written.format(2024)}.", DateHint(8, 5))
