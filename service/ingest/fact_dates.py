"""
Checks since when and until when a fact holds against the talk: a date that nobody told is dropped.

A day is told where the words name it, or its month or year alone, or count to it ("two weeks ago"). In a language whose
words for times are not known here, every day within a year is taken for told.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from consolidation.text.dates import DaysOfMonth, days_of_months, numeric_hint
from consolidation.text.relative_dates import possible_days, resolve_dates
from consolidation.text.sentences import sentences
from service.retrieval.counted_ahead import Span, ahead, month_span
from service.retrieval.counted_days import NUMBER, UNITS, counted, number
from service.retrieval.periods import dense_days
from service.retrieval.seasons import season_named

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from prompts.responses import Fact

_LANGUAGES = frozenset({"en", "de", "es", "fr", "it", "pt", "nl", "pl", "ru", "ar", "zh", "ja"})
_LONGEST = 20_000  # characters of a text that are read
_DAY, _YEAR_LONG = timedelta(1), timedelta(366)  # a day is another one in another time zone
_YEAR = re.compile(r"(?<![\d.,])((?:1[89]|20|21)\d\d)(s?)(?!\d|[.,]\d)")
_SHORT_YEAR = re.compile(r"['’](\d\d)(?!\d)")
_FEASTS = (  # the months around
    (
        re.compile(
            r"christmas|xmas|new year|weihnacht|silvester|neujahr|navidad|año nuevo|no[ëe]l|nouvel an|natal"
            r"|capodanno|kerst|oud en nieuw|święta|sylwest|рождеств|нов(?:ый|ого) год|圣诞|聖誕|クリスマス|正月|元旦",
            re.IGNORECASE,
        ),
        (12, 1),
    ),
    (re.compile(r"easter|ostern|pascua|pâques|pasqua|páscoa|pasen|wielkanoc|пасх", re.IGNORECASE), (3, 4)),
)
_SLACK = {"day": 1, "week": 7, "month": 31, "year": 366}  # "two weeks ago" is seldom meant to the day
_LENGTH = {"day": 1, "week": 7, "month": 30, "year": 365}


class DaysOfTalk:
    """The days that the words of a talk may mean, as they are said on a day."""

    def __init__(self, texts: Sequence[str], *, said_on: date, language: str) -> None:
        tag = language.partition("-")[0]
        around = Span(said_on - _YEAR_LONG, said_on + _YEAR_LONG) if tag not in _LANGUAGES else Span(said_on, said_on)
        self._spans = (around, *(one for text in texts for one in _told(text[:_LONGEST], said_on, tag)))

    def dated(self, fact: Fact) -> Fact:
        """*fact* without dates that nobody told, and without an end that is not behind its beginning."""
        begins, ends = self._checked(fact.valid_at), self._checked(fact.invalid_at)
        if begins is not None and ends is not None and _instant(ends) <= _instant(begins):
            ends = None
        return fact.model_copy(update={"valid_at": begins, "invalid_at": ends})

    def _checked(self, when: str | None) -> str | None:
        if not when:
            return None
        try:
            day = _instant(when).date()
        except (ValueError, OverflowError):  # "9999-12-31T23:59:59-05:00" is for ever, and in no calendar of UTC
            return None
        return when if any(one.first <= _later(day) and _earlier(day) <= one.last for one in self._spans) else None


def _instant(when: str) -> datetime:
    found = datetime.fromisoformat(when.strip())
    return found.replace(tzinfo=None) - (found.utcoffset() or timedelta())


def _later(day: date) -> date:
    return min(day, date.max - _DAY) + _DAY


def _earlier(day: date) -> date:
    return max(day, date.min + _DAY) - _DAY


def _told(text: str, said_on: date, language: str) -> Iterator[Span]:
    """The days that *text* names or counts to, some of them as parts of a longer time."""
    yield from (Span(one, one) for one in possible_days(text, said_on=said_on, language=language))
    yield from (Span(one.first, one.last) for one in resolve_dates(text, said_on=said_on, language=language))
    hints = [numeric_hint(text, is_month_first=is_first) for is_first in (True, False)]
    in_numbers = [DaysOfMonth(one.month, one.day, one.day, one.year) for one in hints if one is not None]
    for named in (*days_of_months(text), *dense_days(text), *in_numbers):
        yield from _of_month(named, said_on)
    for found in _YEAR.finditer(text):
        yield _years(int(found[1]), int(found[1]) + (9 if found[2] else 0))
    yield from (_years(year, year) for one in _SHORT_YEAR.findall(text) for year in (1900 + int(one), 2000 + int(one)))
    for pattern, months in _FEASTS:
        if pattern.search(text):
            yield from (span for one in months for span in _of_month(DaysOfMonth(one), said_on))
    for sentence in sentences(text, language=language):
        yield from _counted(sentence, said_on, language)


def _counted(sentence: str, said_on: date, language: str) -> Iterator[Span]:
    if found := counted(sentence, today=said_on):
        yield Span(found.first, found.last)
    yield from ahead(sentence, today=said_on).spans
    if season := season_named(sentence, today=said_on, language=language):
        yield Span(season.first, season.last)
        yield Span(season.first + _YEAR_LONG, season.last + _YEAR_LONG)
    for unit, pattern, bare in _units(is_french=language == "fr"):
        slack, length = _SLACK[unit], _LENGTH[unit]
        if bare.search(sentence):  # "this year", "el mes que viene"
            yield _around(said_on, -length - slack, length + slack)
        for times in pattern.finditer(sentence):
            counts = [number(one) for one in (times["number"], times["more"]) if one]
            for away in (one * length for count in counts for one in (-count, count)):
                yield _around(said_on, away - slack, away + slack)


def _of_month(named: DaysOfMonth, said_on: date) -> Iterator[Span]:
    """The days of a month that are named; without a year, those of the years around."""
    years = (named.year,) if named.year else range(max(said_on.year - 1, 1), min(said_on.year + 1, date.max.year) + 1)
    for year in years:
        whole = month_span(year, named.month)
        if named.first is None or named.last is None:
            yield whole
        elif max(named.first, named.last) <= whole.last.day:
            first, last = sorted((named.first, named.last))
            yield Span(whole.first.replace(day=first), whole.first.replace(day=last))


def _years(first: int, last: int) -> Span:
    return Span(date(first, 1, 1), date(last, 12, 31))


def _around(day: date, first: int, last: int) -> Span:
    """The days from *first* to *last* days behind *day*, as far as the calendar goes."""
    return Span(*(date.fromordinal(min(max(day.toordinal() + one, 1), date.max.toordinal())) for one in (first, last)))


@cache
def _units(*, is_french: bool) -> tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]:
    """Each unit of time, with a number before it, and alone; "an" is a year in French alone."""
    names = {unit: words if is_french else words.replace("|ans?|", "|") for unit, words in UNITS.items()}
    return tuple(
        (
            unit,
            re.compile(rf"{NUMBER}[\s-]*(?:{words})(?![^\W\d_])", re.IGNORECASE),
            re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])", re.IGNORECASE),
        )
        for unit, words in names.items()
    )
