"""
Cuts Markdown into chunks of readable length: at headings, else between paragraphs, else lines, else words.

Neighbours within a section overlap. Each chunk knows its lines and the headings above it. The content of an HTML
comment is not indexed, since no reader sees it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.text.tokens import count_tokens, cut_to_tokens
from consolidation.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_FENCES = ("```", "~~~")
_LEAST_SECTION = 0.25  # of the wanted size: from there on, the next heading ends a chunk
_LEAST_PARAGRAPH = 0.5  # of the wanted size: from there on, a chunk may end before a paragraph
_CHARACTERS_A_TOKEN = 8  # more than any token has on average
_WORD_END = 0.6  # the part of a piece after which a blank may end it
_LONGEST_ABOVE = 200


@dataclass(frozen=True, slots=True)
class MarkdownChunk:
    """A chunk: its lines (from 1, inclusive), its text, and the headings above its first line."""

    start_line: int
    end_line: int
    text: str
    above: str


@dataclass(frozen=True, slots=True)
class _Unit:
    """The smallest unit that is not cut: a line, or a piece of a very long line."""

    start: int
    end: int
    line: int
    tokens: int
    level: int  # level of a heading, 0 for anything else
    opens: bool  # whether a paragraph begins with it
    above: str


def chunk_markdown(text: str, *, size: int, overlap: int) -> tuple[MarkdownChunk, ...]:
    """Chunks of *text* with at most about *size* tokens. Neighbours within a section share up to *overlap* tokens."""
    plain = without_comments(text)
    units = tuple(_units(plain, most=max(min(overlap, size // 2), size // 8, 1)))
    chunks = []
    at = 0
    while at < len(units):
        end = _end(units, at, size)
        first, last = units[at], units[end - 1]
        found = MarkdownChunk(first.line, last.line, plain[first.start : last.end], first.above)
        if tokens(found.text):
            chunks.append(found)
        at = _next(units, at, end, overlap)
    return tuple(chunks)


def _end(units: Sequence[_Unit], at: int, size: int) -> int:
    """The end of the chunk that begins with unit *at*."""
    total, paragraph = units[at].tokens, 0
    for place in range(at + 1, len(units)):
        unit = units[place]
        if unit.level and total >= _LEAST_SECTION * size:
            return place
        if unit.opens and total >= _LEAST_PARAGRAPH * size:
            paragraph = place
        if total + unit.tokens > size:
            end = paragraph or place
            return end - 1 if units[end - 1].level and end - 1 > at else end
        total += unit.tokens
    return len(units)


def _next(units: Sequence[_Unit], at: int, end: int, overlap: int) -> int:
    """The beginning of the next chunk: a little before *end*, but at a heading if there is one."""
    if end == len(units) or units[end].level:
        return end
    back, shared = end, 0
    while back - 1 > at and shared + units[back - 1].tokens <= overlap and not units[back].level:
        back -= 1
        shared += units[back].tokens
    return back


def _units(text: str, *, most: int) -> Iterator[_Unit]:
    above: list[tuple[int, str]] = []
    start, fence, opens = 0, "", True
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.strip()
        if bare:
            if bare.startswith(_FENCES):
                fence = "" if fence and bare.startswith(fence) else fence or bare[:3]
            heading = None if fence else _HEADING.match(line)
            level = len(heading[1]) if heading else 0
            if level:
                above = [one for one in above if one[0] < level]
            headings = " › ".join(title for _, title in above)[-_LONGEST_ABOVE:]
            for begin, end, count in _pieces(line, most=most):
                yield _Unit(start + begin, start + end, number, count, level, opens, headings)
                opens = False
            if level:
                above.append((level, bare.strip("# \t")))
        opens = not bare
        start += len(line) + 1


def _pieces(line: str, *, most: int) -> Iterator[tuple[int, int, int]]:
    """A short line whole, or a long one in pieces of at most *most* tokens: begin, end, tokens."""
    begin = 0
    while begin < len(line):
        window = line[begin : begin + most * _CHARACTERS_A_TOKEN]
        piece = cut_to_tokens(window, limit=most) or window[:1]
        if begin + len(piece) < len(line):
            blank = piece.rfind(" ")
            piece = piece[: blank + 1] if blank >= _WORD_END * len(piece) else piece
        yield begin, begin + len(piece), count_tokens(piece)
        begin += len(piece)


def without_comments(text: str) -> str:
    """*text* with blanks in place of ``<!-- … -->``; every line stays in its place."""
    parts, at = [], 0
    while (begin := text.find("<!--", at)) >= 0:
        end = text.find("-->", begin + 4)
        if end < 0:
            break
        parts += [text[at:begin], re.sub(r"[^\n]", " ", text[begin : end + 3])]
        at = end + 3
    return "".join((*parts, text[at:]))
