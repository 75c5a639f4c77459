"""Turns as they are kept, in pages: what became of each in the lanes, in the story, and the trace that it answered."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Literal

import anyio.to_thread

from consolidation.kernel.errors import StoryFault, TurnErased, TurnNotFound
from consolidation.kernel.turns import Speaker, TurnKind
from consolidation.story.ledger import read_ledger
from service.catalog.cursors import cursor_of, place_in
from service.index.trace_index import CallSpan
from service.mind.health import LaneName
from service.retrieval.put_right import put_right_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from consolidation.corrections.record import Correction
    from consolidation.kernel.turns import Message, StoredTurn
    from consolidation.transcript.positions import Positions
    from service.mind.minds import Mind
    from service.story.reader import StoryReader

type DigestionState = Literal["digested", "waiting", "parked", "not_remembered"]

_FORWARD, _BACK = "turns after", "turns before"
_EPISODE = re.compile(r"episode:([1-9][0-9]{0,15})")
_MOST_BYTES = 4_000_000  # of the transcript in one page, but for a single turn that is longer
_MOST_CALLS = 50  # between a turn and the one before it, of which one may have come for it


@dataclass(frozen=True, slots=True)
class Digestion:
    """
    What became of a turn: whether full text, the graph and extraction are done with it, or why it is parked.

    ``state`` is ``not_remembered`` for noise and for what was said off the record.
    """

    state: DigestionState
    indexed: bool
    saved: bool
    extracted: bool
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ToldIn:
    """A chapter of ours that tells a turn, and its place in the story."""

    index: int
    heading: str
    digest: str


@dataclass(frozen=True, slots=True)
class TurnItem:
    """
    A turn; ``trace_id`` is that of its pre-turn call, where it is known. ``chapters`` is None where no story is.

    ``corrections`` are what people decided of it, and of facts it told that are not to come up.
    """

    turn: StoredTurn
    trace_id: str | None
    digestion: Digestion
    chapters: tuple[ToldIn, ...] | None
    corrections: tuple[Correction, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnPage:
    """Turns in the order asked for; where the next page begins, None at the end."""

    items: tuple[TurnItem, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class TurnQuery:
    """
    Which turns are asked for, by sequence: those above ``after``, oldest first; without it, newest first.

    ``before`` leaves out what has this sequence or a higher one.
    """

    session_id: str | None = None
    after: int | None = None
    before: int | None = None
    cursor: str | None = None
    limit: int = 50


class TurnCatalog:
    """Reads turns with what is known of them."""

    def __init__(self, story: StoryReader) -> None:
        self._story = story

    async def page(self, mind: Mind, asked: TurnQuery) -> TurnPage:
        """One page of turns. Raises InvalidRequest, IndexUnusable, TranscriptUnreadable."""
        name = _BACK if asked.after is None else _FORWARD
        place = place_in(name, asked.cursor, int)
        start = int(place[0]) if place is not None else asked.after
        sequences, has_more = _fitting(_wanted(mind.transcript.positions, asked, start), mind, most=asked.limit)
        turns = await mind.transcript.read_many(sequences)
        items = await self._items(mind, [one for one in turns if one.turn.kind is not TurnKind.ERASED])
        return TurnPage(items, cursor_of(name, sequences[-1]) if has_more else None)

    async def one(self, mind: Mind, turn_id: str) -> TurnItem:
        """
        The turn of this id, or of ``episode:<sequence>``.

        Raises TurnNotFound, TurnErased, IndexUnusable, TranscriptUnreadable.
        """
        positions = mind.transcript.positions
        sequence = positions.sequence_of(turn_id)
        if sequence is None and (named := _EPISODE.fullmatch(turn_id)):
            sequence = int(named[1])
        turns = await mind.transcript.read_many((sequence,)) if sequence is not None else ()
        for turn in turns:
            if turn.turn.kind is TurnKind.ERASED:
                raise TurnErased("this turn was erased")
            [item] = await self._items(mind, [turn])
            return item
        if positions.is_erased(turn_id):
            raise TurnErased("this turn was erased")
        raise TurnNotFound("the transcript has no turn with this id")

    async def _items(self, mind: Mind, turns: Sequence[StoredTurn]) -> tuple[TurnItem, ...]:
        if not turns:
            return ()
        indexed = await anyio.to_thread.run_sync(mind.text.cursor, "turns")
        traces = await _traces(mind, turns)
        put_right = await put_right_in(mind)
        told = await self._told(mind, [one.sequence for one in turns])
        parked = {one.sequence: one.error for one in mind.health.parked}
        cursors = {lane: state.cursor for lane, state in mind.health.lanes.items()} | {LaneName.INDEXING: indexed}
        return tuple(
            TurnItem(
                one,
                traces.get(one.sequence),
                _digestion(one, cursors, parked.get(one.sequence)),
                told.get(one.sequence, ()) if told is not None else None,
                put_right.of_turn(one.sequence),
            )
            for one in turns
        )

    async def _told(self, mind: Mind, sequences: Sequence[int]) -> dict[int, tuple[ToldIn, ...]] | None:
        """The chapters that tell each of *sequences*; None where the story can not be read."""
        try:
            story = await self._story.snapshot(mind)
            ledger = await anyio.to_thread.run_sync(read_ledger, mind.workspace.published)
        except (StoryFault, OSError):
            return None
        found: dict[int, list[ToldIn]] = {one: [] for one in sequences}
        for index, chapter in enumerate(story.book.chapters):
            made_of = ledger.turns.get(chapter.digest)
            for sequence in found.keys() & made_of.narrated if made_of is not None else ():
                found[sequence].append(ToldIn(index, chapter.heading, chapter.digest))
        return {sequence: tuple(chapters) for sequence, chapters in found.items()}


def _wanted(positions: Positions, asked: TurnQuery, start: int | None) -> Iterator[int]:
    """All sequences that are asked for behind *start*, in order, without erased ones."""
    if asked.after is not None:
        found = positions.forwards(start or 0, session_id=asked.session_id)
        within = (one for one in found if asked.before is None or one < asked.before)
    else:
        below = min(one for one in (start, asked.before, positions.last + 1) if one is not None)
        within = (one for one, _ in positions.backwards(below - 1, session_id=asked.session_id))
    return (one for one in within if not positions.is_tombstone(one))


def _fitting(sequences: Iterator[int], mind: Mind, *, most: int) -> tuple[list[int], bool]:
    """The first *most* of them, fewer where they are too long for a page; and whether there are more."""
    found: list[int] = []
    size = 0
    for sequence in islice(sequences, most + 1):
        place = mind.transcript.positions.place(sequence)
        size += place.length if place is not None else 0
        if len(found) == most or (found and size > _MOST_BYTES):
            return found, True
        found.append(sequence)
    return found, False


def _digestion(turn: StoredTurn, cursors: Mapping[LaneName, int], error: str | None) -> Digestion:
    if not turn.is_remembered:
        return Digestion("not_remembered", indexed=False, saved=False, extracted=False)
    indexed, saved, extracted = (cursors[lane] >= turn.sequence for lane in LaneName)
    if error is not None:
        return Digestion("parked", indexed=indexed, saved=saved, extracted=False, error=error)
    state: DigestionState = "digested" if indexed and saved and extracted else "waiting"
    return Digestion(state, indexed=indexed, saved=saved, extracted=extracted)


async def _traces(mind: Mind, turns: Sequence[StoredTurn]) -> dict[int, str]:
    """
    The traces that these turns answered, by sequence.

    A turn answers the last pre-turn call of its session that came for its message, after the turn before it.
    """
    said = {one.sequence: {message.content.strip() for message in _asking(one)} for one in turns if _asking(one)}
    asking = [one for one in turns if one.sequence in said]
    before = {one.sequence: _sequence_before(mind.transcript.positions, one) for one in asking}
    accepted = {one.sequence: one.accepted_at for one in turns}
    missing = {one for one in before.values() if one is not None} - accepted.keys()
    accepted |= {one.sequence: one.accepted_at for one in await mind.transcript.read_many(sorted(missing))}
    spans = [CallSpan(one.turn.session_id, accepted.get(before[one.sequence] or 0), one.accepted_at) for one in asking]
    found = await anyio.to_thread.run_sync(partial(mind.trace_log.calls_in, spans, most=_MOST_CALLS))
    answered = {
        one.sequence: next((call.trace_id for call in calls if call.message.strip() in said[one.sequence]), None)
        for one, calls in zip(asking, found, strict=True)
    }
    return {sequence: trace_id for sequence, trace_id in answered.items() if trace_id is not None}


def _asking(turn: StoredTurn) -> tuple[Message, ...]:
    """The messages of *turn* that a pre-turn call may have come for."""
    return tuple(one for one in turn.turn.messages if one.role is Speaker.USER and one.content.strip())


def _sequence_before(positions: Positions, turn: StoredTurn) -> int | None:
    found = positions.before_in_session(turn.turn.session_id, turn.sequence, limit=1)
    return found[-1] if found else None
