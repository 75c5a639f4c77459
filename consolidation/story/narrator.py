"""Asks a model to narrate: one batch of turns and the story so far give chapters, and code checks them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC
from itertools import accumulate
from typing import TYPE_CHECKING, Self, cast

import anyio.to_thread

from consolidation.kernel.checked_answer import UNUSABLE, ask_checked
from consolidation.kernel.errors import ModelFault, ModelTimedOut, ModelTruncated, StoryRefused
from consolidation.kernel.ports import Ask
from consolidation.kernel.turns import Speaker
from consolidation.story.anchor import without_lookalikes
from consolidation.story.backlog import MOST_OF_STORY, MOST_OF_TURN, PAUSE
from consolidation.story.chapter_tries import ChapterTries
from consolidation.story.chapter_turns import chapters_quoting, turns_told
from consolidation.story.chapters import as_chapter
from consolidation.story.checks import ChapterChecks, check_shortened, without_repetitions
from consolidation.story.compression import Shorter, as_chapters, body, people, shorten_by_quoting
from consolidation.story.draft import StoryDraft
from consolidation.story.notes import NO_NOTES, StoryNotes, notes_of
from consolidation.story.partly_told import partly_told, with_quoted
from consolidation.text.language import detect, sure_language
from consolidation.text.relative_dates import resolve_dates
from consolidation.text.tokens import count_tokens, cut_to_tokens
from prompts.responses import StoryChapters, StoryShortened

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime, tzinfo
    from pathlib import Path

    from pydantic import BaseModel

    from consolidation.kernel.errors import MemoryFault
    from consolidation.kernel.ports import LanguageModel
    from consolidation.kernel.turns import Message, StoredTurn
    from consolidation.story.chapters import Book, Chapter
    from consolidation.story.partly_told import PartlyTold
    from consolidation.story.quotes import ToldTurn
    from consolidation.story.run import RunInProgress
    from consolidation.workspace import Workspace

_NEWEST = 12  # chapters that a narrator is shown
_CUT = " […]"
_OWN = frozenset({Speaker.ASSISTANT, Speaker.THOUGHT})  # what the bot said and thought
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")  # for a prompt, in English
_LANGUAGE_OF, _LANGUAGE_FROM, _ENOUGH_SAID = 400, 8_000, 200  # messages, and characters of them; enough characters
_ASKED_SHORTER = 0.4  # of the words there were


@dataclass(frozen=True, slots=True)
class Voice:
    """
    Who narrates: what the bot is called, SOUL.md, and the folder of a mind's own prompts.

    Times and days are told in ``zone``. One that ``is_quoting`` is narrated without a hosted model. With
    ``quotes_refused``, what no model told as it should is quoted, and what one did tell stays.
    """

    agent: str
    soul: str
    overrides: Path | None
    zone: tzinfo = UTC
    is_quoting: bool = False
    quotes_refused: bool = False

    @classmethod
    def of(cls, workspace: Workspace, *, agent: str, zone: tzinfo) -> Self:
        """The voice of one mind; call it in a worker thread."""
        return cls(agent, workspace.soul_text, workspace.prompts, zone, workspace.is_example)


@dataclass(frozen=True, slots=True)
class ToldSoFar:
    """
    The story that a narrator goes on with; ``digest`` is the fingerprint of its text.

    Chapters whose digest is in ``ours`` may be revised. ``notes`` are those of the narrator before. ``ends_at`` is the
    newest instant that was narrated.
    """

    book: Book
    ours: frozenset[str] = frozenset()
    notes: StoryNotes = NO_NOTES
    ends_at: datetime | None = None
    digest: str = ""

    def is_going_on_at(self, instant: datetime) -> bool:
        """Whether what was said at *instant* belongs to the talk that the story ends with."""
        return self.ends_at is not None and abs(instant - self.ends_at) < PAUSE


class Narrator:
    """Asks its models in order, each once more with the reason when its answer could not be used."""

    def __init__(self, models: Sequence[LanguageModel], *, quoting: LanguageModel | None = None) -> None:
        """
        *models*: the narrative one, then those it falls back to.

        *quoting* is asked where none of them may be, and where a voice ``quotes_refused``.
        """
        self._models = tuple(dict.fromkeys(models))
        self._quoting = (quoting,) if quoting is not None else self._models

    async def narrate(
        self,
        batch: Sequence[StoredTurn],
        *,
        told: ToldSoFar,
        voice: Voice,
        going: RunInProgress,
        is_again: bool = False,
        is_newest: bool = True,
        most_of_turn: int = MOST_OF_TURN,
        most_of_story: int = MOST_OF_STORY,
    ) -> StoryDraft:
        """
        Make chapters of *batch* that go on from *told*. *going* learns what comes, what it costs, and what is refused.

        With *is_again*, the batch was narrated before: what is still in the story is not repeated, which may leave
        nothing. *is_newest* says that nothing else is pending behind it. Of a turn, *most_of_turn* tokens are shown,
        of the story and of its notes *most_of_story* each.
        Raises StoryRefused when no model wrote what can be used, ModelFault when none answered: ModelTruncated or
        ModelTimedOut where a smaller batch may do.
        """
        # A second of CPU for a full batch.
        telling = await anyio.to_thread.run_sync(
            lambda: self._telling(
                batch,
                told=told,
                voice=voice,
                going=going,
                is_again=is_again,
                is_newest=is_newest,
                most_of_turn=most_of_turn,
                most_of_story=most_of_story,
            )
        )
        problem: MemoryFault = ModelFault("no model was asked")
        for model in self._quoting if voice.is_quoting else self._models:
            try:
                return await telling.told_by(model, batch)
            except (ModelFault, StoryRefused) as error:
                is_too_much = isinstance(problem, ModelTruncated)
                is_too_slow = isinstance(problem, ModelTimedOut) and not isinstance(error, UNUSABLE)
                problem = problem if is_too_much or is_too_slow else error
        if not (voice.quotes_refused and isinstance(problem, UNUSABLE)) or isinstance(problem, ModelTruncated):
            raise problem
        part = await anyio.to_thread.run_sync(telling.told_in_part)
        untold = batch if part is None else part.untold
        draft = await telling.told_by(self._quoting[0], untold) if untold else StoryDraft(())
        going.quote(await anyio.to_thread.run_sync(turns_told, untold, draft))
        return draft if part is None else await anyio.to_thread.run_sync(with_quoted, part, draft)

    def _telling(
        self,
        batch: Sequence[StoredTurn],
        *,
        told: ToldSoFar,
        voice: Voice,
        going: RunInProgress,
        is_again: bool,
        is_newest: bool,
        most_of_turn: int,
        most_of_story: int,
    ) -> _Telling:
        """What models are asked of *batch*, and how their answers are checked; arguments as for ``narrate``."""
        turns, language = _read(batch, most_of_turn=most_of_turn, zone=voice.zone)
        shown, is_cut = _newest(told.book.chapters, most_of_story)
        revisable = tuple(chapter for chapter in shown if chapter.digest in told.ours and not is_cut)
        notes = _first(told.notes, most_of_story)
        words: dict[str, object] = {
            "agent": voice.agent,
            "soul": voice.soul,
            "language": language,
            "batch": turns,
            "is_witness": not any(one.role in _OWN for turn in turns for one in turn["said"]),
            "is_newest": is_newest,
            "goes_on": not is_again and told.is_going_on_at(batch[0].occurred_at),
            "chapters": tuple(_shown(chapter, revisable, most_tokens=most_of_story) for chapter in shown),
            "opening": cut_to_tokens(told.book.opening_words, limit=most_of_story),
            "people": notes.people,
            "open": notes.open,
            "faulty": (),
            "kept": (),
        }
        return _Telling(
            batch,
            Ask("story_next" if shown else "story_first", StoryChapters, words, voice.overrides),
            ChapterChecks(
                batch, book=told.book, agent=voice.agent, soul=voice.soul, language=language, zone=voice.zone
            ),
            told,
            revisable,
            voice.zone,
            going,
            is_again,
            any(model.is_hosted for model in self._models),
        )

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
        hosted = [model for model in self._models if model.is_hosted and not voice.is_quoting]
        try:
            found = await ask_checked(hosted, ask, fault, cleaned=_cleaned, refused=StoryRefused, reports=going)
        except (ModelFault, StoryRefused):
            return as_chapters(shorten_by_quoting(chapters, language=language), chapters)
        shorter = [
            Shorter(one.first - 1, one.last - 1, without_lookalikes(one.title), without_lookalikes(one.text))
            for one in found.content.chapters
        ]
        return as_chapters(shorter, chapters)


@dataclass(frozen=True, slots=True)
class _Telling:
    """
    A batch that models are asked to tell, one after the other; ``tried`` are the tries of those that were asked.

    With ``is_again``, the batch was narrated before. The story ``is_told_by_model`` where any model is hosted.
    """

    batch: Sequence[StoredTurn]
    ask: Ask[StoryChapters]
    checks: ChapterChecks
    told: ToldSoFar
    revisable: Sequence[Chapter]
    zone: tzinfo
    going: RunInProgress
    is_again: bool
    is_told_by_model: bool
    tried: list[ChapterTries] = field(default_factory=list)

    async def told_by(self, model: LanguageModel, part: Sequence[StoredTurn]) -> StoryDraft:
        """What *model* tells of the batch, or of *part* of it where it only quotes. Raises ModelFault, StoryRefused."""
        tries = ChapterTries(
            self.checks,
            book=self.told.book,
            revisable=self.revisable,
            is_again=self.is_again,
            left_out=self.going.refuse,
        )
        self.tried.append(tries)
        answer = await _chapters_of(model, self.ask if model.is_hosted else self._to_quote(part), tries, self.going)
        draft = await anyio.to_thread.run_sync(lambda: self._drafted(answer, has_notes=model.is_hosted))
        quoted = None if model.is_hosted else await anyio.to_thread.run_sync(chapters_quoting, part, draft)
        return replace(draft, quoted=quoted)

    def told_in_part(self) -> PartlyTold | None:
        """The most of the batch that a model told as it should."""
        parts = []
        for usable, lost in filter(None, (one.in_part() for one in self.tried)):
            whole, new = self._drafted(usable, has_notes=True), without_repetitions(usable, book=self.told.book)
            at_fault = [_chapter(one.at, one.title, one.text) for one in lost]
            parts.append(partly_told(self.batch, whole, at_fault, new=self._drafted(new, has_notes=False).append))
        return min(filter(None, parts), key=lambda one: len(one.untold), default=None)

    def _to_quote(self, part: Sequence[StoredTurn]) -> Ask[StoryChapters]:
        """The question for the turns of *part* alone, to a model that quotes."""
        shown = cast("Sequence[ToldTurn]", self.ask.words["batch"])
        left = {stored.sequence for stored in part}
        quoted = tuple(turn for turn, stored in zip(shown, self.batch, strict=True) if stored.sequence in left)
        words = {**self.ask.words, "batch": quoted, "is_told_by_model": self.is_told_by_model}
        return replace(self.ask, words=words)

    def _drafted(self, answer: StoryChapters, *, has_notes: bool) -> StoryDraft:
        notes = notes_of(answer, self.checks.sources) if has_notes else None
        return replace(_draft(answer, self.revisable, notes=notes, made_on=self.told.digest), zone=self.zone)


async def _chapters_of(
    model: LanguageModel, ask: Ask[StoryChapters], tries: ChapterTries, going: RunInProgress
) -> StoryChapters:
    """The chapters of one model, asked twice at most. Without a model they only quote, and no rule is needed."""

    def cleaned(answer: StoryChapters) -> StoryChapters:
        return tries.merged(_cleaned(answer)) if model.is_hosted else _cleaned(answer)

    def fault(answer: StoryChapters, _: LanguageModel) -> str:
        return tries.fault(answer) if model.is_hosted else ""

    found = await ask_checked(
        [model], ask, fault, cleaned=cleaned, refused=StoryRefused, reports=going, again=tries.words
    )
    return tries.usable(found.content) if model.is_hosted else tries.quoted(found.content)


def _cleaned[Answer: BaseModel](answer: Answer) -> Answer:
    """*answer* without marks of ours, and with plain line ends."""
    return type(answer).model_validate(_plain(answer.model_dump()))


def _plain(value: object) -> object:
    """An answer's values whose texts hold no marks of ours and only plain line ends."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, str):
        return "\n".join(without_lookalikes(value).splitlines())
    return value


def _read(batch: Sequence[StoredTurn], *, most_of_turn: int, zone: tzinfo) -> tuple[tuple[ToldTurn, ...], str]:
    """The turns as a narrator is shown them, and the language they are in."""
    language = _language(batch)
    times = tuple(stored.occurred_at.astimezone(zone) for stored in batch)
    told = zip(batch, times, (None, *times), strict=False)
    return tuple(_told(stored, at, since, language=language, room=most_of_turn) for stored, at, since in told), language


def _language(batch: Sequence[StoredTurn]) -> str:
    """The language that people speak in *batch*; what others say counts only where they say too little."""
    said = [message for stored in batch for message in stored.turn.messages][:_LANGUAGE_OF]

    def text(role: Speaker | None) -> str:
        told = (without_lookalikes(message.content) for message in said if role in {None, message.role})
        return "\n".join(told)[:_LANGUAGE_FROM]

    by_people = text(Speaker.USER)
    return sure_language(by_people) or detect(by_people if len(by_people) >= _ENOUGH_SAID else text(None))


def _told(stored: StoredTurn, at: datetime, since: datetime | None, *, language: str, room: int) -> ToldTurn:
    """One turn, said *at* a local time, without marks of ours; of one above *room* tokens, the words that fit."""
    said: list[Message] = []
    for message in stored.turn.messages:
        text = without_lookalikes(message.content)
        cut = cut_to_tokens(text, limit=room) if room > 0 else ""
        said.append(replace(message, content=cut if cut == text else cut + _CUT))
        room -= count_tokens(cut)
        if cut != text:
            break
    days = (at.date() - since.date()).days if since is not None else 0
    gap = f"{days} days later" if days > 1 else ""
    return {
        "when": f"{at:%Y-%m-%d %H:%M}",
        "weekday": _WEEKDAYS[at.weekday()],
        "gap": gap,
        "said": tuple(said),
        "dates": _dates(said, said_on=at.date(), language=language),
        "importance": stored.importance,
    }


def _dates(said: Sequence[Message], *, said_on: date, language: str) -> str:
    """What relative dates mean that were said, as the prompt shows it; "today" needs no words."""
    text = "\n".join(message.content for message in said)
    found = (one for one in resolve_dates(text, said_on=said_on, language=language) if one.first != said_on)
    return "; ".join(f"{one.words} = {one.name}" for one in found)


def shown_tokens(told: ToldSoFar, most_tokens: int) -> int:
    """How many tokens of the story a narrator is shown, or of its notes, where that is more."""
    notes = _first(told.notes, most_tokens)
    chapters = min(most_tokens, sum(count_tokens(one.text) for one in _newest(told.book.chapters, most_tokens)[0]))
    return max(chapters, sum(_sizes(notes)))


def _first(notes: StoryNotes, most_tokens: int) -> StoryNotes:
    """The first of *notes*, people before what is open, as many as fit."""
    fitting = sum(size <= most_tokens for size in accumulate(_sizes(notes)))
    return StoryNotes(notes.people[:fitting], notes.open[: max(0, fitting - len(notes.people))])


def _sizes(notes: StoryNotes) -> list[int]:
    people = [f"{one.name} {one.who}" for one in notes.people]
    return [count_tokens(text) for text in (*people, *(f"{one.what} {one.since} {one.last}" for one in notes.open))]


def _newest(chapters: Sequence[Chapter], most_tokens: int) -> tuple[tuple[Chapter, ...], bool]:
    """The newest chapters that are shown, and whether even the very last is too long to be shown whole."""
    shown: list[Chapter] = []
    room = most_tokens
    for chapter in reversed(chapters[-_NEWEST:]):
        room -= count_tokens(chapter.text)
        if room < 0 and shown:
            break
        shown.insert(0, chapter)
    return tuple(shown), bool(chapters) and count_tokens(chapters[-1].text) > most_tokens


def _shown(chapter: Chapter, revisable: Sequence[Chapter], *, most_tokens: int) -> dict[str, object]:
    number = revisable.index(chapter) + 1 if chapter in revisable else 0
    text = without_lookalikes(chapter.text).strip()
    cut = cut_to_tokens(text, limit=most_tokens)
    return {"number": number, "text": text if cut == text else cut + _CUT}


def _draft(
    answer: StoryChapters, revisable: Sequence[Chapter], *, notes: StoryNotes | None, made_on: str
) -> StoryDraft:
    append = sorted((_chapter(one.at, one.title, one.text) for one in answer.append), key=lambda one: one.first)
    revise = {
        revisable[one.number - 1].digest: _chapter(_span(revisable[one.number - 1]), one.title, one.text)
        for one in answer.revise
        if 0 < one.number <= len(revisable)
    }
    return StoryDraft(tuple(append), revise, notes, made_on)


def _span(chapter: Chapter) -> str:
    return chapter.first if chapter.first == chapter.last else f"{chapter.first} – {chapter.last}"


def _chapter(at: str, title: str, text: str) -> Chapter:
    clean = " ".join(without_lookalikes(title).split())
    return as_chapter(f"### [{at.strip()}] {clean}\n\n{without_lookalikes(text).strip()}\n\n")
