"""
Instants as programs write them: RFC 3339, RFC 2822, epochs, and dates with the name of their month, as of Java and Go.

Every word of a text counts. One that is not understood, or a zone whose name means several, makes the whole unreadable:
what is left out of a time moves it by hours. A time that names no zone has none.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# The size of a number says its unit: as the one before it, it would be a year that nobody exports.
_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
_NUMBER = re.compile(r"\d{9,19}(?:\.\d{1,9})?")
_YEAR_FIRST = re.compile(r"(\d{4})/(\d\d?)/(\d\d?)(?=\D|$)")
_ZULU = re.compile(r"(?<=\d) ?(?:UTC|GMT)$")

_COMMENT = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")  # the name of a zone, as browsers and Java write it behind an offset
_NOTATIONS = (  # what is written together or apart, as words
    (re.compile("\u2212"), "-"),
    (re.compile(r"\b(?:UTC|GMT)\s?(?=[+-]\d)"), " "),
    (re.compile(r"(?<![A-Z])([AP])\.?\s?M\b\.?"), r" \1M "),
    (re.compile(r"\b(\d\d?)-([A-Z]{3,})-(\d\d(?:\d\d)?)\b"), r"\1 \2 \3"),
    (re.compile(r"(?<=\d)T(?=\d)|,|\b(?:AT|OF)\b"), " "),
    (re.compile(r"(:\d\d(?:\.\d+)?)(?=[+-]\d|Z)"), r"\1 "),
    (re.compile(r"(?<=\d)(?:ST|ND|RD|TH)\b"), ""),
)
_CLOCK = re.compile(r"(\d\d?)([:.])(\d\d)(?:\2(\d\d)(?:\.(\d+))?)?")
_DATE = re.compile(r"(\d{4})[-/](\d\d?)[-/](\d\d?)")
_DAY_OR_YEAR = re.compile(r"\d{4}|\d\d?")
_OFFSET = re.compile(r"([+-])(\d\d?)(?::?(\d\d))?")
_ABBREVIATION = re.compile(r"[A-Z]{2,5}")
_WEEKDAYS = frozenset(
    "MON TUE TUES WED THU THUR THURS FRI SAT SUN MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY".split()
)
_MONTHS = "JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER".split()
_MONTH_NUMBERS = {name: at for at, long in enumerate(_MONTHS, start=1) for name in (long, long[:3])} | {"SEPT": 9}
_AHEAD = (  # hours ahead of UTC
    *((-8, "PST"), (-7, "PDT MST"), (-6, "MDT CST"), (-5, "CDT EST"), (-4, "EDT")),
    *((0, "Z UT UTC GMT WET"), (1, "CET WEST"), (2, "CEST EET"), (3, "EEST MSK"), (9, "JST KST")),
)
_ZONES = {zone: hours for hours, zones in _AHEAD for zone in zones.split()}
_OF_MAIL_ALONE = "CST"  # which Java writes for China, too, before the year
_NOON, _MOST_HOURS, _MINUTES = 12, 14, 60
_CENTURY, _TURN_OF_CENTURY = 100, 69  # of years with two digits, as RFC 2822 has them


def instant_of_number(number: float) -> datetime:
    """An epoch in seconds, milliseconds, microseconds or nanoseconds. Raises ValueError or OverflowError."""
    unit = next((unit for least, unit in _UNITS if number > least), 1.0)
    return _EPOCH + timedelta(seconds=number / unit)


def instant_of_text(text: str) -> datetime:
    """The instant; without a zone where *text* names none. Raises ValueError or OverflowError."""
    if _NUMBER.fullmatch(text):
        return instant_of_number(float(text))
    try:
        return datetime.fromisoformat(_ZULU.sub("Z", _YEAR_FIRST.sub(_dashed, text.upper())))
    except ValueError:
        return _of_words(text)


def _dashed(day: re.Match[str]) -> str:
    return f"{day[1]}-{day[2]:>02}-{day[3]:>02}"


def _of_words(text: str) -> datetime:
    """A date and a time whose words stand in any order. Raises ValueError where one is unknown, or comes twice."""
    found: dict[str, str] = {}
    plain = _COMMENT.sub(" ", text.upper())
    has_comment = plain != text.upper()
    for notation, words in _NOTATIONS:
        plain = notation.sub(words, plain)
    for word in plain.split():
        kind = _kind_of(word, found)
        if kind in found or (word == _OF_MAIL_ALONE and "year" not in found):
            raise ValueError(text)
        found[kind] = word
    zone = _zone(found)
    if "clock" not in found or (has_comment and zone is None):
        raise ValueError(text)
    return datetime(*_day(found), *_time(found), tzinfo=zone)


def _kind_of(word: str, found: dict[str, str]) -> str:
    """What a word of a date is."""
    if _DAY_OR_YEAR.fullmatch(word):
        return "year" if len(word) > 2 or "day" in found else "day"  # noqa: PLR2004
    kinds = (("clock", _CLOCK), ("date", _DATE), ("offset", _OFFSET))
    written = next((kind for kind, pattern in kinds if pattern.fullmatch(word)), "")
    if written:
        return written
    if word in _WEEKDAYS or word in _MONTH_NUMBERS:
        return "weekday" if word in _WEEKDAYS else "month"
    if word in {"AM", "PM"}:
        return "half"
    if word in _ZONES or _ABBREVIATION.fullmatch(word):
        return "zone"
    raise ValueError(word)


def _day(found: dict[str, str]) -> tuple[int, int, int]:
    names = {"year", "month", "day"} & found.keys()
    if date := _DATE.fullmatch(found.get("date", "")):
        if names:
            raise ValueError(date[0])
        return int(date[1]), int(date[2]), int(date[3])
    if len(names) < 3:  # noqa: PLR2004
        raise ValueError(str(found))
    year = int(found["year"])
    century = (1900 if year >= _TURN_OF_CENTURY else 2000) if year < _CENTURY else 0
    return century + year, _MONTH_NUMBERS[found["month"]], int(found["day"])


def _time(found: dict[str, str]) -> tuple[int, int, int, int]:
    clock = _CLOCK.fullmatch(found["clock"])
    assert clock is not None  # noqa: S101 - it is one by ``_kind_of``
    hour = int(clock[1])
    if half := found.get("half"):
        if not 1 <= hour <= _NOON:
            raise ValueError(clock[0])
        hour = hour % _NOON + (_NOON if half == "PM" else 0)
    return hour, int(clock[3]), int(clock[4] or 0), int((clock[5] or "0")[:6].ljust(6, "0"))


def _zone(found: dict[str, str]) -> timezone | None:
    """The zone: of an offset, and the name beside it if it is the same; else of a name that means one zone."""
    name = found.get("zone")
    named = timedelta(hours=_ZONES[name]) if name in _ZONES else None
    if offset := _OFFSET.fullmatch(found.get("offset", "")):
        ahead = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0)) * (-1 if offset[1] == "-" else 1)
        is_possible = abs(ahead) <= timedelta(hours=_MOST_HOURS) and int(offset[3] or 0) < _MINUTES
        if not is_possible or named not in {None, ahead}:
            raise ValueError(offset[0])
        return timezone(ahead)
    if name is not None and named is None:
        raise ValueError(name)
    return timezone(named) if named is not None else None
