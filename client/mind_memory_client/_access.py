"""Who may call a service and what is set for it, for people who look after it. Both clients have these calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mind_memory_client._endpoints import AsModel, Endpoint
from mind_memory_client.access import AuditPage, ConsoleLink, KnownKeys, ServiceSettings, Session, Standing

if TYPE_CHECKING:
    from mind_memory_client._endpoints import Reply
    from mind_memory_client._transport import AsyncTransport, Transport

_SESSION = "/v1/session"


def as_nothing(reply: Reply) -> None:
    """An answer without a body."""
    del reply


BEGIN_SESSION = Endpoint("POST", _SESSION, AsModel(Session), is_repeatable=False)  # a ticket is good once
STANDING = Endpoint("GET", _SESSION, AsModel(Standing))
END_SESSION = Endpoint("DELETE", _SESSION, as_nothing, is_repeatable=False)
CONSOLE_LINK = Endpoint("POST", f"{_SESSION}/tickets", AsModel(ConsoleLink))
KEYS = Endpoint("GET", "/v1/keys", AsModel(KnownKeys))
REVOKE_KEY = Endpoint("DELETE", "/v1/keys/{key_id}", as_nothing, is_repeatable=False)
AUDIT = Endpoint("GET", "/v1/audit", AsModel(AuditPage))
SERVICE_SETTINGS = Endpoint("GET", "/v1/settings", AsModel(ServiceSettings))


class AccessCalls:
    """Who may call, and what is set for the service, for the client that blocks."""

    _transport: Transport

    def begin_session(self, *, ticket: str | None = None, key: str | None = None) -> Session:
        """
        Exchange a ticket of the console, or a key, for the token of a session, which is a key that ends.

        Raises Unauthenticated for a ticket that is wrong, used or older than ten minutes, and for a wrong key.
        """
        return self._transport.send(BEGIN_SESSION.call(body={"ticket": ticket, "key": key}))

    def whose_access(self) -> Standing:
        """Read whose key or session this client calls with."""
        return self._transport.send(STANDING.call())

    def end_session(self) -> None:
        """End the session that this client calls with; a key stays as it is."""
        self._transport.send(END_SESSION.call())

    def console_link(self) -> ConsoleLink:
        """Make a link to the console that signs a browser in, once, for ten minutes."""
        return self._transport.send(CONSOLE_LINK.call())

    def keys(self) -> KnownKeys:
        """List the API keys of the service that were not revoked."""
        return self._transport.send(KEYS.call())

    def revoke_key(self, key_id: str) -> None:
        """Close an API key at once and for ever, and end its sessions. Raises NotFound."""
        self._transport.send(REVOKE_KEY.call(key_id=key_id))

    def audit(self, *, limit: int | None = None, cursor: str | None = None) -> AuditPage:
        """Read who changed what, newest first, 50 lines unless *limit* says how many; the whole log is checked."""
        return self._transport.send(AUDIT.call(query={"limit": limit, "cursor": cursor}))

    def service_settings(self) -> ServiceSettings:
        """Read every setting of the service and where its value comes from; secrets are not shown."""
        return self._transport.send(SERVICE_SETTINGS.call())


class AsyncAccessCalls:
    """Who may call, and what is set for the service, for the client that is awaited."""

    _transport: AsyncTransport

    async def begin_session(self, *, ticket: str | None = None, key: str | None = None) -> Session:
        """
        Exchange a ticket of the console, or a key, for the token of a session, which is a key that ends.

        Raises Unauthenticated for a ticket that is wrong, used or older than ten minutes, and for a wrong key.
        """
        return await self._transport.send(BEGIN_SESSION.call(body={"ticket": ticket, "key": key}))

    async def whose_access(self) -> Standing:
        """Read whose key or session this client calls with."""
        return await self._transport.send(STANDING.call())

    async def end_session(self) -> None:
        """End the session that this client calls with; a key stays as it is."""
        await self._transport.send(END_SESSION.call())

    async def console_link(self) -> ConsoleLink:
        """Make a link to the console that signs a browser in, once, for ten minutes."""
        return await self._transport.send(CONSOLE_LINK.call())

    async def keys(self) -> KnownKeys:
        """List the API keys of the service that were not revoked."""
        return await self._transport.send(KEYS.call())

    async def revoke_key(self, key_id: str) -> None:
        """Close an API key at once and for ever, and end its sessions. Raises NotFound."""
        await self._transport.send(REVOKE_KEY.call(key_id=key_id))

    async def audit(self, *, limit: int | None = None, cursor: str | None = None) -> AuditPage:
        """Read who changed what, newest first, 50 lines unless *limit* says how many; the whole log is checked."""
        return await self._transport.send(AUDIT.call(query={"limit": limit, "cursor": cursor}))

    async def service_settings(self) -> ServiceSettings:
        """Read every setting of the service and where its value comes from; secrets are not shown."""
        return await self._transport.send(SERVICE_SETTINGS.call())
