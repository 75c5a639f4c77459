"""
Occupations: what people do for a living, "nurse", "Bäckerin" and "soldador".

The words are in ``occupation_words``, a file a language, a word a line.
"""

from __future__ import annotations

import functools
from pathlib import Path

from consolidation.text.language import primary_subtag
from consolidation.text.words import content_words, is_dense

_FOLDER = Path(__file__).with_name("occupation_words")
LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl", "pl", "ru", "ar", "zh", "ja")


def names_occupation(text: str, *, language: str) -> bool:
    """Whether *text* names an occupation, in *language* (a tag such as "en" or "pt-BR") or in English."""
    tag = primary_subtag(language)
    for own in dict.fromkeys((tag, "en")):
        if own in LANGUAGES:
            stems, runs = _words(own)
            if not stems.isdisjoint(content_words(text, language=own).values()) or any(run in text for run in runs):
                return True
    return False


@functools.cache
def _words(language: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The stems of the words of *language*; and runs of characters, where words are not parted by spaces."""
    words = (_FOLDER / f"{language}.txt").read_text(encoding="utf-8").split()
    runs = tuple(word for word in words if is_dense(word))
    stems = {stem for word in words if not is_dense(word) for stem in content_words(word, language=language).values()}
    return frozenset(stems), runs
