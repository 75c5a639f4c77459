"""
Cuts a text into its sentences. sentencex does it: it knows the abbreviations, ordinals and full stops of 300 languages.

A line break ends a sentence, too. Each sentence is an exact quote of the text. sentencex takes quadratic time over
unclosed quotation marks, so it is never given more than a window of the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import sentencex

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_SENTENCE = 600
_WINDOW = 1_800  # characters: the worst text takes 1.2 ms a window
_TITLES = {"fr": re.compile(r"(?<!\w)MM?\.\s$")}  # "M. Dupont": what sentencex takes for the end of a sentence


def sentences(text: str, *, language: str = "en") -> tuple[str, ...]:
    """
    *text* cut into sentences, none blank, very long ones cut short.

    *language*, a two-letter code, decides about abbreviations ("z. B.") and ordinals ("3. Oktober") alone.
    """
    return tuple(sentence[:_LONGEST_SENTENCE] for sentence in whole_sentences(text, language=language))


def whole_sentences(text: str, *, language: str = "en") -> Iterator[str]:
    """The same, each as long as it is."""
    for line in text.splitlines():
        for sentence in _cut(line, language):
            if found := sentence.strip():
                yield found


def _cut(line: str, language: str) -> Iterator[str]:
    """All of *line*, window by window; what a window cuts off is read again at the beginning of the next one."""
    readable = line if line.isascii() else line.encode(errors="replace").decode()  # lone surrogates are refused
    title = _TITLES.get(language)
    begun = start = 0
    while start < len(line):
        end = min(start + _WINDOW, len(line))
        parts = sentencex.segment(language, readable[start:end])
        at = start
        for part in parts[:-1]:
            at += len(part)
            if title is None or not title.search(line[max(at - 5, 0) : at]):
                yield line[begun:at]
                begun = at
        # A sentence of more than half a window goes on in the next one, else the windows would hardly move.
        start = at if end < len(line) and end - at <= _WINDOW // 2 else end
    yield line[begun:]
