"""
Errors as mem0's clients read them: JSON whose `detail` is a sentence, and 404 for what was erased.

They parse `application/json` alone, so a problem document would be shown whole.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from service.http.middleware.problem_translation import ProblemTranslation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp

_DOOR = re.compile(r"/mem0(?:/.*)?")


class Mem0Errors(ProblemTranslation):
    """ASGI middleware that translates every problem document that leaves by mem0's door."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap *app*."""
        super().__init__(app, door=_DOOR, translation=_translated)


def _translated(problem: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    status = int(problem["status"])
    if status == HTTPStatus.GONE:
        status = int(HTTPStatus.NOT_FOUND)
    return status, {**problem, "status": status}
