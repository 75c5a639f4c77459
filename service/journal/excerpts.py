"""The lines of a chunk that matter to a query: a short chunk whole, of a long one the stretch that says most. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from consolidation.kernel.words import tokens

if TYPE_CHECKING:
    from collections.abc import Collection

_STEM = 4  # letters from which on a word may be another form of one asked for


class Excerpt(NamedTuple):
    """Some lines of a chunk, by their numbers in the file."""

    text: str
    start_line: int
    end_line: int


def excerpt(text: str, *, start_line: int, stems: Collection[str], most: int) -> Excerpt:
    """At most *most* characters of *text*, whole lines where they fit, with as many of *stems* as possible."""
    lines = text.split("\n")
    told = [_told(line, stems) for line in lines]
    best, worth = (0, 1), -1
    begin, length = 0, 0
    for end, line in enumerate(lines, start=1):
        length += len(line) + 1
        while length - 1 > most and begin < end - 1:
            length -= len(lines[begin]) + 1
            begin += 1
        found = len(frozenset[str]().union(*told[begin:end]))
        if found > worth:
            best, worth = (begin, end), found
    begin, end = best
    while end < len(lines) and len("\n".join(lines[begin : end + 1])) <= most:
        end += 1  # what follows explains it
    while begin < end - 1 and not lines[begin].strip():
        begin += 1
    while begin < end - 1 and not lines[end - 1].strip():
        end -= 1
    shown = "\n".join(lines[begin:end])
    return Excerpt(
        shown if len(shown) <= most else _within(shown, stems, most), start_line + begin, start_line + end - 1
    )


def _within(line: str, stems: Collection[str], most: int) -> str:
    """A stretch of an endless line around the first word that was asked for."""
    words = line.split(" ")
    at = 0
    for word in words:
        if _told(word, stems):
            break
        at += len(word) + 1
    begin = max(0, min(at - most // 4, len(line) - most))
    return (
        f"{'…' if begin else ''}{line[begin : begin + most - 2].strip()}{'…' if begin + most - 2 < len(line) else ''}"
    )


def _told(text: str, stems: Collection[str]) -> frozenset[str]:
    """Which of *stems* stand in *text*, by their beginning: stems are what words begin with."""
    words = tokens(text)
    return frozenset(
        stem for stem in stems if any(word == stem or (len(stem) >= _STEM and word.startswith(stem)) for word in words)
    )
