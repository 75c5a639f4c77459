"""
The days to come that a text tells of, as somebody said it on a day: by their dates, or by words that count from then.

"Dentist next Tuesday", said on a Friday, tells of the Tuesday. What is asked or is over tells of none.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from consolidation.text.dates import DaysOfMonth, days_of_months, numeric_hint
from consolidation.text.sentences import sentences
from consolidation.text.speech_acts import is_question
from service.retrieval.counted_ahead import Span, ahead, month_span
from service.retrieval.periods import dense_days
from service.retrieval.tense import is_about_plans, tense_beside_date

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from consolidation.text.dates import DateHint

# Days. What is told of a longer time counts only for a question about as long a time, and fits it less well.
_LONG = 14
_VAGUE = 0.7
_WEEK = 7
_WEEKLY = 0.9  # how well a day that comes every week fits; below 1, so that what was told of that one day leads
_LONGEST = 4_000  # characters that are read
_READ = 256  # texts of which the days are kept in memory
_YEARS = 10  # a birthday is told of for so many
_JUST_GONE = timedelta(60)  # a day without a year, so long ago or less, is the one that was
# What is put off is ahead, though it is told in the past tense: "the dentist was moved to Thursday".
_MOVED = re.compile(
    r"\b(?:(?:re)?scheduled|postponed|moved|shifted|pushed|brought forward|verschoben|verlegt|vorgezogen|vertagt"
    r"|aplaza\w+"
    r"|pospuest\w+|cambi(?:ado|aron|ó)|pasado al?|reporté\w*|repouss\w+|déplac\w+|décal\w+|spostat\w+|rimandat\w+"
    r"|rinviat\w+"
    r"|adiad\w+|adiou|adiaram|remarcad\w+|mud(?:ou|aram|ado) para|verplaatst|verzet|verschoven|uitgesteld|przełożon\w+"
    r"|przelozon\w+|przeniesi\w+|przesuni\w+|перен[её]с\w+|сдвин\w+|отложи\w+)\b|改[到成至]|[推延]迟?到|提前到|延期|変更|ずらし"
    r"|تأجل|أجلوا|نقلوا|تغير",
    re.IGNORECASE,
)
_CALLED_OFF = re.compile(
    r"\b(?:cancel\w*|called off|abgesagt|ausgefallen|fällt aus|storniert|cancela\w+|anula\w+|annul\w+|annull\w+"
    r"|desmarcad\w+|desmarcou|afgezegd|afgelast|geannuleerd|odwołan\w+|odwolan\w+|отмен\w+)\b|取消|キャンセル|中止|ألغ\w+|إلغاء",
    re.IGNORECASE,
)
_YEARLY = re.compile(
    r"birthday|b-?day|anniversary|geburtstag|hochzeitstag|jahrestag|cumple|aniversario|anniversaire|compleanno"
    r"|anniversario"
    r"|anivers[áa]rio|verjaardag|jarig|trouwdag|urodzin|rocznic|imienin|день рождения|дня рождения|годовщин|生日|誕生日"
    r"|纪念日|紀念日|記念日|عيد ميلاد|عيد زواج|ذكرى",
    re.IGNORECASE,
)


@lru_cache(maxsize=_READ)
def days_told(text: str, *, said_on: date, language: str) -> tuple[Span, ...]:
    """The days from *said_on* on that *text* tells of, each once; a birthday is of many years."""
    found = (span for one in sentences(text[:_LONGEST], language=language) for span in _of(one, said_on, language))
    return tuple(dict.fromkeys(span for span in found if span.last >= said_on))


def is_put_off(text: str) -> bool:
    """Whether *text* tells that something is at another time now, or not at all."""
    return any(pattern.search(text[:_LONGEST]) for pattern in (_MOVED, _CALLED_OFF))


def tells_of_days(
    told: Iterable[Span], asked: Iterable[Span], *, today: date, weekly: Collection[int] = frozenset()
) -> float:
    """
    How well days that were *told* of are those *asked* for, 0…1; none that is over, and no month for a day.

    What is every week, on the weekdays *weekly*, fits a single day nearly as well as what was told of that day.
    """
    wanted = [Span(max(one.first, today), one.last) for one in asked if one.last >= today]
    is_weekly = any(one.days <= _WEEK and not _weekdays(one).isdisjoint(weekly) for one in wanted)
    fits = [_fits(one, other) for one in told for other in wanted]
    return max((*fits, _WEEKLY if is_weekly else 0.0))


def as_values(told: Iterable[Span], weekly: Iterable[int] = ()) -> tuple[str, ...]:
    """
    Days *told* of as an index holds them: each as "2026-12-10", or the months of many as "2026-12", and the weekdays of
    every week as "weekly 2", from 0 for Monday.
    """
    days = (value for span in told for value in _values(span))
    return tuple(dict.fromkeys((*days, *map(_weekly, weekly))))


def asked_values(asked: Iterable[Span]) -> tuple[tuple[str, str], ...]:
    """The first and the last value of an index that days *asked* for may have."""
    ranges: list[tuple[str, str]] = []
    for one in asked:
        ranges.append((one.first.isoformat(), one.last.isoformat()))
        if one.days <= _WEEK:
            ranges.extend((value, value) for value in map(_weekly, sorted(_weekdays(one))))
        if one.days >= _LONG:
            ranges.extend((month, month) for month in _months(one))
    return tuple(dict.fromkeys(ranges))


def _weekly(weekday: int) -> str:
    return f"weekly {weekday}"


def _weekdays(span: Span) -> frozenset[int]:
    return frozenset((span.first + timedelta(offset)).weekday() for offset in range(min(span.days, _WEEK)))


def _fits(told: Span, asked: Span) -> float:
    if not told.meets(asked) or (told.days > _LONG > asked.days):
        return 0.0
    return 1.0 if told.days <= _LONG else _VAGUE


def _values(span: Span) -> Iterator[str]:
    if span.days > _LONG:
        yield from _months(span)
        return
    for offset in range(span.days):
        yield (span.first + timedelta(offset)).isoformat()


def _months(span: Span) -> Iterator[str]:
    day = span.first.replace(day=1)
    while day <= span.last:
        yield f"{day:%Y-%m}"
        day = month_span(day.year, day.month).last + timedelta(1)


def _of(sentence: str, said_on: date, language: str) -> Iterator[Span]:
    """The days of one sentence."""
    if is_question(sentence):
        return
    is_past = (
        tense_beside_date(sentence, language=language) == "past"
        and not is_about_plans(sentence)
        and _MOVED.search(sentence) is None
    )
    found = ahead(sentence, today=said_on)
    yield from found.sure if is_past else found.spans
    years = _YEARS if _YEARLY.search(sentence) else 1
    for named in _dates(sentence):
        yield from _coming(named, said_on, is_past=is_past and years == 1, years=years)


def _dates(text: str) -> Iterator[DaysOfMonth]:
    yield from days_of_months(text)
    yield from dense_days(text)
    one, other = (numeric_hint(text, is_month_first=is_first) for is_first in (True, False))
    if one is not None and one == other:  # where the order of day and month is not in doubt
        yield _of_hint(one)


def _of_hint(hint: DateHint) -> DaysOfMonth:
    return DaysOfMonth(hint.month, hint.day, hint.day, hint.year)


def _coming(named: DaysOfMonth, said_on: date, *, is_past: bool, years: int) -> Iterator[Span]:
    """The next such days that are not over on *said_on*, and those of the *years* behind."""
    if named.year is not None and years == 1:
        found = _in_year(named, named.year)
        if found is not None:
            yield found
        return
    this = _in_year(named, said_on.year)
    is_over = this is not None and this.last < said_on
    if is_over and this is not None and years == 1 and (is_past or said_on - this.last <= _JUST_GONE):
        return
    for year in range(said_on.year + is_over, min(said_on.year + is_over + years, date.max.year)):
        if (found := _in_year(named, year)) is not None:
            yield found


def _in_year(named: DaysOfMonth, year: int) -> Span | None:
    if named.first is None or named.last is None:
        return month_span(year, named.month)
    try:
        first, last = date(year, named.month, named.first), date(year, named.month, named.last)
    except ValueError:
        return None
    return Span(min(first, last), last)  # "28 to 3 August" is the third
