"""
The names that a word may be a form of: "Sandras Hund", "pies Sandry" and "собака Сандры" name Sandra.

Only endings of cases are known, and only in German, Dutch, the Scandinavian languages, Polish and Russian. A form of
one name may be another one: "Jana" is Jan's in Polish.
"""

from __future__ import annotations

import functools

_OF_CONSONANTS = ("a", "owi", "em", "iem", "u", "ie", "e", "om")
# What names end with, and what stands in its place in other cases; folded as words are: "Sandrę" is "sandre".
_ENDINGS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    **dict.fromkeys(("de", "nl", "sv", "da", "no"), (("", ("s",)),)),
    "pl": (
        ("a", ("y", "i", "e", "ie", "o")),
        ("ek", tuple(f"k{one}" for one in _OF_CONSONANTS)),
        ("", _OF_CONSONANTS),
    ),
    "ru": (
        ("а", ("ы", "и", "е", "у", "ой", "ою")),
        ("я", ("и", "е", "ю", "ей", "ею")),
        ("й", ("я", "ю", "ем", "е", "и")),
        ("ь", ("я", "ю", "ем", "е", "и", "ью")),
        ("", ("а", "у", "ом", "ем", "е")),
    ),
}
_SHORTEST = 3  # letters of a name: "als" is not Al's


@functools.lru_cache(maxsize=8_192)
def names_of_form(word: str, language: str) -> frozenset[str]:
    """The names that *word* of a text in *language* may stand for, itself among them; folded as ``tokens`` are."""
    found = {
        word.removesuffix(form) + ending
        for ending, forms in _ENDINGS.get(language, ())
        for form in forms
        if word.endswith(form)
    }
    return frozenset({word, *(one for one in found if len(one) >= _SHORTEST)})
