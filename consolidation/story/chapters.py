"""
STORY.md as chapters: cut at their headings, and put together again to the last byte. Pure.

A chapter begins at a line ``### [2026-01-28 14:00] A title``; what stands before the first is the opening, a person's.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

_DAY = r"\d{4}-\d\d-\d\d(?: \d\d:\d\d)?"
_HEADING = re.compile(
    rf"^###[ \t]+\[(?P<first>{_DAY})(?:[ \t]*(?:–|—|-|to)[ \t]*(?P<last>{_DAY}))?\][ \t]*(?P<title>[^\r\n]*)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Chapter:
    """One chapter as it stands in the file, heading line first; ``first`` and ``last`` as written in the heading."""

    text: str
    heading: str
    title: str
    first: str
    last: str

    @property
    def digest(self) -> str:
        """A fingerprint of what it says, however its lines end: what tells our words from a person's."""
        plain = "\n".join(line.rstrip() for line in self.text.splitlines()).strip()
        return hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    @property
    def words(self) -> int:
        """How many words it has."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Book:
    """A story in parts: ``opening`` + every chapter's text is the story, byte for byte."""

    opening: str
    chapters: tuple[Chapter, ...]

    @property
    def text(self) -> str:
        """The story again."""
        return self.opening + "".join(chapter.text for chapter in self.chapters)

    @property
    def words(self) -> int:
        """How many words it has, the opening counted."""
        return len(self.opening.split()) + sum(chapter.words for chapter in self.chapters)


def parse(text: str) -> Book:
    """Cut a story at its chapters' headings; a ``###`` line without a date belongs to the chapter it stands in."""
    starts = [found.start() for found in _HEADING.finditer(text)]
    if not starts:
        return Book(text, ())
    ends = [*starts[1:], len(text)]
    return Book(text[: starts[0]], tuple(as_chapter(text[start:end]) for start, end in zip(starts, ends, strict=True)))


def as_chapter(text: str) -> Chapter:
    """A chapter from its text. Raises ValueError when it does not begin with a dated heading."""
    found = _HEADING.match(text)
    if found is None:
        raise ValueError("a chapter begins with ### [YYYY-MM-DD HH:MM] and a title")
    return Chapter(text, found[0].strip(), found["title"].strip(), found["first"], found["last"] or found["first"])


def placed(book: Book, chapters: tuple[Chapter, ...]) -> Book:
    """*book* with chapters where their time puts them: behind the last that does not begin later; nothing is moved."""
    for chapter in chapters:
        before = [at for at, known in enumerate(book.chapters) if known.first <= chapter.first]
        at = before[-1] + 1 if before else 0
        head = book.opening + "".join(known.text for known in book.chapters[:at])
        book = parse(_joined(head, chapter, "".join(known.text for known in book.chapters[at:])))
    return book


def _joined(head: str, chapter: Chapter, tail: str) -> str:
    """The three, the chapter parted from its neighbours by one empty line, in the line ends of what is there."""
    ending = "\r\n" if "\r\n" in head + tail else "\n"
    if head and not head.endswith(("\n\n", "\r\n\r\n")):
        head += ending if head.endswith("\n") else ending * 2
    return head + ending.join(chapter.text.strip().splitlines()) + ending * (2 if tail else 1) + tail
