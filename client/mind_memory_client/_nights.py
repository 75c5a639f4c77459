"""What people look at of an agent's nights: how tired it was, dreams taken back, evaluations. Both clients have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mind_memory_client._endpoints import AsModel, Endpoint
from mind_memory_client.evaluations import Evaluation, Evaluations
from mind_memory_client.fatigue import Fatigue
from mind_memory_client.sleep import Dream

if TYPE_CHECKING:
    from mind_memory_client._transport import AsyncTransport, Transport

FATIGUE = Endpoint("GET", "/v1/minds/{mind_id}/fatigue", AsModel(Fatigue))
UNDO_DREAM = Endpoint("POST", "/v1/minds/{mind_id}/dreams/{dream}/undo", AsModel(Dream))
REDO_DREAM = Endpoint("DELETE", "/v1/minds/{mind_id}/dreams/{dream}/undo", AsModel(Dream))
EVALUATIONS = Endpoint("GET", "/v1/minds/{mind_id}/evaluations", AsModel(Evaluations))
ACCEPT_EVALUATION = Endpoint("POST", "/v1/minds/{mind_id}/evaluations/{dream}/accept", AsModel(Evaluation))


class NightCalls:
    """An agent's nights, for the client that blocks."""

    _transport: Transport

    def fatigue(self, mind: str, *, days: int | None = None) -> Fatigue:
        """Read how tired an agent was, and when it slept, in the last 7 days unless *days* says how many, up to 90."""
        return self._transport.send(FATIGUE.call(mind_id=mind, query={"days": days}))

    def undo_dream(self, mind: str, *, dream: int) -> Dream:
        """
        Take the dream of this number back: its lines leave the agent's files, and it no longer counts.

        A person's lines stay, and so do the briefing, the priorities and the diary. ``redo_dream`` restores it.
        """
        return self._transport.send(UNDO_DREAM.call(mind_id=mind, dream=str(dream)))

    def redo_dream(self, mind: str, *, dream: int) -> Dream:
        """Let a dream count again that was taken back, with its lines."""
        return self._transport.send(REDO_DREAM.call(mind_id=mind, dream=str(dream)))

    def evaluations(self, mind: str, *, limit: int | None = None, cursor: str | None = None) -> Evaluations:
        """Read what deep sleeps measured of an agent, newest first; *cursor* is ``next_cursor`` of the page before."""
        return self._transport.send(EVALUATIONS.call(mind_id=mind, query={"limit": limit, "cursor": cursor}))

    def accept_evaluation(self, mind: str, *, dream: int) -> Evaluation:
        """
        Set what the evaluation of this number proposes, in the mind's own settings; again, it changes nothing.

        Raises Conflict where the setting has another value by now, and where it is not of one mind.
        """
        return self._transport.send(ACCEPT_EVALUATION.call(mind_id=mind, dream=str(dream)))


class AsyncNightCalls:
    """An agent's nights, for the client that is awaited."""

    _transport: AsyncTransport

    async def fatigue(self, mind: str, *, days: int | None = None) -> Fatigue:
        """Read how tired an agent was, and when it slept, in the last 7 days unless *days* says how many, up to 90."""
        return await self._transport.send(FATIGUE.call(mind_id=mind, query={"days": days}))

    async def undo_dream(self, mind: str, *, dream: int) -> Dream:
        """
        Take the dream of this number back: its lines leave the agent's files, and it no longer counts.

        A person's lines stay, and so do the briefing, the priorities and the diary. ``redo_dream`` restores it.
        """
        return await self._transport.send(UNDO_DREAM.call(mind_id=mind, dream=str(dream)))

    async def redo_dream(self, mind: str, *, dream: int) -> Dream:
        """Let a dream count again that was taken back, with its lines."""
        return await self._transport.send(REDO_DREAM.call(mind_id=mind, dream=str(dream)))

    async def evaluations(self, mind: str, *, limit: int | None = None, cursor: str | None = None) -> Evaluations:
        """Read what deep sleeps measured of an agent, newest first; *cursor* is ``next_cursor`` of the page before."""
        return await self._transport.send(EVALUATIONS.call(mind_id=mind, query={"limit": limit, "cursor": cursor}))

    async def accept_evaluation(self, mind: str, *, dream: int) -> Evaluation:
        """
        Set what the evaluation of this number proposes, in the mind's own settings; again, it changes nothing.

        Raises Conflict where the setting has another value by now, and where it is not of one mind.
        """
        return await self._transport.send(ACCEPT_EVALUATION.call(mind_id=mind, dream=str(dream)))
