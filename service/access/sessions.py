"""
Browser sessions: the tickets that begin them and their tokens, in memory only, secrets as SHA-256.

Invariant: a session stands for its holder, a key or the owner of the home, and opens nothing once that key does not. A
ticket is good once.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from service.access.keys import NO_DIGEST, digest_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from consolidation.kernel.ports import Clock

TICKET_LIFE = timedelta(minutes=10)
_MOST_TICKETS = 100
_MOST_SESSIONS = 100  # of one holder
_TOKEN = re.compile(r"mms_([0-9a-f]{8})_([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Ticket:
    """What is kept of a ticket; ``holder`` is the key's id, or the owner's name."""

    digest: str
    holder: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Session:
    """What is kept of a session: its id, the SHA-256 of its secret, whose it is, until when."""

    session_id: str
    digest: str
    holder: str
    expires_at: datetime


class Sessions:
    """The tickets and sessions of one service. Those that are too many end the oldest."""

    def __init__(
        self, *, clock: Clock, life: timedelta, fresh_id: Callable[[], str], fresh_secret: Callable[[], str]
    ) -> None:
        """A session lasts *life* at most. *fresh_id* makes 8 hexadecimal digits, *fresh_secret* 64 random ones."""
        self._clock = clock
        self._life = life
        self._fresh_id = fresh_id
        self._fresh_secret = fresh_secret
        self._tickets: tuple[Ticket, ...] = ()
        self._sessions: dict[str, Session] = {}

    def issue_ticket(self, holder: str) -> tuple[str, datetime]:
        """A ticket for a session of *holder*, and until when it is good."""
        now, text = self._clock.now(), self._fresh_secret()
        live = [one for one in self._tickets if now < one.expires_at]
        ticket = Ticket(digest_of(text), holder, now + TICKET_LIFE)
        self._tickets = (*live, ticket)[-_MOST_TICKETS:]
        return text, ticket.expires_at

    def redeem(self, text: str) -> str | None:
        """Use a ticket up. Its holder; None if it is wrong, used or old. Each ticket is compared, whatever matches."""
        now, digest = self._clock.now(), digest_of(text)
        found = [one for one in self._tickets if hmac.compare_digest(one.digest, digest)]
        self._tickets = tuple(one for one in self._tickets if one not in found and now < one.expires_at)
        return next((one.holder for one in found if now < one.expires_at), None)

    def begin(self, holder: str, *, until: datetime | None) -> tuple[str, Session]:
        """Begin a session of *holder*, which ends at *until* at the latest. Its token, which is not kept."""
        now = self._clock.now()
        ends, secret, session_id = now + self._life, self._fresh_secret(), self._fresh_id()
        while session_id in self._sessions:
            session_id = self._fresh_id()
        session = Session(session_id, digest_of(secret), holder, min(ends, until) if until is not None else ends)
        live = {known: one for known, one in self._sessions.items() if now < one.expires_at}
        own = [known for known, one in live.items() if one.holder == holder]
        for known in own[: max(0, len(own) - _MOST_SESSIONS + 1)]:
            del live[known]
        self._sessions = live | {session_id: session}
        return f"mms_{session_id}_{secret}", session

    def find(self, token: str) -> Session | None:
        """The session of a token; None for every other text, after the same comparison."""
        form = _TOKEN.fullmatch(token)
        known = self._sessions.get(form[1]) if form is not None else None
        digest = digest_of(form[2]) if form is not None else NO_DIGEST
        is_same = hmac.compare_digest(digest, known.digest if known is not None else NO_DIGEST)
        return known if known is not None and is_same and self._clock.now() < known.expires_at else None

    def expiry_of(self, session_id: str) -> datetime | None:
        """When a session ends; None if it has ended."""
        known = self._sessions.get(session_id)
        return known.expires_at if known is not None else None

    def end(self, session_id: str) -> None:
        """End a session, if there is one."""
        self._sessions.pop(session_id, None)

    def end_those_of(self, holder: str) -> None:
        """End each session and each ticket of *holder*."""
        self._tickets = tuple(one for one in self._tickets if one.holder != holder)
        self._sessions = {known: one for known, one in self._sessions.items() if one.holder != holder}
