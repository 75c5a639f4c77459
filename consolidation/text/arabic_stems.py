"""
Stems of Arabic words, so that "شقتي", "الشقة" and "للشقه" are one word.

A light stemmer in the manner of Larkey, Ballesteros and Connell ("Light Stemming for Arabic Information Retrieval",
2007): conjunctions, prepositions and the article go, then endings, then one letter of a verb. It knows no roots. What
it leaves has three letters, or two before an ending that is a part of the word ("بنت").
"""

from __future__ import annotations

_LEAST, _LEAST_OF_A_PREFIXED = 3, 4
_CONJUNCTIONS = ("و", "ف")
_ARTICLES = ("بال", "كال", "فال", "عال", "هال", "لل", "ال")
_OWNERS = ("كما", "هما", "ها", "نا", "كم", "هم", "هن", "ني", "ك", "ي")
_PLURALS = ("ات", "ون", "ين", "ان", "وا", "ية", "يه")
_FEMININE = ("ته", "ة", "ه", "ت")
_OF_VERBS = ("ي", "ت", "ن", "ا")


def arabic_stem(word: str) -> str:
    """The stem of *word*, which is folded as ``words.tokens`` does it."""
    word = _without_prefix(word.replace("ى", "ي"), _CONJUNCTIONS, least=_LEAST_OF_A_PREFIXED)
    noun = _without_prefix(word, _ARTICLES, least=_LEAST)
    short = _without_ending(_without_ending(noun, _OWNERS, least=_LEAST), _PLURALS, least=_LEAST)
    short = _without_prefix(short, ("ل",), least=_LEAST)
    whole = _without_ending(short, _FEMININE, least=_LEAST)
    if whole == short and short.endswith(("ة", "ه")):
        whole = f"{short[:-1]}ت"  # of شقة and شقتي
    whole = _without_prefix(whole, ("ب", "ك"), least=_LEAST_OF_A_PREFIXED)
    return _without_prefix(whole, _OF_VERBS, least=_LEAST)


def _without_prefix(word: str, prefixes: tuple[str, ...], *, least: int) -> str:
    """*word* without the first of *prefixes* that it has and that leaves enough of it."""
    return next((word[len(one) :] for one in prefixes if word.startswith(one) and len(word) - len(one) >= least), word)


def _without_ending(word: str, endings: tuple[str, ...], *, least: int) -> str:
    """*word* without the first of *endings* that it has and that leaves enough of it."""
    return next((word[: -len(one)] for one in endings if word.endswith(one) and len(word) - len(one) >= least), word)
