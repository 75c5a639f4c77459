"""Whether two texts say the same fact, and which sentences carry one: compared by stems, names and numbers."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from consolidation.text.language import detect
from consolidation.text.name_forms import (
    LETTER,
    forget_names,
    lone_names,
    meant_in,
    with_lone_name,
    without_case_endings,
)
from consolidation.text.names import name_key
from consolidation.text.word_names import is_a_word, is_written_as_name
from consolidation.text.words import content_stems, content_words, is_dense, tokens, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SAME, _SAME_OF_A_PAIR = 0.6, 0.4  # of all stems of two texts, those that both have; where they join the same names
_CARRIED, _HINTED = 0.6, 0.3  # of a fact's stems, those that a sentence has
_REMEMBERED = 16_384  # texts: all decisions of a mind are folded anew with each new one
_CHANGED = 2  # letters at the end of a name that its forms may lack
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Wording:
    """
    What a text is compared by: all of its words in a row, its stems, and which of its words are names or numbers.

    ``numbers`` are their digits alone: "7am" is 7.
    """

    key: str
    stems: frozenset[str]
    words: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Wording:
        """The wording of *text*; of one that was asked for lately, at once."""
        return _wording(text)

    def restates(self, other: Wording, *, joins_the_same: bool) -> bool:
        """Whether it says what *other* does, in other words at most; *joins_the_same* names, as facts of a graph do."""
        if self.key == other.key:
            return True
        if self.is_of_another(other):
            return False
        shared, every = len(self.stems & other.stems), len(self.stems | other.stems)
        return bool(every) and shared >= (_SAME_OF_A_PAIR if joins_the_same else _SAME) * every

    def is_of_another(self, other: Wording) -> bool:
        """Whether each of the two has a name or a number that the other has not: Lyon here, Porto there."""
        return bool(self._names_beyond(other) and other._names_beyond(self))

    def _names_beyond(self, other: Wording) -> frozenset[str]:
        beyond = self.names - other.words
        return frozenset(one for one in beyond if not other.numbers.issuperset(_NUMBER.findall(one) or (one,)))

    def says_more_or_less(self, other: Wording) -> bool:
        """Whether one of the two says all that the other does."""
        return self.stems <= other.stems or other.stems <= self.stems

    def share_in(self, sentence: str) -> float:
        """How much of it stands in *sentence*, 0…1."""
        if not self.stems:
            return float(self.key in " ".join(tokens(sentence)))
        return len(self.stems & _stems(sentence)) / len(self.stems)

    def may_be_carried(self, stems: frozenset[str]) -> bool:
        """Whether a sentence of a text with these *stems* may say most of it."""
        return not self.stems or len(self.stems & stems) >= _CARRIED * len(self.stems)

    def is_carried_by(self, text: str) -> bool:
        """Whether *text* says most of it."""
        return self.share_in(text) >= _CARRIED


@lru_cache(maxsize=_REMEMBERED)
def _wording(text: str) -> Wording:
    found = content_words(text, language=detect(text))
    capital = {one for raw in _WORD.findall(text) if raw[0].isupper() or raw[0].isdigit() for one in tokens(raw)}
    row = tokens(text)
    capital.update(one for one in row if one[0].isdigit())  # within the words of a script without spaces, too
    key = " ".join(row)
    names, numbers = frozenset(capital & found.keys()), frozenset(_NUMBER.findall(key))
    return Wording(key, frozenset(found.values()), frozenset(row), names, numbers)


@lru_cache(maxsize=_REMEMBERED)
def _stems(sentence: str) -> frozenset[str]:
    return content_stems(sentence, language=detect(sentence))


@lru_cache(maxsize=_REMEMBERED)
def stems_of(text: str, language: str) -> frozenset[str]:
    """The stems of the telling words of *text* in a *language*; of one that was asked for lately, at once."""
    return content_stems(text, language=language)


@lru_cache(maxsize=_REMEMBERED)
def keys_of_names(names: tuple[str, ...]) -> frozenset[str]:
    """The keys of *names*; of those that were asked for lately, at once."""
    return frozenset(map(name_key, names))


def forget_texts() -> None:
    """Drop every text that is remembered here: one of them is to be erased."""
    for known in (_wording, _stems, stems_of, keys_of_names):
        known.cache_clear()
    forget_names()


def carriers(wording: Wording, sentences: Sequence[str], *, of: Sequence[int]) -> frozenset[int]:
    """
    The places of the *sentences* that carry a fact: those that say most of it, else the ones that come nearest.

    ``of`` has the message of each. Where one says all of it, others of its message that have words of their own say
    something else: who is allergic to nuts and to cats says both in the same words.
    """
    shares = [wording.share_in(sentence) for sentence in sentences]
    most = max(shares, default=0.0)
    least = _CARRIED if most >= _CARRIED else max(most, _HINTED)
    whole = {message for message, share in zip(of, shares, strict=True) if share >= 1}

    def carries(place: int) -> bool:
        says_else = of[place] in whole and shares[place] < 1 and not _stems(sentences[place]) <= wording.stems
        return shares[place] >= least and not says_else

    return frozenset(filter(carries, range(len(sentences))))


def names_any(text: str, keys: Iterable[str]) -> bool:
    """Whether one of the names with these *keys* stands whole in *text*."""
    return bool(named_in(text, keys))


def tells_of_any(text: str, names: Iterable[str]) -> bool:
    """
    Whether one of these *names*, as they are written, stands whole in *text*.

    One that is an ordinary word as well must be written as a name there: the electricity bill is not Bill's.
    """
    keys = {name: name_key(name) for name in names}
    there = frozenset(named_in(text, frozenset(keys.values())))
    return any(
        key in there and (not is_a_word(key) or name[:1].islower() or is_written_as_name(text, key))
        for name, key in keys.items()
    )


def is_named(text: str, name: str) -> bool:
    """
    Whether *name* stands whole in *text*, in whatever form, and is a name: its first and last word have a capital.

    Either there or in *name*: who types all words small means somebody nevertheless. In words without any capital, and
    in scripts that have none, nobody can tell.
    """
    key = name_key(name)
    if not names_any(text, (key,)):
        return False
    words, parts = name.split(), key.split()
    is_plain = text == text.lower() or key == key.upper() or all(one[0].isupper() for one in (words[0], words[-1]))
    return is_plain or all(is_written_as_name(text, part) for part in (parts[0], parts[-1]))


def named_in(text: str, keys: Iterable[str]) -> tuple[str, ...]:
    """Which of the names with these *keys* stand whole in *text*, in whatever form: "Sandras Hund" names Sandra."""
    row = f" {' '.join(tokens(text))} "
    return tuple(key for key in keys if key and (f" {key} " in row or _is_in_a_form(key, text, row)))


def _is_in_a_form(key: str, text: str, row: str) -> bool:
    first, _, more = key.partition(" ")
    if first[: max(1, len(first) - _CHANGED)] not in row:
        return False
    if is_dense(key):
        return len(key) == 1 and key in lone_names(text)
    meant = meant_in(text)
    if not more:
        return any(key in one for one in meant)
    parts = key.split()
    return any(_stands_at(at, parts, meant) for at in range(len(meant)))


def _stands_at(place: int, parts: Sequence[str], meant: Sequence[frozenset[str]]) -> bool:
    """Whether the words from *place* on may be the *parts* of a name, by what each of them is *meant* as."""
    there = meant[place : place + len(parts)]
    return len(there) == len(parts) and all(part in one for part, one in zip(parts, there, strict=True))


def renamed(text: str, key: str, other: str) -> str:
    """*text* with one name in the place of another, both given by their keys; case and marks may be lost."""
    if is_dense(text):
        plain = unicodedata.normalize("NFKC", text)
        found = _renamed_within(plain, key, written(other))
        if found != plain:
            return found
    words, meant, parts = tokens(without_case_endings(text)), meant_in(text), key.split()
    made: list[str] = []
    place = 0
    while place < len(words):
        is_named = bool(parts) and _stands_at(place, parts, meant)
        made.append(other if is_named else words[place])
        place += len(parts) if is_named else 1
    return " ".join(filter(None, made))


def _renamed_within(plain: str, key: str, other: str) -> str:
    """Scripts without spaces: the name is looked for as it is written, since its key is pairs of characters."""
    if len(key) == 1 and is_dense(key):
        return with_lone_name(plain, key, other)
    name = written(key)
    first, last = ("" if is_dense(one) else LETTER for one in (name[0], name[-1]))
    within = re.compile(f"{first and f'(?<!{first})'}{re.escape(name)}{last and f'(?!{last})'}", re.IGNORECASE)
    return within.sub(lambda _: other, plain)
