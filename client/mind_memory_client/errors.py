"""
Every error that this client raises, as one tree.

* MindMemoryError
  x Unreachable             nobody answered; ``was_sent`` says whether the service may have acted all the same
    + TimedOut              no answer came in time
  x UnexpectedAnswer        something answered, but not as this service does
  x Unsendable              the call holds what JSON can not, such as a date in ``metadata``; it was never sent
  x TurnUnsaved             a turn could not be stored; ``unsaved`` holds it. Only raised where it is asked for
  x RequestRefused          the service refused; its problem document says why
    + InvalidRequest        ``errors`` points at each field
    + Unauthenticated       the key is missing or not valid
    + Forbidden             not for this key, from this machine or from this web page
    + NotFound
      - MindNotFound
    + Conflict              for example, this turn id was already used for other content
    + Erased                the turn was erased and is not stored again
    + StoryChanged          ``current`` and ``etag`` are the story as it is now
    + RateLimited           ask again after ``retry_after`` seconds
    + Unavailable           the service failed, or can not do it at the moment
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

log = logging.getLogger("mind_memory_client")

_SERVER_ERRORS = 500
_PROBLEM = "application/problem+json"


class MindMemoryError(Exception):
    """The root of the tree: catch this to catch everything that a call may raise."""


class Unreachable(MindMemoryError):
    """Nobody answered. ``was_sent`` is true when the service may have received the request all the same."""

    def __init__(self, reason: str, *, was_sent: bool = False) -> None:
        super().__init__(reason)
        self.was_sent = was_sent


class TimedOut(Unreachable):
    """No answer came in time."""


class UnexpectedAnswer(MindMemoryError):
    """Something else answered, or a version of the service that this client does not understand."""


class Unsendable(MindMemoryError):
    """The call holds what can not be sent as JSON, such as a date or a NaN in ``metadata``. It was never sent."""


@dataclass(frozen=True)
class InvalidField:
    """One field that the service refused: a JSON pointer such as ``#/messages/0/content``, and the reason."""

    pointer: str
    detail: str


class RequestRefused(MindMemoryError):
    """
    The service refused.

    ``status`` is HTTP's, ``slug``, ``title``, ``detail`` and ``errors`` are those of its problem document (RFC 9457),
    which ``problem`` holds as it came. ``retry_after`` is in seconds, or None where the service does not say.
    """

    def __init__(self, status: int, problem: Mapping[str, Any], *, retry_after: float | None = None) -> None:
        self.status = status
        self.problem = problem
        self.slug = str(problem.get("type", "")).rsplit("/", 1)[-1]
        self.title = str(problem.get("title", ""))
        self.detail = str(problem.get("detail", ""))
        self.errors = tuple(
            InvalidField(str(one.get("pointer", "")), str(one.get("detail", ""))) for one in problem.get("errors") or ()
        )
        self.retry_after = retry_after
        super().__init__(f"{status} {self.slug or self.title}: {self.detail or self.title}")


class InvalidRequest(RequestRefused):
    """The request does not fit the API; ``errors`` says which fields."""


class Unauthenticated(RequestRefused):
    """The service wants a key, and this client sent none or one that is not valid."""


class Forbidden(RequestRefused):
    """The service does not answer this key, this machine or this web page."""


class NotFound(RequestRefused):
    """What the call names does not exist."""


class MindNotFound(NotFound):
    """The mind does not exist, or the key is not for it."""


class Conflict(RequestRefused):
    """The call contradicts what is stored, or the mind is being erased."""


class Erased(RequestRefused):
    """The turn was erased and is not stored again."""


class StoryChanged(RequestRefused):
    """Somebody changed the story meanwhile: ``current`` is its text now, ``etag`` the tag to edit that one."""

    @property
    def current(self) -> str | None:
        """The text of the story as it is now."""
        return self.problem.get("current")

    @property
    def etag(self) -> str | None:
        """The tag of the story as it is now."""
        return self.problem.get("etag")


class RateLimited(RequestRefused):
    """The key asks too often; ``retry_after`` says how many seconds to wait."""


class Unavailable(RequestRefused):
    """The service failed, or can not do this at the moment."""


_BY_SLUG: dict[str, type[RequestRefused]] = {"mind-not-found": MindNotFound}
_BY_STATUS: dict[int, type[RequestRefused]] = {
    400: InvalidRequest,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Erased,
    412: StoryChanged,
    413: InvalidRequest,
    415: InvalidRequest,
    421: Forbidden,
    422: InvalidRequest,
    428: InvalidRequest,
    429: RateLimited,
}


def refusal(status: int, *, headers: Mapping[str, str], content: bytes) -> MindMemoryError:
    """The error for an answer that is not a success; *headers* by their names in lower case."""
    problem = _problem(headers, content)
    if problem is None and status < _SERVER_ERRORS and status not in _BY_STATUS:
        return UnexpectedAnswer(f"something answered {status}, but not as Mind Memory does")
    found = problem or {"title": f"HTTP {status}"}  # a proxy in between answers with a page of its own
    kind = _BY_SLUG.get(str(found.get("type", "")).rsplit("/", 1)[-1]) or _BY_STATUS.get(status)
    fallback = Unavailable if status >= _SERVER_ERRORS else RequestRefused
    return (kind or fallback)(status, found, retry_after=retry_after(headers))


def is_passing(error: MindMemoryError) -> bool:
    """Whether the same call may succeed later, as it is: nobody answered, or not for now."""
    return isinstance(error, (Unreachable, RateLimited, Unavailable))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """
    ``Retry-After`` in seconds; None where it is missing, or neither a number nor a date.

    A date counts from the answer's own ``Date``, without which it says nothing: our clock may be another one.
    """
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    until, since = _date(value), _date(headers.get("date", ""))
    return None if until is None or since is None else max((until - since).total_seconds(), 0.0)


def _date(value: str) -> datetime | None:
    """A date as HTTP writes it, which is in UTC."""
    try:
        found = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=timezone.utc)


def is_problem(headers: Mapping[str, str]) -> bool:
    """Whether an answer is a problem document."""
    return headers.get("content-type", "").startswith(_PROBLEM)


def _problem(headers: Mapping[str, str], content: bytes) -> dict[str, Any] | None:
    if not is_problem(headers):
        return None
    try:
        found = json.loads(content)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


# Turns that could not be stored


@dataclass(frozen=True)
class UnsavedTurn:
    """
    A turn that could not be stored: ``memory.resend(unsaved)`` sends it again.

    ``body`` is the request as JSON, with the turn's id, so it is stored once however often it is sent. Write it
    somewhere that outlives this process when the service stays away.
    """

    mind: str
    turn_id: str
    body: Mapping[str, Any]
    error: MindMemoryError | None = None

    @property
    def user_words(self) -> tuple[str, ...]:
        """What the user said in it, where nothing was answered; empty for a turn with an answer."""
        said = self.body.get("messages", ())
        return () if any(one["role"] != "user" for one in said) else tuple(one["content"] for one in said)


class TurnUnsaved(MindMemoryError):
    """A turn could not be stored: ``memory.resend(error.unsaved)`` sends it again, and it is stored once."""

    def __init__(self, unsaved: UnsavedTurn) -> None:
        super().__init__(f"turn {unsaved.turn_id} of {unsaved.mind} is not stored: {unsaved.error}")
        self.unsaved = unsaved


OnUnsaved = Callable[[UnsavedTurn], object] | Literal["raise"] | None
