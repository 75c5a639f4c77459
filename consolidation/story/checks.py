"""
What a narrator may not do, found by code: break the form, invent, repeat, leak who the bot is.

Each rule gives the reason why an answer can not be used, or "". The model reads the reason when it is asked again, and
a person reads it in the state of the last run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from consolidation.story.borrowed_words import BorrowedWords, runs
from consolidation.story.compression import body, lost
from consolidation.story.compression import people as people_in
from consolidation.story.invention import Sources, invention
from consolidation.text.language import detect, is_surely_foreign
from consolidation.text.quotation import without_quotations
from consolidation.text.relative_dates import possible_days
from consolidation.text.sentences import sentences
from consolidation.text.words import content_stems
from prompts.responses import StoryChapter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from consolidation.kernel.turns import StoredTurn
    from consolidation.story.chapters import Book, Chapter
    from prompts.responses import StoryChapters, StoryRevision, StoryShortened

_LONGEST_CHAPTER, _LONGEST_TITLE = 12_000, 140  # characters
_SHINGLE = 8  # words
_SAME_SHARE = 0.6
_MOST_SHORTER = 0.7  # of the words there were
_REFUSAL = re.compile(
    r"^\W{0,4}(?:I'm sorry|I am sorry|I can(?:no|')t (?:help|assist|write)|As an AI\b)", re.IGNORECASE
)
_DAY = timedelta(days=1)
_MOST_TITLE_WORDS = 8
_FEWEST_WORDS_LEFT, _LEAST_LEFT = 20, 0.5  # of a chapter without the sentences at fault
_LEAST_KEPT = 0.5  # of a chapter's words, by a revision of it
_SURE_LANGUAGE_WORDS = 12


@dataclass(frozen=True, slots=True)
class ChapterFault:
    """Why a chapter can not be used. ``mended`` is what is left of it without what is wrong, where enough is."""

    chapter: StoryChapter | StoryRevision
    reason: str
    mended: StoryChapter | StoryRevision | None = None


class ChapterChecks:
    """The rules for chapters made of one batch. What they may take names, numbers and dates from is read once."""

    def __init__(
        self, batch: Sequence[StoredTurn], *, book: Book, agent: str, soul: str, language: str, zone: tzinfo = UTC
    ) -> None:
        """*book* is the story so far. Times and days are told in *zone*."""
        said = [(one.text, one.occurred_at.astimezone(zone)) for one in batch]
        days = {day for text, at in said for day in possible_days(text, said_on=at.date(), language=language)}
        times = (f"{at:%Y %d %H %M}" for _, at in said)
        self.sources = Sources(
            (*(stored.text for stored in batch), *times, book.text, agent), language=language, days=days
        )
        self._first = min(stored.occurred_at for stored in batch)
        self._last = max(stored.occurred_at for stored in batch)
        self._borrowed = BorrowedWords([one for stored in batch for one in stored.turn.messages], language=language)
        self._soul = soul
        self._zone = zone

    def fault_of(self, chapter: StoryChapter | StoryRevision) -> ChapterFault | None:
        """What is wrong with a chapter; None where it can be used."""
        reason = form(chapter.title, chapter.text)
        if not reason and isinstance(chapter, StoryChapter):
            reason = time(chapter, first=self._first, last=self._last, zone=self._zone)
        if reason:
            return ChapterFault(chapter, reason)
        of_title, of_text = self._title_fault(chapter.title), self._text_fault(chapter.text)
        if not of_title and not of_text:
            return None
        text = self._mended(chapter.text) if of_text else chapter.text
        title = _opening(text) if of_title else chapter.title
        reason = "; ".join(filter(None, (of_title and f"its title: {of_title}", of_text)))
        is_enough = title and len(text.split()) >= _FEWEST_WORDS_LEFT
        mended = chapter.model_copy(update={"title": title, "text": text}) if is_enough else None
        return ChapterFault(chapter, reason, mended)

    def is_timed(self, chapter: StoryChapter) -> bool:
        """Whether a chapter says when it begins, so that it is known which turns it is of."""
        return not time(chapter, first=self._first, last=self._last, zone=self._zone)

    def _title_fault(self, title: str) -> str:
        return _first(leak(title, soul=self._soul), invention(title, sources=self.sources))

    def _text_fault(self, text: str) -> str:
        return _first(
            leak(text, soul=self._soul),
            self._borrowed.fault_of(text),
            invention(text, sources=self.sources),
            language_of(text, language=self.sources.language),
        )

    def _mended(self, text: str) -> str:
        """*text* without the sentences that are wrong by themselves; "" where too little is left, or is still wrong."""
        paragraphs = (
            " ".join(one for one in sentences(line, language=self.sources.language) if not self._text_fault(one))
            for line in text.splitlines()
        )
        left = re.sub(r"\n{3,}", "\n\n", "\n".join(paragraphs)).strip()
        is_enough = len(left.split()) >= _LEAST_LEFT * len(text.split())
        return left if is_enough and not self._text_fault(left) else ""


def _opening(text: str) -> str:
    """The first words of a text, up to its first comma: a title that says nothing new."""
    words = re.split(r"[,;:.!?…–—\n]", text.strip(), maxsplit=1)[0].split()
    return " ".join(words[:_MOST_TITLE_WORDS])


def check_shortened(
    answer: StoryShortened,
    *,
    chapters: Sequence[Chapter],
    people: frozenset[str],
    agent: str,
    soul: str,
    language: str,
) -> str:
    """Why shorter chapters can not take the place of *chapters*, in which *people* are named; "" when they can."""
    text = "\n".join(one.text for one in answer.chapters)
    told = (*(body(chapter) for chapter in chapters), *(chapter.heading for chapter in chapters), agent)
    forgotten = lost(people, text)
    is_shorter = len(text.split()) <= _MOST_SHORTER * sum(chapter.words for chapter in chapters)
    return _first(
        cover(answer, len(chapters)),
        *(form(one.title, one.text) for one in answer.chapters),
        "" if is_shorter else "it is not shorter",
        f"it leaves out {', '.join(forgotten)}" if forgotten else "",
        leak(text, soul=soul),
        invention(text, sources=Sources(told, language=language)),
        language_of(text, language=language),
    )


def without_repetitions(answer: StoryChapters, *, book: Book) -> StoryChapters:
    """*answer* without chapters that are, for the most part, in the story already."""
    new = tuple(one for one in answer.append if not repetition(one.text, story=book.text))
    return answer.model_copy(update={"append": new})


def form(title: str, text: str) -> str:
    """Whether they are a chapter at all."""
    text, title = text.strip(), title.strip()
    if not text or not title:
        return "a chapter needs a title and a text"
    if text in {"{}", "[]", "null", "None", "[object Object]"} or _REFUSAL.match(text):
        return "that is not a chapter"
    if (text + title).encode("utf-8", "replace").decode() != text + title:
        return "it contains half a letter"
    if len(text) > _LONGEST_CHAPTER or len(title) > _LONGEST_TITLE or "\n" in title:
        return "a title has one short line, a text at most a few hundred words"
    if re.search(r"^[ \t]{0,3}#{1,6}\s", text, re.MULTILINE):
        return "a text has no headings"
    return ""


def time(chapter: StoryChapter, *, first: datetime, last: datetime, zone: tzinfo) -> str:
    """Whether something happened at its time, in *zone*; the batch is of *first* to *last*."""
    try:
        at = datetime.strptime(chapter.at.strip(), "%Y-%m-%d %H:%M").replace(tzinfo=zone)
    except ValueError:
        return f"the time {chapter.at!r} is not of the form YYYY-MM-DD HH:MM"
    if not first - _DAY <= at <= last + _DAY:
        return f"the time {chapter.at} is outside of what happened"
    return ""


def language_of(text: str, *, language: str) -> str:
    """
    Whether *text*, without what it quotes, is in the language asked for, where it is long enough to tell.

    Letters of another script tell by themselves.
    """
    own = without_quotations(text)
    if is_surely_foreign(own, language=language):
        return f"it is in the language {detect(own)!r}, not in {language!r}"
    if len(own.split()) < _SURE_LANGUAGE_WORDS:
        return ""
    found = detect(own, fallback=language)
    return "" if found == language else f"it is in the language {found!r}, not in {language!r}"


def leak(text: str, *, soul: str) -> str:
    """Whether *text* quotes SOUL.md."""
    return "it quotes the description of who you are" if _shingles(text) & _shingles(soul) else ""


def repetition(text: str, *, story: str) -> str:
    """Whether a chapter is, for the most part, in the story already."""
    told, new = _shingles(story), _shingles(text)
    if new and len(new & told) / len(new) > _SAME_SHARE:
        return "it repeats what the story already says"
    return ""


def forgets(text: str, chapter: Chapter, *, language: str) -> str:
    """Whether a revision leaves out people whom *chapter* names, or most of what it tells."""
    told = body(chapter)
    # In German every noun has a capital: a capital marks no name.
    named = people_in(told, language=language) if not language.startswith("de") else frozenset()
    if missing := lost(named, text):
        return f"it leaves out {', '.join(missing)}, whom the chapter names"
    before, now = (content_stems(one, language=language) for one in (told, text))
    return "it leaves out most of what the chapter tells" if len(before & now) < _LEAST_KEPT * len(before) else ""


def adds_to(chapter: Chapter, text: str, *, language: str) -> bool:
    """Whether a revision tells anything that *chapter* does not."""
    return bool(content_stems(text, language=language) - content_stems(body(chapter), language=language))


def cover(answer: StoryShortened, chapters: int) -> str:
    """Whether the answer stands for each chapter exactly once, in order."""
    expected = 1
    for one in answer.chapters:
        if one.first != expected or one.last < one.first:
            return "its chapters do not cover the old ones once and in order"
        expected = one.last + 1
    return "" if expected == chapters + 1 else "its chapters do not cover all the old ones"


def _first(*reasons: str) -> str:
    return next((reason for reason in reasons if reason), "")


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    return runs(text, _SHINGLE)
