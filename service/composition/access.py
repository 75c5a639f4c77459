"""Builds what decides who may call a home, and its audit log; says whether listening without a key is safe."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog
from pydantic import SecretStr

from consolidation.kernel.errors import MemoryFault
from service.access.addresses import is_loopback
from service.access.audit_log import AuditLog
from service.access.authenticator import AccessRules, Authenticator
from service.access.key_desk import KeyDesk
from service.access.keyring import Keyring
from service.access.sessions import Sessions
from service.access.sign_in import SignIn
from service.adapters.random_ids import fresh_key_id, fresh_secret
from service.composition.shared_home import files_of_home

if TYPE_CHECKING:
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from service.access.keys import ApiKey
    from service.runtime.background import Background
    from service.settings.settings import Settings

log = structlog.get_logger()

_EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - addresses to listen on, not names to be called by
_USE_RESOLUTION = timedelta(hours=1)  # a key's last use is known this exactly, and written no more often


@dataclass(frozen=True, slots=True)
class Access:
    """Who may call one home, and what was changed by whom."""

    authenticator: Authenticator
    sign_in: SignIn
    keys: KeyDesk
    audit_log: AuditLog


def build_access(settings: Settings, *, clock: Clock, background: Background) -> Access:
    """
    All of it, with a fresh token for the home's owner.

    Raises KeysUnreadable: a service that would let nobody in says so when it starts.
    """
    keyring = Keyring(settings.folder)
    keyring.ring()
    life = timedelta(hours=settings.access.session_hours)
    sessions = Sessions(clock=clock, life=life, fresh_id=fresh_key_id, fresh_secret=fresh_secret)
    authenticator = Authenticator(
        keyring,
        rules=_rules(settings),
        clock=clock,
        owner_token=SecretStr(fresh_secret()),
        used=_KeyUses(keyring, clock=clock, background=background).note,
        sessions=sessions,
    )
    audit_log = AuditLog(settings.folder, clock=clock, key=settings.access.audit_key)
    return Access(
        authenticator,
        SignIn(authenticator, keyring=keyring, sessions=sessions, clock=clock),
        KeyDesk(keyring, sessions=sessions, audit_log=audit_log, clock=clock),
        audit_log,
    )


def is_guarded(settings: Settings, *, now: datetime) -> bool:
    """Whether it is safe to listen on the configured host: it is loopback, the network is trusted, or a key is live."""
    if settings.trust_network or is_loopback(settings.host):
        return True
    with files_of_home(settings) as folder:
        return any(key.is_live(now) for key in Keyring(folder).ring().values())


def _rules(settings: Settings) -> AccessRules:
    knobs = settings.access
    return AccessRules(
        needs_key=not (settings.trust_network or is_loopback(settings.host)),
        trusts_network=settings.trust_network,
        names=(*knobs.allowed_hosts, *(() if settings.host in _EVERYWHERE else (settings.host,))),
        key_rate=knobs.key_requests_per_minute,
        keyless_rate=knobs.keyless_requests_per_minute,
    )


class _KeyUses:
    """Records that a key was used: once an hour at most, and without making the request wait."""

    def __init__(self, keyring: Keyring, *, clock: Clock, background: Background) -> None:
        self._keyring = keyring
        self._clock = clock
        self._background = background
        self._tried: dict[str, datetime] = {}

    def note(self, key: ApiKey) -> None:
        now = self._clock.now()
        known = (key.last_used_at, self._tried.get(key.key_id))
        if any(used is not None and now - used < _USE_RESOLUTION for used in known) or self._background.is_stopping:
            return
        self._tried[key.key_id] = now

        async def write() -> None:
            try:
                await anyio.to_thread.run_sync(lambda: self._keyring.note_use(key.key_id, now=now))
            except (OSError, MemoryFault) as error:
                log.warning("key.use_not_recorded", key=key.key_id, error=str(error))

        self._background.start(f"key {key.key_id}", write)
