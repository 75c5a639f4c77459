"""Users, threads, messages and facts with the fields of Zep's answers: by version 2 of its API, and by version 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from service.facades.entries import TurnPlace
from service.facades.memory_ids import id_of
from service.facades.records import OF_ZEP
from service.facades.translation import iso

if TYPE_CHECKING:
    from consolidation.kernel.turns import StoredTurn
    from service.facades.entries import Entry
    from service.facades.zep.graphs import Graph
    from service.facades.zep.messages import Said
    from service.facades.zep.users import Thread, User
    from service.retrieval.remembered import Remembered

_FACT, _EPISODE = "FACT", "EPISODE"  # the name of an edge, where Zep has the kind of relation
TASK = {"status": "succeeded"}  # of what version 4 does in the background, and we before the answer


def user_v4(user: User) -> dict[str, Any]:
    """A user for the client of version 4: its uuid is the mind's id."""
    return {
        **user.profile,
        "uuid": user.mind_id,
        "user_id": user.user_id,
        "graph_uuid": user.mind_id,
        "created_at": iso(user.created_at),
    }


def user_v2(user: User) -> dict[str, Any]:
    """A user for the clients of version 2."""
    return user_v4(user) | {"updated_at": iso(user.updated_at), "session_count": user.threads}


def graph_v4(graph: Graph) -> dict[str, Any]:
    """A graph without a user for the client of version 4: its uuid is the mind's id."""
    return {
        **graph.about,
        "uuid": graph.mind_id,
        "graph_id": graph.graph_id,
        "type": "standard",
        "created_at": iso(graph.created_at),
        "updated_at": iso(graph.updated_at),
    }


def graph_v2(graph: Graph) -> dict[str, Any]:
    """A graph without a user for the clients of version 2."""
    shown = graph_v4(graph)
    del shown["type"]
    return shown


def thread_v4(thread: Thread) -> dict[str, Any]:
    """A thread for the client of version 4: its uuid names the mind and the session."""
    return {
        "uuid": id_of(thread.mind_id, thread.thread_id),
        "thread_id": thread.thread_id,
        "user_uuid": thread.mind_id,
        "graph_uuid": thread.mind_id,
        "created_at": iso(thread.created_at),
        "updated_at": iso(thread.updated_at),
    }


def thread_v2(thread: Thread) -> dict[str, Any]:
    """A thread for the clients of version 2."""
    return thread_v4(thread) | {"user_id": thread.user_id}


def session_v2(thread: Thread) -> dict[str, Any]:
    """A session for the clients before threads."""
    return thread_v2(thread) | {"session_id": thread.thread_id, "metadata": thread.metadata}


def message_of_session(said: Said) -> dict[str, Any]:
    """A message for the clients before threads, in which ``role`` is the speaker's name."""
    return {
        **_message(said),
        "role_type": said.role_type,
        "role": said.name or said.role_type,
        "token_count": said.turn.tokens if len(said.turn.turn.messages) == 1 else None,
    }


def message_of_thread(said: Said) -> dict[str, Any]:
    """A message of a thread, for version 2."""
    return {**_message(said), "role": said.role_type, "name": said.name, "processed": True}


def message_v4(said: Said, *, thread_uuid: str) -> dict[str, Any]:
    """A message for version 4."""
    at = iso(said.message.timestamp or said.turn.accepted_at)
    shown = message_of_thread(said) | {"thread_uuid": thread_uuid, "reference_time": at}
    return shown | {"created_at": iso(said.turn.accepted_at)}


def fact_v2(mind_id: str, entry: Entry) -> dict[str, Any]:
    """A memory as a fact for the clients before threads."""
    return {
        "uuid": id_of(mind_id, entry.id),
        "fact": entry.text,
        "content": entry.text,
        "name": _EPISODE if entry.is_turn else _FACT,
        "created_at": iso(entry.created_at) or "",
        "valid_at": iso(entry.valid_at),
        "invalid_at": iso(entry.invalid_at),
    }


def edge(mind_id: str, entry: Entry, *, episode_field: str) -> dict[str, Any]:
    """A memory as an edge. Which entities a fact joins is not known here, so both ends are empty."""
    return {
        "uuid": id_of(mind_id, entry.id),
        "fact": entry.text,
        "name": _EPISODE if entry.is_turn else _FACT,
        "source_node_uuid": "",
        "target_node_uuid": "",
        "created_at": iso(entry.created_at) or "",
        "valid_at": iso(entry.valid_at or entry.created_at),
        "invalid_at": iso(entry.invalid_at),
        "score": entry.score,
        episode_field: [id_of(mind_id, one.entry_id) for one in entry.turns],
    }


def node(mind_id: str, found: Remembered) -> dict[str, Any]:
    """An entity as a node, with the newest episodes that mention it; there may be more."""
    return {
        "uuid": id_of(mind_id, found.id),
        "name": next(iter(found.names), found.text),
        "summary": found.text,
        "labels": [found.entity_kind] if found.entity_kind else [],
        "created_at": iso(found.occurred_at) or "",
        "score": found.score,
        "episode_uuids": [
            id_of(mind_id, TurnPlace(one.sequence, one.turn_id).entry_id) for one in reversed(found.sources)
        ],
        "episode_uuids_truncated": True,
    }


def episode(mind_id: str, stored: StoredTurn, *, content: str, score: float | None = None) -> dict[str, Any]:
    """A turn as an episode."""
    kept = stored.turn.metadata.get(OF_ZEP)
    sent: dict[str, Any] = kept if isinstance(kept, dict) else {}
    first = stored.turn.messages[0]
    return {
        "uuid": id_of(mind_id, TurnPlace(stored.sequence, stored.turn.turn_id).entry_id),
        "content": content,
        "created_at": iso(stored.occurred_at),
        "processed": True,
        "role": first.name,
        "role_type": first.role.value if first.role.value != "thought" else "norole",
        "source": sent.get("type") or "message",
        "source_description": sent.get("source_description"),
        "metadata": sent.get("metadata"),
        "thread_id": stored.turn.session_id,
        "score": score,
    }


def _message(said: Said) -> dict[str, Any]:
    return {
        "uuid": said.id,
        "content": said.message.content,
        "metadata": said.sent.get("metadata"),
        "created_at": iso(said.message.timestamp or said.turn.accepted_at),
    }
