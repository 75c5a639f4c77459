"""Turns as Graphiti's episodes, and memories as its facts, with everything as it was sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consolidation.kernel.speaker_names import fault_in
from consolidation.kernel.turns import Message, Speaker, Turn
from service.facades.memory_ids import id_of
from service.facades.translation import iso

if TYPE_CHECKING:
    from datetime import datetime

    from consolidation.kernel.turns import StoredTurn
    from service.facades.entries import Entry
    from service.facades.graphiti.bodies import EntityIn, MessageOfGraphiti

OURS = "graphiti"  # the field of a turn's metadata that keeps what Graphiti knows of an episode
SESSION = "graphiti"  # of every turn: Graphiti has no sessions
_LONGEST_QUERY = 2_000
_FACT, _EPISODE = "FACT", "EPISODE"  # the name of an edge, where Graphiti has the kind of relation


def turn_of(message: MessageOfGraphiti, *, group_id: str, fresh_id: str) -> Turn:
    """The turn of one message. A role that can not be a speaker's name here is kept beside it all the same."""
    role = message.role or None
    name = role if role is not None and not fault_in(role, role=message.role_type) else None
    sent = {
        "group_id": group_id,
        "name": message.name,
        "role": message.role,
        "source_description": message.source_description,
    }
    said = Message(Speaker(message.role_type), message.content, message.timestamp, name)
    return Turn(message.uuid or fresh_id, SESSION, (said,), metadata={OURS: sent})


def turn_of_entity(entity: EntityIn) -> Turn:
    """An entity as a thought of the bot's own."""
    text = f"{entity.name}: {entity.summary}" if entity.summary else entity.name
    sent = {"group_id": entity.group_id, "name": entity.name, "entity": True, "summary": entity.summary}
    return Turn(entity.uuid, SESSION, (Message(Speaker.THOUGHT, text),), metadata={OURS: sent})


def as_episode(stored: StoredTurn, *, mind_id: str) -> dict[str, Any]:
    """A turn with the fields of an ``EpisodicNode``; the group's name as it was sent, where it was."""
    sent = stored.turn.metadata.get(OURS)
    known: dict[str, Any] = sent if isinstance(sent, dict) else {}
    content = "\n".join(_line(one, role=known.get("role")) for one in stored.turn.messages)
    return {
        "uuid": stored.turn.turn_id,
        "name": known.get("name") or "",
        "group_id": known.get("group_id") or mind_id,
        "labels": [],
        "created_at": stored.accepted_at.isoformat(),
        "source": "message",
        "source_description": known.get("source_description") or "",
        "content": content,
        "valid_at": stored.occurred_at.isoformat(),
        "entity_edges": [],
    }


def as_entity(entity: EntityIn, *, created_at: datetime) -> dict[str, Any]:
    """An entity with the fields of an ``EntityNode``."""
    return {
        "uuid": entity.uuid,
        "name": entity.name,
        "group_id": entity.group_id,
        "labels": [],
        "created_at": created_at.isoformat(),
        "name_embedding": None,
        "summary": entity.summary,
        "attributes": {},
    }


def as_fact(mind_id: str, entry: Entry) -> dict[str, Any]:
    """A memory with the fields of a ``FactResult``."""
    return {
        "uuid": id_of(mind_id, entry.id),
        "name": _EPISODE if entry.is_turn else _FACT,
        "fact": entry.text,
        "valid_at": iso(entry.valid_at or entry.created_at),
        "invalid_at": iso(entry.invalid_at),
        "created_at": iso(entry.created_at),
        "expired_at": None,
    }


def query_of(messages: list[MessageOfGraphiti]) -> str:
    """What the newest messages say, as far as a query may be long."""
    found, length = list[str](), 0
    for message in reversed(messages):
        text = message.content.strip()[:_LONGEST_QUERY]
        if not text:
            continue
        length += len(text) + 1
        if found and length > _LONGEST_QUERY:
            break
        found.append(text)
    return "\n".join(reversed(found))


def _line(message: Message, *, role: object) -> str:
    name = role if isinstance(role, str) else message.name or ""
    return f"{name}({message.role.value}): {message.content}"
