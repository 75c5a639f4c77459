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
from datetime import UTC, date, timedelta
from typing import TYPE_CHECKING

from consolidation.text.dates import days_named
from consolidation.text.language import detect
from consolidation.text.quotation import quotable
from consolidation.text.relative_dates import possible_days
from consolidation.text.words import content_stems, content_words, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import tzinfo

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
_NUMBER = re.compile(r"\d+")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_DAY, _LONGEST_CHAPTER = len("2026-01-28"), 31  # days
_LONGEST_TURN = 20_000  # characters: what a tool has shown is not all told


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


def index_turns(turns: Sequence[StoredTurn], *, language: str, zone: tzinfo = UTC, is_cut: bool = False) -> TurnIndex:
    """The index of *turns*, for sentences in *language* with times in *zone*."""
    ordered = sorted(turns, key=lambda one: one.sequence)
    indexed = {one.sequence: _indexed(one, language, zone) for one in ordered}
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


def _indexed(stored: StoredTurn, language: str, zone: tzinfo) -> IndexedTurn:
    text = stored.text[:_LONGEST_TURN]
    words = tokens(text)
    when = stored.occurred_at.astimezone(zone)
    clock = {plain_number(part) for part in (f"{when:%H}", f"{when:%M}")}
    days = possible_days(text, said_on=when.date(), language=language)
    return IndexedTurn(
        stored.sequence,
        stored.turn.session_id,
        content_stems(text, language=language),
        frozenset(words),
        frozenset(numbers_in(text, language=language)),
        frozenset().union(clock, days_named(text), *map(day_terms, days)),
        tuple((one.known_as, flat(one.content)) for one in stored.turn.messages),
    )


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
