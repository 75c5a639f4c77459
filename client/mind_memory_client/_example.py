"""The example life. Both clients have these calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mind_memory_client._endpoints import AsModel, Endpoint
from mind_memory_client.example import Example

if TYPE_CHECKING:
    from mind_memory_client._transport import AsyncTransport, Transport

EXAMPLE = Endpoint("GET", "/v1/example", AsModel(Example))
LOAD_EXAMPLE = Endpoint("POST", "/v1/example", AsModel(Example))


class ExampleCalls:
    """The example life, for the client that blocks."""

    _transport: Transport

    def example(self) -> Example:
        """Read how far the example life is loaded. Raises MindNotFound where it is not there."""
        return self._transport.send(EXAMPLE.call())

    def load_example(self) -> Example:
        """
        Have a made-up life loaded into the mind ``example``, in the background; nothing, where that was done.

        Raises Conflict where another mind has this name. ``erase`` removes it again.
        """
        return self._transport.send(LOAD_EXAMPLE.call())


class AsyncExampleCalls:
    """The example life, for the client that is awaited."""

    _transport: AsyncTransport

    async def example(self) -> Example:
        """Read how far the example life is loaded. Raises MindNotFound where it is not there."""
        return await self._transport.send(EXAMPLE.call())

    async def load_example(self) -> Example:
        """
        Have a made-up life loaded into the mind ``example``, in the background; nothing, where that was done.

        Raises Conflict where another mind has this name. ``erase`` removes it again.
        """
        return await self._transport.send(LOAD_EXAMPLE.call())
