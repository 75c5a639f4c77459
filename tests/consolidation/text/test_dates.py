"""Months and weekdays are known in every language we speak, long and short, and words that look like them are not."""

from datetime import date

import pytest

from consolidation.text.dates import (
    DateHint,
    asks_when,
    date_hint,
    days_named,
    has_time,
    month_names,
    numeric_hint,
    weekdays_named,
    without_dates,
)
from tests.support.growth import assert_linear, repeated


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("What did we do on March 5?", DateHint(3, 5)),
        ("on the 5th of May 2026", DateHint(5, 5, 2026)),
        ("Dec 24, 2025", DateHint(12, 24, 2025)),
        ("Sept. 5", DateHint(9, 5)),
        ("in Jan", DateHint(1)),
        ("el 3 de dic", DateHint(12, 3)),
        ("el 12 de ene. de 2026", DateHint(1, 12, 2026)),
        ("¿Qué hice en abril?", DateHint(4)),
        ("5 de mayo", DateHint(5, 5)),
        ("Am 5. Okt war ich dort", DateHint(10, 5)),
        ("am 3. Dezember 2025", DateHint(12, 3, 2025)),
        ("seit Mär", DateHint(3)),
        ("le 12 févr.", DateHint(2, 12)),
        ("le 1 août", DateHint(8, 1)),
        ("en juil. 2025", DateHint(7, None, 2025)),
        ("12 mag", DateHint(5, 12)),
        ("il 5 ott.", DateHint(10, 5)),
        ("3 gen 2026", DateHint(1, 3, 2026)),
        ("3 de out", DateHint(10, 3)),
        ("em dezembro", DateHint(12)),
        ("7 dez", DateHint(12, 7)),
        ("7 de set. de 2025", DateHint(9, 7, 2025)),
        ("3 апр", DateHint(4, 3)),
        ("в 20 сент. 2025", DateHint(9, 20, 2025)),
        ("5 марта", DateHint(3, 5)),
        ("в мае", DateHint(5)),
        ("в марте 2025", DateHint(3, None, 2025)),
        ("5 مارس", DateHint(3, 5)),
        ("في يناير", DateHint(1)),
        ("в марте", DateHint(3)),
        ("w maju", DateHint(5)),
        ("od maja", DateHint(5)),
        ("5 maja 2026", DateHint(5, 5, 2026)),
        ("3 wrzesnia", DateHint(9, 3)),
        ("w październiku", DateHint(10)),
        ("do konca lutego", DateHint(2)),
        ("op 12 maart", DateHint(3, 12)),
        ("in januari", DateHint(1)),
        ("on 2025-12-05", DateHint(12, 5, 2025)),
        ("What did June bring?", DateHint(6)),
        ("How was April?", DateHint(4)),
        ("April's rent", DateHint(4)),
        ("en Julio", DateHint(7)),
        ("a finales de Julio", DateHint(7)),
    ],
)
def test_a_date_is_found_in_every_language_long_and_short(text, hint):
    assert date_hint(text) == hint


@pytest.mark.parametrize(
    "text",
    [
        "you may come, and may 't be fun",
        "they march on",
        "a mar is a sea in Spanish: el mar",
        "three years ago",
        "5 years ago 3 of us left",
        "we set out",
        "it was 5 out of 10",
        "set 5 alarms",
        "I have 3 sets, 2 set up",
        "she went out 2 times",
        "Gen Z and gen 2",
        "ich mag das",
        "ich mag 3 Hunde",
        "tenho dez gatos",
        "j'ai sept ans",
        "ils vont sur Mars",
        "What did Jan say?",
        "mayo on my sandwich",
        "la casa del mar",
        "Где живёт Марта?",
        "Я позвонил Марте.",
        "a high APR",
        "Maja przyszła z Anią",
        "qué marca de coche",
        "nie podoba mi sie",
        "dr Lis",
        "io mai",
        "Where does April live?",
        "my sister June called",
        "April's husband",
        "Wo arbeitet August?",
        "el teléfono de Julio",
    ],
)
def test_words_that_look_like_a_month_name_none(text):
    assert date_hint(text) is None
    assert days_named(text) == frozenset()
    assert without_dates(text) == text


def test_a_word_that_looks_like_a_month_hides_no_date():
    assert date_hint("I went out 5 May") == DateHint(5, 5)
    assert date_hint("we set 12 June as the day") == DateHint(6, 12)


@pytest.mark.parametrize(
    ("text", "month_first", "day_first"),
    [
        ("12/05/2025", DateHint(12, 5, 2025), DateHint(5, 12, 2025)),
        ("13/05/2025", DateHint(5, 13, 2025), DateHint(5, 13, 2025)),
        ("05/13/2025", DateHint(5, 13, 2025), DateHint(5, 13, 2025)),
        ("05.12.2025", DateHint(12, 5, 2025), DateHint(12, 5, 2025)),
        ("2025/12/5", DateHint(12, 5, 2025), DateHint(12, 5, 2025)),
        ("12-05-2025", DateHint(12, 5, 2025), DateHint(5, 12, 2025)),
        ("am 5.12.", DateHint(12, 5), DateHint(12, 5)),
        ("am 5.12.25", DateHint(12, 5, 2025), DateHint(12, 5, 2025)),
        ("on 12/5", DateHint(12, 5), DateHint(5, 12)),
        ("el 5/12", DateHint(5, 12), DateHint(12, 5)),
        ("op 5/12", DateHint(5, 12), DateHint(12, 5)),
        ("12/5に", DateHint(12, 5), DateHint(5, 12)),
        ("um 5.12", None, None),
        ("Python 3.12", None, None),
        ("1/2 cup", None, None),
        ("31/02/2025", None, None),
        ("on 24/7", None, None),
        ("10.0.0.1", None, None),
        ("5.12.2025.1", None, None),
        ("12,05.2025", None, None),
    ],
)
def test_a_day_in_numbers_is_read_in_the_order_that_is_usual(text, month_first, day_first):
    assert numeric_hint(text, is_month_first=True) == month_first
    assert numeric_hint(text, is_month_first=False) == day_first


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on Monday and in May", {"monday", "may"}),
        ("am Freitag, im März", {"friday", "march"}),
        ("в пятницу, 3 апр", {"friday", "april"}),
        ("na segunda-feira", {"monday"}),
        ("يوم الجمعة", {"friday"}),
        ("Fri, 9 Jan", {"friday", "january"}),
        ("Mo., 5. Okt.", {"monday", "october"}),
        ("sáb. 12 de dic", {"saturday", "december"}),
        ("mer. 12 févr.", {"wednesday", "february"}),
        ("пн, 3 апр", {"monday", "april"}),
        ("w piątek 9 stycznia", {"friday", "january"}),
        ("w srode", {"wednesday"}),
        ("op donderdag", {"thursday"}),
        ("the sun sat on my sex, mon ami, so do mi", set()),
        ("the sun sat 5 times", set()),
    ],
)
def test_weekdays_are_named_and_short_ones_before_a_day_of_a_month_alone(text, days):
    assert days_named(text) == days


def test_weekdays_are_counted_from_monday():
    assert weekdays_named("on Monday and am Freitag, в среду") == {0, 4, 2}
    assert weekdays_named("in May") == frozenset()


@pytest.mark.parametrize(
    "text", ["am 5. Okt", "vor 3 Tagen", "last week", "in May", "am Freitag", "昨日", "w maju", "wczoraj"]
)
def test_a_text_says_when_something_was(text):
    assert has_time(text)


@pytest.mark.parametrize("text", ["you may come", "ich mag das", "it is set", "we ran out", "ich mag Mars"])
def test_a_text_that_says_no_time_has_none(text):
    assert not has_time(text)


def test_dates_are_taken_out_and_nothing_else():
    assert without_dates("What may we set out for on 5 May 2026 in Lyon?") == "What may we set out for on in Lyon?"


def test_a_month_that_is_read_before_in_another_script_spoils_nothing():
    from babel.dates import get_month_names

    from consolidation.text.dates import _names

    get_month_names("abbreviated", "stand-alone", "ja")
    _names.cache_clear()

    assert not any(letter.isdigit() for name in _names().months for letter in name)
    assert date_hint("le 12 févr.") == DateHint(2, 12)


def test_a_month_is_called_by_its_long_names_that_mean_nothing_else():
    assert {"august", "agosto", "août", "augustus", "sierpnia", "августа", "أغسطس"} <= set(month_names(8))
    assert {"may", "mai", "mag", "march", "mars"}.isdisjoint(month_names(5) + month_names(3))


@pytest.mark.parametrize(("text", "asks"), [("When was it?", True), ("wann", True), ("it was when", False)])
def test_a_question_asks_for_a_time(text, asks):
    assert asks_when(text) is asks


def test_a_month_without_a_year_is_the_last_one_and_a_little_after():
    assert DateHint(12, 24).fits(date(2026, 1, 2))
    assert DateHint(5).fits(date(2026, 6, 5))
    assert not DateHint(5).fits(date(2026, 7, 5))
    assert not DateHint(2, 30).fits(date(2026, 2, 28))


@pytest.mark.parametrize(
    "unit", ["may ", "5 ", "set 5 ", "so ", "mo., ", "5 of ", "on ", "9 May 2026, ", "1/2/", "5.12.", "April "]
)
def test_the_cost_grows_with_the_length(unit):
    assert_linear(lambda text: (days_named(text), without_dates(text)), repeated(unit), length=4_000)
