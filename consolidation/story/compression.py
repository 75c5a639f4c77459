"""
Makes a long story shorter: which chapters, what must survive, and how to do it without a model.

A chapter is made of sayings: quotations with an introduction ("Ann told me:") where the extractive narrator wrote it,
plain sentences elsewhere. What is left out is still in the story's history. Nobody who was named is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from consolidation.story.chapters import as_chapter
from consolidation.text.names import names, opening_names
from consolidation.text.sentences import sentences
from consolidation.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from consolidation.story.chapters import Book, Chapter

_PASSAGE = 1_500  # words that are made shorter at once
_LEAST = 80  # words that a single chapter must have to be worth it
_UNTOUCHED = 0.5  # of the words allowed: the newest chapters, always whole
_SHARE = 0.4  # of the words, that stay without a model
_MOST_JOINED = 6  # chapters that become one
_MOST_NAMES = 400
_LONGEST_TITLE = 80
_QUOTATION = re.compile(r"(?P<lead>[^“«„「]{1,80})(?P<open>[“«„「] ?)(?P<said>.+?)(?P<close> ?[”»“」])(?=\s|$)")
_END = re.compile(r"[.!?]\s")  # of a sentence: what comes before it introduces nothing
_NO_MARKS = str.maketrans("", "", '“”„«»「」"')
_PAUSE = " … "  # between sentences that one speaker said
_DETERMINED = re.compile(
    r"\b(?i:der|die|das|den|dem|des|eine?[mnrs]?|meine?[mnrs]?|deine?[mnrs]?|seine?[mnrs]?|ihre?[mnrs]?|unsere?[mnrs]?"
    r"|keine?[mnrs]?|diese[mnrs]?|jede[mnrs]?|zum|zur|im|am|beim|vom|ins|ans)\s+(?:[a-zäöüß]+e[mnrs]?\s+)?([A-ZÄÖÜ]\w+)",
)


@dataclass(frozen=True, slots=True)
class Shorter:
    """What replaces some chapters: the positions of the first and the last of them, a title, a text."""

    first: int
    last: int
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence; where it is a quotation, also its introduction, ``Ann told me:``, and the marks around it."""

    text: str
    lead: str = ""
    opening: str = ""
    closing: str = ""

    @property
    def whole(self) -> str:
        """The saying by itself, as prose."""
        return f"{self.lead} {self.opening}{self.text}{self.closing}".strip()


def oldest_run(book: Book, *, ours: frozenset[str], short: frozenset[str], most_words: int) -> tuple[Chapter, ...]:
    """
    The oldest neighbouring chapters to make shorter; none when the story is short enough, or the old ones a person's.

    Chapters that are *short* already have been through this. Neighbours of them are joined last, single ones stay.
    """
    if book.words <= most_words:
        return ()
    old = _old(book.chapters, most_words=most_words)
    for fit, least, apart in ((ours - short, 1, 0), (ours & short, 2, 7)):  # of one month: others are not joined
        for (is_fit, _), run in groupby(old, key=lambda one: (one.digest in fit, one.first[:apart])):
            chapters = _passage(run) if is_fit else ()
            if len(chapters) >= least and sum(chapter.words for chapter in chapters) >= _LEAST:
                return chapters
    return ()


def people(text: str, *, language: str) -> frozenset[str]:
    """The names in *text* that must survive. In German, where every noun has a capital, those without an article."""
    plain = " ".join(one.text for one in sayings(text, language=language))  # without the introductions
    bare = text.translate(_NO_MARKS)  # a short quotation would count as one name, and hide those in it
    found: Iterable[str] = {*names(bare, limit=_MOST_NAMES), *opening_names(plain, language=language)}
    if language.startswith("de"):
        nouns = {noun for noun, times in Counter(_DETERMINED.findall(text)).items() if times == _times(noun, text)}
        found = {name for name in found if name.split()[-1] not in nouns}
    spoke = {
        name for one in sayings(text, language=language) if one.lead for name in names(f"so, {one.lead}")
    }  # the speakers, too
    return frozenset(name for name in (*found, *spoke) if name[0].isupper())


def _times(word: str, text: str) -> int:
    return len(re.findall(rf"\b{re.escape(word)}\b", text))


def lost(people: Iterable[str], text: str) -> tuple[str, ...]:
    """Those of *people* whom *text* does not name."""
    there = set(tokens(text))
    return tuple(sorted(name for name in people if not set(tokens(name)) <= there))


def shorten_by_quoting(chapters: Sequence[Chapter], *, language: str) -> tuple[Shorter, ...]:
    """*chapters* made shorter without a model: neighbours of a month joined, with the sayings that matter most."""
    return tuple(_joined(group, chapters, language=language) for group in _groups(chapters))


def as_chapters(shorter: Sequence[Shorter], chapters: Sequence[Chapter]) -> tuple[Chapter, ...]:
    """*shorter* as chapters that say which days they span."""
    made = []
    for one in shorter:
        first, last = chapters[one.first], chapters[one.last]
        span = first.first if first.first == last.last else f"{first.first} – {last.last}"
        made.append(as_chapter(f"### [{span}] {' '.join(one.title.split())}\n\n{one.text.strip()}\n\n"))
    return tuple(made)


def gist(chapter: Chapter) -> str:
    """A chapter as one line: its heading and its weightiest saying."""
    said = max(sayings(body(chapter)), key=_weight, default=Saying(""))
    return f"{chapter.heading}\n{said.whole}".strip()


def body(chapter: Chapter) -> str:
    """A chapter without its heading."""
    return chapter.text.partition("\n")[2].strip()


def sayings(text: str, *, language: str = "en") -> tuple[Saying, ...]:
    """The sentences of *text*; where it is made of introduced quotations alone, each with its introduction."""
    flat = " ".join(text.split())
    led = [
        Saying(said, found["lead"].strip(), found["open"], found["close"])
        for found in _QUOTATION.finditer(flat)
        for said in found["said"].split(_PAUSE)
    ]
    if led and not _QUOTATION.sub("", flat).strip() and not any(_END.search(one.lead) for one in led):
        return tuple(led)
    return tuple(Saying(sentence) for sentence in sentences(text, language=language))


def _spoken(said: Iterable[Saying]) -> str:
    """Sayings as prose again; an introduction that several share is written once."""
    parts = []
    for (lead, opening, closing), run in groupby(said, key=lambda one: (one.lead, one.opening, one.closing)):
        texts = [one.text for one in run]
        parts.append(f"{lead} {opening}{_PAUSE.join(texts)}{closing}" if lead else " ".join(texts))
    return "\n\n".join(parts)


def _old(chapters: Sequence[Chapter], *, most_words: int) -> Sequence[Chapter]:
    room = most_words * _UNTOUCHED
    for at in range(len(chapters) - 1, -1, -1):
        room -= chapters[at].words
        if room < 0:
            return chapters[:at] if at else chapters[:1]
    return ()


def _passage(run: Iterable[Chapter]) -> tuple[Chapter, ...]:
    taken: list[Chapter] = []
    words = 0
    for chapter in run:
        if taken and words + chapter.words > _PASSAGE:
            break
        taken.append(chapter)
        words += chapter.words
    return tuple(taken)


def _groups(chapters: Sequence[Chapter]) -> Iterator[range]:
    """Positions of neighbours that become one chapter: of one month, a few at most."""
    start = 0
    for at in range(1, len(chapters) + 1):
        is_end = at == len(chapters) or at - start == _MOST_JOINED
        if is_end or chapters[at].first[:7] != chapters[start].first[:7]:
            yield range(start, at)
            start = at


def _joined(group: range, chapters: Sequence[Chapter], *, language: str) -> Shorter:
    said = [one for at in group for one in sayings(body(chapters[at]), language=language)]
    sizes = [len(one.text.split()) for one in said]
    room = _SHARE * sum(sizes)
    chosen: set[int] = set()
    missing = set(people(" ".join(body(chapters[at]) for at in group), language=language))
    for is_needed in (True, False):  # first so that everybody is named, then what weighs most
        for at in sorted(range(len(said)), key=lambda at: (-len(_named(missing, said[at])), -_weight(said[at]), at)):
            named = _named(missing, said[at])
            if at not in chosen and (named if is_needed else sizes[at] <= room):
                chosen.add(at)
                missing -= named
                room -= sizes[at]
    title = "; ".join(dict.fromkeys(chapters[at].title for at in group))
    if len(title) > _LONGEST_TITLE:
        title = title[: _LONGEST_TITLE - 1].rsplit(" ", 1)[0].rstrip(";,") + "…"
    return Shorter(group[0], group[-1], title, _spoken(said[at] for at in sorted(chosen)))


def _named(people: Iterable[str], saying: Saying) -> set[str]:
    return set(people) - set(lost(people, saying.whole))


def _weight(saying: Saying) -> float:
    return len(names(saying.text)) + min(len(saying.text), 240) / 120
