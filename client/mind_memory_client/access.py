"""Who may call a service, who changed what, and what is set for it as a whole."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import ConfigDict, JsonValue

from mind_memory_client.answers import Answer

Scope = Literal["minds", "administration"]


class Session(Answer):
    """A browser session that was begun; its ``token`` is shown this once. ``minds`` of None are all."""

    token: str
    expires_at: datetime
    name: str
    key_id: str | None
    scopes: tuple[Scope, ...]
    minds: tuple[str, ...] | None


class Standing(Answer):
    """Who calls; ``access`` is "open" where nobody needs a key."""

    name: str
    key_id: str | None
    scopes: tuple[Scope, ...]
    minds: tuple[str, ...] | None
    access: Literal["open", "key", "session"]
    expires_at: datetime | None


class ConsoleLink(Answer):
    """A link to the console; ``ticket`` is None where nobody needs to sign in."""

    ticket: str | None
    url: str
    expires_at: datetime | None


class KnownKey(Answer):
    """An API key that was not revoked."""

    id: str
    name: str
    scopes: tuple[Scope, ...]
    minds: tuple[str, ...] | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class KnownKeys(Answer):
    """The API keys of a service, in the order in which they were made."""

    keys: tuple[KnownKey, ...]


class AuditLine(Answer):
    """A change; ``model_extra`` has the fields of its own."""

    model_config = ConfigDict(extra="allow", frozen=True, populate_by_name=True)

    line: int
    at: datetime
    event: str
    by: str
    mind_id: str | None


class AuditPage(Answer):
    """Changes, newest first; ``fault`` says where the log is not as it was written."""

    items: tuple[AuditLine, ...]
    is_intact: bool
    fault: str | None
    next_cursor: str | None


class ServiceSetting(Answer):
    """A setting of the service; ``value`` is None where it is a secret or not set."""

    name: str
    value: JsonValue
    source: Literal["default", "file", "environment", "option"]
    about: str
    is_secret: bool


class ServiceSettings(Answer):
    """Every setting of the service."""

    settings: tuple[ServiceSetting, ...]
