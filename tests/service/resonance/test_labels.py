"""Labels say how long ago, truly and in the reader's language, for every age there is."""

import re
from datetime import UTC, datetime, timedelta, timezone
from itertools import groupby, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.resonance.label_words import VOCABULARIES
from service.resonance.labels import DAYS, HOURS, YEAR, Label, label, undated

NOW = datetime(2026, 1, 12, 12, tzinfo=UTC)
ANY_TIME = st.datetimes(datetime(1990, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))
LANGUAGES = sorted(VOCABULARIES)
SECOND, MINUTE, HOUR, DAY = (timedelta(**{unit: 1}) for unit in ("seconds", "minutes", "hours", "days"))
EVERY_AGE = st.timedeltas(timedelta(0), 3 * DAY) | st.timedeltas(timedelta(0), 200 * YEAR)
EVERY_WEEKDAY = [NOW + timedelta(days=day) for day in range(7)]  # NOW is a Monday
STRETCHES = [stretch for _, stretch in HOURS] + ["earlier today", "yesterday"] + [stretch for _, stretch in DAYS]
ENGLISH_RANKS = {VOCABULARIES["en"][stretch]: 10 * rank for rank, stretch in enumerate(STRETCHES)}


def ago(age, *, now=NOW, zone=UTC, language="en"):
    return label(now - age, now=now, timezone=zone, language=language).words


def rank(words):
    if words in ENGLISH_RANKS:
        return ENGLISH_RANKS[words]
    if months := re.fullmatch(r"about (\d+) months ago", words):
        return 10 * STRETCHES.index("months") - 6 + int(months[1]) / 2
    nearness, count = re.fullmatch(r"(about|over|almost) (a|\d+) years? ago", words).groups()
    years = 1 if count == "a" else int(count)
    return 1_000 + 3 * years + ("almost", "about", "over").index(nearness)


MIDNIGHT = 12 * HOUR + SECOND  # NOW is noon; the first second of what is before today
STARTS = [
    (0 * DAY, "a moment ago"),
    (30 * MINUTE, "a little while ago"),
    (2 * HOUR, "a few hours ago"),
    (6 * HOUR, "earlier today"),
    (MIDNIGHT, "yesterday"),
    (1 * DAY + MIDNIGHT, "a few days ago"),
    (3 * DAY + MIDNIGHT, "last week"),
    (7 * DAY + MIDNIGHT, "a couple of weeks ago"),
    (19 * DAY + MIDNIGHT, "about a month ago"),
    (44 * DAY + MIDNIGHT, "a couple of months ago"),
    (89 * DAY + MIDNIGHT, "several months ago"),
    (181 * DAY + MIDNIGHT, "about 6 months ago"),
    (197 * DAY + MIDNIGHT, "about 7 months ago"),
    (228 * DAY + MIDNIGHT, "about 8 months ago"),
    (258 * DAY + MIDNIGHT, "about 9 months ago"),
    (289 * DAY + MIDNIGHT, "about 10 months ago"),
    (319 * DAY + MIDNIGHT, "about 11 months ago"),
    (334 * DAY + MIDNIGHT, "almost a year ago"),
    (349 * DAY + MIDNIGHT, "about a year ago"),
    (YEAR + 91 * DAY, "over a year ago"),
    (YEAR + 274 * DAY, "almost 2 years ago"),
    (YEAR + 335 * DAY, "about 2 years ago"),
    (2 * YEAR + 91 * DAY, "over 2 years ago"),
]


@pytest.mark.parametrize(("before", "at"), list(pairwise(STARTS)))
def test_english_changes_its_words_exactly_at_the_limits(before, at):
    (start, words), (limit, next_words) = before, at

    assert ago(start) == ago(limit - SECOND) == words
    assert ago(limit) == next_words


@given(st.timedeltas(timedelta(0), DAY - SECOND), st.timedeltas(timedelta(0), DAY - SECOND))
def test_the_same_calendar_day_is_never_yesterday(one, other):
    midnight = NOW.replace(hour=0)
    then, now = sorted((midnight + one, midnight + other))

    assert ago(now - then, now=now) in {"a moment ago", "a little while ago", "a few hours ago", "earlier today"}


@given(st.timedeltas(timedelta(0), DAY - SECOND), st.timedeltas(timedelta(0), DAY - SECOND))
def test_from_six_hours_on_the_day_before_is_always_yesterday(into_today, into_yesterday):
    midnight = NOW.replace(hour=0)
    now, then = midnight + into_today, midnight - DAY + into_yesterday

    assert (ago(now - then, now=now) == "yesterday") is (now - then >= 6 * HOUR)


@pytest.mark.parametrize("now", EVERY_WEEKDAY, ids=lambda day: f"{day:%A}")
def test_last_week_is_the_calendar_week_before_and_no_other(now):
    monday = now - now.weekday() * DAY
    week_before = {days for days in range(40) if monday - 7 * DAY <= now - days * DAY < monday}

    said = {days for days in range(40) if ago(days * DAY, now=now) == "last week"}

    assert said == week_before - set(range(4))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("count", range(6, 12))
def test_between_six_and_eleven_months_their_number_is_told(language, count):
    assert str(count) in ago(count * 30 * DAY + 4 * DAY, language=language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_a_phrase_for_every_stretch_and_for_years(language):
    needed = {*STRETCHES, "undated", "about", "over", "almost"}

    assert needed <= VOCABULARIES[language].keys()
    assert all(phrase.strip() for phrase in VOCABULARIES[language].values())
    assert {key for key, phrase in VOCABULARIES[language].items() if "{n}" in phrase} >= {"months", "about"}


@pytest.mark.parametrize(
    ("language", "comma"),
    [("en", ", "), ("ru", ", "), ("tr", ", "), ("ja-JP", "、"), ("zh", "，"), ("zh-Hant-TW", "，"), ("ar-EG", "، ")],
)
def test_a_label_is_parted_from_its_memory_by_the_comma_of_its_language(language, comma):
    found = label(NOW - DAY, now=NOW, timezone=UTC, language=language), undated(language=language)

    assert {one.comma for one in found} == {comma}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "a few days ago — Jan 9"),
        ("en-GB", "a few days ago — 9 Jan"),
        ("es", "hace unos días — 9 ene"),
        ("de", "vor ein paar Tagen — 9. Jan."),
        ("fr", "il y a quelques jours — 9 janv."),
        ("it", "qualche giorno fa — 9 gen"),
        ("pt", "há alguns dias — 9 de jan."),
        ("zh", "几天前 — 1月9日"),
        ("zh-Hant", "幾天前 — 1月9日"),
        ("zh_TW", "幾天前 — 1月9日"),
        ("ja", "数日前 — 1月9日"),
        ("ar", "قبل بضعة أيام — 9 يناير"),
        ("nl", "een paar dagen geleden — 9 jan"),
        ("pl", "kilka dni temu — 9 sty"),
        ("ru", "несколько дней назад — 9 янв."),
    ],
)
def test_words_and_date_speak_the_same_language(language, text):
    assert label(NOW - 3 * DAY, now=NOW, timezone=UTC, language=language).text == text


@pytest.mark.parametrize(
    ("language", "one", "two", "five"),
    [
        ("es", "hace más de un año", "hace casi 2 años", "hace alrededor de 5 años"),
        ("de", "vor über einem Jahr", "vor fast 2 Jahren", "vor etwa 5 Jahren"),
        ("fr", "il y a plus d’un an", "il y a presque 2 ans", "il y a environ 5 ans"),
        ("it", "più di un anno fa", "quasi 2 anni fa", "circa 5 anni fa"),
        ("pt", "há mais de um ano", "há quase 2 anos", "há cerca de 5 anos"),
        ("zh", "一年多以前", "将近两年前", "大约5年前"),
        ("zh-Hant", "一年多以前", "將近兩年前", "大約5年前"),
        ("ja", "1年以上前", "2年近く前", "約5年前"),
        ("ar", "قبل أكثر من سنة", "قبل ما يقارب سنتين", "قبل نحو 5 سنوات"),
        ("ru", "больше года назад", "почти 2 года назад", "около 5 лет назад"),
    ],
)
def test_years_are_counted_as_each_grammar_asks(language, one, two, five):
    ages = (YEAR + 100 * DAY, YEAR + 300 * DAY, 5 * YEAR)

    assert tuple(ago(age, language=language) for age in ages) == (one, two, five)


@pytest.mark.parametrize(
    ("count", "about", "almost"),
    [
        (4, "около 4 лет назад", "почти 4 года назад"),
        (11, "около 11 лет назад", "почти 11 лет назад"),
        (21, "около 21 года назад", "почти 21 год назад"),
        (22, "около 22 лет назад", "почти 22 года назад"),
        (101, "около 101 года назад", "почти 101 год назад"),
    ],
)
def test_russian_declines_the_year_after_its_count(count, about, almost):
    assert ago(count * YEAR, language="ru") == about
    assert ago(count * YEAR - 60 * DAY, language="ru") == almost


def test_polish_declines_the_year_after_its_count():
    assert ago(4 * YEAR, language="pl") == "około 4 lat temu"
    assert ago(4 * YEAR - 60 * DAY, language="pl") == "prawie 4 lata temu"
    assert ago(12 * YEAR - 60 * DAY, language="pl") == "prawie 12 lat temu"


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "قبل نحو سنة"),
        (2, "قبل نحو سنتين"),
        (3, "قبل نحو 3 سنوات"),
        (10, "قبل نحو 10 سنوات"),
        (11, "قبل نحو 11 سنة"),
        (103, "قبل نحو 103 سنوات"),
    ],
)
def test_arabic_has_a_dual_and_a_plural_of_few(count, words):
    assert ago(count * YEAR, language="ar") == words


@pytest.mark.parametrize(
    ("zone", "hour", "text"),
    [
        ("UTC", 14, "earlier today — Jan 12"),
        ("America/Los_Angeles", 14, "yesterday — Jan 11"),
        ("UTC", 20, "earlier today — Jan 12"),
        ("Asia/Tokyo", 20, "yesterday — Jan 12"),
    ],
)
def test_today_and_yesterday_are_those_of_the_callers_time_zone(zone, hour, text):
    now = datetime(2026, 1, 12, hour, tzinfo=UTC)

    assert label(now - 10 * HOUR, now=now, timezone=ZoneInfo(zone), language="en").text == text


def test_a_few_hours_stay_a_few_hours_across_midnight():
    now = datetime(2026, 1, 12, 1, tzinfo=UTC)

    assert label(now - 3 * HOUR, now=now, timezone=UTC, language="en").text == "a few hours ago — Jan 11"


def test_a_date_of_another_year_names_it():
    said = label(datetime(2025, 1, 9, tzinfo=UTC), now=NOW, timezone=UTC, language="en")

    assert said == Label(words="about a year ago", date="Jan 9, 2025")


def test_this_year_is_that_of_the_callers_time_zone():
    now, then = datetime(2026, 1, 1, 4, tzinfo=UTC), datetime(2025, 12, 31, 20, tzinfo=UTC)

    assert label(then, now=now, timezone=UTC, language="en").date == "Dec 31, 2025"
    assert label(then, now=now, timezone=ZoneInfo("America/Los_Angeles"), language="en").date == "Dec 31"
    assert label(then, now=now, timezone=ZoneInfo("Asia/Tokyo"), language="en").date == "Jan 1"


def test_an_offset_serves_as_a_time_zone():
    said = label(NOW - 13 * HOUR, now=NOW, timezone=timezone(timedelta(hours=5, minutes=30)), language="en")

    assert said.text == "earlier today — Jan 12"


@pytest.mark.parametrize(
    ("now", "text"),
    [
        (datetime(2024, 3, 1, tzinfo=UTC), "yesterday — Feb 29"),
        (datetime(2024, 3, 3, tzinfo=UTC), "a few days ago — Feb 29"),
        (datetime(2025, 2, 28, tzinfo=UTC), "about a year ago — Feb 29, 2024"),
        (datetime(2028, 2, 29, tzinfo=UTC), "about 4 years ago — Feb 29, 2024"),
    ],
)
def test_a_leap_day_is_a_day_like_any_other(now, text):
    assert label(datetime(2024, 2, 29, tzinfo=UTC), now=now, timezone=UTC, language="en").text == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_future_has_a_date_and_no_words(language):
    said = label(NOW + 61 * SECOND, now=NOW, timezone=UTC, language=language)

    assert said.words == ""
    assert said.text == said.date


def test_a_clock_that_runs_a_minute_ahead_is_forgiven():
    assert label(NOW + 60 * SECOND, now=NOW, timezone=UTC, language="en").text == "a moment ago — Jan 12"


@pytest.mark.parametrize("language", ["xx", "sv", "", "-", "../en", "C", "root", "x-klingon"])
def test_a_language_without_words_is_answered_in_english(language):
    assert label(NOW - 3 * DAY, now=NOW, timezone=UTC, language=language).text == "a few days ago — Jan 9"


@pytest.mark.parametrize("language", ["de-XX", "de-u-ca-buddhist", "DE_at_1901", "de-DE-x-mine"])
def test_a_tag_with_strange_ends_keeps_its_language(language):
    assert label(NOW - 3 * DAY, now=NOW, timezone=UTC, language=language).words == "vor ein paar Tagen"


@settings(deadline=None)
@given(st.text(max_size=12))
def test_no_tag_is_refused(language):
    assert label(NOW - 3 * DAY, now=NOW, timezone=UTC, language=language).words


@settings(deadline=None)
@given(ANY_TIME, ANY_TIME, st.timezones(), st.sampled_from(LANGUAGES))
def test_any_two_instants_in_any_zone_have_a_label_of_one_line(occurred_at, now, zone, language):
    found = label(occurred_at, now=now, timezone=zone, language=language)

    assert found.date.strip()
    assert found.text == found.text.strip()
    assert len(found.text.splitlines()) == 1
    assert bool(found.words) or occurred_at > now - SECOND


@settings(deadline=None)
@given(EVERY_AGE, st.sampled_from(LANGUAGES))
def test_every_age_has_words_in_every_language(age, language):
    words = ago(age, language=language)

    assert words.strip()
    assert "{" not in words


@settings(deadline=None)
@given(EVERY_AGE, EVERY_AGE, st.integers(0, 23), st.sampled_from(["UTC", "Asia/Tokyo", "America/Los_Angeles"]))
def test_an_older_memory_never_sounds_younger(age, other, hour, zone):
    now, where = NOW.replace(hour=hour), ZoneInfo(zone)

    younger, older = sorted((age, other))

    assert rank(ago(younger, now=now, zone=where)) <= rank(ago(older, now=now, zone=where))


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_once_left_behind_never_return(language):
    ages = [minutes * 10 * MINUTE for minutes in range(300)] + [days * DAY for days in range(3, 8_000, 7)]

    said = [words for words, _ in groupby(ago(age, language=language) for age in ages)]

    assert len(said) == len(set(said))
