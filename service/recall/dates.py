"""Times in words: whether a text tells one, whether a question asks for one, and which month or day it names. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = (
    ("january", "jan", "januar", "enero", "janvier", "gennaio", "janeiro", "января", "январь"),
    ("february", "feb", "februar", "febrero", "février", "febbraio", "fevereiro", "февраля", "февраль"),
    ("march", "märz", "marzo", "mars", "março", "марта", "март"),
    ("april", "apr", "abril", "avril", "aprile", "апреля", "апрель"),
    ("may", "mai", "mayo", "maggio", "maio", "мая", "май"),
    ("june", "jun", "juni", "junio", "juin", "giugno", "junho", "июня", "июнь"),
    ("july", "jul", "juli", "julio", "juillet", "luglio", "julho", "июля", "июль"),
    ("august", "aug", "agosto", "août", "августа", "август"),
    ("september", "sep", "sept", "septiembre", "septembre", "settembre", "setembro", "сентября", "сентябрь"),
    ("october", "oct", "oktober", "octubre", "octobre", "ottobre", "outubro", "октября", "октябрь"),
    ("november", "nov", "noviembre", "novembre", "novembro", "ноября", "ноябрь"),
    ("december", "dec", "dezember", "diciembre", "décembre", "dicembre", "dezembro", "декабря", "декабрь"),
)
_NUMBER_OF = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names}
_ANY_MONTH = "|".join(sorted(map(re.escape, _NUMBER_OF), key=len, reverse=True))
_WEEKDAYS = (
    ("monday", "lunes", "montag", "lundi", "lunedì", "segunda-feira", "понедельник"),
    ("tuesday", "martes", "dienstag", "mardi", "martedì", "terça-feira", "вторник"),
    ("wednesday", "miércoles", "mittwoch", "mercredi", "mercoledì", "quarta-feira", "среда", "среду"),
    ("thursday", "jueves", "donnerstag", "jeudi", "giovedì", "quinta-feira", "четверг"),
    ("friday", "viernes", "freitag", "vendredi", "venerdì", "sexta-feira", "пятница", "пятницу"),
    ("saturday", "sábado", "samstag", "samedi", "sabato", "суббота", "субботу"),
    ("sunday", "domingo", "sonntag", "dimanche", "domenica", "воскресенье"),
)
_WEEKDAY_OF = {name: names[0] for names in _WEEKDAYS for name in names}
_ANY_WEEKDAY = re.compile(rf"\b(?:{'|'.join(map(re.escape, _WEEKDAY_OF))})\b", re.IGNORECASE)
_AMBIGUOUS = frozenset({"may", "march", "mars", "sep", "jun", "mai", "dec"})
_TIMES = re.compile(
    r"\b(?:yesterday|today|tonight|last|ago|next|week|weekend|month|years?|days?|monday|tuesday|wednesday|thursday|"
    r"friday|saturday|sunday|recently|since|ayer|hoy|anoche|semana|mes|año|años|gestern|heute|woche|monat|jahre?|"
    r"hier|aujourd'hui|semaine|mois|ans?|ieri|oggi|settimana|mese|anno|anni|ontem|hoje|mês|ano|anos|"
    rf"{_ANY_MONTH}|\d+)\b|昨天|今天|明天|上周|去年|今年|昨日|今日|先週|来週|\d[年月日]",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(
    r"^\W*(?:when\b|what (?:day|date|month|year)\b|which (?:day|date|month|year)\b|how long\b|cuándo\b|wann\b|quand\b|"
    r"quando\b|когда\b)|什么时候|いつ|متى",
    re.IGNORECASE,
)
_DATE = re.compile(
    rf"(?:\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?(?:\s+(?:of|de))?\s+)?\b(?P<month>{_ANY_MONTH})\b"
    r"(?:\s+(?P<day_after>\d{1,2})(?:st|nd|rd|th)?\b)?(?:,?\s+(?:de\s+)?(?P<year>(?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"\b(?:in|on|of|during|since|before|after|around|early|late|mid|by|until|last|this|en|im|am|em)\s+$", re.IGNORECASE
)
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


def has_time(text: str) -> bool:
    """Whether *text* says when something was."""
    return _TIMES.search(text) is not None


def asks_when(text: str) -> bool:
    """Whether *text* asks for a time."""
    return _ASKS_WHEN.search(text) is not None


def date_hint(text: str) -> DateHint | None:
    """The first month or day that *text* names, None where it names none."""
    for found in _DATE.finditer(text):
        if _is_sure(text, found):
            day = found["day"] or found["day_after"]
            year = int(found["year"]) if found["year"] else None
            return DateHint(_NUMBER_OF[found["month"].casefold()], int(day) if day else None, year)
    return None


def _is_sure(text: str, found: re.Match[str]) -> bool:
    """Whether a month is meant: "may" and "march" are words of other kinds as well."""
    month = found["month"].casefold()
    has_more = found["day"] or found["day_after"] or found["year"]
    return bool(has_more or month not in _AMBIGUOUS or _CUE.search(text[: found.start("month")]))


def days_named(text: str) -> frozenset[str]:
    """The months and weekdays that *text* surely names, each by its English name whatever the language."""
    months = {
        _MONTHS[_NUMBER_OF[found["month"].casefold()] - 1][0] for found in _DATE.finditer(text) if _is_sure(text, found)
    }
    return frozenset(months | {_WEEKDAY_OF[found[0].casefold()] for found in _ANY_WEEKDAY.finditer(text)})


def without_dates(text: str) -> str:
    """*text* without the months, days and years it names: they say when, not what."""
    return " ".join(re.sub(r"\b(?:19|20)\d\d\b", " ", _DATE.sub(" ", text)).split())
