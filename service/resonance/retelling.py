"""
Whether a line of a model retells a memory at all: it has words, in the language asked for, and shares some with it.

Words are compared by their stems and concepts, and where a language or a text says too little, a line passes. One that
says the same by other words alone, of no known concept, is refused: then the memory surfaces as it was said, which
loses no more than style. Nothing is asked of a model or an embedder here.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import takewhile
from typing import TYPE_CHECKING

from consolidation.text.concepts import concepts
from consolidation.text.dates import days_named
from consolidation.text.language import LANGUAGES, detect, primary_subtag, sure_language
from consolidation.text.stopwords import STOP_WORDS
from consolidation.text.words import content_words, has_stems, is_dense, tokens
from service.resonance.retelling_words import FUNCTION_CHARACTERS, endings, frame_phrases, frame_words
from service.retrieval.excerpt import BETWEEN
from service.retrieval.lead_words import without_lead

if TYPE_CHECKING:
    from service.retrieval.moment import Fragment

_BREAKS_OFF = re.compile(r"(?:…|\.{2,})[\s\"'”’»」)\]]*$")
_FEWEST_WORDS = 2  # with content, of a memory and of its retelling: fewer may well be said by others
_FEWEST_TOLD = 3  # words of a line in another language
_SHORTEST_ALIKE = {"ar": 3}  # letters that two words share; of other languages:
_SHORTEST_SHARED = 4
_SHARED_BEGINNING = 0.6  # of the longer word
_KNOWN = frozenset(code for codes in LANGUAGES.values() for code in codes)
_ALIKE = ({"da", "no", "nb", "nn"},)  # languages that are taken for each other


def fault_of_retelling(text: str, fragment: Fragment, *, language: str) -> str:
    """Why *text*, asked for in *language* (a tag such as "en" or "pt-BR"), does not retell *fragment*; else ""."""
    if not tokens(text):
        return "it has no words"
    memory = _bare(fragment.text)
    if _BREAKS_OFF.search(text) and _is_bare(text, language, lead=_lead_of(fragment.text, memory)):
        return "it breaks off before it tells anything"
    if set(tokens(text)) <= set(tokens(fragment.text)):
        return ""  # it was quoted
    told_in = sure_language(text)
    other = told_in or _by_function_words(text, asked=language)
    if other and _is_another(other, language) and not _may_be_in(other, fragment.text):
        return f"it is told in another language: {other}"
    if told_in and _is_in(told_in, fragment.text) and not _shares_content(text, memory, language=told_in):
        return "it shares nothing with the memory"
    return ""


def say_the_same(one: str, other: str) -> bool:
    """Whether the words of two lines are the same, whatever their marks, capitals and accents."""
    return tokens(one) == tokens(other)


def _is_bare(text: str, language: str, *, lead: frozenset[str]) -> bool:
    """Whether *text* has only words that frame a memory, in *language* or in that of the prompt; *lead* are such."""
    return not (_content(text, language).keys() & _content(text, "en").keys()) - lead


def _bare(text: str) -> str:
    """A memory's *text* without who said each part of it."""
    return "\n".join(bare_parts(text))


def bare_parts(text: str) -> list[str]:
    """What each part of a memory's *text* tells, without who said it."""
    return [without_lead(part) for part in text.split(BETWEEN)]


def _lead_of(text: str, memory: str) -> frozenset[str]:
    """The words that *text* has only in front of what it tells."""
    return frozenset(tokens(text)) - frozenset(tokens(memory))


def _is_another(told_in: str, language: str) -> bool:
    """Whether who reads *language* would say that *told_in* is another one; not of one that can not be detected."""
    asked = primary_subtag(language)
    can_tell = asked in _KNOWN or any(asked in alike for alike in _ALIKE)
    return can_tell and asked != told_in and not any({asked, told_in} <= alike for alike in _ALIKE)


def _by_function_words(text: str, *, asked: str) -> str:
    """The language of a short *text* that has function words of it, and none of the language *asked* for; else ""."""
    told_in, words = detect(text, fallback=""), frozenset(tokens(text))
    own, others = (frozenset(STOP_WORDS.get(one, "").split()) for one in (told_in, primary_subtag(asked)))
    is_told = bool(others) and len(words) >= _FEWEST_TOLD and words.isdisjoint(others - own)
    return told_in if is_told and not words.isdisjoint(own - others) else ""


def _may_be_in(language: str, text: str) -> bool:
    """Whether a memory, or a part of it, is in *language* as far as can be told."""
    is_whole = detect(_bare(text), fallback=language) == language
    return is_whole or any(sure_language(part) == language for part in bare_parts(text))


def _is_in(language: str, text: str) -> bool:
    """Whether all of a memory is in *language*, for sure: no part of it is in another."""
    parts = (sure_language(part) for part in bare_parts(text))
    return sure_language(_bare(text)) == language and all(found in ("", language) for found in parts)


def _shares_content(text: str, memory: str, *, language: str) -> bool:
    """Whether *text* and *memory*, both in *language*, have a word, a concept, a number or a day in common."""
    told, known = _content(text, language), _content(memory, language)
    fewest = min(_count(told), _count(known))
    if fewest < _FEWEST_WORDS or not (has_stems(language) or any(map(is_dense, told))):
        return True  # it can not be told
    if not _pieces(told).isdisjoint(_pieces(known)) or days_named(text) & days_named(memory):
        return True
    if concepts(text, language=language) & concepts(memory, language=language):
        return True
    shortest = _SHORTEST_ALIKE.get(language, _SHORTEST_SHARED)
    return any(_are_alike(one, other, shortest) for one in _stems(told) for other in _stems(known))


def _content(text: str, language: str) -> dict[str, str]:
    """The words of *text* with their stems, without function words and without those that frame a memory."""
    folded = unicodedata.normalize("NFKC", text)
    for phrase in frame_phrases():
        folded = folded.replace(phrase, " ")
    left_out = frame_words() | endings()
    return {
        word: stem
        for word, stem in content_words(folded, language=language).items()
        if word not in left_out and not FUNCTION_CHARACTERS.issuperset(word) and not _is_particle(word)
    }


def pieces_of(text: str, *, language: str) -> frozenset[str]:
    """What *text* tells, as it is compared: its words without those that frame a memory, in *language* (a tag)."""
    return _pieces(_content(text, language))


def _pieces(content: dict[str, str]) -> frozenset[str]:
    """The stems by which words are compared; of a script without spaces pairs of characters, and ideographs alone."""
    found = set(_stems(content))
    for word in content:
        if is_dense(word):
            found |= {one for one in word if _is_ideograph(one)} - FUNCTION_CHARACTERS
            found.add(word)
    return frozenset(found)


def _count(content: dict[str, str]) -> int:
    """How many words there are; hiragana alone does not count, since it may be written with ideographs as well."""
    return sum(1 for word in content if not all(map(_is_hiragana, word)))


def _stems(content: dict[str, str]) -> list[str]:
    return [stem for word, stem in content.items() if not is_dense(word)]


def _is_ideograph(character: str) -> bool:
    return unicodedata.name(character, "").startswith("CJK")


def _is_particle(word: str) -> bool:
    return len(word) == 1 and _is_hiragana(word)


def _is_hiragana(character: str) -> bool:
    return unicodedata.name(character, "").startswith("HIRAGANA")


def _are_alike(one: str, other: str, shortest: int) -> bool:
    """Whether two stems are forms of one word, or one is a part of the other: "Hochzeit" of "Hochzeitsfeier"."""
    short, long = sorted((one, other), key=len)
    if len(short) >= shortest and short in long:
        return True
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return shared >= max(shortest, _SHARED_BEGINNING * len(long))
