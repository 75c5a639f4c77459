"""
What a text says that was never said: names, numbers and dates that are in none of its sources.

Words are compared folded, names also by their stems, since they may be inflected otherwise than they were said. A date
is known where the sources name it, where something was said on it, or where relative words mean it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from consolidation.text.dates import named_days
from consolidation.text.given_names import unproven_names
from consolidation.text.names import names
from consolidation.text.numbers import NUMBER, is_said, numbers_said
from consolidation.text.sentences import sentences
from consolidation.text.words import content_words, stems, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from consolidation.text.dates import NamedDay

_TELLING = re.compile(r"\d\d")  # a number that is looked for: counts of a few are told in words, too
_COUNT = re.compile(r"\d")
_IN_A_LIST = re.compile(r"\s*\d{1,2}[.)](?:\s|$)")  # "3. Send it"
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>\"'”»)\]]{1,500}|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}", re.IGNORECASE
)
_MOST_REASONS = 8  # in one answer
_LONGEST_SHOWN = 120  # characters of a sentence
_WORD = re.compile(r"[^\W\d_]+")
_TITLE_WORD = re.compile(r"[^\W\d_]{4,}")  # shorter ones may stay small in a title


class Sources:
    """Everything that a text may take its names, numbers and dates from."""

    def __init__(
        self,
        texts: Iterable[str],
        *,
        language: str,
        days: Iterable[date] = (),
        counted: int | None = None,
        are_openings_names: bool = True,
    ) -> None:
        """
        *days* are known beside those that *texts* name.

        A number of one digit may be a count of what *texts* tell. It is looked for where it is more than *counted*.
        Where not *are_openings_names*, a name that only opens a sentence, or stands in German, is left to the caller.
        """
        self._counted = counted
        self._are_openings_names = are_openings_names
        self._days = tuple(dict.fromkeys(days))
        self._texts = (*texts, " ".join({str(day.year) for day in self._days}))
        self.language = language

    def inventions(self, sentence: str) -> tuple[str, ...]:
        """Each name, address, number and date of *sentence* that is in none of the sources, as a reader calls it."""
        return (
            *self.invented_numbers(sentence),
            *(f"the name {one!r}" for one in self._strange_names(sentence)),
            *(f"the address {one!r}" for one in _addresses(sentence) if not self._is_written(one)),
        )

    def invented_numbers(self, sentence: str) -> tuple[str, ...]:
        """Each number and date of *sentence* that is in none of the sources."""
        days = named_days(sentence)
        dates = [one for day in days if (one := self._fault_of_date(day))]
        dated = {part for day in days for part in tokens(day.words)}  # the numbers of a date are the date's
        asked = (one for one in _numbers(sentence, counted=self._counted) if not set(tokens(one)) <= dated)
        numbers = [one for one in asked if not is_said(one, self._numbers)]
        return (*(f"the number {one}" for one in dict.fromkeys(numbers)), *dates)

    def says_small(self, word: str) -> bool:
        """Whether the sources write *word* small somewhere, or it is a function word."""
        return word != "I" and (word.lower() in self._small or not content_words(word, language=self.language))

    def knows(self, word: str) -> bool:
        """Whether the sources have *word*, in whatever form."""
        return set(tokens(word)) <= self._words or not self._stems.isdisjoint(stems(word, language=self.language))

    def knows_number(self, number: str) -> bool:
        """Whether the sources have *number*, in whatever form."""
        return is_said(number, self._numbers)

    def _is_written(self, address: str) -> bool:
        return any(address.casefold() in text.casefold() for text in self._texts)

    def _strange_names(self, sentence: str) -> tuple[str, ...]:
        possible = unproven_names(sentence, language=self.language) if self._are_openings_names else ()
        unproven = tuple(one for one in possible if not self.knows(one))
        if self.language.startswith("de"):  # there every noun has a capital: a capital marks no name
            return unproven
        opening = tokens(sentence)[:1]
        whole = (name for name in names(sentence, limit=60) if re.search(rf"(?<!\w){re.escape(name)}", sentence))
        strange = [name for name in whole if not self._is_known(name, opening)]  # "15W-40" has no name "W-40"
        return tuple(dict.fromkeys((*strange, *(one for one in unproven if not any(one in name for name in strange)))))

    def _is_known(self, name: str, opening: tuple[str, ...]) -> bool:
        """Whether the words of a name were said, in whatever form, but for one that only opens the sentence."""
        words = tokens(name)
        if set(words) <= self._words:
            return True
        known = [
            word in self._words or not self._stems.isdisjoint(stems(word, language=self.language)) for word in words
        ]
        return all(known) or (len(words) > 1 and words[:1] == opening and all(known[1:]))

    def _fault_of_date(self, named: NamedDay) -> str:
        days = [day for day in self._days if named.is_day(day)]
        said = [one for one in self._named_days if (one.month, one.day) == (named.month, named.day)]
        said = [one for one in said if named.year is None or one.year in (None, named.year)]
        if not days and not said:
            return f"the date {named.words!r}"
        if named.weekday is None or any(one.weekday == named.weekday for one in said):
            return ""
        is_sure = bool(days) and not any(one.year is None for one in said)
        return f"the weekday of {named.words!r}" if is_sure and named.weekday not in map(_weekday, days) else ""

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word for text in self._texts for word in tokens(text))

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(number for text in self._texts for number in numbers_said(text))

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(stem for text in self._texts for stem in stems(text, language=self.language))

    @cached_property
    def _small(self) -> frozenset[str]:
        """Every word that is written without a capital."""
        return frozenset(word for text in self._texts for word in _WORD.findall(text) if word.islower())

    @cached_property
    def _named_days(self) -> tuple[NamedDay, ...]:
        return tuple(dict.fromkeys(day for text in self._texts for day in named_days(text)))


@dataclass(frozen=True, slots=True)
class InventedSentence:
    """A sentence, and what in it is in none of the sources."""

    sentence: str
    inventions: tuple[str, ...]


def invented_sentences(text: str, sources: Sources) -> tuple[InventedSentence, ...]:
    """The sentences of *text* that say what was never said."""
    cut = sentences(text, language=sources.language)
    return tuple(InventedSentence(one, found) for one in cut if (found := sources.inventions(one)))


def invention(text: str, *, sources: Sources) -> str:
    """Everything in *text* that was never said, and in which sentences, as a reason; "" where there is nothing."""
    sentences_at_fault = invented_sentences(text, sources)
    found = list(dict.fromkeys(one for sentence in sentences_at_fault for one in sentence.inventions))
    if not found:
        return ""
    shown = " ".join(f"“{_shown(one.sentence)}”" for one in sentences_at_fault[:_MOST_REASONS])
    verb = "do" if len(found) > 1 else "does"
    return f"{' and '.join(found[:_MOST_REASONS])} {verb} not occur in what happened: {shown}"


def in_sentence_case(title: str, *, sources: Sources) -> str:
    """
    *title* without the capitals of Title Case, which hide what is a name.

    Only a word that the sources write small loses its capital. A name keeps it, also one that nobody said, so that the
    check sees it.
    """
    words = [one[0] for one in _TITLE_WORD.finditer(title)]
    if sources.language.startswith("de") or not words[1:] or not all(word[0].isupper() for word in words):
        return title
    first, gap, rest = title.partition(" ")
    return first + gap + _WORD.sub(lambda one: one[0].lower() if sources.says_small(one[0]) else one[0], rest)


def _numbers(sentence: str, *, counted: int | None) -> Iterator[str]:
    """The numbers of *sentence* that stand by themselves: "15W-40" has none. Few that may be *counted* are left out."""
    for found in NUMBER.finditer(sentence):
        around = sentence[max(found.start() - 1, 0) : found.start()] + sentence[found.end() : found.end() + 1]
        if re.search(r"[\w-]", around):
            continue
        is_count = counted is not None and _COUNT.fullmatch(found[0]) and not _IN_A_LIST.match(sentence)
        if _TELLING.search(found[0]) or (is_count and counted is not None and int(found[0]) > counted):
            yield found[0]


def _addresses(sentence: str) -> Iterator[str]:
    """The addresses of pages and mail in *sentence*."""
    for found in _ADDRESS.finditer(sentence):
        yield found[0].rstrip(".,;:!?/…")


def _weekday(day: date) -> int:
    return day.weekday()


def _shown(sentence: str) -> str:
    return sentence if len(sentence) <= _LONGEST_SHOWN else f"{sentence[:_LONGEST_SHOWN]}…"
