"""What the backend of an autonomous agent calls: actions, sleep, dreams, waking, its window. Both clients have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mind_memory_client import _endpoints as api
from mind_memory_client._nights import AsyncNightCalls, NightCalls
from mind_memory_client._transport import new_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date
    from typing import Any, Literal

    from mind_memory_client import models
    from mind_memory_client._endpoints import Actions
    from mind_memory_client._transport import AsyncTransport, Transport
    from mind_memory_client.observations import Observations
    from mind_memory_client.sleep import Dreams, KeptActions, SleepBegun, SleepStatus
    from mind_memory_client.waking import Waking


class AgentCalls(NightCalls):
    """An agent's day, for the client that blocks."""

    _transport: Transport

    def act(self, mind: str, session: str, actions: Actions) -> KeptActions:
        """
        Store what an agent did: one action, or several in their order, all of them or none.

        An action is a mapping with ``kind`` ("thought", "tool_call", "message" or "error") and ``text``, or ``tool``,
        ``input``, ``ok`` and ``output``; it may have an ``id`` and a ``timestamp``. They are on disk when this returns,
        each once in any number of attempts. Where ``must_sleep`` is true, call ``sleep`` next.
        """
        return self._transport.send(api.act(mind, session, actions, fresh_id=new_id))

    def sleep(
        self,
        mind: str,
        seconds: float,
        *,
        session: str | None = None,
        timezone: str | None = None,
        wait: bool = False,
    ) -> SleepBegun:
        """
        Let an agent sleep for 2 to 86,400 seconds; pause it for the answer's ``pause_seconds``.

        *session* is the one that ends by it; that of its newest action if left out. *timezone* is the agent's. With
        *wait*, this returns when the dream has ended. It is not sent again once it may have been received.
        """
        call = api.sleep(mind, seconds=seconds, session=session, timezone=timezone, wait=wait)
        return self._transport.send(call)

    def sleep_status(self, mind: str) -> SleepStatus:
        """Read whether an agent is awake, how tired it is, and when it dreamt last."""
        return self._transport.send(api.SLEEP_STATUS.call(mind_id=mind))

    def wake_up(self, mind: str, *, reason: str = "") -> SleepStatus:
        """End an agent's sleep before its time; *reason* is told to it. A dream that is under way goes on."""
        return self._transport.send(api.WAKE.call(mind_id=mind, body={"reason": reason}))

    def dream(self, mind: str, *, deep: bool = False, timezone: str | None = None, wait: bool = True) -> Dreams:
        """
        Dream now of what was lived since the last dream, whatever the interval; returns the newest dream.

        With *deep*, it is a deep sleep, which also tidies up and writes the diary. With *wait*, this returns when it
        has ended.
        """
        return self._transport.send(api.dream(mind, deep=deep, timezone=timezone, wait=wait))

    def dreams(self, mind: str, *, limit: int | None = None) -> Dreams:
        """Read the newest dreams, newest first, 10 of them unless *limit* says how many."""
        return self._transport.send(api.DREAMS.call(mind_id=mind, query={"limit": limit}))

    def trim(
        self,
        mind: str,
        session: str,
        messages: Iterable[Mapping[str, Any]],
        *,
        keep: int | None = None,
        max_characters: int | None = None,
    ) -> models.TrimmedWindow:
        """
        Trim an agent's context window: the newest *keep* messages stay, fewer where they exceed *max_characters*.

        What leaves is stored first; if that fails, the call raises, and the window stays yours. A call of a tool stays
        with its result. Put ``digest`` after the system messages, as a system message of its own.
        """
        return self._transport.send(api.trim(mind, session, messages, keep=keep, max_characters=max_characters))

    def waking(
        self, mind: str, *, session: str | None = None, max_tokens: int | None = None, timezone: str | None = None
    ) -> Waking:
        """
        What an agent is handed when it wakes: one text for the beginning of its context, and the parts of it.

        *session* is the one that begins. *timezone* is that of the times in the text; the agent's own if left out.
        """
        asked = {"session_id": session, "max_tokens": max_tokens, "timezone": timezone}
        return self._transport.send(api.WAKING.call(mind_id=mind, query=asked))

    def observations(
        self, mind: str, *, level: Literal["RED", "YLW", "GRN"] | None = None, since: date | str | None = None
    ) -> Observations:
        """Read what dreams observed: all, or a *level* alone, or what is of the day *since* and later."""
        return self._transport.send(api.OBSERVATIONS.call(mind_id=mind, query={"level": level, "since": since}))

    def put_observations(self, mind: str, *, text: str, etag: str) -> Observations:
        """Replace the observations that *etag* names. Raises StoryChanged where somebody changed them meanwhile."""
        return self._transport.send(api.put_observations(mind, text=text, etag=etag))


class AsyncAgentCalls(AsyncNightCalls):
    """An agent's day, for the client that is awaited."""

    _transport: AsyncTransport

    async def act(self, mind: str, session: str, actions: Actions) -> KeptActions:
        """
        Store what an agent did: one action, or several in their order, all of them or none.

        An action is a mapping with ``kind`` ("thought", "tool_call", "message" or "error") and ``text``, or ``tool``,
        ``input``, ``ok`` and ``output``; it may have an ``id`` and a ``timestamp``. They are on disk when this returns,
        each once in any number of attempts. Where ``must_sleep`` is true, call ``sleep`` next.
        """
        return await self._transport.send(api.act(mind, session, actions, fresh_id=new_id))

    async def sleep(
        self,
        mind: str,
        seconds: float,
        *,
        session: str | None = None,
        timezone: str | None = None,
        wait: bool = False,
    ) -> SleepBegun:
        """
        Let an agent sleep for 2 to 86,400 seconds; pause it for the answer's ``pause_seconds``.

        *session* is the one that ends by it; that of its newest action if left out. *timezone* is the agent's. With
        *wait*, this returns when the dream has ended. It is not sent again once it may have been received.
        """
        return await self._transport.send(
            api.sleep(mind, seconds=seconds, session=session, timezone=timezone, wait=wait)
        )

    async def sleep_status(self, mind: str) -> SleepStatus:
        """Read whether an agent is awake, how tired it is, and when it dreamt last."""
        return await self._transport.send(api.SLEEP_STATUS.call(mind_id=mind))

    async def wake_up(self, mind: str, *, reason: str = "") -> SleepStatus:
        """End an agent's sleep before its time; *reason* is told to it. A dream that is under way goes on."""
        return await self._transport.send(api.WAKE.call(mind_id=mind, body={"reason": reason}))

    async def dream(self, mind: str, *, deep: bool = False, timezone: str | None = None, wait: bool = True) -> Dreams:
        """
        Dream now of what was lived since the last dream, whatever the interval; returns the newest dream.

        With *deep*, it is a deep sleep, which also tidies up and writes the diary. With *wait*, this returns when it
        has ended.
        """
        return await self._transport.send(api.dream(mind, deep=deep, timezone=timezone, wait=wait))

    async def dreams(self, mind: str, *, limit: int | None = None) -> Dreams:
        """Read the newest dreams, newest first, 10 of them unless *limit* says how many."""
        return await self._transport.send(api.DREAMS.call(mind_id=mind, query={"limit": limit}))

    async def trim(
        self,
        mind: str,
        session: str,
        messages: Iterable[Mapping[str, Any]],
        *,
        keep: int | None = None,
        max_characters: int | None = None,
    ) -> models.TrimmedWindow:
        """
        Trim an agent's context window: the newest *keep* messages stay, fewer where they exceed *max_characters*.

        What leaves is stored first; if that fails, the call raises, and the window stays yours. A call of a tool stays
        with its result. Put ``digest`` after the system messages, as a system message of its own.
        """
        return await self._transport.send(api.trim(mind, session, messages, keep=keep, max_characters=max_characters))

    async def waking(
        self, mind: str, *, session: str | None = None, max_tokens: int | None = None, timezone: str | None = None
    ) -> Waking:
        """
        What an agent is handed when it wakes: one text for the beginning of its context, and the parts of it.

        *session* is the one that begins. *timezone* is that of the times in the text; the agent's own if left out.
        """
        asked = {"session_id": session, "max_tokens": max_tokens, "timezone": timezone}
        return await self._transport.send(api.WAKING.call(mind_id=mind, query=asked))

    async def observations(
        self, mind: str, *, level: Literal["RED", "YLW", "GRN"] | None = None, since: date | str | None = None
    ) -> Observations:
        """Read what dreams observed: all, or a *level* alone, or what is of the day *since* and later."""
        return await self._transport.send(api.OBSERVATIONS.call(mind_id=mind, query={"level": level, "since": since}))

    async def put_observations(self, mind: str, *, text: str, etag: str) -> Observations:
        """Replace the observations that *etag* names. Raises StoryChanged where somebody changed them meanwhile."""
        return await self._transport.send(api.put_observations(mind, text=text, etag=etag))
