"""Asks a model to narrate: one batch of turns and the story so far give chapters, and code checks them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Self

import anyio.to_thread

from consolidation.kernel.checked_answer import ask_checked
from consolidation.kernel.errors import ModelFault, StoryRefused
from consolidation.kernel.ports import Ask
from consolidation.kernel.turns import Speaker
from consolidation.story.anchor import without_lookalikes
from consolidation.story.chapters import as_chapter
from consolidation.story.checks import check_chapters, check_shortened, without_repetitions
from consolidation.story.compression import Shorter, as_chapters, body, people, shorten_by_quoting
from consolidation.story.draft import StoryDraft
from consolidation.text.language import detect
from consolidation.text.tokens import count_tokens, cut_to_tokens
from prompts.responses import StoryChapters, StoryShortened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from pydantic import BaseModel

    from consolidation.kernel.ports import LanguageModel
    from consolidation.kernel.turns import Message, StoredTurn
    from consolidation.story.chapters import Book, Chapter
    from consolidation.story.quotes import ToldTurn
    from consolidation.story.run import RunInProgress
    from consolidation.workspace import Workspace

_NEWEST = 12  # chapters that a narrator is shown
_MOST_TURN_TOKENS = 20_000
_CUT = " […]"
_OWN = frozenset({Speaker.ASSISTANT, Speaker.THOUGHT})  # what the bot said and thought
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")  # for a prompt, in English
_LANGUAGE_FROM = 8_000  # characters
_ASKED_SHORTER = 0.4  # of the words there were


@dataclass(frozen=True, slots=True)
class Voice:
    """Who narrates: what the bot is called, SOUL.md, and the folder of a mind's own prompts."""

    agent: str
    soul: str
    overrides: Path | None

    @classmethod
    def of(cls, workspace: Workspace, *, agent: str) -> Self:
        """The voice of one mind; call it in a worker thread."""
        return cls(agent, workspace.soul_text, workspace.prompts)


class Narrator:
    """Asks its models in order, each once more with the reason when its answer could not be used."""

    def __init__(self, models: Sequence[LanguageModel]) -> None:
        """*models*: the narrative one, then those it falls back to."""
        self._models = tuple(dict.fromkeys(models))

    async def narrate(
        self,
        batch: Sequence[StoredTurn],
        *,
        book: Book,
        ours: frozenset[str],
        voice: Voice,
        going: RunInProgress,
        is_again: bool = False,
    ) -> StoryDraft:
        """
        Make chapters of *batch*. Only chapters whose digest is in *ours* may be revised. *going* learns what comes,
        what it costs and what is refused.

        With *is_again*, the batch was narrated before: what is still in the story is not repeated, which may leave
        nothing. Raises StoryRefused when no model wrote what can be used, ModelFault when none answered.
        """
        turns, language = await anyio.to_thread.run_sync(_read, batch)  # a second of CPU for a full batch
        shown = book.chapters[-_NEWEST:]
        revisable = tuple(chapter for chapter in shown if chapter.digest in ours)
        words: dict[str, object] = {
            "agent": voice.agent,
            "soul": voice.soul,
            "language": language,
            "batch": turns,
            "is_witness": not any(one.role in _OWN for turn in turns for one in turn["said"]),
            "chapters": tuple(_shown(chapter, revisable) for chapter in shown),
            "opening": book.opening,
        }
        ask = Ask("story_next" if shown else "story_first", StoryChapters, words, voice.overrides)

        def fault(answer: StoryChapters, model: LanguageModel) -> str:
            if not model.is_hosted:  # it only quotes what was said, and may find nothing worth quoting
                return ""
            reason = check_chapters(
                answer, batch=batch, book=book, agent=voice.agent, soul=voice.soul, language=language
            )
            if reason or is_again:
                return reason
            if not answer.append:
                return "it has no chapter"
            new = without_repetitions(answer, book=book).append
            return "" if new else "it repeats what the story already says"

        answer, model = await self._ask(ask, fault, going)
        if is_again or model.is_hosted:
            answer = without_repetitions(answer, book=book)
        return _draft(answer, revisable)

    async def shorten(self, chapters: Sequence[Chapter], *, voice: Voice, going: RunInProgress) -> tuple[Chapter, ...]:
        """Make *chapters* fewer and shorter, with every person still named; by quoting them when no model can."""
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
            return check_shortened(
                answer, chapters=chapters, people=named, agent=voice.agent, soul=voice.soul, language=language
            )

        ask = Ask("story_compress", StoryShortened, words, voice.overrides)
        try:
            answer, _ = await self._ask(ask, fault, going, only_hosted=True)
        except (ModelFault, StoryRefused):
            return as_chapters(shorten_by_quoting(chapters, language=language), chapters)
        shorter = [
            Shorter(one.first - 1, one.last - 1, without_lookalikes(one.title), without_lookalikes(one.text))
            for one in answer.chapters
        ]
        return as_chapters(shorter, chapters)

    async def _ask[Answer: BaseModel](
        self,
        ask: Ask[Answer],
        fault: Callable[[Answer, LanguageModel], str],
        going: RunInProgress,
        *,
        only_hosted: bool = False,
    ) -> tuple[Answer, LanguageModel]:
        """The first answer in which *fault* finds nothing, and which model gave it."""
        models = [model for model in self._models if model.is_hosted or not only_hosted]

        def cleaned(answer: Answer) -> Answer:
            return ask.shape.model_validate(_plain(answer.model_dump()))

        found = await ask_checked(models, ask, fault, cleaned=cleaned, refused=StoryRefused, reports=going)
        return found.content, found.model


def _plain(value: object) -> object:
    """An answer's values whose texts hold no marks of ours and only plain line ends."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, str):
        return "\n".join(without_lookalikes(value).splitlines())
    return value


def _read(batch: Sequence[StoredTurn]) -> tuple[tuple[ToldTurn, ...], str]:
    """The turns as a narrator is shown them, and the language they are in."""
    before = (None, *(stored.occurred_at for stored in batch))
    turns = tuple(_told(stored, since=instant) for stored, instant in zip(batch, before, strict=False))
    words = islice((message.content for turn in turns for message in turn["said"]), _LANGUAGE_FROM)
    return turns, detect("\n".join(words)[:_LANGUAGE_FROM])


def _told(stored: StoredTurn, *, since: datetime | None) -> ToldTurn:
    """One turn, without marks of ours; of a very long one, the messages and words that fit."""
    said: list[Message] = []
    room = _MOST_TURN_TOKENS
    for message in stored.turn.messages:
        text = without_lookalikes(message.content)
        cut = cut_to_tokens(text, limit=room) if room > 0 else ""
        said.append(replace(message, content=cut if cut == text else cut + _CUT))
        room -= count_tokens(cut)
        if cut != text:
            break
    at = stored.occurred_at
    days = (at.date() - since.date()).days if since is not None else 0
    gap = f"{days} days later" if days > 1 else ""
    return {"when": f"{at:%Y-%m-%d %H:%M}", "weekday": _WEEKDAYS[at.weekday()], "gap": gap, "said": tuple(said)}


def _shown(chapter: Chapter, revisable: Sequence[Chapter]) -> dict[str, object]:
    number = revisable.index(chapter) + 1 if chapter in revisable else 0
    return {"number": number, "text": without_lookalikes(chapter.text).strip()}


def _draft(answer: StoryChapters, revisable: Sequence[Chapter]) -> StoryDraft:
    append = sorted((_chapter(one.at, one.title, one.text) for one in answer.append), key=lambda one: one.first)
    revise = {
        revisable[one.number - 1].digest: _chapter(_span(revisable[one.number - 1]), one.title, one.text)
        for one in answer.revise
        if 0 < one.number <= len(revisable)
    }
    return StoryDraft(tuple(append), revise)


def _span(chapter: Chapter) -> str:
    return chapter.first if chapter.first == chapter.last else f"{chapter.first} – {chapter.last}"


def _chapter(at: str, title: str, text: str) -> Chapter:
    clean = " ".join(without_lookalikes(title).split())
    return as_chapter(f"### [{at.strip()}] {clean}\n\n{without_lookalikes(text).strip()}\n\n")
