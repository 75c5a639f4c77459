"""One batch of turns and the story so far → chapters to append and to revise, asked of a model, checked by code."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import MemoryFault, ModelFault, StoryRefused
from consolidation.kernel.language import detect
from consolidation.kernel.ports import Ask, Usage
from consolidation.kernel.tokens import cut_to_tokens
from consolidation.story import checking
from consolidation.story.anchor import defanged
from consolidation.story.chapters import as_chapter
from consolidation.story.shortening import Shorter, as_chapters, body, lost, people, told_shorter
from prompts.responses import StoryChapter, StoryChapters, StoryShortened

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pydantic import BaseModel

    from consolidation.kernel.ports import LanguageModel
    from consolidation.kernel.turns import Kept
    from consolidation.story.chapters import Book, Chapter

_TRIES = 2  # with the same model: once, and once more with the reason
_NEWEST = 12  # chapters that a narrator is shown
_MOST_TURN_TOKENS = 20_000
_CUT = " […]"
_LANGUAGE_FROM = 8_000  # characters
_MOST_SHORTER, _ASKED_SHORTER = 0.7, 0.4  # of the words there were: what passes, what is asked for


@dataclass(frozen=True, slots=True)
class Voice:
    """Who tells: what the bot is called, SOUL.md, a mind's own templates."""

    agent: str
    soul: str
    overrides: Path | None


@dataclass(frozen=True, slots=True)
class Draft:
    """Chapters to append, and chapters to put in the place of those with these digests; what asking cost."""

    append: tuple[Chapter, ...]
    revise: Mapping[str, Chapter] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)


class Narrator:
    """Asks its models in order, each again with the reason when what it wrote could not be used."""

    def __init__(self, models: Sequence[LanguageModel]) -> None:
        """*models*: the narrative one, then those it falls back to."""
        self._models = tuple(dict.fromkeys(models))

    async def narrate(
        self, batch: Sequence[Kept], *, book: Book, ours: frozenset[str], voice: Voice, is_again: bool = False
    ) -> Draft:
        """
        Chapters of *batch*; only chapters whose digest is in *ours* may be revised.

        With *is_again*, the batch was told before: what still stands is not repeated, which may leave nothing. Raises
        StoryRefused when no model wrote what can be used, ModelFault when none answered.
        """
        told, language = await anyio.to_thread.run_sync(_read, batch)  # a second of CPU for a full batch
        shown = book.chapters[-_NEWEST:]
        revisable = tuple(chapter for chapter in shown if chapter.digest in ours)
        words: dict[str, object] = {
            "agent": voice.agent,
            "soul": voice.soul,
            "language": language,
            "batch": tuple({"when": when, "text": text} for when, text in told),
            "chapters": tuple(_shown(chapter, revisable) for chapter in shown),
            "opening": book.opening,
        }
        ask = Ask("story_next" if shown else "story_first", StoryChapters, words, voice.overrides)

        def fault(answer: StoryChapters, model: LanguageModel) -> str:
            reason = _fault(answer, batch, book, voice, language, is_hosted=model.is_hosted)
            if reason or is_again or not model.is_hosted:  # what only quotes may find nothing worth it
                return reason
            if not answer.append:
                return "it has no chapter"
            return "" if _unheard(answer, book).append else "it tells what the story already tells"

        answer, usage, model = await self._asked(ask, fault)
        kept = _unheard(answer, book) if is_again or model.is_hosted else answer
        return _draft(kept, revisable, usage)

    async def shorten(self, chapters: Sequence[Chapter], *, voice: Voice) -> tuple[tuple[Chapter, ...], Usage]:
        """*chapters* in fewer words and fewer chapters, nobody's name lost; quoted when no model can."""
        whole = "\n".join(body(chapter) for chapter in chapters)
        language = detect(whole[:_LANGUAGE_FROM])
        named = people(whole, language=language)
        size = sum(chapter.words for chapter in chapters)
        words: dict[str, object] = {
            "agent": voice.agent,
            "soul": voice.soul,
            "language": language,
            "chapters": tuple({"number": at, "text": one.text.strip()} for at, one in enumerate(chapters, start=1)),
            "people": tuple(sorted(named)),
            "most_words": max(40, int(size * _ASKED_SHORTER)),
        }

        def fault(answer: StoryShortened, _: LanguageModel) -> str:
            text = "\n".join(one.text for one in answer.chapters)
            forgotten = lost(named, text)
            headings = " ".join(chapter.heading for chapter in chapters)
            reasons = [
                _cover(answer, len(chapters)),
                *(checking.form(StoryChapter(at="", title=one.title, text=one.text)) for one in answer.chapters),
                "it is not shorter" if len(text.split()) > size * _MOST_SHORTER else "",
                f"it leaves out {', '.join(forgotten)}" if forgotten else "",
                checking.leak(text, soul=voice.soul),
                checking.invention(text, sources=(whole, headings), agent=voice.agent, language=language),
                checking.language_of(text, language=language),
            ]
            return next((reason for reason in reasons if reason), "")

        ask = Ask("story_compress", StoryShortened, words, voice.overrides)
        try:
            answer, usage, _ = await self._asked(ask, fault, only_hosted=True)
        except (ModelFault, StoryRefused):
            return as_chapters(told_shorter(chapters, language=language), chapters), Usage()
        shorter = [
            Shorter(one.first - 1, one.last - 1, defanged(one.title), defanged(one.text)) for one in answer.chapters
        ]
        return as_chapters(shorter, chapters), usage

    async def _asked[Answer: BaseModel](
        self, ask: Ask[Answer], fault: Callable[[Answer, LanguageModel], str], *, only_hosted: bool = False
    ) -> tuple[Answer, Usage, LanguageModel]:
        """The first answer that *fault* has nothing against, what all of them cost, and who gave it."""
        usage = Usage()
        problem: MemoryFault = ModelFault("no model was asked")
        for model in self._models:
            reason = ""
            for _ in range(_TRIES if model.is_hosted or not only_hosted else 0):
                try:
                    reply = await model.answer(replace(ask, words={**ask.words, "reason": reason}))
                except ModelFault as error:
                    problem = error
                    break
                usage += reply.usage
                answer = ask.shape.model_validate(_plain(reply.content.model_dump()))
                reason = await anyio.to_thread.run_sync(fault, answer, model)
                if not reason:
                    return answer, usage, model
                problem = StoryRefused(reason)
        raise problem


def _plain(value: object) -> object:
    """An answer's values with nothing in their texts but words: no marks, no other line ends."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, str):
        return "\n".join(defanged(value).splitlines())
    return value


def _read(batch: Sequence[Kept]) -> tuple[list[tuple[str, str]], str]:
    """What happened, by its times, and the language it is told in."""
    told = [_told(kept) for kept in batch]
    return told, detect("\n".join(text for _, text in told)[:_LANGUAGE_FROM])


def _told(kept: Kept) -> tuple[str, str]:
    text = defanged(kept.text)
    cut = cut_to_tokens(text, limit=_MOST_TURN_TOKENS)
    return kept.occurred_at.strftime("%Y-%m-%d %H:%M"), cut if cut == text else cut + _CUT


def _shown(chapter: Chapter, revisable: Sequence[Chapter]) -> dict[str, object]:
    number = revisable.index(chapter) + 1 if chapter in revisable else 0
    return {"number": number, "text": defanged(chapter.text).strip()}


def _fault(
    answer: StoryChapters, batch: Sequence[Kept], book: Book, voice: Voice, language: str, *, is_hosted: bool
) -> str:
    """Why an answer can not be used; empty when it can: what only quotes is what was said, whatever it was."""
    if not is_hosted:
        return ""
    first, last = min(kept.occurred_at for kept in batch), max(kept.occurred_at for kept in batch)
    sources = [*(kept.text for kept in batch), *(f"{kept.occurred_at:%Y %B %d %H %M}" for kept in batch), book.text]
    texts = [f"{one.title}\n{one.text}" for one in answer.append]
    texts += [f"{one.title}\n{one.text}" for one in answer.revise]
    reasons = [checking.form(StoryChapter(at="", title=one.title, text=one.text)) for one in answer.revise]
    reasons += [checking.form(one) or checking.time(one, first=first, last=last) for one in answer.append]
    reasons += [checking.leak(text, soul=voice.soul) for text in texts]
    reasons += [
        checking.invention(text, sources=sources, agent=voice.agent, language=language)
        or checking.language_of(text, language=language)
        for text in texts
    ]
    return next((reason for reason in reasons if reason), "")


def _unheard(answer: StoryChapters, book: Book) -> StoryChapters:
    """*answer* without chapters that are, for the most part, in the story already."""
    kept = tuple(one for one in answer.append if not checking.repetition(one.text, story=book.text))
    return answer.model_copy(update={"append": kept})


def _cover(answer: StoryShortened, chapters: int) -> str:
    """Whether the answer stands for each chapter exactly once, in order."""
    expected = 1
    for one in answer.chapters:
        if one.first != expected or one.last < one.first:
            return "its chapters do not cover the old ones once and in order"
        expected = one.last + 1
    return "" if expected == chapters + 1 else "its chapters do not cover all the old ones"


def _draft(answer: StoryChapters, revisable: Sequence[Chapter], usage: Usage) -> Draft:
    append = sorted((_chapter(one.at, one.title, one.text) for one in answer.append), key=lambda one: one.first)
    revise = {
        revisable[one.number - 1].digest: _chapter(_span(revisable[one.number - 1]), one.title, one.text)
        for one in answer.revise
        if 0 < one.number <= len(revisable)
    }
    return Draft(tuple(append), revise, usage)


def _span(chapter: Chapter) -> str:
    return chapter.first if chapter.first == chapter.last else f"{chapter.first} – {chapter.last}"


def _chapter(at: str, title: str, text: str) -> Chapter:
    clean = " ".join(defanged(title).split())
    return as_chapter(f"### [{at.strip()}] {clean}\n\n{defanged(text).strip()}\n\n")
