"""Several turns or memories in one call. Both clients have these calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mind_memory_client import _endpoints as api
from mind_memory_client._transport import new_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mind_memory_client import models
    from mind_memory_client._endpoints import Memories
    from mind_memory_client._transport import AsyncTransport, Transport


class BatchCalls:
    """Several turns or memories, for the client that blocks."""

    _transport: Transport

    def store_turns(self, mind: str, *, turns: Iterable[Mapping[str, Any]]) -> models.StoredBatch:
        """
        Store up to 100 turns in order: mappings with ``session_id``, ``messages``, and what else a turn may have.

        Each is stored once in any number of attempts: under its ``turn_id``, or one that is made now. One that is
        refused has a ``problem``, and the others are stored.
        """
        return self._transport.send(api.store_turns(mind, turns, fresh_id=new_id))

    def save_memories(
        self,
        mind: str,
        memories: Memories,
        *,
        importance: float | None = None,
        session: str | None = None,
    ) -> models.SavedMemories:
        """
        Save memories on purpose, all of them or none: a text, a mapping with ``text``, or several of these.

        A mapping may have an ``importance`` of its own, from 0 to 1, an ``id`` and ``occurred_at``. What is below 0.1
        is not stored, and ``dropped`` says so. They are on disk when this returns, each once in any number of attempts.
        """
        call = api.save_memories(mind, memories, importance=importance, session=session, fresh_id=new_id)
        return self._transport.send(call)


class AsyncBatchCalls:
    """Several turns or memories, for the client that is awaited."""

    _transport: AsyncTransport

    async def store_turns(self, mind: str, *, turns: Iterable[Mapping[str, Any]]) -> models.StoredBatch:
        """
        Store up to 100 turns in order: mappings with ``session_id``, ``messages``, and what else a turn may have.

        Each is stored once in any number of attempts: under its ``turn_id``, or one that is made now. One that is
        refused has a ``problem``, and the others are stored.
        """
        return await self._transport.send(api.store_turns(mind, turns, fresh_id=new_id))

    async def save_memories(
        self,
        mind: str,
        memories: Memories,
        *,
        importance: float | None = None,
        session: str | None = None,
    ) -> models.SavedMemories:
        """
        Save memories on purpose, all of them or none: a text, a mapping with ``text``, or several of these.

        A mapping may have an ``importance`` of its own, from 0 to 1, an ``id`` and ``occurred_at``. What is below 0.1
        is not stored, and ``dropped`` says so. They are on disk when this returns, each once in any number of attempts.
        """
        call = api.save_memories(mind, memories, importance=importance, session=session, fresh_id=new_id)
        return await self._transport.send(call)
