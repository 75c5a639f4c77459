"""
Concepts of a person's life, by which different words mean the same: pet, cat and "Haustier"; GP, doctor and huisarts.

The words are in ``concept_words``, a file a language: a line for each concept, its name and the words that mean it.
A word may mean several concepts.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from consolidation.text.words import content_words, is_dense

_FOLDER = Path(__file__).with_name("concept_words")
LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl", "pl", "ru", "ar", "zh", "ja")


def concepts(text: str, *, language: str) -> frozenset[str]:
    """The concepts that words of *text* mean, in *language* (a tag such as "en" or "pt-BR") and in English."""
    tag = re.split(r"[-_]", language.casefold(), maxsplit=1)[0]
    found: set[str] = set()
    telling = content_words(text, language=tag)  # "die" is an article in German, whatever it means in English
    for own in dict.fromkeys((tag, "en")):
        if own not in LANGUAGES:
            continue
        by_stem, by_run = _words(own)
        for word, stem in content_words(text, language=own).items():
            found |= by_stem.get(stem, frozenset()) if word in telling else frozenset()
        for run, meant in by_run.items():
            if run in text:
                found |= meant
    return frozenset(found)


@functools.cache
def _words(language: str) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """What the stems of *language* mean; and what runs of characters mean, where words are not parted by spaces."""
    by_stem: dict[str, set[str]] = {}
    by_run: dict[str, set[str]] = {}
    for line in (_FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        concept, _, words = line.partition(": ")
        for word in words.split():
            if is_dense(word):
                by_run.setdefault(word, set()).add(concept)
            else:
                # The Arabic stemmer keeps the article of short words.
                forms = f"{word} ال{word}" if language == "ar" else word
                for stem in content_words(forms, language=language).values():
                    by_stem.setdefault(stem, set()).add(concept)
    return (
        {stem: frozenset(meant) for stem, meant in by_stem.items()},
        {run: frozenset(meant) for run, meant in by_run.items()},
    )
