"""The lines of a chunk that matter to a query: a short chunk whole, of a long one the stretch that says most. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from consolidation.kernel.words import stems as stems_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from service.journal.store import Chunk


class Excerpt(NamedTuple):
    """Some lines of a chunk, by their numbers in the file."""

    text: str
    start_line: int
    end_line: int


def excerpt(chunk: Chunk, *, stems: Iterable[str], nearest: int, most: int) -> Excerpt:
    """
    At most *most* characters of *chunk*, whole lines where they fit, with as many of *stems* as possible.

    Where it has none of them, from the line on in which its character *nearest* stands.
    """
    lines = chunk.text.split("\n")
    wanted = frozenset(stems)
    told = [wanted.intersection(stems_of(line, language=chunk.language)) for line in lines]
    begin, end = _telling(lines, told, most) if any(told) else _from(lines, nearest)
    while end < len(lines) and len("\n".join(lines[begin : end + 1])) <= most:
        end += 1  # what follows explains it
    while begin and len("\n".join(lines[begin - 1 : end])) <= most:
        begin -= 1
    while begin < end - 1 and not lines[begin].strip():
        begin += 1
    while begin < end - 1 and not lines[end - 1].strip():
        end -= 1
    shown = "\n".join(lines[begin:end])
    if len(shown) > most:
        place = _place(shown, wanted, chunk.language)
        place = max(0, nearest - len("\n".join(lines[:begin]))) if place is None else place
        shown = _within(shown, place, most)
    return Excerpt(shown, chunk.start_line + begin, chunk.start_line + end - 1)


def _telling(lines: list[str], told: list[frozenset[str]], most: int) -> tuple[int, int]:
    """The first stretch of lines, of bearable length, that holds the most of what is wanted."""
    best, worth = (0, 1), -1
    begin, length = 0, -1
    for end, line in enumerate(lines, start=1):
        length += len(line) + 1
        while length > most and begin < end - 1:
            length -= len(lines[begin]) + 1
            begin += 1
        found = len(frozenset[str]().union(*told[begin:end]))
        if found > worth:
            best, worth = (begin, end), found
    begin, end = best
    while begin < end - 1 and not told[begin]:
        begin += 1
    return begin, end


def _from(lines: list[str], nearest: int) -> tuple[int, int]:
    """The line in which a character stands."""
    for at, line in enumerate(lines):
        nearest -= len(line) + 1
        if nearest < 0:
            return at, at + 1
    return 0, 1


def _place(line: str, wanted: frozenset[str], language: str) -> int | None:
    """Where the first word stands that was asked for."""
    at = 0
    for word in line.split(" "):
        if not wanted.isdisjoint(stems_of(word, language=language)):
            return at
        at += len(word) + 1
    return None


def _within(line: str, place: int, most: int) -> str:
    """A stretch of an endless line around a character."""
    begin = max(0, min(place - most // 4, len(line) - most + 2))
    end = begin + most - 2
    return f"{'…' if begin else ''}{line[begin:end].strip()}{'…' if end < len(line) else ''}"
