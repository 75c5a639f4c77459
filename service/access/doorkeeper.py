"""
Lets a request in as somebody, or says why not: the one place where that is decided, before anything else looks at it.

Deny by default: once there is a key, every path needs one but the two that are named here, and a key for some minds
opens nothing but those minds and the pages that are named here. Without a key, only this machine is answered.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from consolidation.kernel.errors import (
    AccessRefused,
    HostRefused,
    KeyNeeded,
    KeysUnreadable,
    NetworkRefused,
    NotFound,
    OriginRefused,
    TooOften,
)
from consolidation.workspace import no_such_mind
from service.access.addresses import is_near, is_ours, is_same_site, neighbourhood
from service.access.caller import LOCAL, OWNER, STRANGER, Caller
from service.access.keys import matching, shown_key
from service.access.rates import Rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import SecretStr

    from consolidation.kernel.ports import Clock
    from service.access.keyring import Keyring, Ring
    from service.access.keys import Key

log = structlog.get_logger()

ALIVE, READY = "/healthz", "/readyz"  # open to all; the second tells strangers no detail
_MINDS, _STATUS = "/v1/minds", "/v1/status"
_CHATS = frozenset({"/v1/chat/completions", "/v1/models"})  # whose mind stands in header or body: they look themselves
# What a key for some minds opens, too; what is asked through /mcp is let in again, by the path of what it asks for.
_OF_NO_MIND = frozenset({_MINDS, _STATUS, READY, "/mcp", "/openapi.json", "/docs", "/redoc"}) | _CHATS
_FAILURES_PER_MINUTE = 10
_KEY_NEEDED = "send a valid key: `Authorization: Bearer mm_…`; `mind-memory keys create` makes one"
_NO_NETWORK = "no key protects this memory, so it answers its own machine only: `mind-memory keys create` makes a key"


@dataclass(frozen=True, slots=True)
class Knock:
    """What a request shows: its path, the address it comes from (None: a Unix socket), and three headers."""

    path: str
    peer: str | None
    host: str = ""
    origin: str | None = None
    authorization: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """
    What is configured.

    ``needs_key``: even where there is none, nobody comes in without. ``trusts_network``: other machines may ask while
    there is no key. ``names``: by which this service may be called then, besides loopback's; ``*`` is every name. Rates
    are requests a minute, for each key and, while there is none, for each address; 0 sets no limit.
    """

    needs_key: bool = False
    trusts_network: bool = False
    names: tuple[str, ...] = ()
    key_rate: int = 0
    keyless_rate: int = 0


class Doorkeeper:
    """Stands at one home's door; ``owner_token`` opens it to the command line on this machine."""

    def __init__(
        self,
        keyring: Keyring,
        *,
        rules: Rules,
        clock: Clock,
        owner_token: SecretStr,
        used: Callable[[Key], None],
    ) -> None:
        """Look keys up in *keyring*; *used* is told of each one that opened."""
        self.owner_token = owner_token
        self._keyring = keyring
        self._rules = rules
        self._clock = clock
        self._used = used
        self._key_rate = Rate(rules.key_rate, clock=clock)
        self._keyless_rate = Rate(rules.keyless_rate, clock=clock)
        self._failures = Rate(_FAILURES_PER_MINUTE, clock=clock)

    def admit(self, knock: Knock) -> Caller:
        """Who this is. Raises AccessRefused, KeysUnreadable; NotFound for what does not exist for this one."""
        if knock.path == ALIVE:
            return STRANGER
        try:
            return self._admitted(knock)
        except (AccessRefused, KeysUnreadable):
            if knock.path == READY:
                return STRANGER
            raise

    def live_keys(self) -> int:
        """How many keys open anything at this moment. Raises KeysUnreadable."""
        now = self._clock.now()
        return sum(key.is_live(now) for key in self._keyring.ring().values())

    def _admitted(self, knock: Knock) -> Caller:
        token = _bearer(knock.authorization)
        if hmac.compare_digest(token.encode(), self.owner_token.get_secret_value().encode()):
            return OWNER
        keys = self._keyring.ring()
        if keys or self._rules.needs_key:
            return self._with_key(knock, token, keys)
        return self._without_keys(knock)

    def _with_key(self, knock: Knock, token: str, keys: Ring) -> Caller:
        key = matching(shown_key(token), keys, now=self._clock.now())
        if key is None:
            raise self._failure(knock)
        _keep_rate(self._key_rate, key.key_id, "this key asks too often")
        self._used(key)
        caller = Caller(key.key_id, key.minds)
        _keep_to_minds(caller, knock.path)
        return caller

    def _without_keys(self, knock: Knock) -> Caller:
        if not (self._rules.trusts_network or is_near(knock.peer)):
            raise NetworkRefused(_NO_NETWORK)
        if not is_ours(knock.host, self._rules.names):
            raise HostRefused("the Host header names no service of this machine; see MIND_MEMORY_ACCESS__ALLOWED_HOSTS")
        if knock.origin is not None and not is_same_site(knock.origin, knock.host):
            raise OriginRefused("a web page of another site may not use this memory")
        _keep_rate(self._keyless_rate, neighbourhood(knock.peer), "this address asks too often")
        return LOCAL

    def _failure(self, knock: Knock) -> AccessRefused:
        """The same words for every cause; a right key is never held up by the failures of its neighbours."""
        if knock.path == READY:
            return KeyNeeded(_KEY_NEEDED)
        address = neighbourhood(knock.peer)
        seconds = self._failures.wait(address)
        if seconds:
            return TooOften("too many requests without a valid key from this address", seconds=seconds)
        log.warning("access.refused", address=address)
        return KeyNeeded(_KEY_NEEDED)


def _bearer(authorization: str) -> str:
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _keep_rate(rate: Rate, who: str, words: str) -> None:
    seconds = rate.wait(who)
    if seconds:
        raise TooOften(words, seconds=seconds)


def _keep_to_minds(caller: Caller, path: str) -> None:
    """Raise MindNotFound for another mind, as where there is none; NotFound for pages of more than one mind."""
    if caller.sees_all or path in _OF_NO_MIND:
        return
    if not path.startswith(f"{_MINDS}/"):
        raise NotFound("Not Found")
    mind_id = path.removeprefix(f"{_MINDS}/").partition("/")[0]
    if not caller.sees(mind_id):
        raise no_such_mind(mind_id)
