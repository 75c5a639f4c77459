"""
What a model answers, held against the evidence it names.

A line stands where each name, number and date in it occurs in the evidence that the line itself names. What only a tool
or the bot said is answered in its own words, which say so; so is a line with a word that may be a name and that nobody
said. Meaning is not checked: a wrong word passes, unless it is a name, a number or a date.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.story.invention import Sources
from consolidation.text.dates import days_named, named_days
from consolidation.text.language import detect
from consolidation.text.names import names, possible_names
from consolidation.text.numbers import NUMBER, is_said, numbers_said
from consolidation.text.relative_dates import possible_days
from consolidation.text.strange_names import names_meant, strange_names
from consolidation.text.words import content_words, stems, tokens
from service.ask.evidence import is_sound, texts_of, unsettled
from service.retrieval.lead_words import others_words, persons_words, without_leads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import date, datetime, tzinfo

    from prompts.responses import AnswerLine, AnswerOfMemory
    from service.ask.evidence import Evidence

_LONGEST_LINE = 600
_SHORTEST_ROOT = 4  # letters with which words of one German family begin: "Wohnung" and "wohnt"
_INSIDE_NAMES = "of the de del la van von der da do and"  # what joins two names is said by nobody


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an answer, and the places of the evidence that it rests on."""

    text: str
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """What is left of a model's answer, and why each of the rest was dropped."""

    lines: tuple[Line, ...]
    missing: tuple[str, ...]
    contradictions: tuple[frozenset[int], ...]
    dropped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """
    Holds a model's answer against *evidence*.

    ``language`` is the answer's, by its primary subtag. ``known`` are words that may stand anywhere, such as the bot's
    name. ``known_names`` finds the names of the mind's entities in a text.
    """

    evidence: Sequence[Evidence]
    question: str
    language: str
    timezone: tzinfo
    known: str
    known_names: Callable[[str], Iterable[str]]

    def of(self, said: AnswerOfMemory) -> Checked:
        """What of the answer stands."""
        lines, missing, dropped = list[Line](), list[str](), list[str]()
        for one in said.answer:
            line = self._line(one)
            if isinstance(line, str):
                dropped.append(f"a line of the answer: {line}")
            elif line.text:
                lines.append(line)
        for text in filter(None, (" ".join(one.split()) for one in said.missing)):
            fault = self._invention(text, self.evidence, (*texts_of(self.evidence), self.question))
            if fault:
                dropped.append(f"a line of what is missing: {fault}")
            else:
                missing.append(text)
        together = tuple(dict.fromkeys(self._contradictions(said)))
        return Checked(tuple(dict.fromkeys(lines)), tuple(dict.fromkeys(missing)), together, tuple(dropped))

    def _contradictions(self, said: AnswerOfMemory) -> Iterable[frozenset[int]]:
        """What is not settled of them; where something is answered, what an answer rests on."""
        answered = frozenset(place for one in said.answer for place in self._places(one.evidence))
        groups = (unsettled(self.evidence, self._places(one)) for one in said.contradictions)
        return (one for one in groups if one and not (answered and one.isdisjoint(answered)))

    def _line(self, one: AnswerLine) -> Line | str:
        """The line as it may be shown, or why it may not be."""
        text, places = " ".join(one.text.split()), self._places(one.evidence)
        strange = [number for number in one.evidence if not 1 <= number <= len(self.evidence)]
        if strange:
            return f"it names evidence that does not exist ({strange[0]})"
        if not places:
            return "it names no evidence"
        sound = [place for place in places if is_sound(self.evidence[place])]
        if not sound:
            return "it rests on what was found wrong"
        texts = texts_of(self.evidence[place] for place in sound)
        fault = self._invention(text, [self.evidence[place] for place in sound], texts)
        if fault:
            return fault
        in_its_words = self._is_borrowed(text, texts) or self._may_name_a_stranger(text, texts)
        return Line(" / ".join(texts) if in_its_words else text, tuple(sound))

    def _is_borrowed(self, text: str, texts: Sequence[str]) -> bool:
        """Whether *text* may be telling as a person's words what nobody but a tool or the bot said."""
        others = " ".join(map(others_words, texts))
        if not others:
            return False
        persons = " ".join(map(persons_words, texts))
        is_translated = detect(" ".join(map(without_leads, texts))) != self.language
        only_others = set(stems(others, language=self.language)) - set(stems(persons, language=self.language))
        return is_translated or not only_others.isdisjoint(stems(text, language=self.language))

    def _may_name_a_stranger(self, text: str, texts: Sequence[str]) -> bool:
        """Whether a word of *text* that may be a name is in none of *texts*, and no common word of the question."""
        possible = possible_names(text, language=self.language)
        if not possible:
            return False
        said = " ".join((*texts, self.known, self._common_words(self.question)))
        meant = map(names_meant, map(without_leads, texts))
        known = {*tokens(said), *stems(said, language=self.language)}.union(*meant)
        common = stems(self._common_words(said), language="de") if self.language == "de" else ()
        roots = tuple(one for one in common if len(one) >= _SHORTEST_ROOT)
        return any(
            word not in known and stem not in known and not word.startswith(roots)
            for name in possible
            if not days_named(f"im {name}")
            for word, stem in content_words(name, language=self.language).items()
        )

    def _common_words(self, text: str) -> str:
        """*text* without the names in it; in German, without what may be one."""
        found = possible_names(text, language="de") if self.language == "de" else names(text)
        named = {word for name in found for word in tokens(name)}
        return " ".join(word for word in tokens(text) if word not in named)

    def _places(self, numbers: Iterable[int]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(number - 1 for number in numbers if 1 <= number <= len(self.evidence)))

    def _invention(self, text: str, evidence: Sequence[Evidence], texts: Sequence[str]) -> str:
        """What *text* says that neither *texts* do nor the days of *evidence*; empty where there is nothing."""
        if len(text) > _LONGEST_LINE:
            return f"it is longer than {_LONGEST_LINE} letters"
        texts = (*texts, self.known)
        days = frozenset(day for one in evidence for day in self._days(one))
        of_days = tuple(f"{day:%A} {day.day} {day:%B %Y}" for day in days)
        sources = Sources((*texts, _INSIDE_NAMES), language=self.language, days=days, are_openings_names=False)
        found = sources.inventions(text)
        if found:
            return f"{found[0]} is not in the evidence it names"
        dated = {word for day in named_days(text) for word in tokens(day.words)}
        said = numbers_said(" | ".join((*texts, *of_days)))
        for number in NUMBER.findall(text):
            if not (is_said(number, said) or set(tokens(number)) <= dated):
                return f"the number {number} is not in the evidence it names"
        for name in sorted(days_named(text) - days_named(" | ".join((*texts, *of_days)))):
            return f"{name.title()} is not in the evidence it names"
        told = (*texts, *map(without_leads, texts))
        for name in strange_names(self.known_names(text), text, told, known_names=self.known_names):
            return f"the name {name!r} is not in the evidence it names"
        return ""

    def _days(self, one: Evidence) -> Iterable[date]:
        """The days that a memory may speak of."""
        memory = one.memory
        said = (memory.occurred_at, *(source.timestamp for source in memory.sources))
        for instant in filter(None, (*said, memory.valid_at, memory.invalid_at)):
            yield from self._days_of(instant)
        if memory.occurred_at is not None:
            said_on = memory.occurred_at.astimezone(self.timezone).date()
            yield from possible_days(memory.text, said_on=said_on, language=detect(memory.text))

    def _days_of(self, instant: datetime) -> tuple[date, date]:
        return instant.date(), instant.astimezone(self.timezone).date()
