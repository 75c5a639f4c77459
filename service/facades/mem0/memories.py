"""Memories as mem0 shows them: its fields, with the ids as they were sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from service.facades.entries import text_of
from service.facades.mem0.scope import OURS, ids_of
from service.facades.memory_ids import id_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.turns import StoredTurn
    from service.facades.entries import Entry
    from service.mind.minds import Mind


async def as_json(mind: Mind, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """*entries* with mem0's fields. ``id`` names the mind as well, since mem0's calls by id name no user."""
    wanted = dict.fromkeys(entry.sequences[0] for entry in entries if entry.sequences)
    turns = {one.sequence: one for one in await mind.transcript.read_many(tuple(wanted))}
    return [_json(mind, one, turns.get(one.sequences[0]) if one.sequences else None) for one in entries]


def _json(mind: Mind, entry: Entry, turn: StoredTurn | None) -> dict[str, Any]:
    metadata = {} if turn is None else {name: one for name, one in turn.turn.metadata.items() if name != OURS}
    sent = {} if turn is None else ids_of(turn)
    changed_at = entry.updated_at or entry.created_at
    shown: dict[str, Any] = {
        "id": id_of(mind.mind_id, entry.id),
        "memory": text_of(entry, turn),
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
