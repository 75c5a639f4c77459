"""
Where the sentences of all minds' stories come from: computed once for each chapter, in threads, and remembered.

What is asked for is computed at once; the rest of a story in the background, after each run.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import anyio.from_thread
import anyio.to_thread
import structlog

from consolidation.corrections.taken_out import with_statements
from consolidation.kernel.errors import EmbedderFault, MemoryFault
from consolidation.kernel.turns import TurnKind
from consolidation.story.erasure import with_guessed_turns
from consolidation.story.sentence_sources import a_persons, fidelity_of, placed_again, sources_of
from consolidation.story.source_cache import read_sources, write_sources
from consolidation.story.turn_index import index_turns
from consolidation.text.language import detect
from service.mind.own_settings import zone_of
from service.story.writer import story_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import tzinfo

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import StoredTurn
    from consolidation.story.chapter_turns import ChapterTurns
    from consolidation.story.chapters import Chapter
    from consolidation.story.sentence_sources import Fidelity, SentenceSource, Similarity
    from consolidation.story.source_cache import SourcesByChapter
    from consolidation.story.turn_index import TurnIndex
    from service.mind.mind_gate import MindGate
    from service.mind.minds import Mind
    from service.ports.embedder import Embedder, Vectors
    from service.runtime.background import Background
    from service.story.reader import StoryReader, StorySnapshot

log = structlog.get_logger()

_MOST_TURNS = 3_000  # of one chapter; a chapter of more is about the newest of them
_TEXTS = 4  # embedded in one call: a call before a turn waits for no more than that
_BY_WORDS = "words"


@dataclass(frozen=True, slots=True)
class SourcedChapter:
    """A chapter, its place among all, where it begins in the story without marks, and its sentences."""

    index: int
    start: int
    chapter: Chapter
    sentences: tuple[SentenceSource, ...]


@dataclass(frozen=True, slots=True)
class SourcedStory:
    """
    A story, the chapters that were asked for, and the turns of their sentences by sequence.

    ``fidelity`` is None while sentences of other chapters are not known. ``following`` is the place of the chapter
    behind these, None at the end.
    """

    story: StorySnapshot
    chapters: tuple[SourcedChapter, ...]
    turns: Mapping[int, StoredTurn]
    fidelity: Fidelity | None
    following: int | None


class StorySources:
    """The sources of all minds' stories."""

    def __init__(
        self, reader: StoryReader, *, embedder: Embedder, background: Background, gate: MindGate, clock: Clock
    ) -> None:
        self._reader = reader
        self._clock = clock
        self._embedder = embedder
        self._background = background
        self._gate = gate
        self._locks: dict[str, asyncio.Lock] = {}
        self._known: dict[str, tuple[str, Fidelity]] = {}
        self._begun: dict[str, str] = {}
        self._writing: dict[str, asyncio.Lock] = {}
        self._erasures: Counter[str] = Counter()

    async def read(self, mind: Mind, *, first: int, limit: int) -> SourcedStory:
        """
        The sources of at most *limit* chapters from the one at place *first* on.

        Raises StoryUnreadable, TranscriptUnreadable.
        """
        story = await self._reader.snapshot(mind)
        asked = story.book.chapters[first : first + limit]
        known = await self._computed(mind, story, asked)
        chapters, fidelity = await anyio.to_thread.run_sync(
            lambda: (tuple(islice(_placed(story, known), first, first + limit)), _fidelity(story, known))
        )
        used = sorted({one for chapter in chapters for source in chapter.sentences for one in source.turns})
        turns = await mind.transcript.read_many(used)
        following = first + limit if first + limit < len(story.book.chapters) else None
        self.begin(mind, story)
        return SourcedStory(story, chapters, {one.sequence: one for one in turns}, fidelity, following)

    async def fidelity(self, mind: Mind, story: StorySnapshot) -> Fidelity | None:
        """The fidelity of *story*; None where it is not computed yet, which then begins."""
        etag, found = self._known.get(mind.mind_id, ("", None))
        if etag == story.etag:
            return found
        found = _fidelity(story, await self._remembered(mind))
        if found is None:
            self.begin(mind, story)
        else:
            self._known[mind.mind_id] = (story.etag, found)
        return found

    def begin(self, mind: Mind, story: StorySnapshot | None = None) -> None:
        """Compute, in the background, what is not known of the story; once for the same *story*."""
        etag = story.etag if story is not None else ""
        is_known = self._known.get(mind.mind_id, ("", None))[0] == etag
        if self._background.is_stopping or (etag and (is_known or self._begun.get(mind.mind_id) == etag)):
            return
        self._begun[mind.mind_id] = etag

        async def run() -> None:
            await self._gate.until_resumed(mind.mind_id)
            try:
                now = await self._reader.snapshot(mind)
                known = await self._computed(mind, now, now.book.chapters)
            except (MemoryFault, OSError) as error:
                log.warning("story_sources.failed", mind_id=mind.mind_id, error=str(error))
                return
            if (found := _fidelity(now, known)) is not None:
                self._begun[mind.mind_id] = now.etag
                self._known[mind.mind_id] = (now.etag, found)

        self._background.start(f"sources {mind.mind_id}", run, owner=mind.mind_id)

    async def erase(self, mind: Mind) -> None:
        """Forget what was found, since turns were erased; what is being computed is not remembered. Raises OSError."""
        self._erasures[mind.mind_id] += 1
        self.forget(mind.mind_id)
        async with self._writing.setdefault(mind.mind_id, asyncio.Lock()):
            await anyio.to_thread.run_sync(lambda: mind.workspace.story_sources.unlink(missing_ok=True))

    def forget(self, mind_id: str) -> None:
        """Drop what is in memory of a mind, which was erased or closed."""
        self._known.pop(mind_id, None)
        self._begun.pop(mind_id, None)
        self._locks.pop(mind_id, None)

    async def _computed(self, mind: Mind, story: StorySnapshot, wanted: Sequence[Chapter]) -> SourcesByChapter:
        """What is known of *story* with the *wanted* chapters in it. A chapter of ours is computed once."""
        async with self._locks.setdefault(mind.mind_id, asyncio.Lock()):
            erasures = self._erasures[mind.mind_id]
            known = dict(await self._remembered(mind))
            if all(chapter.digest in known for chapter in wanted if chapter.digest in story.ours):
                return known
            ledger = await with_guessed_turns(story_of(mind, clock=self._clock), story.book)
            groups: dict[frozenset[int], list[tuple[Chapter, ChapterTurns]]] = {}
            for chapter in wanted:
                made_of = ledger.turns.get(chapter.digest)
                if chapter.digest in story.ours and chapter.digest not in known and made_of is not None:
                    groups.setdefault(made_of.seen | made_of.narrated, []).append((chapter, made_of))
            present = {chapter.digest for chapter in story.book.chapters} & story.ours
            for seen, chapters in groups.items():
                found, is_final = await self._sources(mind, seen, chapters)
                known |= found
                if is_final:
                    left = {digest: one for digest, one in known.items() if digest in present}
                    await self._remember(mind, left, erasures=erasures)
            return known

    async def _sources(
        self, mind: Mind, seen: frozenset[int], chapters: Sequence[tuple[Chapter, ChapterTurns]]
    ) -> tuple[SourcesByChapter, bool]:
        """The sources of chapters of one batch; and whether they stay as they are, since the embedder answered."""
        narrated = frozenset().union(*(one.narrated for _, one in chapters))
        candidates = sorted(seen, key=lambda one: (one in narrated, one))[-_MOST_TURNS:]
        stored = await mind.transcript.read_many(sorted(candidates))
        standing = await anyio.to_thread.run_sync(mind.corrections.standing)
        turns = [with_statements(one, standing) for one in stored if one.turn.kind is not TurnKind.ERASED]
        is_cut = len(seen) > len(candidates)
        zone = await anyio.to_thread.run_sync(zone_of, mind)
        if self._similarity is None:
            return await anyio.to_thread.run_sync(_sources_of, chapters, turns, None, zone, is_cut), True
        try:
            return await anyio.to_thread.run_sync(_sources_of, chapters, turns, self._similarity, zone, is_cut), True
        except EmbedderFault:
            return await anyio.to_thread.run_sync(_sources_of, chapters, turns, None, zone, is_cut), False

    @property
    def _similarity(self) -> Similarity | None:
        """None where cosines say nothing, or were not measured."""
        return self._cosines if self._embedder.has_meaning and self._embedder.is_calibrated else None

    def _cosines(self, texts: Sequence[str], passages: Sequence[str]) -> Sequence[Sequence[float]]:
        """In a worker thread: the cosines of all pairs. Raises EmbedderFault."""
        rows, columns = self._vectors(texts), self._vectors(passages)
        found: list[list[float]] = (rows @ columns.T).tolist()
        return found

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        import numpy as np  # here, so that a start does without it

        batches = (texts[at : at + _TEXTS] for at in range(0, len(texts), _TEXTS))
        return np.concatenate([anyio.from_thread.run(self._embedder.embed, batch) for batch in batches])

    async def _remembered(self, mind: Mind) -> SourcesByChapter:
        return await anyio.to_thread.run_sync(lambda: read_sources(mind.workspace.story_sources, by=self._by))

    async def _remember(self, mind: Mind, known: SourcesByChapter, *, erasures: int) -> None:
        """Write it down, unless turns were erased meanwhile. What can not be written is computed again."""
        async with self._writing.setdefault(mind.mind_id, asyncio.Lock()):
            if self._erasures[mind.mind_id] != erasures:
                return
            try:
                await anyio.to_thread.run_sync(lambda: write_sources(mind.workspace.story_sources, known, by=self._by))
            except OSError as error:
                log.warning("story_sources.unwritable", mind_id=mind.mind_id, error=str(error))

    @property
    def _by(self) -> str:
        return _BY_WORDS if self._similarity is None else self._embedder.stored_name


def _sources_of(
    chapters: Sequence[tuple[Chapter, ChapterTurns]],
    turns: Sequence[StoredTurn],
    similarity: Similarity | None,
    zone: tzinfo,
    is_cut: bool,  # noqa: FBT001 - anyio passes no names
) -> SourcesByChapter:
    """In a worker thread: the sources of chapters whose narrators had seen *turns*."""
    found: dict[str, tuple[SentenceSource, ...]] = {}
    indexes: dict[str, TurnIndex] = {}
    for chapter, made_of in chapters:
        language = detect(chapter.text)
        if language not in indexes:
            indexes[language] = index_turns(turns, language=language, zone=zone, is_cut=is_cut)
        found[chapter.digest] = sources_of(
            chapter,
            narrated=made_of.narrated,
            index=indexes[language],
            language=language,
            similarity=similarity,
        )
    return found


def _placed(story: StorySnapshot, known: SourcesByChapter) -> Iterator[SourcedChapter]:
    """Every chapter with its sentences: a person's, those that are known, or none."""
    start = len(story.book.opening)
    for index, chapter in enumerate(story.book.chapters):
        is_ours = chapter.digest in story.ours
        found = placed_again(chapter, known.get(chapter.digest, ())) if is_ours else a_persons(chapter)
        yield SourcedChapter(index, start, chapter, found)
        start += len(chapter.text)


def _fidelity(story: StorySnapshot, known: SourcesByChapter) -> Fidelity | None:
    """The fidelity of *story*; None while a chapter of ours is not known."""
    ours = [chapter.digest for chapter in story.book.chapters if chapter.digest in story.ours]
    if any(digest not in known for digest in ours):
        return None
    return fidelity_of(source for digest in ours for source in known[digest])
