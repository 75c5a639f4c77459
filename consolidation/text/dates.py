"""Times in words: whether a text tells one, whether a question asks for one, and which month or day it names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Literal, NamedTuple

from babel.dates import get_day_names, get_month_names

from consolidation.text.words import without_accents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_LANGUAGES = ("en", "es", "de", "fr", "it", "pt", "ru", "ar")  # the first one's names stand for all
_CONTEXTS: tuple[Literal["format", "stand-alone"], ...] = ("format", "stand-alone")
# "In May" and its like in Russian: CLDR has the nominative and the genitive alone.
_IN_MONTHS = "январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре".split()
# Dutch, and Polish in every case that follows "in", "since" and a number, with and without its accents. Their short
# names are words of other kinds: "lip", "do", "sie".
_DUTCH_MONTHS = "januari februari maart april mei juni juli augustus september oktober november december".split()
_POLISH_MONTHS = (
    "styczeń stycznia styczniu|luty lutego lutym|marzec marca marcu|kwiecień kwietnia kwietniu|maj maja maju"
    "|czerwiec czerwca czerwcu|lipiec lipca lipcu|sierpień sierpnia sierpniu|wrzesień września wrześniu"
    "|październik października październiku|listopad listopada listopadzie|grudzień grudnia grudniu"
)
_POLISH_WEEKDAYS = (
    "poniedziałek poniedziałku|wtorek wtorku|środa środę środy|czwartek czwartku|piątek piątku|sobota sobotę soboty"
    "|niedziela niedzielę niedzieli"
)
_DUTCH_WEEKDAYS = "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag".split()
# Months as they are called from Syria to Iraq and in the Maghreb, with and without the sign above an alif.
_LEVANTINE_MONTHS = (
    "كانون_الثاني كانون_ثاني جانفي|شباط فيفري|آذار اذار|نيسان أفريل افريل|أيار ايار|حزيران جوان|تموز جويلية|آب|أيلول "
    "ايلول"
    "|تشرين_الأول تشرين_الاول تشرين_أول تشرين_اول|تشرين_الثاني تشرين_ثاني|كانون_الأول كانون_الاول كانون_أول كانون_اول"
)
# Days of a month in Russian, as "on the 21st" and as "the 21st is": двадцать первого, двадцать первое.
_RUSSIAN_ONES = "перво второ третье четверто пято шесто седьмо восьмо девято".split()
_RUSSIAN_TEENS = (
    "десято одиннадцато двенадцато тринадцато четырнадцато пятнадцато шестнадцато семнадцато восемнадцато"
    " девятнадцато двадцато"
).split()
_RUSSIAN_DAYS = {
    f"{stem}{end}": number
    for number, stem in enumerate(
        (
            *_RUSSIAN_ONES,
            *_RUSSIAN_TEENS,
            *(f"двадцать {one}" for one in _RUSSIAN_ONES),
            "тридцато",
            "тридцать перво",
        ),
        start=1,
    )
    for end in (("го", "") if stem.endswith("третье") else ("го", "е"))
}
_RUSSIAN_DAYS |= {written.replace("четверт", "четвёрт"): number for written, number in _RUSSIAN_DAYS.items()}
# "On Friday" and its like in Russian: CLDR has the nominative alone.
_RUSSIAN_WEEKDAYS = {"среду": 2, "пятницу": 4, "субботу": 5}
# Of languages that CLDR is not asked for here, in every case that they have; and where words are not parted by spaces.
_WEEKDAYS_ELSEWHERE = (
    "poniedzia[łl]ki|wtorki|[śs]rod[ęe]|czwartki|pi[ąa]tki|sobot[ęe]|niedziel[ęe]|segunda|terça|quarta|quinta|sexta"
    "|lunes|martes|miercoles|sabado"
)
_DENSE_WEEKDAYS = "[周週]?星期[一二三四五六日天]|[周週][一二三四五六日]|礼拜[一二三四五六日天]|[月火水木金土日]曜"
# Words of other kinds, planets and people: a month only with a day, a year or a word like "in" beside it.
_AMBIGUOUS = frozenset("may march mar mars sep sept jun mai mei dec jan apr mayo марта марте مارس آب".split())
# Polish months that are a brand in Spanish and a given name: only after a day or a Polish word like "in".
_POLISH_CUE = re.compile(r"\b(?:we?|od|do|przed|po)\s+$", re.IGNORECASE)
_AMBIGUOUS_IN_POLISH = frozenset("maj maja marca".split())
# Portuguese "março" as it is typed in a hurry, and somebody's name: only after a day or a Portuguese word like "in".
_MARCO = "marco"
_PORTUGUESE_CUE = re.compile(
    r"\b(?:em|at[ée]|desde|m[êe]s de|in[íi]cio de|fim de|final de|meados de)\s+$", re.IGNORECASE
)
# Frequent words of other languages ("ten" is "dez", "I like" is "mag"): a month only after a day, or before a year.
_AFTER_A_DAY = frozenset("ago dez gen lug mag out set".split())
# English words as well, which a number may stand before ("5 out of 10"): a month only as in "5 de out".
_AFTER_DE = frozenset("out set".split())
_TIMES = re.compile(
    r"\b(?:tomorrow|morgen|übermorgen|mañana|demain|domani|amanhã|jutro|завтра|послезавтра|"
    r"yesterday|today|tonight|last|ago|next|week|weekend|month|years?|days?|monday|tuesday|wednesday|thursday|"
    r"friday|saturday|sunday|recently|since|ayer|hoy|anoche|semana|mes|año|años|gestern|heute|woche|monat|jahre?|"
    r"hier|aujourd'hui|semaine|mois|ans?|ieri|oggi|settimana|mese|anno|anni|ontem|hoje|mês|ano|anos|"
    r"gisteren|vandaag|maand(?:en)?|ja(?:ar|ren)|wczoraj|dzi[śs]|dzisiaj|tydzień|tygodni[ua]?|miesiąc[ua]?|miesięcy|roku|"
    r"вчера|сегодня|недел[яюиь]|месяц(?:а|ев)?|год(?:а|у)?|лет|\d+)\b|"
    r"昨天|今天|明天|明日|あした|غدًا|غدا|上周|去年|今年|昨日|今日|先週|来週|\d[年月日]",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(
    r"^\W*(?:when\b|what (?:day|date|month|year)\b|which (?:day|date|month|year)\b|how long\b|cuándo\b|wann\b|quand\b|"
    r"quando\b|когда\b|wanneer\b|(?:od |do )?kiedy\b|sinds wanneer\b|с каких пор\b)|什么时候|いつ|متى",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"\b(?:in|on|of|during|since|before|after|around|early|late|mid|by|until|last|next|this|for|für|en|im|am|em|seit|desde"
    r"|depuis|nel|с|в|до|после|في)\s+$",
    re.IGNORECASE,
)
_LONGEST_CUE = 32
# Given names as well. Beside these words they are people: "where does April live", "my colleague June".
_NAMES = frozenset("april june august abril julio avril augustus".split())
_SMALL = frozenset("abril julio avril augustus".split())  # written with a capital, these are people
_BEFORE_A_MONTH = re.compile(r"\b(?:mes|finales|principios|mediados|inicios|meados|fim) de\s+$", re.IGNORECASE)
_BEFORE_A_NAME = re.compile(
    r"\b(?:does|did|who['’]?s|who is|called|named|colleague|friend|sister|brother|cousin|aunt|uncle|niece|nephew"
    r"|daughter|son|wife|husband|boss|neighbou?r|girlfriend|boyfriend|granddaughter|grandson|mrs?\.?|ms\.?|dr\.?"
    r"|wohnt|arbeitet|heißt|lebt|mag|kollegin?|freund(?:in)?|schwester|bruder|onkel|opa|herrn?|woont|werkt|heet"
    r"|vive|trabaja|llama|conoce|hermano|amigo|tío|primo|jefe|novio|marido|hijo|habite|travaille|appelle|sœur|amie"
    r"|de mi (?:hermano|amigo|tío|primo|jefe|novio|marido|hijo)|(?:hermana|madre|mujer|novia|hija) de)\s+$",
    re.IGNORECASE,
)
_BEHIND_A_NAME = re.compile(
    r"(?:['’]s)? (?:lives?|lived|works?|worked|says?|said|likes?|loves?|hates?|told|moved|left|called|wrote|and i"
    r"|studies|birthday|husband|wife|number|address|phone|wohnt|arbeitet|mag|sagte|heißt|vive|trabaja|dijo|habite|travaille"
    r"|woont|werkt)\b|['’]s (?:name|job|mother|mum|mom|father|dad|dog|cat|house|flat|kids?|partner)\b",
    re.IGNORECASE,
)
_NOT_A_NAME = re.compile(r"\s+(?:look|hold|bring|mean|start|begin|end)\b", re.IGNORECASE)
_ISO_DAY = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])(?!\d)")
# Days in numbers: "2025/12/5", "05.12.2025", "12/05/2025"; without a whole year only behind a word like "on".
_NUMERIC_DAY = re.compile(
    r"(?<![\w.,:/-])(?:(?P<year_first>(?:19|20)\d\d)(?P<by>[-/.])(?P<month>\d{1,2})(?P=by)(?P<day>\d{1,2})"
    r"|(?P<one>\d{1,2})(?P<between>[-/.])(?P<other>\d{1,2})(?:(?P=between)(?P<year>(?:19|20)?\d\d))?)"
    r"(?:(?P<marked>に)|(?![\w/-]|[.,:]\d))",
)
_BEFORE_POINTS = re.compile(
    r"\b(?:am|vom|zum|seit|ab|bis|dem|den|dnia|od|на|за|к)\s{1,3}$", re.IGNORECASE
)  # "um 5.12" is a time, "3.12" a version
_BEFORE_SLASH = re.compile(
    r"\b(?:on|since|until|before|after|el|del|al|desde|día|dia|no|em|le|du|au|depuis|il|dal|op|van|sinds|tot|da)\s{1,3}$"
    r"|(?:يوم|في|منذ)\s{1,3}$",
    re.IGNORECASE,
)
_ALWAYS = (24, 7)  # "on 24/7"
_TWO_DIGITS = 100
_LEAST_LETTERS = 4
_SPAN_BEFORE = re.compile(
    r"\b(\d{1,2})(?:st|nd|rd|th|er|\.|º)?\s?(?:-|–|to|till|bis|al?|a[ol]? dia|all['’]|ao?|au|até|tot|t/m|do|по|إلى|حتى)"
    r"\s?(?:the )?$",
    re.IGNORECASE,
)
_SPAN_BEHIND = re.compile(r"\s?(?:-|–|to|till|through)\s?(\d{1,2})\b", re.IGNORECASE)
_BEFORE, _AFTER, _AFTER_MONTH = timedelta(days=2), timedelta(days=10), timedelta(days=10)


@dataclass(frozen=True, slots=True)
class DateHint:
    """A month or a day that a question names; without a year, any year up to the memory's own."""

    month: int
    day: int | None = None
    year: int | None = None

    def fits(self, told: date) -> bool:
        """Whether something told on that day may be meant: things are told a little before or after they happen."""
        years = (self.year,) if self.year is not None else (told.year - 1, told.year)
        return any(self._fits_in(year, told) for year in years)

    def _fits_in(self, year: int, told: date) -> bool:
        try:
            first = date(year, self.month, self.day or 1)
        except ValueError:
            return False
        if self.day is not None:
            return first - _BEFORE <= told <= first + _AFTER
        following = date(year + self.month // 12, self.month % 12 + 1, 1)
        return first <= told < following + _AFTER_MONTH


@dataclass(frozen=True, slots=True)
class NamedDay:
    """A day of a month, and the ``words`` that name it; a weekday counts from 0 for Monday, None where none is said."""

    words: str
    month: int
    day: int
    year: int | None = None
    weekday: int | None = None

    def is_day(self, day: date) -> bool:
        """Whether *day* may be meant; the weekday does not count."""
        return (self.month, self.day) == (day.month, day.day) and self.year in (None, day.year)


class DaysOfMonth(NamedTuple):
    """A month, the first and the last day of it that are named, and the year; None where none is."""

    month: int
    first: int | None = None
    last: int | None = None
    year: int | None = None


class _Names(NamedTuple):
    """What the languages call months and weekdays, and where that stands in a text."""

    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    date: re.Pattern[str]
    weekday: re.Pattern[str]
    any_weekday: re.Pattern[str]
    short_weekday: re.Pattern[str]
    weekday_before: re.Pattern[str]


def has_time(text: str) -> bool:
    """Whether *text* says when something was."""
    return _TIMES.search(text) is not None or bool(days_named(text))


def asks_when(text: str) -> bool:
    """Whether *text* asks for a time."""
    return _ASKS_WHEN.search(text) is not None


def date_hint(text: str) -> DateHint | None:
    """The first month or day that *text* names, None where it names none; of numbers alone "2025-12-05"."""
    hint = next((_hint(found) for found in _dates(text)), None)
    iso = _ISO_DAY.search(text) if hint is None else None
    return DateHint(int(iso["month"]), int(iso["day"]), int(iso["year"])) if iso else hint


def numeric_hint(text: str, *, is_month_first: bool) -> DateHint | None:
    """The first day that *text* names in numbers, "12/05/2025", "am 5.12."; an impossible month decides their order."""
    for found in _NUMERIC_DAY.finditer(text):
        if (hint := _numeric(found, is_month_first=is_month_first)) is not None:
            return hint
    return None


def month_names(month: int) -> tuple[str, ...]:
    """What the languages call a month from 1 to 12, without short forms and words of other kinds."""
    other = _AMBIGUOUS | _AMBIGUOUS_IN_POLISH | _AFTER_A_DAY
    named = (name for name, number in _names().months.items() if number == month and name not in other)
    return tuple(name for name in named if len(name) >= _LEAST_LETTERS)


def any_month() -> str:
    """A pattern of all that the languages call a month, the longest names first."""
    return _any_of(_names().months)


def tells_of(text: str, asked: DateHint) -> bool:
    """Whether *text* names the month *asked* for, and the day where one is: itself, in "1 to 8 August", or no other."""
    for found in _dates(text):
        hint = _hint(found)
        if hint.month == asked.month and (hint.year is None or asked.year in (None, hint.year)):
            first, last = _span(found, hint.day)
            if asked.day is None or first is None or last is None or first <= asked.day <= last:
                return True
    iso = (DateHint(int(one["month"]), int(one["day"]), int(one["year"])) for one in _ISO_DAY.finditer(text))
    return any(
        one.month == asked.month and asked.day in (None, one.day) and asked.year in (None, one.year) for one in iso
    )


def days_of_months(text: str) -> tuple[DaysOfMonth, ...]:
    """The months that *text* names, each with its days: "1 to 8 August", "9. Juni 2023", "in March", "2023-06-09"."""
    found = [
        DaysOfMonth(int(one["month"]), int(one["day"]), int(one["day"]), int(one["year"]))
        for one in _ISO_DAY.finditer(text)
    ]
    for one in _dates(text):
        hint = _hint(one)
        found.append(DaysOfMonth(hint.month, *_span(one, hint.day), hint.year))
    return tuple(found)


def named_days(text: str) -> tuple[NamedDay, ...]:
    """The days of a month that *text* names, in its order: "9 June", "Freitag, 9. Juni 2023", "2023-06-09"."""
    found = [NamedDay(one[0], int(one["month"]), int(one["day"]), int(one["year"])) for one in _ISO_DAY.finditer(text)]
    for one in _dates(text):
        hint, weekday = _hint(one), _weekday_before(text, one.start())
        if hint.day is not None:
            words = text[weekday.start() if weekday else one.start() : one.end()]
            number = _names().weekdays[weekday[1].casefold()] if weekday else None
            found.append(NamedDay(" ".join(words.split()), hint.month, hint.day, hint.year, number))
    return tuple(found)


def days_named(text: str) -> frozenset[str]:
    """The months and weekdays that *text* surely names, each by its English name whatever the language."""
    months = {_english_month(_hint(found).month) for found in _dates(text)}
    return frozenset(months | {_english_weekday(number) for number in _weekdays(text)})


def weekdays_named(text: str) -> frozenset[int]:
    """The weekdays that *text* surely names, from 0 for Monday."""
    return frozenset(_weekdays(text))


def names_weekday(text: str) -> bool:
    """Whether *text* names a weekday, or the same day of every week: "Fridays", "dienstags", "le mardi"."""
    return _names().any_weekday.search(text) is not None


def without_dates(text: str) -> str:
    """*text* without the months, days and years it names: they say when, not what."""
    bare = _names().date.sub(lambda found: " " if _is_sure(found) else found[0], text)
    bare = without_numeric_days(bare)
    return " ".join(re.sub(r"\b(?:19|20)\d\d\b", " ", bare).split())


def without_numeric_days(text: str) -> str:
    """*text* without the days that it names in numbers."""
    return _NUMERIC_DAY.sub(lambda found: " " if _numeric(found, is_month_first=False) else found[0], text)


def _dates(text: str) -> Iterator[re.Match[str]]:
    return filter(_is_sure, _names().date.finditer(text))


def _is_sure(found: re.Match[str]) -> bool:
    """Whether a month is meant: "may" and "march" are words of other kinds as well."""
    month = found["month"].casefold()
    if month in _AFTER_DE:
        return bool((found["day"] and found["de"]) or found["year"])
    if month in _AFTER_A_DAY:
        return bool(found["day"] or found["year"])
    before = found.string[max(found.start("month") - _LONGEST_CUE, 0) : found.start("month")]
    if month == _MARCO:
        has_cue = found["day"] or found["year"] or _PORTUGUESE_CUE.search(before)
        return found["month"].islower() and bool(has_cue)
    if month in _AMBIGUOUS_IN_POLISH:
        return bool(found["day"] or found["year"] or _POLISH_CUE.search(before))
    if found["day"] or found["day_after"] or found["year"] or _CUE.search(before):
        return True
    return month not in _AMBIGUOUS and not (month in _NAMES and _is_name(found, before))


def _is_name(found: re.Match[str], before: str) -> bool:
    """Whether somebody is meant who is called as a month is."""
    text, end, month = found.string, found.end("month"), found["month"]
    if _BEHIND_A_NAME.match(text, end):
        return True
    if month.casefold() in _SMALL and month.istitle() and before.strip():
        return _BEFORE_A_MONTH.search(before) is None
    return _BEFORE_A_NAME.search(before) is not None and _NOT_A_NAME.match(text, end) is None


def _numeric(found: re.Match[str], *, is_month_first: bool) -> DateHint | None:
    """The day in numbers, None where that is something else: a price, a version, a fraction."""
    if found["year_first"]:
        return _possible(int(found["month"]), int(found["day"]), int(found["year_first"]))
    one, other, year = int(found["one"]), int(found["other"]), found["year"]
    if year is None or len(year) < len("2025"):
        before = found.string[max(found.start() - _LONGEST_CUE, 0) : found.start()]
        has_cue = _BEFORE_POINTS.search(before) or (found["between"] == "/" and _BEFORE_SLASH.search(before))
        if not (has_cue or found["marked"]) or (one, other) == _ALWAYS:
            return None
    whole = int(year) % _TWO_DIGITS + 2000 if year and len(year) < len("2025") else int(year or 0) or None
    is_month_first = is_month_first and found["between"] != "."
    pairs = ((one, other), (other, one)) if is_month_first else ((other, one), (one, other))
    return next((hint for month, day in pairs if (hint := _possible(month, day, whole))), None)


def _possible(month: int, day: int, year: int | None) -> DateHint | None:
    try:
        date(year or 2000, month, day)
    except ValueError:
        return None
    return DateHint(month, day, year)


def _span(found: re.Match[str], day: int | None) -> tuple[int | None, int | None]:
    """The first and the last day of "1 to 8 August", "August 1-8"; the same twice of a single day."""
    text = found.string
    start = found.start("day") if found["day"] else -1
    if found["day"] and (before := _SPAN_BEFORE.search(text, max(start - _LONGEST_CUE, 0), start)):
        return int(before[1]), day
    behind = _SPAN_BEHIND.match(text, found.end("day_after")) if found["day_after"] else None
    return day, int(behind[1]) if behind else day


def _hint(found: re.Match[str]) -> DateHint:
    day = found["day"] or found["day_after"]
    year = int(found["year"]) if found["year"] else None
    return DateHint(_names().months[found["month"].casefold()], _day(day) if day else None, year)


def _day(written: str) -> int:
    return int(written) if written.isdecimal() else _RUSSIAN_DAYS[" ".join(written.casefold().split())]


def _weekdays(text: str) -> Iterator[int]:
    """The weekdays by name. A short one counts only right before a day of a month: "Mo." and "sex" are words, too."""
    known = _names()
    for found in known.weekday.finditer(text):
        yield known.weekdays[found[0].casefold()]
    for found in known.short_weekday.finditer(text):
        following = known.date.match(text, found.end())
        if following and (following["day"] or following["day_after"]) and _is_sure(following):
            yield known.weekdays[found[1].casefold()]


def _weekday_before(text: str, end: int) -> re.Match[str] | None:
    return _names().weekday_before.search(text, max(end - _LONGEST_CUE, 0), end)


def _english_month(number: int) -> str:
    return str(get_month_names("wide", locale=_LANGUAGES[0])[number]).casefold()


def _english_weekday(number: int) -> str:
    return str(get_day_names("wide", locale=_LANGUAGES[0])[number]).casefold()


@cache
def _names() -> _Names:
    """The names in CLDR, read at first use, which takes a tenth of a second: the start does not wait for that."""
    months = _more_months() | _called(get_month_names, "wide") | _called(get_month_names, "abbreviated")
    weekdays = _more_weekdays() | _called(get_day_names, "wide")
    short = _called(get_day_names, "abbreviated")
    russian = _any_of(_RUSSIAN_DAYS).replace(r"\ ", r"\s+")
    not_after = "".join(rf"(?<!\b{name})" for name in sorted(_AFTER_A_DAY))
    return _Names(
        months,
        weekdays | short,
        re.compile(
            rf"(?:\b(?P<day>\d{{1,2}}|{russian})(?:st|nd|rd|th|\.|º|-?(?:го|е))?(?:\s+(?:of"
            rf"|(?P<de>de)))?\s+)?\b(?:[بلو](?=[\u0620-\u064a]{{2}}))?(?P<month>{_any_of(months)})\b"
            rf"(?:{not_after}\.?\s+(?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?\b)?"
            r"(?:\.?,?\s+(?:de\s+)?(?P<year>(?:19|20)\d\d)\b)?",
            re.IGNORECASE,
        ),
        re.compile(rf"\b(?:{_any_of(weekdays)})\b", re.IGNORECASE),
        re.compile(rf"\b(?:{_any_of(weekdays)}|{_WEEKDAYS_ELSEWHERE})s?\b|{_DENSE_WEEKDAYS}", re.IGNORECASE),
        re.compile(rf"\b({_any_of(short)})\.?,?\s{{1,3}}(?=\w)", re.IGNORECASE),
        re.compile(
            rf"\b({_any_of(weekdays | short)})\.?,?\s{{1,3}}(?:(?:the|den|der|el|le|il|o)\s{{1,3}})?$", re.IGNORECASE
        ),
    )


def _more_months() -> dict[str, int]:
    named = {"sept": 9} | _in_cases(_POLISH_MONTHS, first=1)
    for number, names in enumerate(_LEVANTINE_MONTHS.split("|"), start=1):
        named |= {name.replace("_", " "): number for name in names.split()}
    return named | {name: number for names in (_IN_MONTHS, _DUTCH_MONTHS) for number, name in enumerate(names, start=1)}


def _more_weekdays() -> dict[str, int]:
    named = _RUSSIAN_WEEKDAYS | _in_cases(_POLISH_WEEKDAYS, first=0)
    return named | {name: number for number, name in enumerate(_DUTCH_WEEKDAYS)}


def _in_cases(names: str, *, first: int) -> dict[str, int]:
    """Each form of Polish *names*, with and without accents, and its number."""
    return {
        written: number
        for number, forms in enumerate(names.split("|"), start=first)
        for form in forms.split()
        for written in (form, without_accents(form))
    }


def _called(
    names_of: Callable[[Literal["wide", "abbreviated"], Literal["format", "stand-alone"], str], Mapping[int, str]],
    width: Literal["wide", "abbreviated"],
) -> dict[str, int]:
    """Each name of the languages, with and without accents, and its number; without the stop that makes it short."""
    return {
        written: number
        for language, context in product(_LANGUAGES, _CONTEXTS)
        for number, name in names_of(width, context, language).items()
        for written in (name.rstrip(".").casefold(), without_accents(name.rstrip(".").casefold()))
        # For a language without stand-alone names of its own, Babel 2.18 may give those of one it read before: "1月".
        if not re.search(r"\d", name)
    }


def _any_of(names: Mapping[str, int]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))
