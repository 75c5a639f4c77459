"""
What happened since a time, for whoever was away: learned, ended, told, surfaced, put right, parked.

Each group counts all of it and shows the newest, with the ids by which it can be looked at, put right or taken back.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.corrections.record import Correction
from consolidation.kernel.turns import TurnKind
from consolidation.story.ledger import read_ledger
from consolidation.transcript.as_of import last_accepted
from service.catalog.facts import fact_items, with_turns
from service.index.text_knowledge import ended_after, learned_after
from service.index.trace_index import CallFilter
from service.story.reader import saved_at

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

    from consolidation.corrections.record import Undo
    from consolidation.kernel.turns import StoredTurn
    from service.catalog.facts import FactItem, FoundFacts
    from service.mind.minds import Mind
    from service.mind.trace_document import ShownTrace, TraceDocument
    from service.ports.graph import Parked
    from service.story.reader import StoryReader

_LONGEST = 400  # characters of a chapter or of a turn
_LOOKED_AT = 500  # turns, for the first one that is not noise
_TICK = timedelta(microseconds=1)

type _FoundGroup = tuple[int, FoundFacts]


@dataclass(frozen=True, slots=True)
class NewsGroup[Item]:
    """How many there are, and the newest of them, newest first."""

    count: int
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class ToldChapter:
    """
    A chapter that we wrote or wrote anew: its place in the story, and how it begins.

    ``told_at`` is None for one that was told before such times were kept; then it tells of turns that are new.
    """

    index: int
    heading: str
    digest: str
    text: str
    told_at: datetime | None


@dataclass(frozen=True, slots=True)
class StoryNews:
    """Chapters as in a group; ``version`` is the earliest story that was replaced since then, None without one."""

    count: int
    items: tuple[ToldChapter, ...]
    version: str | None


@dataclass(frozen=True, slots=True)
class SurfacedCall:
    """A pre-turn call, and what surfaced in it."""

    trace_id: str
    session_id: str
    at: datetime
    message: str
    memories: tuple[ShownTrace, ...]


@dataclass(frozen=True, slots=True)
class PutRight:
    """A decision that was made or taken back: whether it stands as the last of its memory, and what took it back."""

    correction: Correction
    is_current: bool
    undone: Undo | None


@dataclass(frozen=True, slots=True)
class ParkedTurn:
    """A turn that no model could read: how it begins, and why it is parked. ``text`` is empty for an erased one."""

    id: str
    turn_id: str
    text: str
    error: str
    attempts: int
    parked_at: datetime


@dataclass(frozen=True, slots=True)
class News:
    """
    What happened after ``since``; ``turns`` counts those that were accepted and are remembered.

    Until ``until`` all is told: it lies before the first turn whose facts are not known yet.
    """

    since: datetime
    until: datetime
    turns: int
    learned: NewsGroup[FactItem]
    ended: NewsGroup[FactItem]
    told: StoryNews
    surfaced: NewsGroup[SurfacedCall]
    put_right: NewsGroup[PutRight]
    parked: NewsGroup[ParkedTurn]


class NewsCatalog:
    """Gathers what happened. It asks neither graph nor model."""

    def __init__(self, story: StoryReader) -> None:
        self._story = story

    async def read(self, mind: Mind, *, since: datetime, now: datetime, limit: int) -> News:
        """
        What happened after *since*, at most *limit* items of each kind.

        Raises IndexUnusable, StoryUnreadable, TranscriptUnreadable, OSError.
        """
        until = await _told_until(mind, since, now)
        known = await last_accepted(mind.transcript, since)
        learned, ended = await anyio.to_thread.run_sync(_facts, mind, known, since, now, limit)
        return News(
            since=since,
            until=until,
            turns=mind.transcript.positions.remembered_after(known),
            learned=NewsGroup(learned[0], await fact_items(mind, learned[1], now=now)),
            ended=NewsGroup(ended[0], await fact_items(mind, ended[1], now=now)),
            told=await self._told(mind, since, known, limit),
            surfaced=await anyio.to_thread.run_sync(_surfaced, mind, since, limit),
            put_right=await anyio.to_thread.run_sync(_put_right, mind, since, limit),
            parked=await _parked(mind, since, limit),
        )

    async def _told(self, mind: Mind, since: datetime, known: int, limit: int) -> StoryNews:
        """The chapters of ours that were told after *since*; *known* is the last turn that was accepted by then."""
        story = await self._story.snapshot(mind)
        ledger = await anyio.to_thread.run_sync(read_ledger, mind.workspace.published)
        later = [one.name for one in await self._story.versions(mind) if saved_at(one.name) > since]
        found: list[ToldChapter] = []
        for index, chapter in enumerate(story.book.chapters):
            told_at, made_of = ledger.told_at.get(chapter.digest), ledger.turns.get(chapter.digest)
            newest = max(made_of.narrated, default=0) if made_of is not None else 0
            if chapter.digest in story.ours and (told_at > since if told_at is not None else newest > known):
                text = _opening(chapter.text.removeprefix(chapter.heading))
                found.append(ToldChapter(index, chapter.heading, chapter.digest, text, told_at))
        found.sort(key=lambda one: (one.told_at or since, one.index), reverse=True)
        return StoryNews(len(found), tuple(found[:limit]), later[-1] if later else None)


async def _told_until(mind: Mind, since: datetime, now: datetime) -> datetime:
    """Now; or right before the first turn that is not read yet, but not before *since*."""
    read = await anyio.to_thread.run_sync(mind.text.cursor, "facts")
    if not mind.transcript.positions.remembered_after(read):
        return now
    turns = await mind.transcript.after(read, limit=_LOOKED_AT)
    waiting = next((one.accepted_at - _TICK for one in turns if one.is_remembered), since)
    return min(now, max(since, waiting))


def _facts(
    mind: Mind,
    known: int,
    since: datetime,
    now: datetime,
    limit: int,
) -> tuple[_FoundGroup, _FoundGroup]:
    """What was learned behind the turn *known*, or late and after *since*; and what ended after *since*."""

    def read(database: sqlite3.Connection) -> tuple[_FoundGroup, _FoundGroup]:
        learned, newest = learned_after(database, known, since, limit=limit)
        ended, last = ended_after(database, since, now=now, limit=limit)
        return (learned, with_turns(database, newest)), (ended, with_turns(database, last))

    return mind.text.read(read)


def _surfaced(mind: Mind, since: datetime, limit: int) -> NewsGroup[SurfacedCall]:
    wanted = CallFilter(since=since, surfaced=True)
    traces = mind.trace_log.page(wanted, limit=limit).traces
    return NewsGroup(mind.trace_log.count(wanted), tuple(map(_call, traces)))


def _call(trace: TraceDocument) -> SurfacedCall:
    return SurfacedCall(trace.trace_id, trace.session_id, trace.at, trace.message, trace.shown)


def _put_right(mind: Mind, since: datetime, limit: int) -> NewsGroup[PutRight]:
    """The decisions of which a line is newer than *since*, each once, that of the newest line first."""
    lines, standing = mind.corrections.lines(), mind.corrections.standing()
    made = {one.id: one for one in lines if isinstance(one, Correction)}
    undone = {one.of: one for one in lines if not isinstance(one, Correction)}
    newer = (one for one in reversed(lines) if one.at > since)
    ids = dict.fromkeys(one.id if isinstance(one, Correction) else one.of for one in newer)
    found = [made[key] for key in ids if key in made]
    items = (PutRight(one, standing.is_current(one), undone.get(one.id)) for one in found[:limit])
    return NewsGroup(len(found), tuple(items))


async def _parked(mind: Mind, since: datetime, limit: int) -> NewsGroup[ParkedTurn]:
    found = sorted((one for one in mind.health.parked if one.parked_at > since), key=_parked_at, reverse=True)
    shown = found[:limit]
    turns = await mind.transcript.read_many(sorted(one.sequence for one in shown))
    texts = {one.sequence: _words_of(one) for one in turns}
    items = (
        ParkedTurn(
            id=f"episode:{one.sequence}",
            turn_id=one.turn_id,
            text=texts.get(one.sequence, ""),
            error=one.error,
            attempts=one.attempts,
            parked_at=one.parked_at,
        )
        for one in shown
    )
    return NewsGroup(len(found), tuple(items))


def _parked_at(one: Parked) -> tuple[datetime, int]:
    return one.parked_at, one.sequence


def _words_of(turn: StoredTurn) -> str:
    said = (one.content for one in turn.turn.messages if one.content.strip())
    return _opening(next(said, "")) if turn.turn.kind is not TurnKind.ERASED else ""


def _opening(text: str) -> str:
    line = " ".join(text[: 4 * _LONGEST].split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"
