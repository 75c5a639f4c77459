"""
The turns that a chapter may tell of, indexed once: by the stems of their words, their numbers, names and times.

What a turn's own time says (its weekday, its date) counts as said in it, and so does a date that follows from
"yesterday" or "last Friday".
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Protocol

from consolidation.text.language import detect
from consolidation.text.quotation import quotable
from consolidation.text.words import content_words, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from consolidation.kernel.turns import StoredTurn

_NUMBER_WORDS = (  # from two to twelve
    "two three four five six seven eight nine ten eleven twelve",
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "deux trois quatre cinq six sept huit neuf dix onze douze",
    "due tre quattro cinque sei sette otto nove dieci undici dodici",
    "dois três quatro cinco seis sete oito nove dez onze doze",
)
_SPELLED = dict(zip(("en", "de", "es", "fr", "it", "pt"), _NUMBER_WORDS, strict=True))
_OF_LANGUAGE = {code: dict(zip(tokens(words), map(str, range(2, 13)), strict=True)) for code, words in _SPELLED.items()}
# Days from the day on which it is said.
_DAYS_AWAY = {
    word: away
    for away, words in {
        -1: "yesterday ayer gestern hier ieri ontem вчера 昨天 昨日 anoche",
        0: "today tonight hoy heute oggi hoje сегодня 今天 今日 aujourdhui",
        1: "tomorrow mañana morgen demain domani amanhã завтра 明天 明日",
    }.items()
    for word in tokens(words)
}
_UNITS = {
    word: days
    for days, words in {
        1: "day days tag tage tagen día días jour jours giorno giorni dia dias",
        7: "week weeks woche wochen semana semanas semaine semaines settimana settimane weekend",
        30: "month months monat monate monaten mes meses mois mese mesi mês",
        365: "year years jahr jahre jahren año años an ans année anno anni ano anos",
    }.items()
    for word in tokens(words)
}
_NUMBER = re.compile(r"\d+")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_DAY, _LONGEST_CHAPTER = len("2026-01-28"), 31  # days
_LONGEST_COUNT, _MONTH = 2, 30  # digits of a number of days or months, days
_LONGEST_TURN = 20_000  # characters: what a tool has shown is not all told


class DaysNamed(Protocol):
    """Finds the months and weekdays that a text surely names, each by its English name in small letters."""

    def __call__(self, text: str, /) -> frozenset[str]:
        """The names."""
        ...


@dataclass(frozen=True, slots=True)
class IndexedTurn:
    """
    One turn's words: stems of the chapter's language, folded words, numbers said, and the terms of times.

    ``said`` has each message on one line, with its speaker's name, as a quotation would have it.
    """

    sequence: int
    session_id: str
    stems: frozenset[str]
    words: frozenset[str]
    numbers: frozenset[str]
    times: frozenset[str]
    said: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TurnIndex:
    """
    Turns by sequence, and which of them contain a stem in *language*, or a word.

    ``languages`` are those of a sample, ``near`` the turns near to each in its session, itself first, ``speakers`` the
    words of their names. ``is_cut`` says that there were more turns than are indexed.
    """

    turns: Mapping[int, IndexedTurn]
    by_stem: Mapping[str, tuple[int, ...]]
    words: frozenset[str]
    numbers: frozenset[str]
    times: frozenset[str]
    languages: frozenset[str]
    near: Mapping[int, tuple[int, ...]]
    speakers: frozenset[str]
    language: str
    is_cut: bool = False

    def with_words_of(self, text: str) -> tuple[int, ...]:
        """The sequences of turns that may contain *text* literally, in order."""
        found = [self.by_stem.get(one, ()) for one in content_words(text, language=self.language).values()]
        return min(found, key=len) if found and all(found) else tuple(self.turns)

    def weight(self, stem: str) -> float:
        """How much a stem tells: the fewer turns contain it, the more. One in no turn tells as much as a rare one."""
        count = len(self.by_stem.get(stem, ())) or max(1, len(self.turns) // 50)
        return math.log(1 + (1 + len(self.turns)) / count)


def index_turns(
    turns: Sequence[StoredTurn], *, language: str, days_named: DaysNamed, is_cut: bool = False
) -> TurnIndex:
    """The index of *turns*, for sentences in *language*."""
    ordered = sorted(turns, key=lambda one: one.sequence)
    indexed = {one.sequence: _indexed(one, language, days_named) for one in ordered}
    by_stem = defaultdict[str, list[int]](list)
    for sequence, turn in indexed.items():
        for stem in turn.stems | turn.words:
            by_stem[stem].append(sequence)
    sample = [one.text[:400] for one in ordered[:: max(1, len(ordered) // 8)]]
    return TurnIndex(
        indexed,
        {stem: tuple(found) for stem, found in by_stem.items()},
        frozenset().union(*(one.words for one in indexed.values())),
        frozenset().union(*(one.numbers for one in indexed.values())),
        frozenset().union(*(one.times for one in indexed.values())),
        frozenset(detect(text, fallback=language) for text in sample),
        _near(ordered),
        frozenset(token for turn in indexed.values() for name, _ in turn.said for token in tokens(name)),
        language,
        is_cut,
    )


def numbers_in(text: str, *, language: str) -> dict[str, str]:
    """The numbers in *text* in digits without leading zeros, each with how it is written; small ones in words too."""
    spelled = _OF_LANGUAGE.get(language.partition("-")[0], {})
    found: dict[str, str] = {}
    for word in tokens(text):
        if word in spelled:
            found.setdefault(spelled[word], word)
        for number in _NUMBER.findall(word):
            found.setdefault(plain_number(number), number)
    return found


def plain_number(digits: str) -> str:
    """*digits* without leading zeros."""
    return digits.lstrip("0") or "0"


def day_terms(day: date) -> frozenset[str]:
    """What a text may call a day: its weekday and month by their English names, day and year in digits."""
    return frozenset({_WEEKDAYS[day.weekday()], MONTHS[day.month - 1], str(day.day), str(day.month), str(day.year)})


def times_of_heading(first: str, last: str) -> frozenset[str]:
    """The terms of the days from *first* to *last*, times as in a chapter's heading, and of their hours."""
    clock = {plain_number(part) for when in (first, last) for part in _NUMBER.findall(when[_DAY:])}
    try:
        start, end = date.fromisoformat(first[:_DAY]), date.fromisoformat(last[:_DAY])
    except ValueError:
        return frozenset(clock)
    days = [start + timedelta(days=day) for day in range(min(max((end - start).days, 0), _LONGEST_CHAPTER) + 1)]
    return frozenset(clock).union(*map(day_terms, (*days, end)))


def flat(text: str) -> str:
    """*text* for the comparison with a quotation: on one line, plain letters, inner marks as in a quotation."""
    plain = " … ".join(unicodedata.normalize("NFKC", part) for part in text.split("…"))
    return " ".join(quotable(plain).split())


def _indexed(stored: StoredTurn, language: str, days_named: DaysNamed) -> IndexedTurn:
    text = stored.text[:_LONGEST_TURN]
    words = tokens(text)
    when = stored.occurred_at
    clock = {plain_number(part) for part in (f"{when:%H}", f"{when:%M}")}
    return IndexedTurn(
        stored.sequence,
        stored.turn.session_id,
        frozenset(content_words(text, language=language).values()),
        frozenset(words),
        frozenset(numbers_in(text, language=language)),
        frozenset().union(
            clock, day_terms(when.date()), days_named(text), *_told_days(words, when.date(), days_named(text), language)
        ),
        tuple((one.known_as, flat(one.content)) for one in stored.turn.messages),
    )


def _told_days(words: Sequence[str], said_on: date, named: frozenset[str], language: str) -> Iterator[frozenset[str]]:
    """The terms of the days that follow from what was said on *said_on*."""
    weekdays = [number for number, name in enumerate(_WEEKDAYS) if name in named]
    aways = {_DAYS_AWAY[word] for word in words if word in _DAYS_AWAY}
    aways |= {(number - said_on.weekday()) % 7 + 7 * week for number in weekdays for week in (-2, -1, 0, 1)}
    spelled = _OF_LANGUAGE.get(language, {})
    for before, word in zip(("", *words), words, strict=False):
        days = _UNITS.get(word)
        if days is None:
            continue
        number = spelled.get(before, before)
        count = int(number) if number.isdecimal() and len(number) <= _LONGEST_COUNT else 1
        aways |= {-count * days, count * days}
        if word == "weekend":
            aways |= {5 - said_on.weekday() + 7 * week + day for week in (-1, 0, 1) for day in (0, 1)}
        if days >= _MONTH:
            aways |= {-count * days - 1, count * days + 1}
    for away in aways:
        try:
            yield day_terms(said_on + timedelta(days=away))
        except OverflowError:
            continue


def _near(ordered: Sequence[StoredTurn], reach: int = 3) -> dict[int, tuple[int, ...]]:
    found: dict[int, tuple[int, ...]] = {}
    by_session = defaultdict[str, list[int]](list)
    for one in ordered:
        by_session[one.turn.session_id].append(one.sequence)
    for sequences in by_session.values():
        for at, sequence in enumerate(sequences):
            around: Iterable[int] = sequences[max(0, at - reach) : at + reach + 1]
            found[sequence] = (sequence, *(one for one in around if one != sequence))
    return found
