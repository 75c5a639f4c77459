"""Keys and the audit log, as people look after them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, Field

from service.access.principal import scopes_of
from service.http.schemas.fields import Answered
from service.http.schemas.sessions import Minds, Scopes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from service.access.audit_log import AuditEntry
    from service.access.keys import ApiKey

KEYS: dict[str, Any] = {
    "keys": [
        {
            "id": "1a2b3c4d",
            "name": "my bot",
            "scopes": ["minds", "administration"],
            "minds": None,
            "created_at": "2026-01-09T18:31:00Z",
            "expires_at": None,
            "last_used_at": None,
        }
    ]
}
AUDIT: dict[str, Any] = {
    "items": [
        {
            "line": 1,
            "at": "2026-01-09T18:31:00Z",
            "event": "session.begun",
            "by": "1a2b3c4d",
            "mind_id": None,
            "session": "5e6f7a8b",
        }
    ],
    "is_intact": True,
    "fault": None,
    "next_cursor": None,
}


class KeyOut(Answered):
    """A key. Its secret is known to nobody but its holder."""

    id: str
    name: str
    scopes: Scopes
    minds: Minds
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None = Field(description="To the hour; null before its first use.")


class KeysOut(Answered):
    """The keys that were not revoked, in the order in which they were made."""

    keys: list[KeyOut]


class AuditLineOut(Answered):
    """A change. It has more fields, as the change needs them: ids, counts and sizes, never text."""

    model_config = ConfigDict(**{**Answered.model_config, "extra": "allow"})

    line: int = Field(description="Its place in the file, from 1.")
    at: datetime
    event: str
    by: str = Field(description="A key's id, `owner` for commands and their sessions, `local` without keys.")
    mind_id: str | None


class AuditOut(Answered):
    """Changes, newest first, and whether the log is as it was written."""

    items: list[AuditLineOut]
    is_intact: bool = Field(description="Whether each line of the log, on other pages too, is as it was written.")
    fault: str | None = Field(description="Where it is not.")
    next_cursor: str | None


def keys_out(keys: Iterable[ApiKey]) -> KeysOut:
    """Keys as they are answered."""
    return KeysOut(
        keys=[
            KeyOut(
                id=key.key_id,
                name=key.name,
                scopes=list(scopes_of(key.minds)),
                minds=list(key.minds) if key.minds is not None else None,
                created_at=key.created_at,
                expires_at=key.expires_at,
                last_used_at=key.last_used_at,
            )
            for key in keys
        ]
    )


def audit_line_out(entry: AuditEntry) -> AuditLineOut:
    """A line as it is answered."""
    known = {"line": entry.line, "at": entry.at, "event": entry.action, "by": entry.by, "mind_id": entry.mind_id}
    return AuditLineOut.model_validate({**entry.details, **known})
