"""Memories as mem0 shows them: facts, and the words of turns that told none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from consolidation.corrections.record import What
from consolidation.kernel.errors import MemoryNotFound
from service.catalog.facts import FactQuery, list_facts, read_fact
from service.catalog.turns import TurnQuery
from service.facades.mem0.scope import OURS, ids_of
from service.retrieval.remember import TimeWindow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from consolidation.corrections.record import Correction
    from consolidation.kernel.turns import StoredTurn, Turn
    from service.catalog.facts import FactItem
    from service.catalog.turns import TurnItem
    from service.composition.container import Memory
    from service.facades.mem0.scope import Scope
    from service.mind.minds import Mind
    from service.retrieval.remember import Kind, Remembered

EPISODE = "episode:"
_PAGE = 500
_LONGEST_WHOLE = 2_000  # characters of a turn above which a search shows the words that matter
_KINDS: frozenset[Kind] = frozenset({"fact", "episode"})
_NOT_SO = frozenset({What.WRONG, What.EDIT})


@dataclass(frozen=True, slots=True)
class Entry:
    """A memory: its id within its mind, its words, when they were said, and the turns that it comes from."""

    id: str
    text: str
    created_at: datetime | None
    sequences: tuple[int, ...]
    updated_at: datetime | None = None
    score: float | None = None


async def list_entries(memory: Memory, mind: Mind, scope: Scope) -> list[Entry]:
    """The facts that hold, and turns that told no fact, as far as they belong to *scope*; newest first."""
    facts = await _facts(mind, now=memory.clock.now())
    told = {source.sequence for fact in facts for source in fact.sources}
    turns = [turn for turn in await _turns(memory, mind) if turn.turn.sequence not in told]
    entries = [_of_fact(fact) for fact in facts if fact.state in {"holding", "planned"}]
    entries += [_of_turn(turn) for turn in turns if _is_shown(turn)]
    meant = [one for one in entries if scope.window.holds(one.created_at)]
    return sorted(await _within(mind, scope, meant), key=_newest_first, reverse=True)


async def search_entries(
    memory: Memory, mind: Mind, scope: Scope, query: str, *, limit: int, least: float, also_ended: bool
) -> list[Entry]:
    """
    What answers *query*, best first, with a score of *least* or more.

    Left out is what a person or an outcome found wrong, what has ended, and a turn beside the fact that it told.
    """
    window = TimeWindow(scope.window.since, scope.window.until, None if also_ended else memory.clock.now())
    found, _ = await memory.recall.remember(mind, query, kinds=_KINDS, window=window, limit=100)
    told = {source.sequence for one in found if one.kind == "fact" for source in one.sources}
    entries = [_of_remembered(one) for one in found if one.score >= least and _holds(one, told)]
    return (await _within(mind, scope, entries))[:limit]


async def first_told(memory: Memory, mind: Mind, entry_id: str) -> tuple[Entry, tuple[Correction, ...]]:
    """
    One memory as it was told, and the edits and deletions that people made of it, oldest first.

    Raises FactNotFound, TurnNotFound, TurnErased.
    """
    if entry_id.startswith(EPISODE):
        turn = await memory.catalog.turns.one(mind, entry_id)
        entry, decided = _of_turn(turn), tuple(one for one in turn.corrections if one.target.kind == "turn")
    else:
        fact = await read_fact(mind, entry_id, now=memory.clock.now())
        entry, decided = _of_fact(fact), fact.corrections
    return entry, tuple(sorted((one for one in decided if one.what in _NOT_SO), key=lambda one: one.at))


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
    return Entry(entry.id, last.to, entry.created_at, entry.sequences, last.at)


async def as_json(mind: Mind, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """*entries* with mem0's fields. ``id`` names the mind as well, since mem0's calls by id name no user."""
    wanted = dict.fromkeys(entry.sequences[0] for entry in entries if entry.sequences)
    turns = {one.sequence: one for one in await mind.transcript.read_many(tuple(wanted))}
    return [_json(mind, one, turns.get(one.sequences[0]) if one.sequences else None) for one in entries]


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
    """Those that a turn of *scope* told. What a person said belongs to the whole mind."""
    if scope.is_whole_mind:
        return entries
    wanted = dict.fromkeys(sequence for entry in entries for sequence in entry.sequences)
    held = {one.sequence for one in await mind.transcript.read_many(tuple(wanted)) if scope.holds(one)}
    return [entry for entry in entries if held.intersection(entry.sequences)]


def _is_shown(item: TurnItem) -> bool:
    is_wrong = any(one.target.kind == "turn" and one.what in _NOT_SO for one in item.corrections)
    return item.digestion.state != "not_remembered" and not is_wrong


def _holds(found: Remembered, told: Iterable[int]) -> bool:
    if found.tells_wrong or found.is_contradicted:
        return False
    return found.kind == "fact" or not any(source.sequence in told for source in found.sources)


def _of_fact(fact: FactItem) -> Entry:
    if fact.said is not None:
        return Entry(fact.id, fact.text, fact.said.at, (), fact.said.at)
    at = min((source.timestamp for source in fact.sources), default=fact.valid_at)
    return Entry(fact.id, fact.text, at, tuple(source.sequence for source in fact.sources))


def _of_turn(item: TurnItem) -> Entry:
    stored = item.turn
    return Entry(f"{EPISODE}{stored.sequence}", words_of(stored.turn), stored.occurred_at, (stored.sequence,))


def _of_remembered(found: Remembered) -> Entry:
    sequences = tuple(source.sequence for source in found.sources)
    return Entry(found.id, found.text, found.occurred_at, sequences, score=found.score)


def _json(mind: Mind, entry: Entry, turn: StoredTurn | None) -> dict[str, Any]:
    text = entry.text
    if turn is not None and entry.score is not None and entry.id.startswith(EPISODE):
        words = words_of(turn.turn)
        text = words if len(words) <= _LONGEST_WHOLE else text
    metadata = {} if turn is None else {name: one for name, one in turn.turn.metadata.items() if name != OURS}
    sent = {} if turn is None else ids_of(turn)
    changed_at = entry.updated_at or entry.created_at
    shown: dict[str, Any] = {
        "id": f"{mind.mind_id}:{entry.id}",
        "memory": text,
        "user_id": sent.get("user_id"),
        "agent_id": sent.get("agent_id"),
        "app_id": sent.get("app_id"),
        "run_id": sent.get("run_id"),
        "metadata": metadata,
        "categories": [],
        "created_at": entry.created_at.isoformat() if entry.created_at is not None else None,
        "updated_at": changed_at.isoformat() if changed_at is not None else None,
    }
    return shown if entry.score is None else shown | {"score": entry.score}


def _newest_first(entry: Entry) -> float:
    return entry.created_at.timestamp() if entry.created_at is not None else 0.0
