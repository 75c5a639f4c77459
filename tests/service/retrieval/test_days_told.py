"""Which days to come a text tells of: counted from the day on which it was said; in doubt as many as may be meant."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.text.language import detect
from service.retrieval.agenda import asks_what_is_on
from service.retrieval.counted_ahead import Span
from service.retrieval.days_told import as_values, asked_values, days_told, is_put_off, tells_of_days
from service.retrieval.days_to_come import days_to_come
from service.retrieval.periods import period
from tests.support import strategies
from tests.support.growth import assert_linear, repeated

FRIDAY = date(2026, 12, 4)
TUESDAY, THURSDAY = date(2026, 12, 8), date(2026, 12, 10)


def day(one, last=None):
    return Span(one, last or one)


def told(text, *, said_on=FRIDAY, language="en"):
    return days_told(text, said_on=said_on, language=language)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("dentist next tuesday", (day(TUESDAY),)),
        ("The vet comes on Tuesday.", (day(TUESDAY),)),
        ("they moved the dentist to thursday", (day(THURSDAY),)),
        ("milos school play 10 december 2pm", (day(THURSDAY),)),
        ("receipts are due by the 10th", (day(THURSDAY),)),
        ("I'm off in 3 days", (day(date(2026, 12, 7)),)),
        ("greg has the kids this weekend", (day(date(2026, 12, 5), date(2026, 12, 6)),)),
        ("we're in Whitby, 8 to 10 December", (day(TUESDAY, THURSDAY),)),
        ("The fair is in March.", (day(date(2027, 3, 1), date(2027, 3, 31)),)),
    ],
)
def test_a_day_to_come_is_counted_from_the_day_on_which_it_was_told(text, spans):
    assert told(text) == spans


@pytest.mark.parametrize(
    "text",
    [
        "I was at the dentist on Tuesday.",
        "last tuesday we had pizza",
        "What's on tomorrow?",
        "I broke my arm on 5 November.",
        "On Mondays I swim.",
        "i am SO proud",
        "We live on the 3rd floor.",
        "Good morning",
        "Rund um die 12. Etage",
    ],
)
def test_what_is_over_or_asked_or_a_habit_is_no_day_to_come(text):
    assert told(text) == ()


def test_next_tuesday_may_be_either_where_both_are_meant():
    monday = date(2026, 12, 7)

    assert told("dentist next Tuesday", said_on=monday) == (day(TUESDAY), day(TUESDAY + timedelta(7)))


def test_a_birthday_comes_every_year():
    spans = told("Jo's birthday is on 20 November.")

    assert day(date(2027, 11, 20)) in spans
    assert day(date(2030, 11, 20)) in spans


def test_a_month_that_was_told_of_is_too_vague_for_a_question_about_a_day():
    december = day(date(2026, 12, 1), date(2026, 12, 31))

    assert tells_of_days([december], [day(TUESDAY)], today=FRIDAY) == 0
    assert tells_of_days([december], [december], today=FRIDAY) > 0
    assert tells_of_days([day(TUESDAY)], [december], today=THURSDAY) == 0


@given(st.dates(date(1990, 1, 1), date(2200, 1, 1)), st.integers(0, 40), st.integers(0, 40), st.integers(0, 60))
def test_the_index_finds_whatever_fits(first, told_days, asked_days, later):
    told_of = day(first, first + timedelta(told_days))
    asked = day(first + timedelta(later), first + timedelta(later + asked_days))

    if tells_of_days([told_of], [asked], today=first):
        values, ranges = as_values([told_of]), asked_values([asked])
        assert any(low <= value <= high for value in values for low, high in ranges)


@given(strategies.texts, st.dates())
def test_any_text_on_any_day_is_read(text, said_on):
    assert all(span.last >= said_on for span in told(text, said_on=said_on))
    days_to_come(text, today=said_on, language="en")


@pytest.mark.parametrize(
    ("text", "is_open"),
    [("what's on tomorrow", True), ("am i working tomorrow?", True), ("weather tomorrow?", False)],
)
def test_only_who_asks_what_is_on_means_whatever_that_is(text, is_open):
    assert days_to_come(text, today=FRIDAY, language="en").is_open is is_open


@pytest.mark.parametrize(
    "text", ["see you tomorrow", "write a mail that I'll come tomorrow", "I'm flying to Oslo tomorrow", "guten Morgen"]
)
def test_who_only_mentions_a_day_asks_for_none(text):
    assert days_to_come(text, today=FRIDAY, language=detect(text, fallback="en")) is None


@pytest.mark.parametrize(
    "text", ["what's up today?", "how are you doing today?", "wie geht's heute?", "weather tomorrow?"]
)
def test_not_every_question_asks_what_is_on(text):
    assert not asks_what_is_on(text, language=detect(text, fallback="en"))


def test_on_tuesday_is_the_next_one_unless_the_tense_says_that_it_is_over():
    for text in ("What about Tuesday?", "am i working on tuesday?", "Was hab ich am Dienstag?"):
        assert days_to_come(text, today=FRIDAY).spans == (day(TUESDAY),)
        assert period(text, today=FRIDAY) is None
    for text in ("What did I do on Tuesday?", "what about last tuesday?", "Was habe ich am Dienstag gemacht?"):
        assert days_to_come(text, today=FRIDAY) is None
        assert period(text, today=FRIDAY).first == TUESDAY - timedelta(7)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("What did I do in the first week of November?", 1, 7),
        ("What did I do in early November?", 1, 10),
        ("Was habe ich Ende November gemacht?", 21, 30),
        ("¿Qué hice a finales de noviembre?", 21, 30),
        ("Qu'est-ce que j'ai fait mi-novembre ?", 11, 20),
        ("Cosa ho fatto a inizio novembre?", 1, 10),
        ("O que fiz no início de novembro?", 1, 10),
        ("Wat heb ik eind november gedaan?", 21, 30),
        ("Co robiłem na początku listopada?", 1, 10),
        ("Что я делал в начале ноября?", 1, 10),
        ("11月上旬に何をした？", 1, 10),
        ("十一月底我做了什么？", 21, 30),
        ("ماذا فعلت في أوائل نوفمبر؟", 1, 10),
        ("What did I do in November?", 1, 30),
        ("What did we do in the end in November?", 1, 30),
    ],
)
def test_a_part_of_a_month_is_its_days(text, first, last):
    found = period(text, today=FRIDAY)

    assert (found.first, found.last) == (date(2026, 11, first), date(2026, 11, last))


def test_what_is_put_off_or_called_off_is_known():
    for text in (
        "they moved the dentist to thursday",
        "Umzug verschoben auf den 6.",
        "La cita se ha cancelado",
        "改到周四",
    ):
        assert is_put_off(text)
    assert not is_put_off("dentist next tuesday")


@pytest.mark.parametrize("unit", ["next tuesday ", "in 3 days ", "am 10. ", "下周二", "the 10th ", "8 to 10 December "])
def test_the_cost_grows_with_the_length(unit):
    assert_linear(
        lambda text: days_told(text, said_on=FRIDAY, language="en"), repeated(unit), length=1_000, longest=64_000
    )
