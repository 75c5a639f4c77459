"""How a tool calls our HTTP API: it answers, refuses, or can not be reached."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

type Answer = Mapping[str, Any]

_MIND_NOT_FOUND = "/problems/mind-not-found"
_NO_ROUTE = "/problems/not-found"
_FIRST_SERVER_ERROR = 500  # from here on, it is not the caller's fault


class ApiUnreachable(Exception):
    """The service can not be reached; the text says what to do."""


class ApiRefused(Exception):
    """The service refused: the HTTP *status* and the problem document."""

    def __init__(self, status: int, problem: Answer, *, retry_after: str) -> None:
        super().__init__(str(problem.get("detail") or HTTPStatus(status).phrase))
        self.status = status
        self.problem = problem
        self.retry_after = retry_after

    @property
    def is_mind_not_found(self) -> bool:
        """Whether the mind does not exist, or the caller may not see it."""
        return self.problem.get("type") == _MIND_NOT_FOUND

    @property
    def is_of_no_service(self) -> bool:
        """Whether nobody at the address has the route: it is not a memory service, or one of another version."""
        return self.status == HTTPStatus.NOT_FOUND and self.problem.get("type") in {None, "about:blank", _NO_ROUTE}

    @property
    def is_retryable(self) -> bool:
        """Whether the same call may succeed later."""
        return self.status >= _FIRST_SERVER_ERROR or self.status == HTTPStatus.TOO_MANY_REQUESTS


class AnotherMind(Exception):
    """A call named a mind that its connection is not for."""


class ApiClient(Protocol):
    """Calls the API in the name of a caller."""

    async def ask(
        self, method: str, path: str, *, params: Mapping[str, object] | None = None, json: object = None
    ) -> Answer:
        """The answer of one call. Raises ApiRefused, ApiUnreachable."""


@dataclass(frozen=True, slots=True)
class ApiConnection:
    """
    How tools reach memory, and the defaults of a call that names no mind or session.

    ``is_alone``: no call may name another mind than this one.
    """

    api: ApiClient
    mind_id: str
    is_alone: bool
    session_id: str
    fresh_id: Callable[[], str]

    def mind_for(self, named: str | None) -> str:
        """The mind of a call that names this one, or none. Raises AnotherMind."""
        if self.is_alone and named not in {None, self.mind_id}:
            raise AnotherMind(f"this connection is for the mind {self.mind_id!r} alone: call again without `mind`")
        return named or self.mind_id
