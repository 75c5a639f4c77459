"""Whoever answers a chat that comes through the proxy: the port, and what flows through it. Values are frozen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from consolidation.kernel.errors import MemoryFault, ModelFault, NotFound

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    type Json = Mapping[str, Any]

_BAD_GATEWAY = 502


class UpstreamRefused(ModelFault):
    """The model of a chat answered with an error; ``status``, ``error`` and ``headers`` are its own words."""

    def __init__(
        self,
        detail: str,
        *,
        status: int = _BAD_GATEWAY,
        error: Json | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.error = error
        self.headers = dict(headers or {})


class ChatTooLarge(MemoryFault):
    """The body of a chat is larger than is allowed."""


class ModelNotFound(NotFound):
    """A client asked for a model that the settings do not let it ask for."""


@dataclass(frozen=True, slots=True)
class Whole:
    """An answer of ``model`` in one piece; ``headers`` are those of its provider's that mean something to a client."""

    body: Json
    model: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Streamed:
    """
    An answer of ``model`` in chunks, of which the first has come: what fails from now on fails in the middle.

    ``rest`` raises UpstreamRefused; whoever stops early closes it, and the provider is told to stop.
    """

    first: Json | None
    rest: AsyncGenerator[Json, None]
    model: str
    headers: Mapping[str, str] = field(default_factory=dict)


class Upstream(Protocol):
    """Answers chats as OpenAI's API does, whatever the provider's own language is."""

    @property
    def names(self) -> tuple[str, ...]:
        """The models that may be asked for, the usual one first; none where no model is configured."""
        ...

    async def ask(self, body: Json, /) -> Whole | Streamed:
        """Answer the body of a chat, streamed where it asks for that. Raises ModelNotFound, UpstreamRefused."""
        ...

    async def cost(self, model: str, /, *, asked: int, answered: int) -> float:
        """What so many tokens cost in US dollars; 0 where nobody knows."""
        ...
