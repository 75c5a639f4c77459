"""Who answers a chat that comes through the proxy: the port, and what flows through it. Values are frozen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    type Json = Mapping[str, Any]

USUAL = "memory"  # the name under which what answers by default is offered


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """
    An answer of ``model`` in one piece, with those headers of its provider that mean something to a client.

    ``model`` is empty where no model answered; then the answer is not stored. ``host`` is where it was asked.
    """

    body: Json
    model: str
    headers: Mapping[str, str] = field(default_factory=dict)
    host: str = ""


@dataclass(frozen=True, slots=True)
class StreamedAnswer:
    """
    An answer in chunks, of which ``first`` has come already (None: it is in ``rest``): later failures cut it short.

    ``rest`` raises UpstreamRefused, also where the answer ends in the middle. Close it to stop early; then the provider
    is told to stop, too.
    """

    first: Json | None
    rest: AsyncGenerator[Json, None]
    model: str
    headers: Mapping[str, str] = field(default_factory=dict)
    host: str = ""


class Upstream(Protocol):
    """Answers chats as OpenAI's API does, whatever the provider's own API is."""

    @property
    def names(self) -> tuple[str, ...]:
        """The models that a client may ask for, the default one first; at least one."""
        ...

    async def warm(self) -> None:
        """Import what the first chat would otherwise wait for."""
        ...

    def window(self, model: str, /) -> int | None:
        """Return the tokens that a model takes in, the least of those asked in its place; None where none is set."""
        ...

    async def ask(self, body: Json, /, *, plainer: Json | None = None) -> WholeAnswer | StreamedAnswer:
        """
        Answer the body of a chat, streamed where it asks for that. Raises ModelNotFound, UpstreamRefused.

        *plainer* is the same chat for a model that refuses *body* for the roles of its messages.
        """
        ...

    async def cost(self, model: str, /, *, asked: int, answered: int) -> float:
        """Return what so many tokens cost in US dollars; 0 where the price is unknown."""
        ...
