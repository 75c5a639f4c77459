"""
What a narrator may not do, found by code: break the form, invent, repeat, leak who the bot is.

Each rule gives the reason why an answer can not be used, or "". The model reads the reason when it is asked again, and
a person reads it in the state of the last run.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from consolidation.kernel.turns import READ, Speaker
from consolidation.story.compression import body, lost
from consolidation.text.language import detect
from consolidation.text.names import names
from consolidation.text.sentences import sentences
from consolidation.text.words import stems, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from consolidation.kernel.turns import Message, StoredTurn
    from consolidation.story.chapters import Book, Chapter
    from prompts.responses import StoryChapter, StoryChapters, StoryShortened

_LONGEST_CHAPTER, _LONGEST_TITLE = 12_000, 140  # characters
_SHINGLE = 8  # words
_READ_RUN, _PERSON_RUN = 6, 5  # words in a row that are somebody's own
_ONESELF = frozenset("i my ich mein meine yo je io eu я".split())
_QUOTED = re.compile(r"[“„«「\"][^“„«»「」”\"]{0,2000}[”“»」\"]")
_SAME_SHARE = 0.6
_MOST_SHORTER = 0.7  # of the words there were
_NUMBER = re.compile(r"(?<![\w-])\d{2,}(?:[.,:]\d+)*(?![\w-])")
_REFUSAL = re.compile(
    r"^\W{0,4}(?:I'm sorry|I am sorry|I can(?:no|')t (?:help|assist|write)|As an AI\b)", re.IGNORECASE
)
_DAY = timedelta(days=1)
_MOST_NAMED = 8  # of what was invented, in one reason
_SURE_LANGUAGE_WORDS = 12


def check_chapters(
    answer: StoryChapters, *, batch: Sequence[StoredTurn], book: Book, agent: str, soul: str, language: str
) -> str:
    """Why chapters made of *batch* for the story *book* can not be used; "" when they can."""
    first, last = min(stored.occurred_at for stored in batch), max(stored.occurred_at for stored in batch)
    sources = [
        *(stored.text for stored in batch),
        *(f"{one.occurred_at:%A %Y %B %d %H %M}" for one in batch),
        book.text,
    ]
    texts = [f"{one.title}\n{one.text}" for one in answer.append]
    texts += [f"{one.title}\n{one.text}" for one in answer.revise]
    return _first(
        *(form(one.title, one.text) for one in answer.revise),
        *(form(one.title, one.text) or time(one, first=first, last=last) for one in answer.append),
        *(leak(text, soul=soul) for text in texts),
        *(borrowed(text, said=tuple(one for stored in batch for one in stored.turn.messages)) for text in texts),
        *(
            invention(text, sources=sources, agent=agent, language=language) or language_of(text, language=language)
            for text in texts
        ),
    )


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
    sources = ("\n".join(body(chapter) for chapter in chapters), " ".join(chapter.heading for chapter in chapters))
    forgotten = lost(people, text)
    is_shorter = len(text.split()) <= _MOST_SHORTER * sum(chapter.words for chapter in chapters)
    return _first(
        cover(answer, len(chapters)),
        *(form(one.title, one.text) for one in answer.chapters),
        "" if is_shorter else "it is not shorter",
        f"it leaves out {', '.join(forgotten)}" if forgotten else "",
        leak(text, soul=soul),
        invention(text, sources=sources, agent=agent, language=language),
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


def time(chapter: StoryChapter, *, first: datetime, last: datetime) -> str:
    """Whether something happened at its time; the batch is of *first* to *last*."""
    try:
        at = datetime.strptime(chapter.at.strip(), "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    except ValueError:
        return f"the time {chapter.at!r} is not of the form YYYY-MM-DD HH:MM"
    if not first - _DAY <= at <= last + _DAY:
        return f"the time {chapter.at} is outside of what happened"
    return ""


def invention(text: str, *, sources: Iterable[str], agent: str, language: str) -> str:
    """
    Which names and numbers of *text* are in none of *sources*; "" where all are.

    A name may be inflected otherwise than it was said. A word that has its capital from opening a sentence counts as
    no part of the name behind it.
    """
    texts = (*sources, agent)
    there = {word for source in texts for word in tokens(source)}
    found = [f"the number {one}" for one in dict.fromkeys(_NUMBER.findall(text)) if not set(tokens(one)) <= there]
    if not language.startswith("de"):  # there every noun has a capital: a capital marks no name
        strange = [name for name in names(text, limit=60) if not set(tokens(name)) <= there]
        if strange:
            stemmed = {stem for source in texts for stem in stems(source, language=language)}
            openings = {tokens(one)[:1] for one in sentences(text, language=language)}
            found += [
                f"the name {name!r}" for name in strange if not _is_known(name, there, stemmed, openings, language)
            ]
    if not found:
        return ""
    return f"{' and '.join(found[:_MOST_NAMED])} {'do' if len(found) > 1 else 'does'} not occur in what happened"


def _is_known(name: str, there: set[str], stemmed: set[str], openings: set[tuple[str, ...]], language: str) -> bool:
    """Whether the words of a name were said, in whatever form, but for one that only opens a sentence."""
    words = tokens(name)
    known = [word in there or not set(stems(word, language=language)).isdisjoint(stemmed) for word in words]
    return all(known) or (len(words) > 1 and words[:1] in openings and all(known[1:]))


def language_of(text: str, *, language: str) -> str:
    """Whether *text* is in the language asked for, where it is long enough to tell."""
    if len(text.split()) < _SURE_LANGUAGE_WORDS:
        return ""
    found = detect(text, fallback=language)
    return "" if found == language else f"it is in the language {found!r}, not in {language!r}"


def leak(text: str, *, soul: str) -> str:
    """Whether *text* quotes SOUL.md."""
    return "it quotes the description of who you are" if _shingles(text) & _shingles(soul) else ""


def borrowed(text: str, *, said: Sequence[Message]) -> str:
    """Whether *text* tells as its own what was only read, or what a person said of themselves."""
    own = _runs(text, _READ_RUN)
    spoken = _all_runs((one.content for one in said if one.role not in READ), _READ_RUN)
    if (own - spoken) & _all_runs((one.content for one in said if one.role in READ), _READ_RUN):
        return "it repeats what was only read; say in your own words that you read it"
    told = _runs(_QUOTED.sub(" … ", text), _PERSON_RUN)
    bots = _all_runs((one.content for one in said if one.role not in READ | {Speaker.USER}), _PERSON_RUN)
    persons = _all_runs((one.content for one in said if one.role is Speaker.USER), _PERSON_RUN)
    if any(not _ONESELF.isdisjoint(run) for run in (told - bots) & persons):
        return "it tells as your own what another said of themselves"
    return ""


def repetition(text: str, *, story: str) -> str:
    """Whether a chapter is, for the most part, in the story already."""
    told, new = _shingles(story), _shingles(text)
    if new and len(new & told) / len(new) > _SAME_SHARE:
        return "it repeats what the story already says"
    return ""


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
    return _runs(text, _SHINGLE)


def _all_runs(texts: Iterable[str], size: int) -> frozenset[tuple[str, ...]]:
    return frozenset().union(*(_runs(text, size) for text in texts))


def _runs(text: str, size: int) -> frozenset[tuple[str, ...]]:
    words = tokens(text)
    return frozenset(words[at : at + size] for at in range(len(words) - size + 1))
