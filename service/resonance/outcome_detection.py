"""
What can be seen of a flashback in the talk that followed: the bot used it, or the person denied it.

Both are told only when they are sure. A word counts for a flashback if neither the message it was found for nor the
turn's own words have it: else it would be their word, not the memory's. Whoever denies an answer that said otherwise
than the memory ("Max", where it has Rex) is of one mind with the memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from consolidation.text.assertions import clause_of, negates
from consolidation.text.names import names
from consolidation.text.numbers import numbers_said
from consolidation.text.sentences import whole_sentences
from consolidation.text.words import content_stems, content_words, tokens
from service.ingest.denials import telling
from service.retrieval.counted_days import numbers_in_words
from service.retrieval.lead_words import told_words, without_lead

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from service.mind.trace_document import ShownTrace, TraceDocument

_SURE = 2  # telling words, where a name or a number counts for two
_SHARE, _MANY = 0.5, 4  # of all telling words of a flashback, or so many of them
_FEW_WORDS = 2  # of a denial that says nothing else
_REPEATED = 0.8  # of the words of a memory, from which a sentence says it again


def used_in(trace: TraceDocument, *, own: str, answer: str) -> tuple[str, ...]:
    """The ids of the flashbacks whose telling words the *answer* repeats; *own* are the person's words in the turn."""
    said = content_stems(answer, language=trace.language)
    found = []
    for shown in trace.shown:
        weights = _telling(shown, trace, own=own)
        shared = weights.keys() & said
        is_much = len(shared) >= _SHARE * len(weights) or len(shared) >= _MANY
        if is_much and sum(weights[stem] for stem in shared) >= _SURE:
            found.append(shown.id)
    return tuple(found)


def contradicted_by(denial: str, trace: TraceDocument, *, answer: str, used: AbstractSet[str]) -> tuple[str, ...]:
    """
    The ids of the flashbacks of *trace* that a person's *denial* of the *answer* means; none where it may be another.

    *used* are those that the denied answer used. A denial of few words ("no, that is wrong") means the one that was
    used. A longer one means the one that it shares words with, unless it may deny what the bot said instead of it.
    Where several may be meant, or none is named, it means all that hold what is denied of the answer.
    """
    said = _Words.of(denial, trace.language)
    meant = []
    for shown in trace.shown:
        weights = _weights(shown, trace.language)
        weight = sum(weights[stem] for stem in weights.keys() & said.stems)
        if weight >= (1 if shown.id in used else _SURE):
            meant.append(shown.id)
    if not meant and len(content_stems(denial, language=trace.language)) <= _FEW_WORDS:
        meant = sorted(used)
    claims = {shown.id: _Claim.of(answer, shown, trace) for shown in trace.shown}
    if len(meant) != 1:
        meant = [key for key, claim in claims.items() if claim.is_denied_by(said)]
    return tuple(
        key
        for key in meant
        if claims[key].rests_on_memory and not claims[key].is_put_right_by(denial, said, is_used=key in used)
    )


@dataclass(frozen=True, slots=True)
class _Words:
    """The stems of a text, its numbers among them, and which of them are of numbers and names."""

    stems: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]

    @classmethod
    def of(cls, text: str, language: str) -> _Words:
        words = {word: stem for word, stem in content_words(text, language=language).items() if not _has_digit(word)}
        numbers = numbers_said(text) | set(map(str, numbers_in_words(text)))
        named = {words[word] for name in names(text, language=language) for word in tokens(name) if word in words}
        return cls(frozenset(words.values()) | numbers, numbers, frozenset(named))


@dataclass(frozen=True, slots=True)
class _Claim:
    """
    What a bot said of a memory that had come up: what it *told* beside what was asked, and which words each of the two
    has alone, and what was asked has not.

    The bot may have said something else ("Max", where the memory has Rex): then whoever denies it repeats the memory.
    """

    held: _Words
    said: _Words
    told: frozenset[str]
    bots: frozenset[str]
    memorys: frozenset[str]
    memory: str
    language: str
    is_negated: bool

    @classmethod
    def of(cls, answer: str, shown: ShownTrace, trace: TraceDocument) -> _Claim:
        language, memory = trace.language, without_lead(shown.text)
        held, said, asked = (_Words.of(text, language) for text in (memory, answer, trace.message))
        told = (said.stems - asked.stems) & (telling(answer, language) | said.numbers)
        return cls(
            held=held,
            said=said,
            told=told,
            bots=told - held.stems,
            memorys=held.stems - said.stems - asked.stems,
            memory=memory,
            language=language,
            is_negated=_negates_any(answer, held.stems, language) and not negates(memory, language=language),
        )

    @property
    def rests_on_memory(self) -> bool:
        """Whether it says what the memory does: not that it is not so, nor another number, nor another name instead."""
        other_number = self.said.numbers & self.bots and self.held.numbers & self.memorys
        other_name = self.said.names & self.bots and self.held.names & self.memorys
        shares_name = self.held.names & self.said.stems
        return not (self.is_negated or other_number or (other_name and not shares_name))

    def is_denied_by(self, denial: _Words) -> bool:
        """
        Whether the memory holds all that a *denial* names of what the bot told.

        Where it names nothing of that, it has another name or number in its place, and speaks of the same.
        """
        denied = self.told & denial.stems
        if denied:
            return denied <= self.held.stems
        others = (denial.names | denial.numbers) - self.said.stems - self.held.stems
        return bool(others and self.told and self.said.stems & denial.stems) and self.told <= self.held.stems

    def is_put_right_by(self, denial: str, said: _Words, *, is_used: bool) -> bool:
        """Whether a *denial* may take the memory's side: it denies the bot's own words, or says the memory's."""
        if said.stems & self.bots:
            return True
        if said.stems & self.memorys and (self.bots or not is_used):
            return True
        return bool(self.bots) and self._is_repeated_in(denial)

    def _is_repeated_in(self, denial: str) -> bool:
        """Whether a sentence of *denial* says nearly all of the memory, and not the same of another."""
        for sentence in whole_sentences(denial, language=self.language):
            own = _Words.of(sentence, self.language)
            is_of_another = own.names - self.held.stems and self.held.names - own.stems
            is_whole = len(self.held.stems & own.stems) >= _REPEATED * len(self.held.stems)
            is_same = is_whole and self.held.numbers <= own.numbers and not is_of_another
            if is_same and not negates(sentence, language=self.language):
                return True
        return False


def _negates_any(text: str, words: frozenset[str], language: str) -> bool:
    """Whether *text* denies something of which it has one of the *words*."""
    stems = partial(content_stems, language=language)
    told = (clause_of(one, words, stems=stems) for one in whole_sentences(text, language=language))
    return any(words & stems(one) and negates(one, language=language) for one in told)


def _has_digit(word: str) -> bool:
    return any(map(str.isdecimal, word))


def _telling(shown: ShownTrace, trace: TraceDocument, *, own: str) -> dict[str, int]:
    """The stems of a flashback that only it brought into the talk, each with how much it tells."""
    others = content_stems(f"{trace.message}\n{own}", language=trace.language)
    return {stem: weight for stem, weight in _weights(shown, trace.language).items() if stem not in others}


def _weights(shown: ShownTrace, language: str) -> dict[str, int]:
    """The stems of a flashback, each with how much it tells."""
    named = {word for name in names(shown.text, language=language) for word in tokens(name)}
    words, told = content_words(shown.text, language=language), told_words(shown.text)
    return {stem: 2 if word in named or word.isdecimal() else 1 for word, stem in words.items() if word in told}
