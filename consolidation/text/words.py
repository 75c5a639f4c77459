"""
The words of a text, as every index of ours holds them and every query of ours asks for them.

A text and its variants in case, width and accents have the same words, and no word holds anything that a search
engine could take for an operator: only letters, marks, digits and inner underscores survive. Nothing here raises.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

import Stemmer

from consolidation.text.arabic_stems import arabic_stem
from consolidation.text.language import primary_subtag
from consolidation.text.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_WORD = 64
_REMEMBERED, _LONGEST_REMEMBERED = 8_192, 1_000  # texts, and the characters of one: phases ask of the same turns

# Scripts written without spaces: their runs become overlapping pairs of characters.
DENSE_SCRIPTS = frozenset(
    {"CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "THAI", "LAO", "KHMER", "MYANMAR"}
)
# What a text wants shows in its first words and its last. What stands between was mostly pasted, and is not read.
LONGEST_END = 400
UNPARTED = re.compile(r"[\u3040-\u9fff]")
_FIRST_DENSE = "\u0e00"  # Thai: no character before it is of such a script
# Scripts whose marks people leave out when they type in a hurry: é, ё, harakat, niqqud. Elsewhere (Thai, Devanagari)
# marks are vowels and stay.
FOLDED_SCRIPTS = frozenset({"LATIN", "GREEK", "CYRILLIC", "ARABIC", "HEBREW"})
DROPPED_MARKS = frozenset({"COMBINING", "VARIATION", "ARABIC", "HEBREW"})
SPELLINGS = {
    "_": "_",
    **dict.fromkeys("'’‘‛ʼʻʹ`′՚׳", "'"),
    # Letters in their own right, not accented ones: Russian writes е for ё, but never и for й.
    **{letter: letter for letter in "йїўѓќ"},
    # Letters that Unicode does not take apart, and the tatweel, which only stretches a word.
    **dict(zip("łøđðħı", "loddhi", strict=True)),
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
    "ـ": "",
    # Hindi is typed with and without the dot below, and with either sign for a nasal vowel.
    "\u093c": "",
    "\u0901": "\u0902",
    **dict(zip("\u0929\u0931\u0934", "नरळ", strict=True)),
}
_PLAIN_LETTERS = str.maketrans("áàâãéèêíìîóòôõúùûçñąćęłńśźż", "aaaaeeeiiioooouuucnacelnszz")
# Of a regular expression: an escape, a class, what ends in a quantifier's word ("\\w+ść"), or a word.
_LATIN_WORDS = re.compile(r"(?P<as_it_is>\\.|\[(?:\\.|[^\]\\])*+\]?|[+*}][^\W\d_]+)|[^\W\d_]+")
_LONG_WORD = 4  # letters
_SHORT_AND_CLEAR = frozenset({"año", "mês"})
_CHEAP_AT_THE_END = "ãõçñąęłśźż"  # "amanhã": no verb is told apart by it
_ASKING = frozenset("cuando como donde adonde cual cuales quien quienes cuanto cuanta cuantos cuantas porque".split())
# A nasal before a consonant of its own row may as well be a dot above: हिन्दी and हिंदी.
_NASAL = re.compile("ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])")

ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

# Autos, Omas, Sandras: the German stemmer leaves an s behind a vowel, of a plural and of a genitive.
_S_BEHIND_A_VOWEL = re.compile(r"(?<=\w[^\Waeiou\d_][aeiouy])s$")

# l'amica, dell'anno, qu'il: an article, not the head of a word.
_ELISIONS = {
    "ca": re.compile(r"\b[dlmnst]'(?=\w)"),
    "fr": re.compile(r"\b(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)'(?=\w)"),
    "it": re.compile(r"\b(?:[dlmnstv]|un|gl|quest|quell|(?:d|n|c|s|qu)?(?:all|ell|oll|ull))'(?=\w)"),
}
_POSSESSIVE = re.compile(r"(?<=\w)'s(?!\w)")
_INNER = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")


def tokens(text: str) -> tuple[str, ...]:
    """
    Split *text* into words, folded and in order.

    "Caroline's" is Caroline, "don't" is dont, "José" is jose, माँ is मां; 咖啡店 is 咖啡 and 啡店. Words end after 64
    characters.
    """
    return _remembered_tokens(text) if len(text) <= _LONGEST_REMEMBERED else _words(_folded(text))


def stems(text: str, *, language: str) -> tuple[str, ...]:
    """
    Split *text* into the stems of its words, without the stop words of *language* (a tag such as "en" or "pt-BR").

    A text of nothing but stop words keeps them all; an unknown language neither stems nor stops.
    """
    tag = primary_subtag(language)
    words = _words(_unelided(text, tag))
    telling = tuple(word for word in words if word not in _stop_words(tag)) or words
    return _stemmed(telling, tag)


def content_words(text: str, *, language: str) -> dict[str, str]:
    """The words of *text* without stop words, each with its stem; unlike ``stems``, possibly none."""
    tag = primary_subtag(language)
    words = tuple(dict.fromkeys(word for word in _words(_unelided(text, tag)) if word not in _stop_words(tag)))
    return dict(zip(words, _stemmed(words, tag), strict=True))


def content_stems(text: str, *, language: str) -> frozenset[str]:
    """The stems of the words of *text* that are not stop words."""
    return frozenset(content_words(text, language=language).values())


def word_count(text: str) -> int:
    """How many words *text* has; of a script that is written without spaces, two characters count as one."""
    if text.isascii() or max(text, default="") < _FIRST_DENSE:
        return len(text.split())
    dense = sum(map(_is_dense, text))
    apart = "".join(" " if _is_dense(character) else character for character in text)
    return len(apart.split()) + (dense + 1) // 2


def is_dense(word: str) -> bool:
    """Whether *word* is of a script that is written without spaces."""
    return any(map(_is_dense, word))


def written(words: str) -> str:
    """The *words* of ``tokens``, parted by spaces, as they were written: 咖啡 and 啡店 are 咖啡店."""
    text = ""
    for word in words.split():
        overlap = next((end for end in range(len(word) - 1, 0, -1) if text.endswith(word[:end])), 0)
        text += word[overlap:] if overlap and is_dense(word) else f"{' ' if text else ''}{word}"
    return text


def both_ends(text: str) -> str:
    """*text*, or the beginning and the end of a long one."""
    return text if len(text) <= 2 * LONGEST_END else f"{text[:LONGEST_END]} {text[-LONGEST_END:]}"


@functools.cache
def accents_optional(pattern: str) -> str:
    """
    *pattern*, a regular expression, with which Latin words are found without their accents, too: ``s[áa]bado``.

    An accent stays where another word begins without it: in short words ("où", "qué", "née"), at the end ("corrigé",
    "está") and in words that ask ("cuándo"). Classes of letters are read as they are written.
    """
    return _LATIN_WORDS.sub(lambda found: found[0] if found["as_it_is"] else _loosely(found[0]), pattern)


def _loosely(word: str) -> str:
    is_short = len(word) < _LONG_WORD and word not in _SHORT_AND_CLEAR
    if is_short or word.translate(_PLAIN_LETTERS) in _ASKING:
        return word
    letters = ((letter, letter.translate(_PLAIN_LETTERS)) for letter in word[:-1])
    last = word[-1]
    plain = last.translate(_PLAIN_LETTERS) if last in _CHEAP_AT_THE_END else last
    return "".join(one if one == bare else f"[{one}{bare}]" for one, bare in (*letters, (last, plain)))


def without_accents(text: str) -> str:
    """*text* as it is typed in a hurry: "marco" for "março". Umlauts stay: German writes "ae" where it has none."""
    return text.translate(_PLAIN_LETTERS)


@functools.cache
def words_of(pattern: str) -> re.Pattern[str]:
    """*pattern* as whole words; where it has words of scripts that part none, anywhere in those."""
    letter = r"[^\W\u3040-\u9fff]" if UNPARTED.search(pattern) else r"\w"
    return re.compile(rf"(?<!{letter})(?:{pattern})(?!{letter})")


@functools.cache
def ignoring_case(pattern: str) -> re.Pattern[str]:
    """*pattern*, whatever the case of letters."""
    return re.compile(pattern, re.IGNORECASE)


def has_stems(language: str) -> bool:
    """Whether words of *language* (a tag such as "en" or "pt-BR") have stems here."""
    return primary_subtag(language) in ALGORITHMS


def forget_words() -> None:
    """Drop every text that is remembered here: one of them is to be erased."""
    _remembered_tokens.cache_clear()


@functools.lru_cache(maxsize=_REMEMBERED)
def _remembered_tokens(text: str) -> tuple[str, ...]:
    return _words(_folded(text))


def _unelided(text: str, tag: str) -> str:
    """*text* folded, without the articles that French and its like glue to a word: "l'hôpital" is hopital."""
    folded = _folded(text)
    return _ELISIONS[tag].sub(" ", folded) if tag in _ELISIONS else folded


def _folded(text: str) -> str:
    """Letters in their plain form, apostrophes as ', everything that parts words as a space."""
    if text.isascii():
        return text.lower().translate(_ascii())
    # NFKC would make a space of the accent that is used as an apostrophe in "don´t".
    upright = unicodedata.normalize("NFKC", text.replace("´", "'")).casefold()
    plain = "".join(map(_plain, unicodedata.normalize("NFKC", upright)))
    return unicodedata.normalize("NFC", _NASAL.sub("\u0902", plain))


@functools.cache
def _ascii() -> dict[int, str]:
    """What ``_plain`` makes of each ASCII character: most text is nothing else."""
    return {code: _plain(chr(code)) for code in range(128)}


@functools.cache
def _plain(character: str) -> str:
    category, script = unicodedata.category(character), _script(character)
    if character in SPELLINGS:
        return SPELLINGS[character]
    if category == "Cf" or (category[0] == "M" and script in DROPPED_MARKS):
        return ""  # what can not be seen does not part words: soft hyphen, joiners, direction marks
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category[0] not in "LMN":
        return " "
    if script not in FOLDED_SCRIPTS:
        return character
    base = unicodedata.normalize("NFD", character)[0]
    return SPELLINGS.get(base, base)


def _script(character: str) -> str:
    return unicodedata.name(character, "").partition(" ")[0]


def _words(folded: str) -> tuple[str, ...]:
    whole = _INNER.sub("", _POSSESSIVE.sub("", folded)).replace("'", " ") if "'" in folded else folded
    runs = whole.split()
    if whole.isascii() and "_" not in whole and max(map(len, runs), default=0) <= LONGEST_WORD:
        return tuple(runs)  # most text: each run is a word as it is
    return tuple(word for run in runs for word in _parted(run))


def _parted(run: str) -> Iterator[str]:
    if run.isascii():  # no dense script
        word = run.strip("_")[:LONGEST_WORD].rstrip("_")
        if word:
            yield word
        return
    for parts_no_words, characters in groupby(run, key=_is_dense):
        piece = "".join(characters)
        for part in _pairs(piece) if parts_no_words else (piece,):
            word = part.strip("_")[:LONGEST_WORD].rstrip("_")
            if any(map(str.isalnum, word)):
                yield word


@functools.cache
def _is_dense(character: str) -> bool:
    return _script(character) in DENSE_SCRIPTS


def _pairs(run: str) -> tuple[str, ...]:
    """Overlapping pairs of characters, each with the marks it carries; a character alone where there is only one."""
    clusters: list[str] = []
    for character in run:
        if clusters and unicodedata.category(character)[0] == "M":
            clusters[-1] += character
        else:
            clusters.append(character)
    return tuple(map("".join, pairwise(clusters))) or tuple(clusters)


@functools.lru_cache(maxsize=64)
def _stop_words(tag: str) -> frozenset[str]:
    return frozenset(tokens(STOP_WORDS.get(tag, "")))


def _stemmed(words: tuple[str, ...], tag: str) -> tuple[str, ...]:
    if tag == "ar":
        return tuple(map(arabic_stem, words))
    if tag not in ALGORITHMS:
        return words
    # A new stemmer a call: it must not be shared between threads, and making one costs 0.3 microseconds.
    stemmer = Stemmer.Stemmer(ALGORITHMS[tag], 0)
    stems = (stem or word for stem, word in zip(stemmer.stemWords(words), words, strict=True))
    return tuple(_S_BEHIND_A_VOWEL.sub("", stem) for stem in stems) if tag == "de" else tuple(stems)
