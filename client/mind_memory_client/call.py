"""A call as a value: what is sent, and how its answer is read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from mind_memory_client.faults import MemoryFault, NotMemory, Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")
A = TypeVar("A", bound=BaseModel)


@dataclass(frozen=True)
class Call(Generic[T]):
    """One call, ready to be sent; sending it again is the same call."""

    method: str
    path: str
    read: Callable[[Reply], T]
    query: tuple[tuple[str, str], ...] = ()
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_repeatable: bool = True  # doing it twice is doing it once
    attempts: int | None = None
    seconds: float | None = None  # for all attempts together
    instead: Callable[[MemoryFault], T | None] = lambda _: None  # an answer to go on with when it fails


def into(kind: type[A]) -> Callable[[Reply], A]:
    """How a body becomes a *kind*. Its reader raises NotMemory."""

    def read(reply: Reply) -> A:
        try:
            return kind.model_validate_json(reply.content)
        except ValidationError as error:
            raise NotMemory(f"an answer that is no {kind.__name__}: {error.error_count()} fields differ") from error

    return read


def json_object(reply: Reply) -> dict[str, Any]:
    """A body that is a JSON object. Raises NotMemory."""
    try:
        found = json.loads(reply.content)
    except ValueError as error:
        raise NotMemory("an answer that is no JSON") from error
    if not isinstance(found, dict):
        raise NotMemory("an answer that is no JSON object")
    return found


def listed(reply: Reply, *, name: str) -> list[dict[str, Any]]:
    """The list that a body has under *name*. Raises NotMemory."""
    found = json_object(reply).get(name)
    if not isinstance(found, list):
        raise NotMemory(f"an answer without {name}")
    return found
