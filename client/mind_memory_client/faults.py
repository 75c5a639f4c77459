"""
Everything that may go wrong, as one tree:

* MemoryFault
  x Unreachable          nobody answered, or not in time
  x NotMemory            somebody else answered
  x TurnUnsaved          a turn could not be stored; ``unsaved`` is the turn, ready to be sent again
  x Refused              the service said no: ``status``, ``slug``, ``title``, ``detail``, ``errors``
    + InvalidRequest     ``errors`` points at each field
    + KeyNeeded
    + Forbidden
    + NotFound
      - MindNotFound
    + Conflict           the turn was accepted with other content, or its mind is being erased
    + Erased             the turn was erased
    + StoryChanged       ``current`` and ``etag`` are the story as it stands
    + TooOften           ``retry_after`` seconds
    + Unavailable        it can not, for now
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mind_memory_client.unsaved import Unsaved

_SERVER_ERRORS = 500
_MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True)
class Reply:
    """An HTTP answer, as far as we look at it; *headers* by their names in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True)
class FieldFault:
    """A field that does not fit: a JSON pointer like ``#/messages/0/content``, and why."""

    pointer: str
    detail: str


class MemoryFault(Exception):
    """Base of every fault of ours."""


class Unreachable(MemoryFault):
    """Nobody answered, or not in time."""


class NotMemory(MemoryFault):
    """What answered is no Mind Memory, or one that we do not understand."""


class TurnUnsaved(MemoryFault):
    """A turn could not be stored: ``memory.send(fault.unsaved.call)`` sends it again, without storing it twice."""

    def __init__(self, unsaved: Unsaved) -> None:
        """Say why."""
        super().__init__(f"turn {unsaved.turn_id} of {unsaved.mind} is not stored: {unsaved.fault}")
        self.unsaved = unsaved


class Refused(MemoryFault):
    """The service said no; its problem document (RFC 9457)."""

    def __init__(self, reply: Reply, problem: Mapping[str, Any]) -> None:
        """Read what *problem* says."""
        self.status = reply.status
        self.slug = str(problem.get("type", "")).rsplit("/", 1)[-1]
        self.title = str(problem.get("title", ""))
        self.detail = str(problem.get("detail", ""))
        self.errors = tuple(
            FieldFault(str(one.get("pointer", "")), str(one.get("detail", ""))) for one in problem.get("errors") or ()
        )
        self.current: str | None = problem.get("current")
        self.etag: str | None = problem.get("etag")
        self.retry_after = seconds_of(reply.headers.get("retry-after"))
        super().__init__(f"{reply.status} {self.slug or self.title}: {self.detail or self.title}")


class InvalidRequest(Refused):
    """The request does not fit; ``errors`` says where."""


class KeyNeeded(Refused):
    """A key is needed, and a valid one."""


class Forbidden(Refused):
    """Not from here, or not from this site."""


class NotFound(Refused):
    """Not here."""


class MindNotFound(NotFound):
    """There is no such mind, or the key is not for it."""


class Conflict(Refused):
    """It goes against what is there."""


class Erased(Refused):
    """The turn was erased, and does not come back."""


class StoryChanged(Refused):
    """The story has changed meanwhile; ``current`` is how it stands, ``etag`` its tag."""


class TooOften(Refused):
    """Asked too often."""


class Unavailable(Refused):
    """The service can not, for now."""


_BY_SLUG: dict[str, type[Refused]] = {"mind-not-found": MindNotFound}
_BY_STATUS: dict[int, type[Refused]] = {
    400: InvalidRequest,
    401: KeyNeeded,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Erased,
    412: StoryChanged,
    413: InvalidRequest,
    421: Forbidden,
    422: InvalidRequest,
    428: InvalidRequest,
    429: TooOften,
}


def refusal(reply: Reply) -> MemoryFault:
    """The fault that an answer is, which is no success."""
    problem = _problem(reply)
    if problem is None and reply.status < _SERVER_ERRORS and reply.status not in _BY_STATUS:
        return NotMemory(f"answered {reply.status}, but not as mind-memory does")
    found = problem or {"title": f"HTTP {reply.status}"}  # a proxy in between has words of its own
    kind = _BY_SLUG.get(str(found.get("type", "")).rsplit("/", 1)[-1]) or _BY_STATUS.get(reply.status)
    return (kind or (Unavailable if reply.status >= _SERVER_ERRORS else Refused))(reply, found)


def seconds_of(header: str | None) -> float | None:
    """``Retry-After`` in seconds, where it says seconds."""
    return float(header) if header is not None and header.isascii() and header.isdigit() else None


def _problem(reply: Reply) -> dict[str, Any] | None:
    if not reply.headers.get("content-type", "").startswith(_MEDIA_TYPE):
        return None
    try:
        said = json.loads(reply.content)
    except ValueError:
        return None
    return said if isinstance(said, dict) else None
