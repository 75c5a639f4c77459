"""Signing in a browser: tickets, and a session for who brings one or a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from consolidation.kernel.errors import AccessRefused
from service.access.principal import LOCAL, OWNER

if TYPE_CHECKING:
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from service.access.authenticator import Authenticator
    from service.access.keyring import Keyring
    from service.access.keys import ApiKey
    from service.access.principal import Principal
    from service.access.sessions import Sessions

_BAD_TICKET = "this link was used, or is older than ten minutes, or is wrong; `mind-memory console` makes a new one"


@dataclass(frozen=True, slots=True)
class Standing:
    """Who calls: the name that people gave the key, or ``owner`` or ``local``; how it came in, and until when."""

    name: str
    key_id: str | None
    minds: tuple[str, ...] | None
    access: Literal["open", "key", "session"]
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A session that was begun. ``token`` is not kept anywhere; ``by`` and ``session_id`` are for the audit log."""

    token: str
    by: str
    session_id: str
    standing: Standing


class SignIn:
    """Begins and ends the sessions of one home's console."""

    def __init__(self, authenticator: Authenticator, *, keyring: Keyring, sessions: Sessions, clock: Clock) -> None:
        self._authenticator = authenticator
        self._keyring = keyring
        self._sessions = sessions
        self._clock = clock

    def issue_ticket(self, caller: Principal) -> tuple[str, datetime] | None:
        """
        A ticket for a session of *caller* and when it expires; None where nobody needs one.

        Raises AccessRefused for a session, which could else renew itself for ever; KeysUnreadable.
        """
        if self._authenticator.needs_no_key():
            return None
        if caller.session_id is not None:
            raise AccessRefused("a session makes no tickets: use `mind-memory console`, or a key")
        return self._sessions.issue_ticket(caller.name)

    def begin_by_ticket(self, ticket: str, *, peer: str | None) -> SignedIn:
        """Begin a session by a ticket, which is used up. Raises AccessRefused, KeysUnreadable."""
        holder = self._sessions.redeem(ticket)
        key = self._live_key(holder) if holder not in {None, OWNER.name} else None
        if holder is None or (key is None and holder != OWNER.name):
            raise self._authenticator.refusal(peer, _BAD_TICKET)
        return self._begin(key)

    def begin_by_key(self, text: str, *, peer: str | None) -> SignedIn:
        """Begin a session by a key. Raises AccessRefused, KeysUnreadable."""
        return self._begin(self._authenticator.accept_key(text, peer=peer))

    def standing_of(self, caller: Principal) -> Standing:
        """Who *caller* is, for a person. Raises KeysUnreadable."""
        if caller == LOCAL:
            return Standing(LOCAL.name, None, None, "open", None)
        key = self._keyring.ring().get(caller.name) if caller != OWNER else None
        if caller.session_id is not None:
            return _standing(key, "session", self._sessions.expiry_of(caller.session_id))
        return _standing(key, "key", key.expires_at if key is not None else None)

    def end(self, caller: Principal) -> bool:
        """End the session through which *caller* calls. Whether there is one."""
        if caller.session_id is None:
            return False
        self._sessions.end(caller.session_id)
        return True

    def _live_key(self, key_id: str | None) -> ApiKey | None:
        key = self._keyring.ring().get(key_id) if key_id is not None else None
        return key if key is not None and key.is_live(self._clock.now()) else None

    def _begin(self, key: ApiKey | None) -> SignedIn:
        """Begin a session of *key*, or of the owner."""
        holder = key.key_id if key is not None else OWNER.name
        token, session = self._sessions.begin(holder, until=key.expires_at if key is not None else None)
        return SignedIn(token, holder, session.session_id, _standing(key, "session", session.expires_at))


def _standing(key: ApiKey | None, access: Literal["key", "session"], expires_at: datetime | None) -> Standing:
    if key is None:
        return Standing(OWNER.name, None, None, access, expires_at)
    return Standing(key.name, key.key_id, key.minds, access, expires_at)
