"""
Stretches of time that a question names: "in June", "last week", "hace dos semanas", "am 5. Mai", "去年".

Months, days and weekdays come from ``dates``, words that count from today from ``counted_days``. A day or a month
without a year may be one yet to come: that is not a period, since nothing was told in it.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from consolidation.text.dates import (
    DateHint,
    DaysOfMonth,
    date_hint,
    numeric_hint,
    tells_of,
    weekdays_named,
    without_dates,
)
from consolidation.text.language import detect
from service.retrieval.agenda import asks_what_is_on
from service.retrieval.counted_ahead import DENSE_DAYS, PORTUGUESE_DAYS, Span, ahead, weekdays_in
from service.retrieval.counted_days import counted, number, without_counted
from service.retrieval.intent import intent_of
from service.retrieval.parts_of_months import part_of_month
from service.retrieval.seasons import season_named, season_of_last_year
from service.retrieval.tense import is_about_plans, tense_beside_date

if TYPE_CHECKING:
    from datetime import tzinfo

    from service.retrieval.tense import Tense

_QUERIES = 32  # each phase asks of the same few
_MONTH_FIRST = frozenset({"zh", "ja", "ko"})  # "12/5" is in December
_TENSELESS = frozenset({"zh"})  # a month without a word of the future is one that is over, though the next is nearer
_LEEWAY = 2  # a past month of such a language may lie so many times as far as the next one
_TO_SUNDAY = timedelta(days=6)  # from Monday
_BEFORE, _AFTER = timedelta(days=2), timedelta(days=10)  # things are told a little before or after they happen
_YEAR = re.compile(
    r"(?:\b(?:in|during|since|im jahr|seit|en|desde|depuis|em|nel|w|od|в|на|с|في|عام|سنة)\s+|(?<!\d)(?=\d{4}\s?年))"
    r"((?:19|20)\d\d)(?!\d)",
    re.IGNORECASE,
)
_DENSE_DATE = re.compile(
    r"(?:(?P<year>(?:19|20)\d\d)\s?年\s?)?(?<![\d一二三四五六七八九十])"
    r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s?月(?!間)"
    r"(?:\s?(?P<day>[12]\d|3[01]|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])\s?[日号號])?"
)
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th|er)\b", re.IGNORECASE)  # "the 14th of April" is told as "14 April"
_DENSE_UNTIL = re.compile(r"(?:から|到|至|[〜～–-])(?:\d{1,2}月)?(\d{1,2}|[二三]?十?[一二三四五六七八九十])[日号號]")
_SINCE = re.compile(
    # Russian "с" is also "with", and から also "because".
    r"\b(?:since|seit|desde|depuis|a partire da|sinds)\b"
    r"|(?<!\w)со? (?=прошл|вчера|позавчера|понедельника|вторника|среды|четверга|пятницы|субботы|воскресенья"
    r"|январ|феврал|март|апрел|ма[яю]|июн|июл|август|сентябр|октябр|ноябр|декабр)"
    r"|\bda(?: (?=gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre|ieri"
    r"|luned|marted|mercoled|gioved|venerd|sabato|domenica)|l(?:la)? (?=\d|mese|settimana|scors))"
    r"|\bod\b|以来|[从從自](?=[这這]?[个個]?(?:周|週|星期|礼拜|禮拜)[一二三四五六日天])|(?<=曜日)から|(?<=曜)から"
    r"|(?<=[昨今先一二三四五六七八九十\d][日週月年])から|(?<=きのう)から|منذ",
    re.IGNORECASE,
)
# "Since Monday" where the weekday has a form of its own, or words are not parted.
_SINCE_WEEKDAY = re.compile(
    r"(?<!\w)со? (?P<russian>понедельника|вторника|среды|четверга|пятницы|субботы|воскресенья)(?!\w)"
    r"|[从從自](?:这|這)?[个個]?(?:周|週|星期|礼拜|禮拜)(?P<chinese>[一二三四五六日天])(?!到|至)"
    r"|(?P<japanese>[月火水木金土日])曜日?から(?!.{0,4}まで)",
    re.IGNORECASE,
)
_RUSSIAN_DAYS = ("по", "вт", "ср", "че", "пя", "су", "во")
# "Na quinta" is on Thursday; "na quinta vez" is not.
_PORTUGUESE_WEEKDAY = re.compile(
    r"\b(?:na|nesta|nessa|desde(?: a)?|[úu]ltima) (segunda|ter[çc]a|quarta|quinta|sexta)(?:-feira)?"
    r"(?=\s{0,4}(?:$|[,.;:!?])| (?:passada|retrasada|agora|de (?:manhã|noite|tarde)|à (?:noite|tarde))(?!\w))",
    re.IGNORECASE,
)
_WEEKDAY_CUE = (
    r"\b(?:on|since|seit|desde|depuis|sinds|da(?= (?:luned|marted|mercoled|gioved|venerd|sabato|domenica))"
    r"|od|last|letzten|vergangenen|am|el|pasado|passado|dernier|passé|scorso|op|afgelopen|vorige|в|во|прошл\w+"
    r"|we? (?:(?:zesz[łl]|ubieg[łl]|ostatni)\w* )?"
    r"(?=poniedzia[łl]ek|wtorek|[śs]rod[ęe]|czwartek|pi[ąa]tek|sobot[ęe]|niedziel[ęe])"
    r"|n[ao] (?=(?:segunda|ter[çc]a|quarta|quinta|sexta)-feira|s[áa]bado|domingo)|(?<!قبل )يوم)\b|上|先"
)


@dataclass(frozen=True, slots=True)
class Period:
    """The days that a text names, both ends among them; ``words`` are those that name them."""

    first: date
    last: date
    words: tuple[str, ...] = ()

    def fits(self, day: date) -> bool:
        """Whether *day* lies within."""
        return self.first <= day <= self.last

    def nearly_fits(self, day: date) -> bool:
        """Whether *day* lies within, or so close that what happened then was told on it."""
        return self.first - _BEFORE <= day <= self.last + _AFTER


@lru_cache(maxsize=_QUERIES)
def period(text: str, *, today: date, language: str = "", timezone: tzinfo | None = None) -> Period | None:
    """
    The period that *text* names, as somebody says it on *today*; None where it names none, or one yet to come.

    *language* is that of the text, guessed where it is not known; the time zone says how numbers are read, and when
    summer is.
    """
    said = _Said(text, today, language or detect(text, fallback=""), timezone)
    found = _of_last_year(said) or _within_year(_counted(said), said)
    if found is not None and found.last >= today and _is_ahead(said, beside=("past", "unknown")):
        found = None  # "what's on this week": the days that are left of it
    if found is None and _names_date(said):
        found = _dated(said)
    elif found is None:
        found = None if _is_ahead(said, beside=("past",)) else _weekday(said)
        found = found or _season(said)
    if found is None or found.first > today:
        return None
    return replace(found, last=today) if _SINCE.search(text) else found


@lru_cache(maxsize=_QUERIES)
def date_to_come(text: str, *, today: date, language: str = "", timezone: tzinfo | None = None) -> DateHint | None:
    """
    The day or month that *text* asks for as one that is, or may be, yet to come; None where there is none.

    Such a time is named in what was told ("we booked Whitby, 1 to 8 August"), not the one in which it was told.
    """
    said = _Said(text, today, language or detect(text, fallback=""), timezone)
    if _of_last_year(said) or _counted(said):
        return None
    hint = _hint(said)
    return hint if hint is not None and _may_come(hint, said) else None


def days_of(text: str, hint: DateHint, *, today: date) -> tuple[Span, ...]:
    """The days from *today* on of a day or a month that *text* names: of "early August" the first of it."""
    years = (hint.year,) if hint.year is not None else (today.year, today.year + 1)
    found = (_part_of(one, text) for year in years if (one := _in_year(hint, year)) is not None)
    return tuple(Span(one.first, one.last) for one in found if one.last >= today)[:1]


def is_of_what_was(text: str, *, today: date) -> bool:
    """Whether *text* names a time that is over by words that count back: "yesterday", "since last week"."""
    found = counted(text, today=today)
    return _SINCE.search(text) is not None or (found is not None and found.last < today)


def tense_of_days(text: str, *, language: str) -> Tense:
    """The tense of a text that names days; what was planned for them may be ahead."""
    tense = tense_beside_date(text, language=language)
    return "unknown" if tense == "past" and is_about_plans(text) else tense


def names_date(text: str, asked: DateHint) -> bool:
    """Whether *text*, which was told, names the day or month that is *asked* for."""
    return tells_of(text, asked) or any(_tells_of(one, asked) for one in dense_days(text))


def dense_days(text: str) -> tuple[DaysOfMonth, ...]:
    """The months and days that *text* names as Chinese and Japanese write them, with the last one of 8月1日到8日."""
    return tuple(_dense_days(found) for found in _DENSE_DATE.finditer(text))


def _dense_days(found: re.Match[str]) -> DaysOfMonth:
    hint = _dense_hint(found)
    until = _DENSE_UNTIL.match(found.string, found.end()) if hint.day else None
    return DaysOfMonth(hint.month, hint.day, number(until[1]) if until else hint.day, hint.year)


def _tells_of(named: DaysOfMonth, asked: DateHint) -> bool:
    """Whether a date of Chinese or Japanese has the month *asked* for, and the day, or one of 8月1日到8日."""
    is_day = asked.day is None or named.first is None or named.first <= asked.day <= (named.last or 0)
    return named.month == asked.month and is_day and (named.year is None or asked.year in (None, named.year))


@lru_cache(maxsize=_QUERIES)
def without_period(text: str, *, keeps_dates: bool = False) -> str:
    """
    *text* without the words that name a time: they say when, not what.

    With *keeps_dates*, days and months stay ("3 August"): a turn about something to come is found by its date.
    """
    bare = without_counted(text)
    return " ".join(_ORDINAL.sub("", bare).split()) if keeps_dates else without_dates(_DENSE_DATE.sub(" ", bare))


@dataclass(frozen=True, slots=True)
class _Said:
    """A text, and when, in which language and where it is said."""

    text: str
    today: date
    language: str
    timezone: tzinfo | None


def _is_ahead(said: _Said, *, beside: tuple[Tense, ...]) -> bool:
    """Whether *said* asks for days to come by words of which the tense decides; not in the tenses *beside*."""
    if is_of_what_was(said.text, today=said.today) or not ahead(said.text, today=said.today).spans:
        return False
    if asks_what_is_on(said.text, language=said.language):
        return True
    asks = intent_of(said.text, language=said.language, names_known=False).kind.endswith("question")
    return asks and tense_of_days(said.text, language=said.language) not in beside


def _counted(said: _Said) -> Period | None:
    """The days that words count back to; of a week that begins on Monday, the weekday that is named."""
    found = counted(said.text, today=said.today)
    if found is None:
        return None
    is_week = found.first.weekday() == 0 and found.last - found.first == _TO_SUNDAY
    named = weekdays_in(said.text) if is_week else frozenset[int]()
    if len(named) != 1:
        return Period(*found)
    day = found.first + timedelta(next(iter(named)))
    return Period(day, day, found.words)


def _within_year(found: Period | None, said: _Said) -> Period | None:
    """Of a whole year that is *found*, the month or season that is named: "in August last year"."""
    if found is None or (found.first.month, found.first.day) != (1, 1) or found.last != date(found.first.year, 12, 31):
        return found
    then = replace(said, today=found.last)
    part = _dated(then) if _hint(then) is not None else _season(then)
    return replace(part, words=(*found.words, *part.words)) if part is not None else found


def _of_last_year(said: _Said) -> Period | None:
    found = season_of_last_year(said.text, today=said.today, timezone=said.timezone)
    return Period(*found) if found else None


def _season(said: _Said) -> Period | None:
    found = season_named(said.text, today=said.today, timezone=said.timezone, language=said.language)
    return Period(*found) if found else None


def _hint(said: _Said) -> DateHint | None:
    """The day or month that is named, in words or in numbers."""
    zone = str(said.timezone or "")
    is_american = not zone or zone.startswith(("America/", "US/", "UTC", "Etc/"))
    is_month_first = said.language in _MONTH_FIRST or (said.language in {"", "en"} and is_american)
    return date_hint(said.text) or _dense_date(said.text) or numeric_hint(said.text, is_month_first=is_month_first)


def _names_date(said: _Said) -> bool:
    return _hint(said) is not None or _YEAR.search(said.text) is not None


def _dated(said: _Said) -> Period | None:
    """A month or a day, without a year the latest one that has begun; or a year. None of one that is yet to come."""
    hint, whole = _hint(said), _YEAR.search(said.text)
    if hint is not None:
        gone = _latest(hint, said.today) if _may_be_gone(hint, said) else None
        return _part_of(gone, said.text) if gone is not None else None
    return Period(date(int(whole[1]), 1, 1), date(int(whole[1]), 12, 31)) if whole else None


def _may_be_gone(hint: DateHint, said: _Said) -> bool:
    gone, days_ahead = _latest(hint, said.today), _days_ahead(hint, said.today)
    if gone is None or days_ahead is None or gone.last >= said.today or _SINCE.search(said.text):
        return gone is not None
    tense = tense_beside_date(said.text, language=said.language)
    leeway = _LEEWAY if said.language in _TENSELESS and tense == "unknown" else 1
    return tense == "past" or (said.today - gone.last).days <= leeway * days_ahead


def _may_come(hint: DateHint, said: _Said) -> bool:
    gone, days_ahead = _latest(hint, said.today), _days_ahead(hint, said.today)
    if days_ahead is None or _SINCE.search(said.text):
        return False
    if gone is None:
        return True
    tense = tense_beside_date(said.text, language=said.language)
    is_nearest = gone.last >= said.today or days_ahead < (said.today - gone.last).days
    return tense == "future" or (is_nearest and (tense == "unknown" or is_about_plans(said.text)))


def _latest(hint: DateHint, today: date) -> Period | None:
    """The latest such day or month that has begun."""
    years = (hint.year,) if hint.year is not None else (today.year, today.year - 1)
    return next((found for year in years if (found := _in_year(hint, year)) and found.first <= today), None)


def _days_ahead(hint: DateHint, today: date) -> int | None:
    """In how many days the next such day or month begins that has not begun."""
    years = (hint.year,) if hint.year is not None else (today.year, today.year + 1)
    coming = (found for year in years if (found := _in_year(hint, year)) and found.first > today)
    return next(((found.first - today).days for found in coming), None)


def _in_year(hint: DateHint, year: int) -> Period | None:
    try:
        first = date(year, hint.month, hint.day or 1)
    except ValueError:
        return None
    return Period(first, first if hint.day else first.replace(day=monthrange(year, hint.month)[1]))


def _part_of(named: Period, text: str) -> Period:
    """The part that *text* means of a month that is *named*: "the first week of", "Ende", "mid"."""
    part = part_of_month(text, days=(named.last - named.first).days + 1)
    if part is None:
        return named
    return replace(named, first=named.first.replace(day=part[0]), last=named.first.replace(day=part[1]))


def _dense_date(text: str) -> DateHint | None:
    """A month or a day as Chinese and Japanese write it."""
    found = _DENSE_DATE.search(text)
    return _dense_hint(found) if found else None


def _dense_hint(found: re.Match[str]) -> DateHint:
    month, day = (number(found[part] or "0") for part in ("month", "day"))
    return DateHint(month, day or None, int(found["year"]) if found["year"] else None)


def _weekday(said: _Said) -> Period | None:
    """The last such day for "on Monday". A text that names several, or a weekday as a habit, names no period."""
    text, today = said.text, said.today
    named = weekdays_named(text)
    if short := _PORTUGUESE_WEEKDAY.search(text):
        named |= {PORTUGUESE_DAYS.index(short[1][:3].casefold())}
    if since := _SINCE_WEEKDAY.search(text):
        named |= {_of_weekday(since)}
    if len(named) != 1 or not (short or since or re.search(_WEEKDAY_CUE, text, re.IGNORECASE)):
        return None
    back = (today.weekday() - next(iter(named))) % 7 or 7
    return Period(today - timedelta(back), today - timedelta(back))


def _of_weekday(found: re.Match[str]) -> int:
    if found["russian"]:
        return _RUSSIAN_DAYS.index(found["russian"][:2].casefold())
    return next(
        days.index(day.replace("天", "日"))
        for days, day in zip(DENSE_DAYS, found.group("chinese", "japanese"), strict=True)
        if day
    )
