"""
The days that relative words mean, where the calendar leaves no doubt: "yesterday", "last Friday", "vor drei Tagen".

In doubt nothing is said. "Last Friday" on a Tuesday is the Friday of the week before; on a Saturday it may be yesterday
or eight days ago. "Two weeks ago" is seldom meant to the day. English, German, Spanish and French.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import TYPE_CHECKING

from babel.dates import get_day_names, get_month_names

from consolidation.text.dates import weekdays_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    type Days = tuple[date, date]
    type Reckoning = Callable[[date, re.Match[str]], Days | None]

LANGUAGES = ("en", "de", "es", "fr")
_MOST_DAYS = 60  # "40 days ago" is meant to the day, "300 days ago" is not


@dataclass(frozen=True, slots=True)
class ResolvedDate:
    """The ``words`` that somebody said, and the days that they mean, both ends among them."""

    words: str
    first: date
    last: date

    @property
    def name(self) -> str:
        """The days in English with ISO dates: a day, a weekend, a week, a month or a year."""
        if self.first == self.last:
            return f"{_weekday(self.first)} {self.first}"
        if self.first.day == 1 and self.last == _end_of_month(self.first):
            return f"{_month(self.first)} {self.first.year}"
        if (self.first.month, self.first.day, self.last.month, self.last.day) == (1, 1, 12, 31):
            return str(self.first.year)
        return f"{_weekday(self.first)} {self.first} to {_weekday(self.last)} {self.last}"


def resolve_dates(text: str, *, said_on: date, language: str) -> tuple[ResolvedDate, ...]:
    """The relative dates of *text*, in its order, each once; none in a language that is not known here."""
    found: dict[str, tuple[int, ResolvedDate]] = {}
    for pattern, reckon in _reckonings(language.partition("-")[0]):
        for match in pattern.finditer(text):
            days = _reckoned(reckon, said_on, match)
            if days is not None:
                words = " ".join(match[0].split())
                found.setdefault(words.casefold(), (match.start(), ResolvedDate(words, *days)))
    return tuple(one for _, one in sorted(found.values(), key=lambda placed: placed[0]))


def possible_days(text: str, *, said_on: date, language: str) -> frozenset[date]:
    """
    Every day that *text* may mean, one as likely as another: wide enough that a day that is none of them was invented.

    "On Sunday" is any Sunday of the two weeks before or behind, "the 22nd" is in one of the months around, "two weeks
    ago" is fourteen days before.
    """
    found = {said_on}
    for resolved in resolve_dates(text, said_on=said_on, language=language):
        found.update({resolved.first, resolved.last})
    weekdays = weekdays_named(text) | (_WEEKEND if _WEEKEND_WORD.search(text) else frozenset())
    if weekdays:
        days = _around(said_on, _FORTNIGHT)
        found.update(day for day in days if day.weekday() in weekdays)
    numbers = {int(one[1] or one[2]) for one in _DAY_OF_MONTH.finditer(text)}
    if numbers:
        found.update(day for day in _around(said_on, _MONTHS_AROUND) if day.day in numbers)
    for one in _WEEKS.finditer(text):
        number = one["number"].casefold()
        weeks = timedelta(7 * (int(number) if number.isdigit() else _NUMBERS.get(number, 1)))
        found.update(_added(said_on, weeks))
    return frozenset(found)


def _around(day: date, days: int) -> Iterator[date]:
    return (one for offset in range(-days, days + 1) for one in _added(day, timedelta(offset), is_both_ways=False))


def _added(day: date, delta: timedelta, *, is_both_ways: bool = True) -> tuple[date, ...]:
    """The day so long behind, and so long before; none beyond the calendar."""
    deltas = (delta, -delta) if is_both_ways else (delta,)
    return tuple(
        date.fromordinal(day.toordinal() + one.days)
        for one in deltas
        if 1 <= day.toordinal() + one.days <= date.max.toordinal()
    )


def _reckoned(reckon: Reckoning, said_on: date, match: re.Match[str]) -> Days | None:
    try:
        return reckon(said_on, match)
    except OverflowError:  # in the year 1
        return None


def _days_away(days: int) -> Reckoning:
    return lambda today, _: (today + timedelta(days), today + timedelta(days))


def _counted(sign: int) -> Reckoning:
    def of(today: date, match: re.Match[str]) -> Days | None:
        count = int(match["number"]) if match["number"].isdigit() else _NUMBERS[match["number"].casefold()]
        day = today + timedelta(sign * count)
        return (day, day) if 0 < count <= _MOST_DAYS else None

    return of


def _last_weekday(today: date, match: re.Match[str]) -> Days | None:
    """The latest such day, where it lies in the week before: in this week the words could mean either."""
    back = (today.weekday() - _weekday_number(match["weekday"])) % 7 or 7
    day = today - timedelta(back)
    return (day, day) if day < _monday(today) else None


def _this_weekday(today: date, match: re.Match[str]) -> Days:
    day = _monday(today) + timedelta(_weekday_number(match["weekday"]))
    return day, day


def _last_weekend(today: date, _: re.Match[str]) -> Days | None:
    saturday = _monday(today) - timedelta(2)
    return (saturday, saturday + timedelta(1)) if today.weekday() < _SATURDAY else None


def _this_weekend(today: date, _: re.Match[str]) -> Days:
    saturday = _monday(today) + timedelta(_SATURDAY)
    return saturday, saturday + timedelta(1)


def _weeks_away(weeks: int) -> Reckoning:
    def of(today: date, _: re.Match[str]) -> Days:
        first = _monday(today) + timedelta(7 * weeks)
        return first, first + timedelta(6)

    return of


def _months_away(months: int) -> Reckoning:
    def of(today: date, _: re.Match[str]) -> Days:
        years, month = divmod(today.month - 1 + months, 12)
        first = date(today.year + years, month + 1, 1)
        return first, _end_of_month(first)

    return of


def _years_away(years: int) -> Reckoning:
    return lambda today, _: (date(today.year + years, 1, 1), date(today.year + years, 12, 31))


_SATURDAY = 5
_SHORT_WEEKDAYS = {
    "mon": 0,
    "tue": 1,
    "tues": 1,
    "wed": 2,
    "thu": 3,
    "thur": 3,
    "thurs": 3,
    "fri": 4,
    "sat": 5,
    "sun": 6,
}
_NUMBERS = {
    word: number
    for words in (
        "two three four five six seven eight nine ten",
        "zwei drei vier fünf sechs sieben acht neun zehn",
        "dos tres cuatro cinco seis siete ocho nueve diez",
        "deux trois quatre cinq six sept huit neuf dix",
    )
    for number, word in enumerate(words.split(), start=2)
}
_NUMBER = rf"(?P<number>\d{{1,2}}|{'|'.join(_NUMBERS)})"
_FORTNIGHT, _MONTHS_AROUND = 14, 62  # days
_WEEKEND = frozenset({5, 6})
_WEEKEND_WORD = re.compile(r"week-?end|wochenende|fin de semana|fim de semana|finde\b|fine settimana", re.IGNORECASE)
_DAY_OF_MONTH = re.compile(
    r"\b([12]?\d|3[01])(?:st|nd|rd|th)\b|\b(?:the|am|el|le|den|dem|zum|bis|ab|al|del|il|dia|día)\s([12]?\d|3[01])\b",
    re.IGNORECASE,
)
_WEEKS = re.compile(
    rf"(?<!\w)(?P<number>\d{{1,2}}|a|an|one|ein|eine[rn]?|una?|une|{'|'.join(_NUMBERS)})\s"
    r"(?:weeks?|wochen?|semanas?|semaines?|settiman[ae])\b",
    re.IGNORECASE,
)
_DAYS_AGO = {
    "en": rf"{_NUMBER} days ago",
    "de": rf"vor {_NUMBER} tagen",
    "es": rf"hace {_NUMBER} días",
    "fr": rf"il y a {_NUMBER} jours",
}
_IN_DAYS = {
    "en": rf"in {_NUMBER} days",
    "de": rf"in {_NUMBER} tagen",
    "es": rf"dentro de {_NUMBER} días",
    "fr": rf"dans {_NUMBER} jours",
}
# "{day}" stands for the names of the weekdays.
_WORDS: dict[str, tuple[tuple[str, Reckoning], ...]] = {
    "en": (
        (r"the day before yesterday", _days_away(-2)),
        (r"(?<!day before )(?:yesterday|last night)", _days_away(-1)),
        (r"today|tonight|this (?:morning|afternoon|evening)", _days_away(0)),
        (r"(?<!day after )tomorrow", _days_away(1)),
        (r"the day after tomorrow", _days_away(2)),
        (r"(?:last|this past) {day}", _last_weekday),
        (r"this {day}", _this_weekday),
        (r"(?:last|this past) weekend", _last_weekend),
        (r"this weekend", _this_weekend),
        (r"last week(?! end)", _weeks_away(-1)),
        (r"next week(?! end)", _weeks_away(1)),
        (r"last month", _months_away(-1)),
        (r"this month", _months_away(0)),
        (r"next month", _months_away(1)),
        (r"last year", _years_away(-1)),
        (r"next year", _years_away(1)),
    ),
    "de": (
        (r"vorgestern", _days_away(-2)),
        (r"gestern(?: abend)?", _days_away(-1)),
        (r"heute(?: (?:morgen|früh|abend|nacht))?", _days_away(0)),
        (r"übermorgen", _days_away(2)),
        (r"(?:letzten|vergangenen|vorigen) {day}", _last_weekday),
        (r"diesen {day}", _this_weekday),
        (r"(?:letztes|letzten|vergangenes|am vergangenen) wochenende", _last_weekend),
        (r"(?:dieses|diesem) wochenende", _this_weekend),
        (r"(?:letzte|vergangene|vorige)[nr]? woche", _weeks_away(-1)),
        (r"(?:nächste|kommende)[nr]? woche", _weeks_away(1)),
        (r"(?:letzten|letztem|vergangenen|vorigen) monat", _months_away(-1)),
        (r"(?:diesen|diesem) monat", _months_away(0)),
        (r"(?:nächsten|nächstem|kommenden) monat", _months_away(1)),
        (r"(?:letztes|letzten|voriges|vergangenes) jahr", _years_away(-1)),
        (r"(?:nächstes|nächsten|kommendes) jahr", _years_away(1)),
    ),
    "es": (
        (r"anteayer|antier", _days_away(-2)),
        (r"ayer|anoche", _days_away(-1)),
        (r"hoy|esta noche|esta tarde", _days_away(0)),
        (r"pasado mañana", _days_away(2)),
        (r"el {day} pasado", _last_weekday),
        (r"el pasado {day}", _last_weekday),
        (r"este {day}", _this_weekday),
        (r"el fin de semana pasado|el pasado fin de semana", _last_weekend),
        (r"este fin de semana", _this_weekend),
        (r"la semana pasada", _weeks_away(-1)),
        (r"la (?:próxima semana|semana que viene)", _weeks_away(1)),
        (r"el mes pasado", _months_away(-1)),
        (r"este mes", _months_away(0)),
        (r"el (?:próximo mes|mes que viene)", _months_away(1)),
        (r"el año pasado", _years_away(-1)),
        (r"el (?:próximo año|año que viene)", _years_away(1)),
    ),
    "fr": (
        (r"avant-hier", _days_away(-2)),
        (r"(?<!avant-)hier(?: soir)?", _days_away(-1)),
        (r"aujourd['’]hui|ce (?:matin|soir)|cet après-midi", _days_away(0)),
        (r"(?<!après-)demain", _days_away(1)),
        (r"après-demain", _days_away(2)),
        (r"{day} (?:dernier|passé)", _last_weekday),
        (r"ce {day}", _this_weekday),
        (r"le week-?end (?:dernier|passé)", _last_weekend),
        (r"ce week-?end", _this_weekend),
        (r"la semaine (?:dernière|passée)", _weeks_away(-1)),
        (r"la semaine prochaine", _weeks_away(1)),
        (r"le mois (?:dernier|passé)", _months_away(-1)),
        (r"ce mois-ci", _months_away(0)),
        (r"le mois prochain", _months_away(1)),
        (r"l['’]an(?:née)? (?:dernier|dernière|passée?)", _years_away(-1)),
        (r"l['’]an(?:née)? prochaine?", _years_away(1)),
    ),
}


@cache
def _reckonings(language: str) -> tuple[tuple[re.Pattern[str], Reckoning], ...]:
    if language not in LANGUAGES:
        return ()
    days = rf"(?P<weekday>{'|'.join(map(re.escape, _weekday_numbers(language)))})"
    words = (
        *_WORDS[language],
        (_DAYS_AGO[language], _counted(-1)),
        (_IN_DAYS[language], _counted(1)),
    )
    return tuple(
        (re.compile(rf"(?<!\w)(?:{one.replace('{day}', days)})(?!\w)", re.IGNORECASE), reckon) for one, reckon in words
    )


@cache
def _weekday_numbers(language: str) -> dict[str, int]:
    short = _SHORT_WEEKDAYS if language == "en" else {}  # "last Fri"; elsewhere they are words of other kinds
    return short | {name.casefold(): number for number, name in get_day_names("wide", locale=language).items()}


def _weekday_number(name: str) -> int:
    return next(numbers[name.casefold()] for one in LANGUAGES if name.casefold() in (numbers := _weekday_numbers(one)))


def _weekday(day: date) -> str:
    return str(get_day_names("wide", locale="en")[day.weekday()])


def _month(day: date) -> str:
    return str(get_month_names("wide", locale="en")[day.month])


def _monday(day: date) -> date:
    return day - timedelta(day.weekday())


def _end_of_month(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])
