"""A question to memory. Both clients have it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from mind_memory_client._endpoints import AsModel, Endpoint
from mind_memory_client.ask import MemoryAnswer

if TYPE_CHECKING:
    from mind_memory_client._endpoints import Call
    from mind_memory_client._transport import AsyncTransport, Transport

_SECONDS = 60.0  # the service waits 30 s for its model

ASK = Endpoint("POST", "/v1/minds/{mind_id}/ask", AsModel(MemoryAnswer), max_attempts=2, seconds=_SECONDS)


def ask(
    mind: str,
    question: str,
    *,
    limit: int | None = None,
    since: datetime | str | None = None,
    until: datetime | str | None = None,
    at: datetime | str | None = None,
    language: str | None = None,
    timezone: str | None = None,
    asker: str | None = None,
) -> Call[MemoryAnswer]:
    """The call that asks."""
    times = {"since": since, "until": until, "at": at}
    body: dict[str, object] = {
        name: one.isoformat() if isinstance(one, datetime) else one for name, one in times.items()
    }
    body |= {"question": question, "limit": limit, "language": language, "timezone": timezone, "asker": asker}
    return ASK.call(mind_id=mind, body=body)


class AskCalls:
    """Questions, for the client that blocks."""

    _transport: Transport

    def ask(
        self,
        mind: str,
        question: str,
        *,
        limit: int | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        at: datetime | str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        asker: str | None = None,
    ) -> MemoryAnswer:
        """
        Ask memory a question: lines that name their evidence, and what is not remembered.

        The answer rests on *limit* memories at most, 12 if left out, and on what was said between *since* and *until*.
        *at* asks for the facts that held then. *language* is the answer's, that of the question if left out; *timezone*
        that of its days. *asker* is the name of who asks, to whom "I" refers. Without a model, it is the evidence
        alone.
        """
        call = ask(
            mind,
            question,
            limit=limit,
            since=since,
            until=until,
            at=at,
            language=language,
            timezone=timezone,
            asker=asker,
        )
        return self._transport.send(call)


class AsyncAskCalls:
    """Questions, for the client that is awaited."""

    _transport: AsyncTransport

    async def ask(
        self,
        mind: str,
        question: str,
        *,
        limit: int | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        at: datetime | str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        asker: str | None = None,
    ) -> MemoryAnswer:
        """
        Ask memory a question: lines that name their evidence, and what is not remembered.

        The answer rests on *limit* memories at most, 12 if left out, and on what was said between *since* and *until*.
        *at* asks for the facts that held then. *language* is the answer's, that of the question if left out; *timezone*
        that of its days. *asker* is the name of who asks, to whom "I" refers. Without a model, it is the evidence
        alone.
        """
        call = ask(
            mind,
            question,
            limit=limit,
            since=since,
            until=until,
            at=at,
            language=language,
            timezone=timezone,
            asker=asker,
        )
        return await self._transport.send(call)
