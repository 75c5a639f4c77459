"""
One turn as one line of the transcript, and back.

A line is JSON whose last field is a checksum of everything before it: ``{"sequence":1,…,"crc":"89abcdef"}``. So a torn
write and a flipped bit are never taken for a turn. The tombstone of an erased turn is exactly as long as the line of
the turn was, so that no other line moves.
"""

from __future__ import annotations

import json
import re
import zlib
from datetime import UTC, datetime
from typing import Any

from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn, TurnKind
from consolidation.transcript.tombstones import as_tombstone

_SEAL = re.compile(rb',"crc":"([0-9a-f]{8})"\}$')


class DamagedRecord(ValueError):
    """The line is not what was written."""


def encode(kept: StoredTurn) -> bytes:
    """Return *kept* as one line of UTF-8, newline included; text must hold no lone surrogate."""
    turn = kept.turn
    record = {
        "sequence": kept.sequence,
        "turn_id": turn.turn_id,
        "session_id": turn.session_id,
        "accepted_at": _instant(kept.accepted_at),
        "kind": turn.kind.value,
        "tokens": kept.tokens,
        "messages": [_message(message) for message in turn.messages],
        "metadata": dict(turn.metadata),
    }
    return sealed(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()) + b"\n"


def encode_tombstone(tombstone: StoredTurn, *, length: int) -> bytes:
    """Return *tombstone* as one line of *length* bytes, which is that of the turn it stands for; without newline."""
    turn = tombstone.turn
    record = {
        "sequence": tombstone.sequence,
        "erased": turn.turn_id,
        "session": turn.session_id,
        "salt": turn.metadata["salt"],
        "said": turn.metadata["said"],
    }
    body = json.dumps(record, separators=(",", ":")).encode()[:-1]
    body += b" " * (length - len(body) - len(b',"crc":"00000000"}'))
    return body + b',"crc":"%08x"}' % zlib.crc32(body + b"}")


def decode(line: bytes) -> StoredTurn:
    """Read one line without its newline. Raises DamagedRecord."""
    body = unsealed(line)
    if body is None:
        raise DamagedRecord("no checksum at the end")
    try:
        return _kept(json.loads(body))
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedRecord(f"not a record: {error}") from error


def sealed(body: bytes) -> bytes:
    """Return *body*, a JSON object, with its checksum as the last field."""
    return body[:-1] + b',"crc":"%08x"}' % zlib.crc32(body)


def unsealed(line: bytes) -> bytes | None:
    """The object that a *line* was before it was sealed; None where it has no checksum. Raises DamagedRecord."""
    seal = _SEAL.search(line)
    if seal is None:
        return None
    body = line[: seal.start()] + b"}"
    if zlib.crc32(body) != int(seal[1], 16):
        raise DamagedRecord("the checksum does not fit")
    return body


def _kept(record: dict[str, Any]) -> StoredTurn:
    if "erased" in record:
        said = [str(digest) for digest in record["said"]]
        return as_tombstone(record["sequence"], record["erased"], record["session"], record["salt"], said)
    turn = Turn(
        turn_id=record["turn_id"],
        session_id=record["session_id"],
        messages=tuple(_read_message(message) for message in record["messages"]),
        kind=TurnKind(record["kind"]),
        metadata=record["metadata"],
    )
    return StoredTurn(record["sequence"], datetime.fromisoformat(record["accepted_at"]), turn, record.get("tokens", 0))


def _message(message: Message) -> dict[str, str]:
    fields = {
        "role": message.role.value,
        "content": message.content,
        "timestamp": _instant(message.timestamp) if message.timestamp else None,
        "name": message.name,
        "id": message.id,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _read_message(fields: dict[str, str]) -> Message:
    said_at = fields.get("timestamp")
    return Message(
        role=Speaker(fields["role"]),
        content=fields["content"],
        timestamp=datetime.fromisoformat(said_at) if said_at else None,
        name=fields.get("name"),
        id=fields.get("id"),
    )


def _instant(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")
