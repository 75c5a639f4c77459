"""
Sayings: words that mean something else together, so that rain "cats and dogs" brings up no pet.

The lines are in ``saying_lines``, a file a language: the words that make each saying, with ``*`` for one to three
others.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from consolidation.text.language import primary_subtag
from consolidation.text.words import is_dense

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_FOLDER = Path(__file__).with_name("saying_lines")
LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl", "pl", "ru", "ar", "zh", "ja")
_LONGEST = 1_000  # letters of a text; what is longer is not a remark
_WORD = re.compile(r"[^\W_]+")
_MOST_BETWEEN = 3  # words that a ``*`` may stand for


def without_sayings(text: str, *, language: str) -> str:
    """*text* without the words of each saying of *language* (a tag such as "en" or "pt-BR") and of English in it."""
    if len(text) > _LONGEST:
        return text
    tag = primary_subtag(language)
    words = [(_folded(found[0]), found.start(), found.end()) for found in _WORD.finditer(text)]
    taken = [span for own in dict.fromkeys((tag, "en")) if own in LANGUAGES for span in _found(text, words, own)]
    left, at = [], 0
    for start, end in sorted(taken):
        left.append(text[at : max(start, at)])
        at = max(end, at)
    return "".join([*left, text[at:]]) if taken else text


def _found(text: str, words: Sequence[tuple[str, int, int]], language: str) -> Iterator[tuple[int, int]]:
    """From where to where in *text* there are sayings."""
    by_first, runs = _lines(language)
    for run in runs:
        at = text.find(run)
        if at >= 0:
            yield at, at + len(run)
    for place, (word, start, _) in enumerate(words):
        for line in by_first.get(word, ()):
            last = _last(line, words, place)
            if last is not None:
                yield start, words[last][2]


def _last(line: Sequence[str], words: Sequence[tuple[str, int, int]], place: int) -> int | None:
    """The place of the last word of *line*, if it stands in *words* from *place* on."""
    for at, word in enumerate(line):
        if word == "*":
            nexts = range(place + 1, min(place + 1 + _MOST_BETWEEN, len(words)))
            return next((last for one in nexts if (last := _last(line[at + 1 :], words, one)) is not None), None)
        if place >= len(words) or words[place][0] != word:
            return None
        place += 1
    return place - 1


def _folded(word: str) -> str:
    """*word* as people type it in a hurry: lower case, without accents."""
    return "".join(one for one in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(one))


@functools.cache
def _lines(language: str) -> tuple[Mapping[str, tuple[tuple[str, ...], ...]], tuple[str, ...]]:
    """The sayings of *language* by their first word; and runs of characters, where words are not parted by spaces."""
    by_first: dict[str, list[tuple[str, ...]]] = {}
    runs: list[str] = []
    for line in (_FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if is_dense(line):
            runs.append(line)
        else:
            words = tuple(word if word == "*" else _folded(word) for word in line.split())
            by_first.setdefault(words[0], []).append(words)
    return {first: tuple(lines) for first, lines in by_first.items()}, tuple(runs)
