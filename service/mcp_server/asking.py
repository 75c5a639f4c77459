"""Our HTTP API as a tool reaches it: it answers, it refuses, or nobody is there."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

type Answer = Mapping[str, Any]

_NO_MIND = "/problems/mind-not-found"
_FAILURES = 500  # and above: it is not the caller's fault


class Away(Exception):
    """Nobody answers; the text says what to do about it."""


class Refused(Exception):
    """The service said no: HTTP's *status*, and the problem document it told."""

    def __init__(self, status: int, problem: Answer, *, retry_after: str = "") -> None:
        super().__init__(str(problem.get("detail") or HTTPStatus(status).phrase))
        self.status = status
        self.problem = problem
        self.retry_after = retry_after

    @property
    def is_no_mind(self) -> bool:
        """Whether it is for a mind that does not exist, or not for this caller."""
        return self.problem.get("type") == _NO_MIND

    @property
    def may_end(self) -> bool:
        """Whether the same call may be answered later."""
        return self.status >= _FAILURES or self.status == HTTPStatus.TOO_MANY_REQUESTS


class Asking(Protocol):
    """Asks the service as somebody."""

    async def ask(
        self, method: str, path: str, *, params: Mapping[str, object] | None = None, json: object = None
    ) -> Answer:
        """What is answered. Raises Refused, Away."""


@dataclass(frozen=True, slots=True)
class Connection:
    """How tools reach memory, and what they take for granted where a call does not say it."""

    api: Asking
    mind_id: str
    session_id: str
    fresh_id: Callable[[], str]
