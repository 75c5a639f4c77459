"""
The sentences of a chapter, each with its place in the chapter's text.

A quotation is never cut: the sentences in it belong to the one that introduces it. Headings, and lines without a word,
are left out.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from consolidation.text.sentences import whole_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

# What ends a quotation that a mark opens: „so“ in German, „so” in Polish.
CLOSING = {"“": "”", "„": "“”", "«": "»", "「": "」", '"': '"'}

_AFTER_A_STOP = "「"  # in Japanese, what introduces a quotation ends with a full stop

type Span = tuple[int, int]


def sentence_spans(text: str, *, language: str) -> tuple[Span, ...]:
    """Where each sentence of a chapter begins and ends in *text*, which has the heading as its first line."""
    found: list[Span] = []
    at = 0
    for number, line in enumerate(text.splitlines(keepends=True)):
        if number > 0 and not line.lstrip().startswith(("#", "<!--")):
            found += ((at + start, at + end) for start, end in _in_line(line, language))
        at += len(line)
    return tuple(found)


def quotations(text: str) -> tuple[Span, ...]:
    """Where the quotations in one line begin and end, marks included; a mark that nothing closes opens none."""
    found: list[Span] = []
    unclosed: set[str] = set()
    at = 0
    while at < len(text):
        closing = CLOSING.get(text[at])
        end = -1 if closing is None or closing in unclosed else _first(closing, text, at + 1)
        if end > 0:
            found.append((at, end + 1))
            at = end
        elif closing is not None:
            unclosed.add(closing)
        at += 1
    return tuple(found)


def _first(marks: str, text: str, start: int) -> int:
    """Where the first of *marks* stands in *text* from *start* on, or -1."""
    return min((at for mark in marks if (at := text.find(mark, start)) >= 0), default=-1)


def _in_line(line: str, language: str) -> Iterator[Span]:
    places: list[Span] = []
    at = 0
    for sentence in whole_sentences(line, language=language):
        start = line.index(sentence, at)
        at = start + len(sentence)
        places.append((start, at))
    inside = quotations(line)
    for start, end in _joined(places, inside, line):
        if any(map(str.isalnum, line[start:end])):
            yield start, end


def _joined(places: list[Span], inside: tuple[Span, ...], line: str) -> Iterator[Span]:
    """*places* in *line* with those joined that are cut apart within a quotation; both are in order."""
    if not places:
        return
    quoted = iter((*inside, (1 << 60, 1 << 60)))
    first, last = next(quoted)
    start = places[0][0]
    for (_, end), (following, _) in pairwise(places):
        while last <= end:
            first, last = next(quoted)
        if not first < end < last and line[following] != _AFTER_A_STOP:
            yield start, end
            start = following
    yield start, places[-1][1]
