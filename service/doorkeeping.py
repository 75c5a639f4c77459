"""Builds what stands at the door, from settings: the doorkeeper with its keys."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog
from pydantic import SecretStr

from consolidation.kernel.errors import MemoryFault
from service.access.addresses import is_loopback
from service.access.doorkeeper import Doorkeeper, Rules
from service.access.keyring import Keyring
from service.adapters.chance import fresh_secret

if TYPE_CHECKING:
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from service.access.keys import Key
    from service.background import Background
    from service.settings import Settings

log = structlog.get_logger()

_EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - what is listened on, no name to be called by
_COARSE = timedelta(hours=1)  # how exactly a key's last use is known, and how seldom it is written


def build_doorkeeper(settings: Settings, *, clock: Clock, background: Background) -> Doorkeeper:
    """
    The doorkeeper of a home, with a fresh token for its owner.

    Raises KeysUnreadable: a service that would let nobody in says so at its start.
    """
    keyring = Keyring(settings.folder)
    keyring.ring()
    return Doorkeeper(
        keyring,
        rules=_rules(settings),
        clock=clock,
        owner_token=SecretStr(fresh_secret()),
        used=_Uses(keyring, clock=clock, background=background).note,
    )


def is_guarded(settings: Settings, *, now: datetime) -> bool:
    """Whether listening where the settings say is safe: on loopback, knowingly, or with a live key."""
    if settings.trust_network or is_loopback(settings.host):
        return True
    return any(key.is_live(now) for key in Keyring(settings.folder).ring().values())


def _rules(settings: Settings) -> Rules:
    knobs = settings.access
    return Rules(
        needs_key=not (settings.trust_network or is_loopback(settings.host)),
        trusts_network=settings.trust_network,
        names=(*knobs.allowed_hosts, *(() if settings.host in _EVERYWHERE else (settings.host,))),
        key_rate=knobs.key_requests_per_minute,
        keyless_rate=knobs.keyless_requests_per_minute,
    )


class _Uses:
    """Notes, beside the request and once an hour at most, that a key was used."""

    def __init__(self, keyring: Keyring, *, clock: Clock, background: Background) -> None:
        self._keyring = keyring
        self._clock = clock
        self._background = background
        self._tried: dict[str, datetime] = {}

    def note(self, key: Key) -> None:
        now = self._clock.now()
        known = (key.last_used_at, self._tried.get(key.key_id))
        if any(used is not None and now - used < _COARSE for used in known) or self._background.is_stopping:
            return
        self._tried[key.key_id] = now

        async def write() -> None:
            try:
                await anyio.to_thread.run_sync(lambda: self._keyring.note_use(key.key_id, now=now))
            except (OSError, MemoryFault) as error:
                log.warning("key.use_not_noted", key=key.key_id, error=str(error))

        self._background.start(f"key {key.key_id}", write)
