"""One batch of turns and the story so far → chapters to append and to revise, asked of a model, checked by code."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consolidation.kernel.errors import MemoryFault, ModelFault, StoryRefused
from consolidation.kernel.language import detect
from consolidation.kernel.ports import Ask, Usage
from consolidation.kernel.tokens import cut_to_tokens
from consolidation.story import checking
from consolidation.story.anchor import defanged
from consolidation.story.chapters import as_chapter
from prompts.responses import StoryChapter, StoryChapters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from consolidation.kernel.ports import LanguageModel
    from consolidation.kernel.turns import Kept
    from consolidation.story.chapters import Book, Chapter

_TRIES = 2  # with the same model: once, and once more with the reason
_NEWEST = 12  # chapters that a narrator is shown
_MOST_TURN_TOKENS = 20_000
_CUT = " […]"


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

    async def narrate(self, batch: Sequence[Kept], *, book: Book, ours: frozenset[str], voice: Voice) -> Draft:
        """
        Chapters of *batch*; only chapters whose digest is in *ours* may be revised.

        Raises StoryRefused when no model wrote what can be used, ModelFault when none answered.
        """
        told = [_told(kept) for kept in batch]
        shown = book.chapters[-_NEWEST:]
        revisable = tuple(chapter for chapter in shown if chapter.digest in ours)
        words: dict[str, object] = {
            "agent": voice.agent,
            "soul": voice.soul,
            "language": detect("\n".join(text for _, text in told)[:8000]),
            "batch": tuple({"when": when, "text": text} for when, text in told),
            "chapters": tuple(_shown(chapter, revisable) for chapter in shown),
            "opening": book.opening,
        }
        usage = Usage()
        problem: MemoryFault = ModelFault("no model was asked")
        for model in self._models:
            reason = ""
            for _ in range(_TRIES):
                ask = Ask(
                    "story_next" if shown else "story_first",
                    StoryChapters,
                    {**words, "reason": reason},
                    voice.overrides,
                )
                try:
                    reply = await model.answer(ask)
                except ModelFault as error:
                    problem = error
                    break
                usage += reply.usage
                reason = _fault(reply.content, batch, book, voice, str(words["language"]), model=model)
                if not reason:
                    return _draft(reply.content, revisable, usage)
                problem = StoryRefused(reason)
        raise problem


def _told(kept: Kept) -> tuple[str, str]:
    text = defanged(kept.text)
    cut = cut_to_tokens(text, limit=_MOST_TURN_TOKENS)
    return kept.occurred_at.strftime("%Y-%m-%d %H:%M"), cut if cut == text else cut + _CUT


def _shown(chapter: Chapter, revisable: Sequence[Chapter]) -> dict[str, object]:
    number = revisable.index(chapter) + 1 if chapter in revisable else 0
    return {"number": number, "text": defanged(chapter.text).strip()}


def _fault(
    answer: StoryChapters, batch: Sequence[Kept], book: Book, voice: Voice, language: str, *, model: LanguageModel
) -> str:
    """Why an answer can not be used; empty when it can."""
    first, last = min(kept.occurred_at for kept in batch), max(kept.occurred_at for kept in batch)
    sources = [*(kept.text for kept in batch), *(f"{kept.occurred_at:%Y %B %d %H %M}" for kept in batch), book.text]
    texts = [f"{one.title}\n{one.text}" for one in answer.append]
    texts += [f"{one.title}\n{one.text}" for one in answer.revise]
    reasons = [checking.form(StoryChapter(at="", title=one.title, text=one.text)) for one in answer.revise]
    reasons += [checking.form(one) or checking.time(one, first=first, last=last) for one in answer.append]
    reasons += [checking.leak(text, soul=voice.soul) for text in texts]
    if model.is_hosted:  # what only quotes can neither invent nor choose its language
        reasons += [
            checking.invention(text, sources=sources, agent=voice.agent, language=language)
            or checking.language_of(text, language=language)
            for text in texts
        ]
    reasons.append(checking.repetition([one.text for one in answer.append], story=book.text))
    return next((reason for reason in reasons if reason), "")


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
