"""What a provider, or litellm for it, refused a chat with: status, error, and the headers that a client acts on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import structlog

from consolidation.kernel.errors import UpstreamRefused
from service.adapters.litellm.model_errors import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from service.observability.redaction import Redactor

log = structlog.get_logger()

_FIRST_ERROR, _LAST_ERROR = 400, 599
_BAD_GATEWAY = 502
_MADE_UP = 500  # litellm's own status for an answer that it can not read
_LATE = frozenset({"APITimeoutError", "TimeoutError", "ReadTimeout", "ConnectTimeout"})
_AWAY = frozenset({"APIConnectionError", "ConnectError"})
_BROKEN = frozenset({"ReadError", "RemoteProtocolError", "ClientPayloadError", "ConnectionResetError", "CutStream"})
_SILENCES = (
    (_LATE, "did not answer in time", "upstream_timeout", 504),
    (_AWAY, "can not be reached", "upstream_unreachable", 502),
    (_BROKEN, "broke off", "upstream_broke_off", 502),
    (frozenset({"EmptyStream"}), "answered with an empty stream", "upstream_empty", 502),
)
# How the templates of chats, and servers with them, refuse a role: "System message must be at the beginning.",
# "Conversation roles must alternate", "System role not supported", "invalid message role: system". Some say it as 500.
_ROLES = re.compile(r"\broles?\b|\bsystem (?:message|prompt)|\balternat", re.IGNORECASE)
_OF_ROLES = frozenset({400, 422, 500})
_TRACEBACK = "Traceback (most recent call last)"  # litellm puts its own into what it says
_LONGEST = 2_000
_PASSED_ON = frozenset({"retry-after", "retry-after-ms", "x-should-retry", "x-request-id"})
_LIMITS = "x-ratelimit-"


class EmptyStream(Exception):
    """A stream that was asked for ended before its first chunk: a whole answer, or no answer at all."""


class CutStream(Exception):
    """A stream ended in the middle of an answer as if nothing were missing."""


def refused(error: Exception, *, model: str, hiding: Redactor) -> UpstreamRefused:
    """What *error* looks like to a client of OpenAI's; the caller raises it ``from error``."""
    known = tuple(_chain(error))
    found = _silence(known, model=model) or _words(known, model=model, hiding=hiding)
    kinds = " < ".join(type(one).__name__ for one in known)  # their words may be a person's: in the answer alone
    log.info("upstream.refused", model=model, status=found.status, error=kinds)
    return found


def is_about_roles(refusal: UpstreamRefused) -> bool:
    """Whether a chat was refused for the roles of its messages, or their order."""
    return refusal.status in _OF_ROLES and _ROLES.search(str(refusal)) is not None


def _silence(known: tuple[BaseException, ...], *, model: str) -> UpstreamRefused | None:
    """What is told where the provider itself said nothing."""
    names = {type(one).__name__ for one in known if not _is_litellms(one)}
    for signs, words, code, status in _SILENCES:
        if names & signs:
            said = f"{model} {words}"
            return UpstreamRefused(said, status=status, error=_error(said, code))
    return None


def _words(known: tuple[BaseException, ...], *, model: str, hiding: Redactor) -> UpstreamRefused:
    told = next((body for one in known if (body := _body(one))), None)
    reason = PREFIX.sub("", str(known[0])).partition(_TRACEBACK)[0].rstrip()
    made = _error(f"{model} failed: {reason}"[:_LONGEST], None)
    shown = hiding.value(dict(told or made))
    assert isinstance(shown, dict)  # noqa: S101 - as it was
    headers = next((found for one in known if (found := passed_on(_headers(one)))), {})
    return UpstreamRefused(str(shown["message"])[:_LONGEST], status=_status(known, told), error=shown, headers=headers)


def passed_on(headers: Mapping[str, str]) -> dict[str, str]:
    """Those of a provider's headers that a client acts on."""
    lower = {name.lower(): value for name, value in headers.items()}
    return {name: value for name, value in lower.items() if name in _PASSED_ON or name.startswith(_LIMITS)}


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what it was made of: litellm translates several times, and loses something each time."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, BaseException) and id(one) not in seen:
            seen.add(id(one))
            yield one
            waiting += [getattr(one, "original_exception", None), one.__cause__, one.__context__]


def _body(error: BaseException) -> dict[str, Any] | None:
    """The error as the provider worded it, with a message."""
    body = getattr(error, "body", None)
    if not isinstance(body, dict):
        return None
    inner = body["error"] if isinstance(body.get("error"), dict) else body
    if isinstance(inner.get("message"), str):
        return {**_error("", None), **inner}
    words = inner.get("error", inner.get("detail"))
    return _error(words, None) if isinstance(words, str) else None


def _status(known: tuple[BaseException, ...], told: Mapping[str, Any] | None) -> int:
    """As it was answered; an error that came as an event has at most a code in its words."""
    answered = (getattr(_response(one), "status_code", None) for one in known)
    every = (getattr(one, "status_code", None) for one in known)
    named = (status for status in every if status != _MADE_UP)
    for status in (*answered, (told or {}).get("code"), *named):
        number = int(status) if isinstance(status, str) and status.isascii() and status.isdigit() else status
        if isinstance(number, int) and _FIRST_ERROR <= number <= _LAST_ERROR:
            return number
    return _BAD_GATEWAY


def _response(error: BaseException) -> object | None:
    """The answer of the provider itself: litellm makes up others, with no body and a status of its choice."""
    return None if _is_litellms(error) else getattr(error, "response", None)


def _is_litellms(error: BaseException) -> bool:
    return type(error).__module__.partition(".")[0] == "litellm"


def _headers(error: BaseException) -> Mapping[str, str]:
    found = getattr(_response(error), "headers", None) or getattr(error, "litellm_response_headers", None) or {}
    return {str(name): str(value) for name, value in dict(found).items()}


def _error(message: str, code: str | None) -> dict[str, Any]:
    return {"message": message, "type": "upstream_error", "param": None, "code": code}
