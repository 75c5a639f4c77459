"""Errors in words that help a model to do better: what to change, or when to try again."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from service.mcp_server.api_client import ApiRefused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from service.mcp_server.api_client import ApiUnreachable

_KEY = "The memory needs a valid key. Tell the user: it is given to this MCP server (MIND_MEMORY_KEY, or the header)."
WRONG_VERSION = "The answer is not from a memory service of this version. Tell the user to check address and version."
_ONE_MEMORY = "memories/0/"  # `save_memory` sends one
_ARGUMENTS = {"target": "id", "target.id": "id"}  # what a correction is about
_FAULTS = {"extra_forbidden": "unknown argument", "missing": "is needed"}


def explain_invalid_arguments(error: ValidationError, *, tool: str) -> str:
    """Which arguments are not valid, and why."""
    text = [f"{_path_of(one['loc'])}: {_fault_of(one)}" for one in error.errors(include_url=False)]
    return f"{tool} was not called: {'; '.join(text)}. Correct the arguments and call it again."


def explain_refusal(fault: ApiRefused | ApiUnreachable) -> str:
    """Why the service refused, what to do, and any notes on the way."""
    text = _refusal(fault) if isinstance(fault, ApiRefused) else f"{fault}. Go on without memory meanwhile."
    return " ".join([text, *getattr(fault, "__notes__", ())])


def _refusal(refusal: ApiRefused) -> str:
    if refusal.status == HTTPStatus.UNAUTHORIZED:
        return _KEY
    if refusal.is_of_no_service:
        return WRONG_VERSION
    found = refusal.problem.get("errors") or ()
    if found:
        text = "; ".join(f"{_argument_of(str(one.get('pointer', '')))}: {one.get('detail', '')}" for one in found)
        end = "" if text.endswith(("?", ".")) else "."
        return f"Memory refused it: {text}{end} Correct the arguments and call it again."
    text = f"Memory refused it: {str(refusal).rstrip('.')}."
    if refusal.is_retryable:
        when = f"in {refusal.retry_after} seconds" if refusal.retry_after.isdigit() else "later"
        text += f" Try again {when}."
    return text


def _argument_of(pointer: str) -> str:
    """A problem's pointer as the name of the argument it came from: ``query/limit``, ``#/messages/0/role``."""
    path = pointer.removeprefix("query/").removeprefix("#/").removeprefix(_ONE_MEMORY).replace("/", ".")
    return _ARGUMENTS.get(path, path) or "the call"


def _path_of(path: Iterable[int | str]) -> str:
    return ".".join(map(str, path)) or "the call"


def _fault_of(error: ErrorDetails) -> str:
    return _FAULTS.get(error["type"]) or _lower_first(error["msg"])


def _lower_first(message: str) -> str:
    message = message.removeprefix("Value error, ")
    return f"{message[:1].lower()}{message[1:]}"
