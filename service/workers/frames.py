"""
What two processes of one service say to each other on a Unix socket: values, each with its length before it.

The other end is a process of ours and of this version: its socket is in a folder that only this user may enter.
"""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

_LENGTH_BYTES = 4
_MOST_BYTES = 1 << 31


class Channel:
    """One connection. Reading may be cancelled at any time: no value is lost, nor half of one."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._length: int | None = None  # of the value that is being read

    async def read(self) -> Any:  # noqa: ANN401 - both ends know what they say
        """The next value. Raises EOFError where the other end is gone."""
        try:
            if self._length is None:
                self._length = int.from_bytes(await self._reader.readexactly(_LENGTH_BYTES))
            content = await self._reader.readexactly(self._length)
        except (asyncio.IncompleteReadError, OSError) as error:
            raise EOFError from error
        self._length = None
        return pickle.loads(content)  # noqa: S301 - from a process of ours

    def write(self, *values: object) -> None:
        """Send values, in one piece and without waiting."""
        self._writer.write(b"".join(map(_framed, values)))

    async def flush(self) -> None:
        """Wait while the other end is slow. Raises EOFError where it is gone."""
        try:
            await self._writer.drain()
        except OSError as error:
            raise EOFError from error

    @property
    def is_closing(self) -> bool:
        """Whether nothing can be sent any more."""
        return self._writer.is_closing() or self._reader.at_eof()

    def close(self) -> None:
        """Close the connection at once."""
        self._writer.transport.abort()


def _framed(value: object) -> bytes:
    content = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    assert len(content) < _MOST_BYTES  # noqa: S101 - parts of bodies are small
    return len(content).to_bytes(_LENGTH_BYTES) + content
