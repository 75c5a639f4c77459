"""
Decides who a request comes from, or why it is refused, before anything else looks at it.

Deny by default: once there is a key, every path needs one, except those named here. A key for certain minds opens only
those minds and the pages named here. The token of a browser session is worth what its key is. Without keys, only this
machine is answered.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from consolidation.kernel.errors import (
    AccessRefused,
    HostRefused,
    KeysUnreadable,
    NetworkRefused,
    NotFound,
    OriginRefused,
    RateLimited,
    Unauthenticated,
)
from consolidation.workspace import mind_of_others
from service.access.addresses import address_group, is_known_host, is_local, is_own_origin
from service.access.keys import find_key, parse_key
from service.access.principal import LOCAL, OWNER, STRANGER, Principal
from service.access.rate_limit import RateLimit

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import SecretStr

    from consolidation.kernel.ports import Clock
    from service.access.keyring import Keyring, KeySet
    from service.access.keys import ApiKey
    from service.access.sessions import Session, Sessions

log = structlog.get_logger()

ALIVE, READY = "/healthz", "/readyz"  # open to all; the second one shows no details without a key
SIGN_IN = "/v1/session"  # what is posted to it proves by itself who sends it
_MINDS, _STATUS = "/v1/minds", "/v1/status"
_CONSOLE = "/console"  # the same bytes for everybody, without data
_FRONT = frozenset({"/", _CONSOLE})
# Their mind is in a header or the body, so they check it themselves.
_CHAT_PATHS, _MODELS = frozenset({"/v1/chat/completions", "/v1/models"}), "/v1/models/"
# Also open to a key for certain minds. What is asked through /mcp is authenticated again, by the path it asks for.
_WITHOUT_MIND = frozenset({_MINDS, _STATUS, READY, SIGN_IN, "/mcp", "/openapi.json", "/docs"}) | _CHAT_PATHS
# Calls of other memories' clients: their mind is in the body or in a memory's id.
_FACADES = ("/mem0/", "/graphiti/", "/zep/")
_ALIVE = frozenset({ALIVE, "/graphiti/healthcheck"})  # the second one says no more than the first
_DOCS = "/docs/"  # the page's scripts and style sheets
_PAGES = frozenset({"/docs"})  # a link on another site may lead to it: it holds no data
_SCHEMES = frozenset({"bearer", "token", "api-key"})  # mem0's client calls it a token, Zep's a key
_FAILURES_PER_MINUTE = 10
_OWN_SITES = frozenset({None, "same-origin", "none"})  # Sec-Fetch-Site: not a browser, our own page, typed by a person
_KEY_NEEDED = "send a valid key: `Authorization: Bearer mm_…`; `mind-memory keys create` makes one"
_NO_NETWORK = "no key protects this memory, so it answers only its own machine: `mind-memory keys create` makes a key"


@dataclass(frozen=True, slots=True)
class Credentials:
    """What identifies a request: its path, the address it comes from (None: a Unix socket), its method, its headers."""

    path: str
    peer: str | None
    method: str = "GET"
    host: str = ""
    origin: str | None = None
    fetch_site: str | None = None
    fetch_mode: str | None = None
    fetch_dest: str | None = None
    authorization: str = ""

    @property
    def is_sign_in(self) -> bool:
        """Whether a session is asked for."""
        return self.path == SIGN_IN and self.method == "POST"

    @property
    def is_followed_link(self) -> bool:
        """Whether a person followed a link, in a window of its own and not in a frame."""
        is_window = self.fetch_dest in {None, "document"}
        return self.method == "GET" and self.fetch_mode == "navigate" and is_window


@dataclass(frozen=True, slots=True)
class AccessRules:
    """
    The configured rules.

    ``needs_key``: nobody comes in without a key, even if none exists. ``trusts_network``: other machines may call while
    no key exists. ``names``: host names accepted then, besides loopback's; ``*`` accepts all. Rates are requests per
    minute, for each key or, while none exists, for each address; 0 sets no limit.
    """

    needs_key: bool = False
    trusts_network: bool = False
    names: tuple[str, ...] = ()
    key_rate: int = 0
    keyless_rate: int = 0


class Authenticator:
    """Authenticates the requests to one home. ``owner_token`` authenticates the command line on this machine."""

    def __init__(
        self,
        keyring: Keyring,
        *,
        rules: AccessRules,
        clock: Clock,
        owner_token: SecretStr,
        used: Callable[[ApiKey], None],
        sessions: Sessions,
    ) -> None:
        """Look keys up in *keyring* and tokens in *sessions*; call *used* with each key that was accepted."""
        self.owner_token = owner_token
        self._keyring = keyring
        self._sessions = sessions
        self._rules = rules
        self._clock = clock
        self._used = used
        self._key_rate = RateLimit(rules.key_rate, clock=clock)
        self._keyless_rate = RateLimit(rules.keyless_rate, clock=clock)
        self._failures = RateLimit(_FAILURES_PER_MINUTE, clock=clock)

    def authenticate(self, credentials: Credentials) -> Principal:
        """The principal of a request. Raises AccessRefused, KeysUnreadable, NotFound (not there, or not for it)."""
        if credentials.path in _ALIVE or credentials.path in _FRONT or credentials.path.startswith(f"{_CONSOLE}/"):
            return STRANGER
        try:
            return self._authenticated(credentials)
        except (AccessRefused, KeysUnreadable):
            if credentials.path == READY:
                return STRANGER
            raise

    def still_admits(self, caller: Principal) -> bool:
        """Whether *caller*, who was let in before, would be let in now. It does not count as a request."""
        now = self._clock.now()
        if caller.session_id is not None:
            ends = self._sessions.expiry_of(caller.session_id)
            if ends is None or ends <= now:
                return False
        try:
            if caller == LOCAL:
                return self.needs_no_key()
            key = self._keyring.ring().get(caller.name)
        except KeysUnreadable:
            return caller.name == OWNER.name
        return caller.name == OWNER.name or (key is not None and key.is_live(now))

    def live_keys(self) -> int:
        """The number of keys that are valid now. Raises KeysUnreadable."""
        now = self._clock.now()
        return sum(key.is_live(now) for key in self._keyring.ring().values())

    def needs_no_key(self) -> bool:
        """Whether whoever may reach the service may use it. Raises KeysUnreadable."""
        return not (self._rules.needs_key or self._keyring.ring())

    def accept_key(self, text: str, *, peer: str | None) -> ApiKey:
        """The live key *text*, which counts as used. Raises AccessRefused, as for a request with it; KeysUnreadable."""
        key = find_key(parse_key(text), self._keyring.ring(), now=self._clock.now())
        if key is None:
            raise self.refusal(peer)
        self._count(key)
        return key

    def refusal(self, peer: str | None, detail: str = _KEY_NEEDED) -> AccessRefused:
        """The error for a caller who could not prove who it is. Failures of an address never hold up a valid key."""
        address = address_group(peer)
        seconds = self._failures.wait(address)
        if seconds:
            return RateLimited("too many requests without a valid key from this address", seconds=seconds)
        log.warning("access.refused", address=address)
        return Unauthenticated(detail)

    def _authenticated(self, credentials: Credentials) -> Principal:
        token = _bearer(credentials.authorization)
        if hmac.compare_digest(token.encode(), self.owner_token.get_secret_value().encode()):
            return OWNER
        session = self._sessions.find(token)
        if session is not None and session.holder == OWNER.name:
            return Principal(OWNER.name, session_id=session.session_id)
        keys = self._keyring.ring()
        if not (keys or self._rules.needs_key):
            return self._without_keys(credentials)
        return STRANGER if credentials.is_sign_in else self._with_key(credentials, token, session, keys)

    def _with_key(self, credentials: Credentials, token: str, session: Session | None, keys: KeySet) -> Principal:
        now = self._clock.now()
        key = find_key(parse_key(token), keys, now=now) if session is None else keys.get(session.holder)
        if key is None or not key.is_live(now):
            if credentials.path == READY:
                raise Unauthenticated(_KEY_NEEDED)
            raise self.refusal(credentials.peer)
        self._count(key)
        caller = Principal(key.key_id, key.minds, session.session_id if session is not None else None)
        _check_mind(caller, credentials.path)
        return caller

    def _count(self, key: ApiKey) -> None:
        _check_rate(self._key_rate, key.key_id, "this key makes too many requests")
        self._used(key)

    def _without_keys(self, credentials: Credentials) -> Principal:
        if not (self._rules.trusts_network or is_local(credentials.peer)):
            raise NetworkRefused(_NO_NETWORK)
        if not is_known_host(credentials.host, self._rules.names):
            raise HostRefused("the Host header names no service of this machine; see MIND_MEMORY_ACCESS__ALLOWED_HOSTS")
        if credentials.origin is not None and not is_own_origin(credentials.origin, credentials.host):
            raise OriginRefused("a web page of another site may not use this memory")
        is_link_to_page = credentials.path in _PAGES and credentials.is_followed_link
        if credentials.fetch_site not in _OWN_SITES and not is_link_to_page:
            raise OriginRefused("a web page of another site may not use this memory, and no link on one may lead to it")
        _check_rate(self._keyless_rate, address_group(credentials.peer), "this address makes too many requests")
        return LOCAL


def _bearer(authorization: str) -> str:
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() in _SCHEMES else ""


def _check_rate(rate: RateLimit, caller: str, detail: str) -> None:
    seconds = rate.wait(caller)
    if seconds:
        raise RateLimited(detail, seconds=seconds)


def _check_mind(caller: Principal, path: str) -> None:
    """Raise MindNotFound for a mind the key may not see; NotFound for pages about several minds."""
    if caller.sees_all or path in _WITHOUT_MIND or path.startswith((_DOCS, _MODELS, *_FACADES)):
        return
    if not path.startswith(f"{_MINDS}/"):
        raise NotFound("Not Found")
    mind_id = path.removeprefix(f"{_MINDS}/").partition("/")[0]
    if not caller.sees(mind_id):
        raise mind_of_others(mind_id)
