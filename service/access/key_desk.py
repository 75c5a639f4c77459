"""The keys of a home, as a person looks after them from afar: listed and revoked, never made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import KeyNotFound

if TYPE_CHECKING:
    from consolidation.kernel.ports import Clock
    from service.access.audit_log import AuditLog
    from service.access.keyring import Keyring
    from service.access.keys import ApiKey
    from service.access.sessions import Sessions


class KeyDesk:
    """Lists and revokes the keys of one home."""

    def __init__(self, keyring: Keyring, *, sessions: Sessions, audit_log: AuditLog, clock: Clock) -> None:
        self._keyring = keyring
        self._sessions = sessions
        self._audit_log = audit_log
        self._clock = clock

    def keys(self) -> tuple[ApiKey, ...]:
        """The keys that were not revoked, in order of creation; expired ones too. Raises KeysUnreadable."""
        return tuple(key for key in self._keyring.ring().values() if key.revoked_at is None)

    async def revoke(self, key_id: str, *, by: str) -> None:
        """
        Close a key for ever and end its sessions, for the caller *by*.

        Raises KeyNotFound, also for one that was revoked before; KeysUnreadable, Locked, OSError.
        """
        if all(key.key_id != key_id for key in self.keys()):
            raise KeyNotFound("there is no key with this id")
        now = self._clock.now()
        await anyio.to_thread.run_sync(lambda: self._keyring.revoke(key_id, now=now))
        self._sessions.end_those_of(key_id)
        await self._audit_log.note("key.revoked", by=by, mind_id=None, key=key_id)
