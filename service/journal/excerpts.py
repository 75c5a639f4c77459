"""
Excerpts: the lines of a chunk that matter to a query. A short chunk is used whole; of a long one, the best
stretch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from consolidation.text.words import stems as stems_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from service.index.journal_store import Chunk


class Excerpt(NamedTuple):
    """Some lines of a chunk, by their line numbers in the file."""

    text: str
    start_line: int
    end_line: int


def excerpt(chunk: Chunk, *, stems: Iterable[str], nearest: int, most: int) -> Excerpt:
    """
    At most *most* characters of *chunk*, whole lines if possible, with as many of *stems* as possible.

    If the chunk has none of them, the excerpt begins at the line that contains its character *nearest*.
    """
    lines = chunk.text.split("\n")
    wanted = frozenset(stems)
    stems_of_line = [wanted.intersection(stems_of(line, language=chunk.language)) for line in lines]
    begin, end = _best_stretch(lines, stems_of_line, most) if any(stems_of_line) else _line_of(lines, nearest)
    while end < len(lines) and len("\n".join(lines[begin : end + 1])) <= most:
        end += 1  # the lines that follow explain it
    while begin and len("\n".join(lines[begin - 1 : end])) <= most:
        begin -= 1
    while begin < end - 1 and not lines[begin].strip():
        begin += 1
    while begin < end - 1 and not lines[end - 1].strip():
        end -= 1
    shown = "\n".join(lines[begin:end])
    if len(shown) > most:
        position = _first_wanted(shown, wanted, chunk.language)
        position = max(0, nearest - len("\n".join(lines[:begin]))) if position is None else position
        shown = _cut_around(shown, position, most)
    return Excerpt(shown, chunk.start_line + begin, chunk.start_line + end - 1)


def _best_stretch(lines: list[str], stems_of_line: list[frozenset[str]], most: int) -> tuple[int, int]:
    """The first stretch of lines, of readable length, that contains the most wanted stems."""
    best, most_found = (0, 1), -1
    begin, length = 0, -1
    for end, line in enumerate(lines, start=1):
        length += len(line) + 1
        while length > most and begin < end - 1:
            length -= len(lines[begin]) + 1
            begin += 1
        found = len(frozenset[str]().union(*stems_of_line[begin:end]))
        if found > most_found:
            best, most_found = (begin, end), found
    begin, end = best
    while begin < end - 1 and not stems_of_line[begin]:
        begin += 1
    return begin, end


def _line_of(lines: list[str], nearest: int) -> tuple[int, int]:
    """The line that contains a character."""
    for at, line in enumerate(lines):
        nearest -= len(line) + 1
        if nearest < 0:
            return at, at + 1
    return 0, 1


def _first_wanted(line: str, wanted: frozenset[str], language: str) -> int | None:
    """The position of the first wanted word."""
    at = 0
    for word in line.split(" "):
        if not wanted.isdisjoint(stems_of(word, language=language)):
            return at
        at += len(word) + 1
    return None


def _cut_around(line: str, position: int, most: int) -> str:
    """A stretch around a character of a very long line."""
    begin = max(0, min(position - most // 4, len(line) - most + 2))
    end = begin + most - 2
    return f"{'…' if begin else ''}{line[begin:end].strip()}{'…' if end < len(line) else ''}"
