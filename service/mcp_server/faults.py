"""What went wrong, in words by which a model can do better: what to change, or when to try again. Pure."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from service.mcp_server.asking import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import ValidationError

    from service.mcp_server.asking import Away

_KEY = "The memory wants a valid key. Tell the user: it is given to this MCP server (MIND_MEMORY_KEY, or the header)."


def of_arguments(error: ValidationError, *, tool: str) -> str:
    """Which arguments do not fit, and why."""
    said = [f"{_place(one['loc'])}: {_lowered(one['msg'])}" for one in error.errors(include_url=False)]
    return f"{tool} was not called: {'; '.join(said)}. Correct the arguments and call it again."


def of_service(fault: Refused | Away) -> str:
    """Why memory did not do it, what to do, and what was noted on the way."""
    said = _refusal(fault) if isinstance(fault, Refused) else f"{fault}. Go on without memory meanwhile."
    return " ".join([said, *getattr(fault, "__notes__", ())])


def _refusal(refusal: Refused) -> str:
    if refusal.status == HTTPStatus.UNAUTHORIZED:
        return _KEY
    found = refusal.problem.get("errors") or ()
    if found:
        said = "; ".join(f"{_named(str(one.get('pointer', '')))}: {one.get('detail', '')}" for one in found)
        return f"Memory refused it: {said}. Correct the arguments and call it again."
    said = f"Memory refused it: {str(refusal).rstrip('.')}."
    if refusal.may_end:
        when = f"in {refusal.retry_after} seconds" if refusal.retry_after.isdigit() else "later"
        said += f" Try again {when}."
    return said


def _named(pointer: str) -> str:
    """A problem's pointer as the argument it came from: ``query/limit``, ``#/messages/0/role``."""
    return pointer.removeprefix("query/").removeprefix("#/").replace("/", ".") or "the call"


def _place(steps: Iterable[int | str]) -> str:
    return ".".join(map(str, steps)) or "the call"


def _lowered(message: str) -> str:
    message = message.removeprefix("Value error, ")
    return f"{message[:1].lower()}{message[1:]}"
