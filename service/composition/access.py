"""Builds the authenticator of a home with its keys, and says whether listening without a key is safe."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog
from pydantic import SecretStr

from consolidation.kernel.errors import MemoryFault
from service.access.addresses import is_loopback
from service.access.authenticator import AccessRules, Authenticator
from service.access.keyring import Keyring
from service.adapters.random_ids import fresh_secret

if TYPE_CHECKING:
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from service.access.keys import ApiKey
    from service.runtime.background import Background
    from service.settings.settings import Settings

log = structlog.get_logger()

_EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - addresses to listen on, not names to be called by
_USE_RESOLUTION = timedelta(hours=1)  # a key's last use is known this exactly, and written no more often


def build_authenticator(settings: Settings, *, clock: Clock, background: Background) -> Authenticator:
    """
    The authenticator of a home, with a fresh token for its owner.

    Raises KeysUnreadable: a service that would let nobody in says so when it starts.
    """
    keyring = Keyring(settings.folder)
    keyring.ring()
    return Authenticator(
        keyring,
        rules=_rules(settings),
        clock=clock,
        owner_token=SecretStr(fresh_secret()),
        used=_KeyUses(keyring, clock=clock, background=background).note,
    )


def is_guarded(settings: Settings, *, now: datetime) -> bool:
    """Whether it is safe to listen on the configured host: it is loopback, the network is trusted, or a key is live."""
    if settings.trust_network or is_loopback(settings.host):
        return True
    return any(key.is_live(now) for key in Keyring(settings.folder).ring().values())


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
