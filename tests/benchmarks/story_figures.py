"""
What code can measure of a story, beside the talk it was made of: pure functions of texts and days.

It can not say whether a story is any good. A word that stands in it may stand in the wrong sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, Any

from babel import UnknownLocaleError
from babel.dates import get_day_names, get_month_names

from consolidation.story.anchor import without_marks
from consolidation.story.chapters import parse
from consolidation.story.compression import body
from consolidation.text.names import names
from consolidation.text.sentences import sentences
from consolidation.text.words import content_words, stems, tokens
from tests.benchmarks.figures import mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from consolidation.story.chapters import Book, Chapter

_OFTEN = 3  # messages in which a name must be said to be worth keeping
_NAMES_A_MESSAGE = 50
_OPENING_WORDS = 3
_NOT_TELLING = frozenset("yes no likely since though".split())  # words of a gold answer
_NOT_NAMES = frozenset("anything bye".split())
_BEFORE = re.compile(r"\b(?P<what>week(?:end)?|\w+day) before\s+$", re.IGNORECASE)
_LAST = re.compile(
    r"\b(?:(?:last|past) (?P<last>week(?:end)?|\w+day)|(?P<what>week(?:end)?|\w+day) before)\b", re.IGNORECASE
)
_YEAR = r"(?P<{0}>(?:19|20)\d\d)"
_NUMBERS = {
    word: str(number)
    for number, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), start=2)
}
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b", re.IGNORECASE)
_COUNT = rf"(?P<count>\d{{1,3}}|an?|one|a couple of|{'|'.join(_NUMBERS)})"
_COUNTS = {"a": 1, "an": 1, "one": 1, "a couple of": 2} | {word: int(number) for word, number in _NUMBERS.items()}
_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_AGO = re.compile(rf"\b{_COUNT} (?P<unit>day|week|fortnight)s? (?:ago|back|since)\b", re.IGNORECASE)
_AHEAD = re.compile(rf"\bin {_COUNT} (?P<unit>day|week|fortnight)s?\b", re.IGNORECASE)
_NEARBY = (
    (re.compile(r"\b(?:day before yesterday)\b", re.IGNORECASE), -2),
    (re.compile(r"\b(?:yesterday|last night)\b", re.IGNORECASE), -1),
    (re.compile(r"\b(?:tomorrow)\b", re.IGNORECASE), 1),
    (re.compile(r"\b(?:day after tomorrow)\b", re.IGNORECASE), 2),
)
_WEEK = re.compile(r"\b(?P<which>last|past|next|this|the) (?P<what>week(?:end)?)\b", re.IGNORECASE)
_OF_THE_MONTH = re.compile(r"\bthe (?P<day>\d{1,2})(?:st|nd|rd|th)\b", re.IGNORECASE)
_WHICH = {"last": -7, "past": -7, "next": 7, "this": 0, "the": 0}
_SATURDAY, _SUNDAY, _WEEK_DAYS = 5, 6, 7


@dataclass(frozen=True, slots=True)
class Said:
    """A message and the day on which it was said."""

    day: date
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a kind; each of *answers* answers it."""

    kind: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DateNamed:
    """A day of a month as it is written; ``year`` and ``weekday`` (0 for Monday) where they are."""

    month: int
    day: int
    year: int | None
    weekday: int | None
    start: int
    end: int

    def near(self, day: date) -> date | None:
        """The date; without a year, the one nearest to *day*. None for a day that no month has."""
        years = (self.year,) if self.year is not None else (day.year - 1, day.year, day.year + 1)
        dates = [found for year in years if (found := _date(year, self.month, self.day)) is not None]
        return min(dates, key=lambda found: abs(found - day), default=None)


def book_of(text: str) -> Book:
    """STORY.md without our marks, as chapters."""
    return parse(without_marks(text))


def answerable(asked: Sequence[Asked], book: Book, *, language: str) -> dict[str, Any]:
    """
    ``whole``: the share of questions all of whose telling words stand in the story, and ``words``: the mean share.

    Of several answers the one that is told best counts. A question whose answers have no telling word is left out.
    """
    there = story_words(book, language=language)
    shares: dict[str, list[float]] = {}
    for one in asked:
        worded = [words for answer in one.answers for words in (answer, *_resolved(answer, language=language))]
        wanted = [found for answer in worded if (found := telling_words(answer, language=language))]
        if wanted:
            share = max(len(words & there) / len(words) for words in wanted)
            shares.setdefault(one.kind, []).append(share)
    every = [share for of_kind in shares.values() for share in of_kind]
    kinds = {kind: _answered(of_kind) for kind, of_kind in sorted(shares.items())}
    return {**_answered(every), "by kind": kinds}


def telling_words(answer: str, *, language: str) -> frozenset[str]:
    """
    Stems of content words, numbers as digits, "7 May 2023" as 2023-05-07, "June 2023" as 2023-06.

    "The week before 9 June 2023" is one word: its days alone would be found in any story with a chapter of that day.
    """
    found, rest = set[str](), answer
    for named in reversed(tuple(dates_named(answer, language=language))):
        day = f"{named.month:02}-{named.day:02}"
        whole = day if named.year is None else f"{named.year}-{day}"
        before = _BEFORE.search(rest[: named.start])
        found.add(f"{before['what'].casefold()} before {whole}" if before else whole)
        rest = f"{rest[: before.start() if before else named.start]} {rest[named.end :]}"
    for month in reversed(tuple(_month_pattern(language).finditer(rest))):
        if month["year"] is not None:
            found.add(f"{month['year']}-{_months(language)[month['month'].casefold()]:02}")
            rest = f"{rest[: month.start()]} {rest[month.end() :]}"
    words = content_words(_with_digits(rest), language=language)
    return frozenset(found | {stem for word, stem in words.items() if word not in _NOT_TELLING})


def story_words(book: Book, *, language: str) -> frozenset[str]:
    """
    All that ``telling_words`` may look for in a story: stems, numbers, dates.

    A date without a year has the one nearest to its chapter's heading. A heading's own days count, its month does not.
    "Last week" under a heading of 9 June is the week before it.
    """
    found = set(stems(_with_digits(book.opening), language=language))
    for chapter in book.chapters:
        prose = f"{chapter.title}\n{body(chapter)}"
        found.update(content_words(_with_digits(prose), language=language).values())
        begins = _begins(chapter)
        for heading in (begins, date.fromisoformat(chapter.last[:10])):
            found.update((f"{heading}", f"{heading:%m-%d}"))
        for last in _LAST.finditer(prose):
            found.add(f"{(last['last'] or last['what']).casefold()} before {begins}")
        for named in dates_named(prose, language=language):
            if (day := named.near(begins)) is not None:
                before = _BEFORE.search(prose[: named.start])
                found.update((f"{before['what'].casefold()} before {day}",) if before else ())
                found.update((f"{day}", f"{day:%m-%d}", f"{day:%Y-%m}"))
        for month in _month_pattern(language).finditer(prose):
            number = _months(language)[month["month"].casefold()]
            first = DateNamed(number, 1, int(month["year"]) if month["year"] else None, None, 0, 0).near(begins)
            if first is not None and (month["year"] or month["month"][0].isupper()):
                found.add(f"{first:%Y-%m}")
    return frozenset(found)


def names_kept(said: Iterable[Said], book: Book, *, language: str) -> dict[str, Any]:
    """Of the names in three messages or more, the share in the story. None in German: there nouns have capitals, too."""
    if language.startswith("de"):
        return {"names": 0, "share": None, "left out": []}
    texts = [one.text for one in said]
    found = {name for text in texts for name in names(text, language=language, limit=_NAMES_A_MESSAGE)}
    found = {name for name in found if _NOT_NAMES.isdisjoint(name.casefold().split())}
    often = sorted(name for name in found if sum(_stands(name, text) for text in texts) >= _OFTEN)
    told = f" {' '.join(tokens(book.text))} "
    left_out = [name for name in often if f" {' '.join(tokens(name))} " not in told]
    return {"names": len(often), "share": _share(len(often) - len(left_out), len(often)), "left out": left_out}


def openings(book: Book, *, language: str) -> dict[str, Any]:
    """How many chapters open with their date, how many with the three words of another, and the usual first word."""
    texts = [body(chapter) for chapter in book.chapters]
    words = [tokens(text)[:_OPENING_WORDS] for text in texts]
    times = Counter(words)
    first, most = Counter(opening[0] for opening in words if opening).most_common(1)[0] if any(words) else ("", 0)
    return {
        "with their date": sum(_opens_with_date(one, language=language) for one in book.chapters),
        "with another's three words": sum(times[opening] > 1 for opening in words),
        "first word": first,
        "chapters with it": most,
    }


def resolved_dates(said: Sequence[Said], book: Book, *, language: str) -> dict[str, Any]:
    """
    The dates in the prose (day and month): how many, how many with a weekday, how many of these fit the calendar.

    ``right`` is the share of dates whose weekday is right and that can be computed from the talk; None without dates.
    """
    follows = days_of_talk(said, language=language)
    dates = weekdays = fitting = right = 0
    for chapter in book.chapters:
        for named in dates_named(body(chapter), language=language):
            day = named.near(_begins(chapter))
            fits = day is not None and named.weekday in (None, day.weekday())
            dates += 1
            weekdays += named.weekday is not None
            fitting += fits and named.weekday is not None
            right += fits and day in follows
    return {"dates": dates, "with weekday": weekdays, "weekday fits": fitting, "right": _share(right, dates)}


def days_of_talk(said: Iterable[Said], *, language: str) -> frozenset[date]:
    """
    Every day that follows from the talk: those of the messages, those that they name, and those that "yesterday", "on
    Friday", "two weeks ago", "last weekend" or "the 22nd" come to. Words that count from today are read in English.
    """
    found = set[date]()
    for one in said:
        offsets = {0, *_offsets(one, language=language)}
        found.update(one.day + timedelta(days=days) for days in offsets)
        found.update(day for named in dates_named(one.text, language=language) if (day := named.near(one.day)))
        for number in _OF_THE_MONTH.finditer(one.text):
            months = (one.day.replace(day=1) + timedelta(days=days) for days in (-1, 0, 31))
            found.update(day for month in months if (day := _date(month.year, month.month, int(number["day"]))))
    return frozenset(found)


def dates_named(text: str, *, language: str) -> Iterator[DateNamed]:
    """The days of months in *text*: "7 May", "Sunday, May 7th, 2023", "2023-05-07"; month names of the language."""
    months, weekdays = _months(language), _weekdays(language)
    for found in _date_pattern(language).finditer(text):
        month = found["month_of"] or found["month_before"]
        weekday = found["weekday_of"] or found["weekday_before"]
        year = found["iso_year"] or found["year_of"] or found["year_before"]
        yield DateNamed(
            int(found["iso_month"]) if month is None else months[month.casefold()],
            int(found["iso_day"] or found["day_of"] or found["day_after"]),
            int(year) if year else None,
            weekdays[weekday.casefold()] if weekday else None,
            found.start(),
            found.end(),
        )


def size(book: Book) -> dict[str, Any]:
    """Words, chapters, and the words of the middle chapter."""
    words = [len(body(chapter).split()) for chapter in book.chapters]
    return {"words": sum(words), "chapters": len(words), "words a chapter": round(median(words)) if words else 0}


def revised(versions: Sequence[str]) -> int:
    """How many chapters have other words, under the same times, in a later one of *versions*, oldest first."""
    changed = 0
    for text, later in zip(versions, versions[1:], strict=False):
        before, after = book_of(text).chapters, book_of(later).chapters
        gone = {one.digest for one in before} - {one.digest for one in after}
        new = Counter((one.first, one.last) for one in after if one.digest not in {old.digest for old in before})
        replaced = Counter((one.first, one.last) for one in before if one.digest in gone)
        changed += sum(min(times, new[span]) for span, times in replaced.items())
    return changed


def _resolved(answer: str, *, language: str) -> Iterator[str]:
    """ "The Friday before 15 July 2023" as the day that it is."""
    for named in dates_named(answer, language=language):
        before = _BEFORE.search(answer[: named.start])
        weekday = _weekdays(language).get(before["what"].casefold()) if before else None
        day = _date(named.year or 0, named.month, named.day)
        if weekday is not None and day is not None:
            yield f"{day - timedelta(days=(day.weekday() - weekday - 1) % _WEEK_DAYS + 1)}"


def _answered(shares: Sequence[float]) -> dict[str, Any]:
    whole = _share(sum(share == 1 for share in shares), len(shares))
    return {"questions": len(shares), "whole": whole, "words": round(mean(shares), 3) if shares else None}


def _share(some: int, of_all: int) -> float | None:
    return round(some / of_all, 3) if of_all else None


def _with_digits(text: str) -> str:
    return _NUMBER_WORD.sub(lambda found: _NUMBERS[found[0].casefold()], text)


def _stands(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _begins(chapter: Chapter) -> date:
    return date.fromisoformat(chapter.first[:10])


def _opens_with_date(chapter: Chapter, *, language: str) -> bool:
    """Whether the first sentence names the heading's day or weekday, or begins with "On" and any date."""
    day = _begins(chapter)
    first = next(iter(sentences(body(chapter).strip(), language=language)), "")
    named = tuple(dates_named(first, language=language))
    weekdays = {_weekdays(language)[found[0].casefold()] for found in _weekday_pattern(language).finditer(first)}
    begins_with_on = bool(named) and re.fullmatch(r"\W*On\s+(?:the\s+)?", first[: named[0].start]) is not None
    return any(one.near(day) == day for one in named) or day.weekday() in weekdays or begins_with_on


def _offsets(said: Said, *, language: str) -> Iterator[int]:
    """In days, what words that count from the day of a message come to."""
    text, today = said.text, said.day.weekday()
    yield from (days for pattern, days in _NEARBY if pattern.search(text))
    for pattern, sign in ((_AGO, -1), (_AHEAD, 1)):
        yield from (
            sign * _counted(found["count"]) * _DAYS[found["unit"].casefold()] for found in pattern.finditer(text)
        )
    for found in _WEEK.finditer(text):
        monday = _WHICH[found["which"].casefold()] - today
        is_weekend = found["what"].casefold() == "weekend"
        yield from (monday + _SATURDAY, monday + _SUNDAY) if is_weekend else (monday, monday + _SUNDAY)
    for found in _weekday_pattern(language).finditer(text):
        ahead = (_weekdays(language)[found[0].casefold()] - today) % _WEEK_DAYS
        which = text[: found.start()].rstrip().rpartition(" ")[2].casefold()
        yield from (ahead, ahead - _WEEK_DAYS)
        if ahead == 0:
            yield _WEEK_DAYS
        if which in ("last", "next"):
            yield ahead + _WEEK_DAYS if which == "next" else ahead - 2 * _WEEK_DAYS


def _counted(count: str) -> int:
    return _COUNTS.get(count.casefold()) or int(count)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


@cache
def _months(language: str) -> Mapping[str, int]:
    return _called(get_month_names, language)


@cache
def _weekdays(language: str) -> Mapping[str, int]:
    return _called(get_day_names, language)


def _called(names_of: Any, language: str, *, widths: Sequence[str] = ("abbreviated", "wide")) -> dict[str, int]:
    """The numbers of months, or of weekdays, by their names, long and short, in lower case."""
    found: dict[str, int] = {}
    for width in widths:
        try:
            named = names_of(width, locale=language)
        except (UnknownLocaleError, ValueError):
            named = names_of(width, locale="en")
        found |= {name.rstrip(".").casefold(): number for number, name in named.items()}
    return found


@cache
def _date_pattern(language: str) -> re.Pattern[str]:
    month, weekday = _any_of(_months(language)), _any_of(_weekdays(language))
    led = rf"(?:\b(?P<{{0}}>{weekday})\b\.?,?\s+(?:the\s+|den\s+|el\s+|le\s+)?)?"
    iso = r"\b(?P<iso_year>(?:19|20)\d\d)-(?P<iso_month>0[1-9]|1[0-2])-(?P<iso_day>[0-3]\d)\b"
    day_first = (
        led.format("weekday_of")
        + rf"\b(?P<day_of>[1-3]?\d)(?:st|nd|rd|th|er|\.|º)?\s+(?:of\s+|de\s+)?(?P<month_of>{month})\b\.?"
        + rf"(?:,?\s+(?:de\s+)?{_YEAR.format('year_of')}\b)?"
    )
    month_first = (
        led.format("weekday_before")
        + rf"\b(?P<month_before>{month})\b\.?\s+(?P<day_after>[1-3]?\d)(?:st|nd|rd|th)?\b(?![:.]?\d)"
        + rf"(?:,?\s+{_YEAR.format('year_before')}\b)?"
    )
    return re.compile(f"{iso}|{day_first}|{month_first}", re.IGNORECASE)


@cache
def _month_pattern(language: str) -> re.Pattern[str]:
    months = _any_of(_months(language))
    return re.compile(rf"\b(?P<month>{months})\b\.?(?:,?\s+(?:de\s+)?{_YEAR.format('year')}\b)?", re.IGNORECASE)


@cache
def _weekday_pattern(language: str) -> re.Pattern[str]:
    """Whole names alone: "sun" and "sat" are words."""
    return re.compile(rf"\b(?:{_any_of(_called(get_day_names, language, widths=('wide',)))})\b", re.IGNORECASE)


def _any_of(found: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, found), key=len, reverse=True))
