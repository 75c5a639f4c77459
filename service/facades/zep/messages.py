"""Zep's messages as turns and back, with ids, roles, names, metadata and times as they were sent."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import InvalidRequest
from consolidation.kernel.speaker_names import fault_in
from service.facades.records import OF_ZEP, is_record
from service.facades.translation import turn_in
from service.ingest.intake import emptiness

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from consolidation.kernel.turns import Message, StoredTurn
    from service.facades.zep.bodies import MessageOfZep
    from service.http.schemas.turns import TurnIn

OURS = OF_ZEP
_ROLES = {"function": "tool", "norole": "user"}  # those that have another word here
_NAMESPACE = uuid.UUID("5b0f2a52-0d3b-4b58-9f5c-2f9f0f0d7a01")


@dataclass(frozen=True, slots=True)
class Said:
    """A message as it is kept, and what of it only Zep knows. ``sequence`` is its turn's."""

    id: str
    message: Message
    sent: dict[str, Any]
    turn: StoredTurn

    @property
    def role_type(self) -> str:
        """Its role, by Zep's word."""
        return str(self.sent.get("role_type") or self.message.role.value)

    @property
    def name(self) -> str | None:
        """The speaker's name, as it was sent."""
        return self.sent.get("name") or self.message.name


def turns_of(
    messages: Sequence[MessageOfZep], *, session_id: str, key: str, ignored: Iterable[str]
) -> tuple[list[TurnIn], list[str]]:
    """
    Turns for *messages*, and the id of each message. The same *key* gives the same ids.

    Messages with a role that is *ignored* make turns of their own, which are kept and not remembered. Messages without
    words are left out. Raises InvalidRequest where an id comes twice.
    """
    ids = [one.uuid or str(uuid.uuid5(_NAMESPACE, f"{key}:{at}")) for at, one in enumerate(messages)]
    for at, one in enumerate(ids):
        if one in ids[:at]:
            raise InvalidRequest("is the uuid of an earlier message", pointer=f"#/messages/{at}/uuid")
    not_remembered = frozenset(ignored)
    said = [(one, own) for one, own in zip(messages, ids, strict=True) if not emptiness(one.content)]
    runs = groupby(said, key=lambda one: one[0].kind in not_remembered)
    turns = [
        _turn(list(run), session_id=session_id, turn_id=f"zep:{key}:{at}", is_ignored=is_ignored)
        for at, (is_ignored, run) in enumerate(runs)
    ]
    return turns, ids


def said_in(turns: Iterable[StoredTurn]) -> Iterator[Said]:
    """The messages of *turns*, in order. What only keeps a record of ours is none."""
    for turn in turns:
        if is_record(turn):
            continue
        known = turn.turn.metadata.get(OURS)
        kept: dict[str, Any] = known if isinstance(known, dict) else {}
        sent = kept.get("messages")
        for at, message in enumerate(turn.turn.messages):
            own = message.id or f"{turn.turn.turn_id}:{at}"
            yield Said(own, message, (sent.get(own) if isinstance(sent, dict) else None) or {}, turn)


def _turn(run: list[tuple[MessageOfZep, str]], *, session_id: str, turn_id: str, is_ignored: bool) -> TurnIn:
    return turn_in(
        {
            "turn_id": turn_id,
            "session_id": session_id,
            "kind": "probe" if is_ignored else "turn",
            "messages": [_message(one, own) for one, own in run],
            "metadata": {OURS: {"messages": {own: _sent(one) for one, own in run}}},
        }
    )


def _message(sent: MessageOfZep, own: str) -> dict[str, Any]:
    kind = str(sent.kind)
    role = _ROLES.get(kind, kind)
    at = sent.reference_time or sent.created_at
    name = sent.speaker if sent.speaker is not None and not fault_in(sent.speaker, role=role) else None
    return {
        "id": own,
        "role": role,
        "content": sent.content,
        "name": name,
        "timestamp": at.isoformat() if at is not None else None,
    }


def _sent(message: MessageOfZep) -> dict[str, Any]:
    known = {"role_type": message.kind, "name": message.speaker, "metadata": message.metadata}
    return {name: value for name, value in known.items() if value is not None}
