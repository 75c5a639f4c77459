"""What both versions of Zep's API do with a thread's words and a user's memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from consolidation.corrections.record import What
from consolidation.kernel.errors import InvalidRequest, MemoryNotFound
from consolidation.kernel.turns import Turn
from service.catalog.turns import TurnQuery
from service.facades.entries import WholeMind, search_entries, turn_named, with_whole_words, words_of
from service.facades.records import GRAPH_SESSION
from service.facades.translation import turn_in
from service.facades.worker_of_mind import in_worker_of_mind
from service.facades.zep.messages import OURS, said_in, turns_of
from service.facades.zep.shapes import edge, episode, node
from service.facades.zep.users import context_of
from service.retrieval.time_window import TimeWindow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.turns import StoredTurn
    from service.composition.container import Memory
    from service.facades.entries import Entry, Scope
    from service.facades.zep.bodies import EpisodeIn, MessagesIn
    from service.facades.zep.messages import Said
    from service.facades.zep.users import Caller
    from service.mind.minds import Mind
    from service.retrieval.remembered import Remembered

_LONGEST_QUERY = 2_000
_NEWEST = 4  # messages that make a query


@dataclass(frozen=True, slots=True)
class Kept:
    """Messages that are on the disk, the ids of all that were sent, and the context if it was asked for."""

    said: tuple[Said, ...]
    ids: list[str]
    context: str | None


async def keep_messages(caller: Caller, mind_id: str, thread_id: str, posted: MessagesIn, *, key: str | None) -> Kept:
    """Keep messages, all of them or none. The same *key* again stores nothing twice."""
    memory = caller.memory
    bodies, ids = turns_of(
        posted.messages,
        session_id=thread_id,
        key=key or memory.clock.fresh_id(),
        ignored=posted.ignore_roles or (),
    )
    if not bodies:
        raise InvalidRequest("every message is empty", pointer="#/messages/0/content")
    turns = [
        Turn(str(one.turn_id), thread_id, tuple(m.as_message() for m in one.messages), one.as_kind(), one.metadata)
        for one in bodies
    ]
    await caller.places.note(thread_id, memory, mind_id=mind_id)  # first: a call that fails is sent again
    with memory.minds.gate.enter(mind_id):
        await memory.new_minds.check(mind_id, by=caller.principal)
        kept = await memory.intake.accept_parts(mind_id, turns)
    context = await context_of(caller, mind_id, thread_id) if posted.return_context else None
    return Kept(tuple(said_in(one.stored for one in kept)), ids, context)


async def keep_data(
    caller: Caller, mind_id: str, posted: Sequence[EpisodeIn], *, graph_id: str | None = None, key: str | None = None
) -> list[dict[str, Any]]:
    """
    Keep data of a graph as thoughts of the bot's own, or as what a user said; as episodes. All of them or none.

    Each stands by itself: one that is off the record takes none beside it along.

    The same *key* again stores nothing twice.
    """
    begin = key or caller.memory.clock.fresh_id()
    turns = [_turn_of(one, graph_id=graph_id, key=f"{begin}:{at}" if at else begin) for at, one in enumerate(posted)]
    with caller.memory.minds.gate.enter(mind_id):
        await caller.memory.new_minds.check(mind_id, by=caller.principal)
        kept = await caller.memory.intake.accept_notes(mind_id, turns)
    return [episode(mind_id, one.stored, content=sent.data) for one, sent in zip(kept, posted, strict=True)]


def _turn_of(posted: EpisodeIn, *, graph_id: str | None, key: str) -> Turn:
    sent = {
        "type": posted.type,
        "source_description": posted.source_description,
        "metadata": posted.metadata,
        "graph_id": graph_id,
    }
    role = "user" if posted.type == "message" else "thought"
    told_at = posted.reference_time or posted.created_at
    at = told_at.isoformat() if told_at is not None else None
    body = turn_in(
        {
            "turn_id": f"zep:graph:{key}",
            "session_id": GRAPH_SESSION,
            "messages": [{"role": role, "content": posted.data, "timestamp": at}],
            "metadata": {OURS: {name: value for name, value in sent.items() if value is not None}},
        }
    )
    said = tuple(one.as_message() for one in body.messages)
    return Turn(str(body.turn_id), GRAPH_SESSION, said, metadata=body.metadata)


async def found_in(
    caller: Caller, mind_id: str, query: str, *, limit: int, scope: Scope | None = None, least: float = 0.0
) -> list[Entry]:
    """Facts, and turns that told none, that answer *query*. Raises MindNotFound."""
    return await _found_in(
        caller.memory, mind_id, query[:_LONGEST_QUERY], limit=limit, scope=scope or WholeMind(), least=least
    )


@in_worker_of_mind
async def _found_in(memory: Memory, mind_id: str, query: str, *, limit: int, scope: Scope, least: float) -> list[Entry]:
    with memory.minds.gate.enter(mind_id):
        mind = await memory.minds.find(mind_id)
        found = await search_entries(memory, mind, scope, query, limit=limit, least=least, also_ended=False)
        return await with_whole_words(mind, found)


async def search_graph(
    caller: Caller, mind_id: str, query: str, *, scope: str, limit: int, episode_field: str
) -> list[dict[str, Any]]:
    """Edges, nodes or episodes that answer *query*, best first. Raises MindNotFound."""
    if scope == "edges":
        found = await found_in(caller, mind_id, query, limit=limit)
        return [edge(mind_id, one, episode_field=episode_field) for one in found]
    memory = caller.memory
    with memory.minds.gate.enter(mind_id):
        mind = await memory.minds.find(mind_id)
        if scope == "nodes":
            entities, _ = await memory.recall.remember(
                mind, query, kinds=frozenset({"entity"}), window=TimeWindow(), limit=limit
            )
            return [node(mind_id, one) for one in entities if not _is_called_wrong(one)]
        episodes, _ = await memory.recall.remember(
            mind, query, kinds=frozenset({"episode"}), window=TimeWindow(), limit=limit
        )
        scores = {source.sequence: one.score for one in episodes for source in one.sources}
        turns = {one.sequence: one for one in await mind.transcript.read_many(list(scores))}
    return [_episode(mind_id, turns[one], score=scores[one]) for one in scores if one in turns]


def _is_called_wrong(entity: Remembered) -> bool:
    """Whether a person said that something of it is not so; what they said in its place stays."""
    return entity.is_contradicted or any(one.what is What.WRONG for one in entity.corrections)


async def episodes_of(caller: Caller, mind_id: str, *, most: int) -> list[dict[str, Any]]:
    """The newest turns that are remembered, newest first. Raises MindNotFound."""
    with caller.memory.minds.gate.enter(mind_id):
        mind = await caller.memory.minds.find(mind_id)
        return [_episode(mind_id, one) for one in await _newest(caller, mind, most=most)]


async def one_episode(caller: Caller, mind_id: str, entry_id: str) -> dict[str, Any]:
    """One turn. Raises TurnNotFound, TurnErased, MindNotFound."""
    with caller.memory.minds.gate.enter(mind_id):
        mind = await caller.memory.minds.find(mind_id)
        return _episode(mind_id, (await turn_named(caller.memory, mind, entry_id)).turn)


def one_of(said: list[Said], message_id: str) -> Said:
    """The message with this id. Raises MemoryNotFound."""
    found = next((one for one in said if one.id == message_id), None)
    if found is None:
        raise MemoryNotFound("this thread has no message with this uuid")
    return found


def newest_words(said: list[Said]) -> str:
    """What the newest messages of a thread say, as a query."""
    return "\n".join(one.message.content for one in said[-_NEWEST:])[-_LONGEST_QUERY:]


def _episode(mind_id: str, stored: StoredTurn, *, score: float | None = None) -> dict[str, Any]:
    return episode(mind_id, stored, content=words_of(stored.turn), score=score)


async def _newest(caller: Caller, mind: Mind, *, most: int) -> list[StoredTurn]:
    found: list[StoredTurn] = []
    cursor: str | None = None
    while len(found) < most:
        page = await caller.memory.catalog.turns.page(mind, TurnQuery(cursor=cursor, limit=most))
        found += [one.turn for one in page.items if one.turn.is_remembered]
        cursor = page.next_cursor
        if cursor is None:
            break
    return found[:most]
