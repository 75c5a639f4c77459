"""
Finds what only the bot told of a fact: a name, a number or a day that no person said or confirmed.

What stands in the bot's answer alone, after the last words of the person, is the bot's. What it said before them counts
as the person's if they tell something, since "it was lovely" may tell of Lyon; and as the bot's if they only ask.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import cached_property
from typing import TYPE_CHECKING

from consolidation.kernel.turns import READ, Speaker
from consolidation.story.invention import Sources
from consolidation.text.dates import weekdays_named
from consolidation.text.names import names
from consolidation.text.relative_dates import possible_days
from consolidation.text.speech_acts import tells
from consolidation.text.words import tokens
from service.ingest.said_names import SPEAKER_WORDS, SaidNames

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from consolidation.kernel.turns import Message
    from prompts.responses import Fact

_MOST_NAMES = 60
_SAME_WORD = 0.75  # of the letters: "Bethoven" is Beethoven
_LEAST_LETTERS = 4
_SPELLED = re.compile(  # a number in words, which an answer may have in digits
    r"teen\b|\b(?:twelve|eleven|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred)|zehn\b|[zß]ig\b|hundert"
    r"|\b(?:once|doce|quince|veint|cien)|enta\b|\b(?:onze|douze|treize|quinze|vingt|cent)|ante\b|anta\b|\bventi"
    r"|tig\b|honderd|naście|dzieścia|dzieści|дцать|сорок|десят|сто\b|[百十千]",
    re.IGNORECASE,
)


class BotAnswers:
    """Finds the bot's messages that alone tell a part of a fact."""

    def __init__(self, said: Sequence[Message], *, previous: Sequence[Message], day: date, language: str) -> None:
        """*day* is that of the turn."""
        self._said = tuple(said)
        self._previous = tuple(previous)
        self._day = day
        self._language = language

    def alone_tell(self, fact: Fact) -> tuple[Message, ...]:
        """The bot's messages of which one tells a name, a number or a day of *fact*; none where a person may, too."""
        if not self._persons:
            return ()
        everything = self._everything.unsaid(fact)
        if self._answers and self._until_answered.unsaid(fact) - everything:
            return self._answers
        if not self._is_telling and self._by_persons.unsaid(fact) - everything:
            return tuple(one for one in (*self._previous, *self._said) if one.role is Speaker.ASSISTANT)
        return ()

    @cached_property
    def _persons(self) -> tuple[Message, ...]:
        return tuple(one for one in self._said if one.role is Speaker.USER)

    @cached_property
    def _is_telling(self) -> bool:
        return any(tells(one.content, language=self._language) for one in self._persons)

    @cached_property
    def _answers(self) -> tuple[Message, ...]:
        """What the bot says behind the last words of a person."""
        last = max(at for at, one in enumerate(self._said) if one.role is Speaker.USER)
        return tuple(one for one in self._said[last + 1 :] if one.role is Speaker.ASSISTANT)

    @cached_property
    def _everything(self) -> _Told:
        return self._of((*self._previous, *self._said))

    @cached_property
    def _until_answered(self) -> _Told:
        return self._of([one for one in (*self._previous, *self._said) if one not in self._answers])

    @cached_property
    def _by_persons(self) -> _Told:
        return self._of([one for one in (*self._previous, *self._said) if one.role in {Speaker.USER, *READ}])

    def _of(self, messages: Sequence[Message]) -> _Told:
        speakers = [one.known_as for one in (*self._previous, *self._said) if one.known_as]
        return _Told([one.content for one in messages], speakers, day=self._day, language=self._language)


class _Told:
    """The names, numbers and days of some messages."""

    def __init__(self, texts: Sequence[str], speakers: Sequence[str], *, day: date, language: str) -> None:
        near = " ".join(str(day.year + years) for years in (-1, 0, 1))
        days = {one for text in texts for one in possible_days(text, said_on=day, language=language)}
        self._names = SaidNames(texts, speakers=speakers)
        self._words = frozenset(word for text in texts for word in tokens(text) if len(word) >= _LEAST_LETTERS)
        self._sources = Sources((*texts, *speakers, SPEAKER_WORDS, near), language=language, days=days)
        self._weekdays = frozenset(one.weekday() for one in days).union(*map(weekdays_named, texts))
        self._is_spelled = any(_SPELLED.search(text) for text in texts)
        self._has_names = not language.startswith("de")  # there every noun has a capital

    def unsaid(self, fact: Fact) -> frozenset[str]:
        """The names, numbers and days of *fact* that are in none of the messages."""
        text = fact.fact
        ends = [end for end in (fact.source, fact.target) if end in text and end != end.lower()]
        named = (*ends, *(names(text, limit=_MOST_NAMES) if self._has_names else ()))
        whole = [_with_capitals_before(name, text) for name in named]
        strange = {name.casefold() for name in whole if not self._names.hold(name) and not self._is_misspelled(name)}
        numbers = () if self._is_spelled else self._sources.invented_numbers(text)
        days = (f"weekday {one}" for one in weekdays_named(text) - self._weekdays)
        return frozenset(strange).union(numbers, days)

    def _is_misspelled(self, name: str) -> bool:
        """Whether the messages have a word of *name* with other letters in it."""
        asked = [word for word in tokens(name) if len(word) >= _LEAST_LETTERS]
        return any(SequenceMatcher(None, word, one).ratio() >= _SAME_WORD for word in asked for one in self._words)


def _with_capitals_before(name: str, text: str) -> str:
    """*name* with the word before it in *text* where that has a capital, too: the "New" of New York City."""
    before = text[: max(text.find(name), 0)]
    words = before.split()
    if len(words) > 1 and before.endswith(" ") and words[-1].isalpha() and words[-1][0].isupper():
        return f"{words[-1]} {name}"
    return name
