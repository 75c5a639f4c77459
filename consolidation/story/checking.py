"""
What a narrator may not do, found by code: invent, repeat, leak, break the form. Pure; each check gives a reason or "".

The reason is what the narrator is told when it is asked again, and what a person reads in the state of the last run.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from consolidation.kernel.language import detect
from consolidation.kernel.names import names
from consolidation.kernel.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from prompts.responses import StoryChapter

_LONGEST_CHAPTER, _LONGEST_TITLE = 12_000, 140
_SHINGLE = 8
_SAME_SHARE = 0.6
_NUMBER = re.compile(r"(?<![\w-])\d{2,}(?:[.,:]\d+)*(?![\w-])")
_REFUSAL = re.compile(
    r"^\W{0,4}(?:I'm sorry|I am sorry|I can(?:no|')t (?:help|assist|write)|As an AI\b)", re.IGNORECASE
)
_DAY = timedelta(days=1)
_SURE_LANGUAGE_WORDS = 12


def form(chapter: StoryChapter) -> str:
    """Whether it is a chapter at all."""
    text, title = chapter.text.strip(), chapter.title.strip()
    if not text or not title:
        return "a chapter needs a title and a text"
    if text in {"{}", "[]", "null", "None", "[object Object]"} or _REFUSAL.match(text):
        return "that is no chapter"
    if (text + title).encode("utf-8", "replace").decode() != text + title:
        return "half a letter stands in it"
    if len(text) > _LONGEST_CHAPTER or len(title) > _LONGEST_TITLE or "\n" in title:
        return "a title has one short line, a text at most a few hundred words"
    if re.search(r"^[ \t]{0,3}#{1,6}\s", text, re.MULTILINE):
        return "a text has no headings"
    return ""


def time(chapter: StoryChapter, *, first: datetime, last: datetime) -> str:
    """Whether its time is one at which something happened; *first* and *last* bound what is told."""
    try:
        at = datetime.strptime(chapter.at.strip(), "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    except ValueError:
        return f"the time {chapter.at!r} is not of the form YYYY-MM-DD HH:MM"
    if not first - _DAY <= at <= last + _DAY:
        return f"the time {chapter.at} is outside of what happened"
    return ""


def invention(text: str, *, sources: Iterable[str], agent: str, language: str) -> str:
    """Whether a name or a number of *text* stands in none of *sources*."""
    there = {word for source in (*sources, agent) for word in tokens(source)}
    for number in _NUMBER.findall(text):
        if not set(tokens(number)) <= there:
            return f"the number {number} stands nowhere in what happened"
    if language.startswith("de"):  # every noun has a capital: a capital tells no name
        return ""
    for name in names(text, limit=60):
        if not set(tokens(name)) <= there:
            return f"the name {name!r} stands nowhere in what happened"
    return ""


def language_of(text: str, *, language: str) -> str:
    """Whether *text* is in the language asked for, where it is long enough to tell."""
    if len(text.split()) < _SURE_LANGUAGE_WORDS:
        return ""
    found = detect(text, fallback=language)
    return "" if found == language else f"it is in the language {found!r}, not in {language!r}"


def leak(text: str, *, soul: str) -> str:
    """Whether sentences of SOUL.md stand in *text*."""
    return "it quotes the description of who you are" if _shingles(text) & _shingles(soul) else ""


def repetition(text: str, *, story: str) -> str:
    """Whether a chapter is, for the most part, the story again."""
    told, new = _shingles(story), _shingles(text)
    if new and len(new & told) / len(new) > _SAME_SHARE:
        return "it tells what the story already tells"
    return ""


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = tokens(text)
    return frozenset(words[at : at + _SHINGLE] for at in range(len(words) - _SHINGLE + 1))
