"""
STORY.md as chapters: cut at their headings, and put together again to the last byte.

A chapter begins at a line ``### [2026-01-28 14:00] A title``. The text before the first one is the opening, which
belongs to a person; it may be the byte order mark that some editors put at the beginning of a file.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

_DAY = r"\d{4}-\d\d-\d\d(?: \d\d:\d\d)?"
_HEADING = re.compile(
    rf"(?:^|(?<=\ufeff))###[ \t]+\[(?P<first>{_DAY})(?:[ \t]*(?:–|—|-|to)[ \t]*(?P<last>{_DAY}))?\]"
    r"[ \t]*(?P<title>[^\r\n]*)",
    re.MULTILINE,
)


_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Chapter:
    """One chapter as in the file, heading line first; ``first`` and ``last`` are the times in the heading."""

    text: str
    heading: str
    title: str
    first: str
    last: str

    @property
    def digest(self) -> str:
        """A fingerprint of its words, however its lines end: it shows whether a person changed them."""
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
        """The story as one text."""
        return self.opening + "".join(chapter.text for chapter in self.chapters)

    @property
    def opening_words(self) -> str:
        """The opening as somebody reads it: without the byte order mark."""
        return self.opening.removeprefix(_BYTE_ORDER_MARK)

    @property
    def words(self) -> int:
        """How many words it has, with the opening."""
        return len(self.opening_words.split()) + sum(chapter.words for chapter in self.chapters)


def parse(text: str) -> Book:
    """Cut a story at its chapters' headings; a ``###`` line without a date is part of a chapter."""
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
    """*book* with *chapters* by their times: each behind the last chapter that does not begin later than it."""
    for chapter in chapters:
        before = [at for at, known in enumerate(book.chapters) if known.first <= chapter.first]
        at = before[-1] + 1 if before else 0
        head = book.opening + "".join(known.text for known in book.chapters[:at])
        book = parse(_joined(head, chapter, "".join(known.text for known in book.chapters[at:])))
    return book


def _joined(head: str, chapter: Chapter, tail: str) -> str:
    """All three as one text: one empty line before and behind the chapter, line ends as in *head* and *tail*."""
    ending = "\r\n" if "\r\n" in head + tail else "\n"
    if head and not head.endswith(("\n\n", "\r\n\r\n")):
        head += ending if head.endswith("\n") else ending * 2
    return head + ending.join(chapter.text.strip().splitlines()) + ending * (2 if tail else 1) + tail
