"""What other memories call a memory: a fact, or the words of a turn that told none."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import anyio.to_thread

from consolidation.corrections.record import What
from consolidation.kernel.errors import MemoryNotFound, TurnNotFound
from consolidation.kernel.turns import TurnKind
from consolidation.text.words import tokens
from consolidation.transcript.tombstones import id_digest
from service.catalog.facts import FactQuery, list_facts, read_fact
from service.catalog.turns import TurnQuery
from service.facades.records import is_record
from service.index.turn_fields import EVERY_TURN, TurnFilter
from service.retrieval.put_right import put_right_in
from service.retrieval.time_window import TimeWindow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from consolidation.corrections.record import Correction
    from consolidation.corrections.standing import Statement
    from consolidation.kernel.turns import StoredTurn, Turn
    from service.catalog.facts import FactItem
    from service.catalog.turns import TurnItem
    from service.composition.container import Memory
    from service.mind.minds import Mind
    from service.retrieval.moment import Source
    from service.retrieval.remembered import Kind, Remembered

EPISODE = "episode:"
_NAMED = re.compile(rf"{EPISODE}([1-9][0-9]{{0,15}}):([0-9a-f]+)")
_DIGITS = 12  # of the digest of a turn's own id
_PAGE = 500
_LONGEST_WHOLE = 2_000  # characters of a turn above which a search shows the words that matter
_KINDS: frozenset[Kind] = frozenset({"fact", "episode"})
_NOT_SO = frozenset({What.WRONG, What.EDIT})


class Scope(Protocol):
    """Which memories of a mind are meant."""

    @property
    def window(self) -> TimeWindow:
        """When they were said."""

    @property
    def is_whole_mind(self) -> bool:
        """Whether nothing narrows it down to certain turns."""

    @property
    def turns(self) -> TurnFilter:
        """Turns to search, which may be more than ``holds`` is true of."""

    def holds(self, turn: StoredTurn) -> bool:
        """Whether *turn* is one of those."""


@dataclass(frozen=True, slots=True)
class WholeMind:
    """Everything that a mind remembers."""

    window: TimeWindow = field(default_factory=TimeWindow)
    is_whole_mind: bool = True

    @property
    def turns(self) -> TurnFilter:
        """All of them."""
        return EVERY_TURN

    def holds(self, turn: StoredTurn) -> bool:
        """Whether *turn* is meant: each one is."""
        return turn.is_remembered


@dataclass(frozen=True, slots=True)
class OneSession:
    """What the turns of one session told."""

    session_id: str
    window: TimeWindow = field(default_factory=TimeWindow)
    is_whole_mind: bool = False

    @property
    def turns(self) -> TurnFilter:
        """Those of the session."""
        return TurnFilter(sessions=(self.session_id,))

    def holds(self, turn: StoredTurn) -> bool:
        """Whether *turn* belongs to the session."""
        return turn.turn.session_id == self.session_id


class TurnPlace(NamedTuple):
    """Where a turn is in its mind, and its own id."""

    sequence: int
    turn_id: str

    @property
    def entry_id(self) -> str:
        """
        Its id as a memory, with a digest of its own id.

        A mind that was erased and begun anew counts from 1 again, so an old id with the place
        alone would be of another turn.
        """
        return f"{EPISODE}{self.sequence}:{id_digest(self.turn_id)[:_DIGITS]}"


@dataclass(frozen=True, slots=True)
class Entry:
    """
    A memory: its id within its mind, its words, when they were said, and the turns that it comes from.

    A fact is valid from ``valid_at`` to ``invalid_at``, as far as that is known.
    """

    id: str
    text: str
    created_at: datetime | None
    turns: tuple[TurnPlace, ...]
    updated_at: datetime | None = None
    score: float | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None

    @property
    def is_turn(self) -> bool:
        """Whether it is a turn rather than a fact."""
        return self.id.startswith(EPISODE)

    @property
    def sequences(self) -> tuple[int, ...]:
        """Of the turns that it comes from."""
        return tuple(one.sequence for one in self.turns)


async def list_entries(memory: Memory, mind: Mind, scope: Scope) -> list[Entry]:
    """
    The facts that hold, and turns that told no fact, as far as they belong to *scope*; newest first.

    Left out is what a person or an outcome found wrong.
    """
    facts = await _facts(mind, now=memory.clock.now())
    told = {source.sequence for fact in facts for source in fact.sources}
    turns = [turn for turn in await _turns(memory, mind) if turn.turn.sequence not in told]
    entries = [_of_fact(mind, fact) for fact in facts if _holds(fact)]
    wrong = await _contradicted(mind, turns)
    entries += [_of_turn(turn) for turn in turns if _is_shown(turn) and turn.turn.sequence not in wrong]
    meant = [one for one in entries if scope.window.holds(one.created_at)]
    return sorted(await _within(mind, scope, meant), key=_newest_first, reverse=True)


async def search_entries(
    memory: Memory, mind: Mind, scope: Scope, query: str, *, limit: int, least: float, also_ended: bool
) -> list[Entry]:
    """
    What answers *query*, best first, with a score of *least* or more.

    Left out is what a person or an outcome found wrong, what has ended, and a turn whose words are all in its facts.
    """
    window = TimeWindow(scope.window.since, scope.window.until, None if also_ended else memory.clock.now())
    found, _ = await memory.recall.remember(mind, query, kinds=_KINDS, window=window, limit=100, turns=scope.turns)
    holding = [one for one in found if _answers(one, least=least)]
    told = _words_told(holding)
    entries = [_of_remembered(mind, one) for one in holding if one.kind == "fact" or not _is_told(one, told)]
    return (await _within(mind, scope, entries))[:limit]


async def first_told(memory: Memory, mind: Mind, entry_id: str) -> tuple[Entry, tuple[Correction, ...]]:
    """
    One memory as it was told, and the edits and deletions that people made of it, oldest first.

    What they put in its place is a memory with an id of its own; what they made of that belongs to them, too.
    Raises FactNotFound, TurnNotFound, TurnErased.
    """
    entry, decided = await _told(memory, mind, entry_id)
    return entry, (*decided, *await _made_of_edits(mind, decided))


async def read_entry(memory: Memory, mind: Mind, entry_id: str) -> Entry:
    """
    One memory, in the words of its last edit.

    Raises FactNotFound, TurnNotFound, TurnErased, MemoryNotFound for what a person called wrong.
    """
    entry, decided = await first_told(memory, mind, entry_id)
    if not decided:
        return entry
    last = decided[-1]
    if last.to is None:
        raise MemoryNotFound("this memory was deleted")
    return replace(entry, text=last.to, updated_at=last.at)


async def turn_named(memory: Memory, mind: Mind, entry_id: str) -> TurnItem:
    """The turn with this id as a memory. Raises TurnNotFound, TurnErased."""
    named = _NAMED.fullmatch(entry_id)
    for stored in await mind.transcript.read_many((int(named[1]),)) if named is not None else ():
        if is_record(stored):
            break
        turn_id, is_erased = stored.turn.turn_id, stored.turn.kind is TurnKind.ERASED
        digest = turn_id if is_erased else id_digest(turn_id)  # of an erased turn's id nothing else is left
        if named is not None and digest[:_DIGITS] == named[2]:
            return await memory.catalog.turns.one(mind, f"{EPISODE}{stored.sequence}" if is_erased else turn_id)
    raise TurnNotFound("no memory has this id")


async def with_whole_words(mind: Mind, entries: Sequence[Entry]) -> list[Entry]:
    """*entries*, those that are turns in their own words."""
    turns = await mind.transcript.read_many([one.sequences[0] for one in entries if one.is_turn])
    by_sequence = {one.sequence: one for one in turns}
    return [
        replace(one, text=text_of(one, by_sequence.get(one.sequences[0]))) if one.is_turn else one for one in entries
    ]


def text_of(entry: Entry, turn: StoredTurn | None) -> str:
    """The words of a memory: of a turn that was found its own, unless they are too many."""
    if turn is None or entry.score is None or not entry.is_turn:
        return entry.text
    words = words_of(turn.turn)
    return words if len(words) <= _LONGEST_WHOLE else entry.text


def words_of(turn: Turn) -> str:
    """A turn in words: who said what, or the words alone where only a user or the bot's own thought speaks."""
    alone = turn.messages[0] if len(turn.messages) == 1 else None
    if alone is not None and alone.role in {"user", "thought"}:
        return alone.content
    return "\n".join(f"{one.name or one.role}: {one.content}" for one in turn.messages)


async def _facts(mind: Mind, *, now: datetime) -> list[FactItem]:
    facts: list[FactItem] = []
    cursor: str | None = None
    while True:
        page = await list_facts(mind, FactQuery(TimeWindow(), cursor=cursor, limit=_PAGE), now=now)
        facts.extend(page.items)
        cursor = page.next_cursor
        if cursor is None:
            return facts


async def _turns(memory: Memory, mind: Mind) -> list[TurnItem]:
    turns: list[TurnItem] = []
    cursor: str | None = None
    while True:
        page = await memory.catalog.turns.page(mind, TurnQuery(cursor=cursor, limit=_PAGE))
        turns.extend(page.items)
        cursor = page.next_cursor
        if cursor is None:
            return turns


async def _within(mind: Mind, scope: Scope, entries: list[Entry]) -> list[Entry]:
    """Those that a turn of *scope* told. What a person said of no turn belongs to the whole mind."""
    if scope.is_whole_mind:
        return entries
    wanted = dict.fromkeys(sequence for entry in entries for sequence in entry.sequences)
    held = {one.sequence for one in await mind.transcript.read_many(tuple(wanted)) if scope.holds(one)}
    return [entry for entry in entries if held.intersection(entry.sequences)]


async def _told(memory: Memory, mind: Mind, entry_id: str) -> tuple[Entry, tuple[Correction, ...]]:
    """One memory as it was told, and the edits and deletions of these words, oldest first."""
    if entry_id.startswith(EPISODE):
        turn = await turn_named(memory, mind, entry_id)
        entry, decided = _of_turn(turn), tuple(one for one in turn.corrections if one.target.kind == "turn")
    else:
        fact = await read_fact(mind, entry_id, now=memory.clock.now())
        entry, decided = _of_fact(mind, fact), fact.corrections
    return entry, tuple(sorted((one for one in decided if one.what in _NOT_SO), key=lambda one: one.at))


async def _made_of_edits(mind: Mind, decided: Sequence[Correction]) -> tuple[Correction, ...]:
    """What people made of the words that the last edit put in place, of those that came in their place, and so on."""
    standing = (await put_right_in(mind)).standing
    said = {one.id: one for one in standing.said}
    found = list(decided)
    while found and (words := said.get(found[-1].id)) is not None:
        truth = standing.of_statement(words).truth
        if truth is None or truth.what not in _NOT_SO or truth in found:
            break
        found.append(truth)
    return tuple(found[len(decided) :])


def _answers(found: Remembered, *, least: float) -> bool:
    return not (found.tells_wrong or found.is_contradicted) and 0 < found.score >= least


def _holds(fact: FactItem) -> bool:
    return fact.state in {"holding", "planned"} and not fact.is_contradicted


async def _contradicted(mind: Mind, items: Sequence[TurnItem]) -> frozenset[int]:
    """The turns that an outcome found wrong and no person confirmed."""
    put_right = await put_right_in(mind)

    def found() -> frozenset[int]:
        wrong = mind.outcomes.held_back({f"{EPISODE}{one.turn.sequence}": (one.turn.sequence,) for one in items})
        told = ((one.turn.sequence, words_of(one.turn.turn)) for one in items)
        return frozenset(
            sequence
            for sequence, words in told
            if f"{EPISODE}{sequence}" in wrong and not put_right.confirms(sequence, words)
        )

    return await anyio.to_thread.run_sync(found)


def _is_shown(item: TurnItem) -> bool:
    is_wrong = any(one.target.kind == "turn" and one.what in _NOT_SO for one in item.corrections)
    return item.digestion.state != "not_remembered" and not is_wrong


def _words_told(found: Iterable[Remembered]) -> dict[int, set[str]]:
    """The words of the facts that each turn told."""
    words: dict[int, set[str]] = {}
    for fact in (one for one in found if one.kind == "fact"):
        for source in fact.sources:
            words.setdefault(source.sequence, set()).update(tokens(fact.text))
    return words


def _is_told(turn: Remembered, told: Mapping[int, set[str]]) -> bool:
    """Whether the facts beside *turn* have all of its words."""
    return any(set(tokens(turn.text)) <= told.get(source.sequence, set()) for source in turn.sources)


def _of_fact(mind: Mind, fact: FactItem) -> Entry:
    if fact.said is not None:
        told, said = _as_written(fact.said, fact.text), fact.said
        return Entry(fact.id, told, said.at, _put_right(mind, said), said.at)
    at = min((source.timestamp for source in fact.sources), default=fact.valid_at)
    return Entry(fact.id, fact.text, at, _places(fact.sources), valid_at=fact.valid_at, invalid_at=fact.invalid_at)


def _of_turn(item: TurnItem) -> Entry:
    stored = item.turn
    place = TurnPlace(stored.sequence, stored.turn.turn_id)
    return Entry(place.entry_id, words_of(stored.turn), stored.occurred_at, (place,))


def _places(sources: Iterable[Source]) -> tuple[TurnPlace, ...]:
    return tuple(TurnPlace(one.sequence, one.turn_id) for one in sources)


def _as_written(said: Statement, text: str) -> str:
    """The words of an update as its caller wrote them; *text* has the name of who had told them, where one did."""
    return text if said.told_by else said.text


def _put_right(mind: Mind, said: Statement) -> tuple[TurnPlace, ...]:
    """The turns whose words an edit took the place of."""
    found = ((mind.transcript.positions.sequence_of(turn_id), turn_id) for turn_id in said.turn_ids)
    return tuple(TurnPlace(sequence, turn_id) for sequence, turn_id in found if sequence is not None)


def _of_remembered(mind: Mind, found: Remembered) -> Entry:
    turns = _places(found.sources) if found.statement is None else _put_right(mind, found.statement)
    return Entry(
        turns[0].entry_id if found.kind == "episode" and turns else found.id,
        found.text if found.statement is None else _as_written(found.statement, found.text),
        found.occurred_at,
        turns,
        score=found.score,
        valid_at=found.valid_at,
        invalid_at=found.invalid_at,
    )


def _newest_first(entry: Entry) -> float:
    return entry.created_at.timestamp() if entry.created_at is not None else 0.0
