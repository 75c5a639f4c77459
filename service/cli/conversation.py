"""One chat as a backend holds it: the window the bot can see, and the two calls to memory around each answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

from service.cli.faults import CommandFailed, Refused
from service.cli.zone import local_zone

if TYPE_CHECKING:
    from consolidation.kernel.ports import Clock
    from service.cli.bots import Bot
    from service.cli.client import Answer, MemoryClient

_WINDOW = 40  # messages the bot still sees
_DEADLINE_MS = 5000  # a person at a terminal waits longer than a backend, above all for the first, cold answer


@dataclass(slots=True)
class _Pending:
    """A turn under way."""

    turn_id: str
    messages: list[dict[str, str]]
    surfaced: Answer


class Conversation:
    """Hears, answers and keeps, in this order; what is forgotten in between leaves no trace in the window."""

    def __init__(self, memory: MemoryClient, bot: Bot, *, mind_id: str, session_id: str, clock: Clock) -> None:
        """Begin with an empty window."""
        self.bot = bot
        self._memory = memory
        self._mind_id = mind_id
        self._session_id = session_id
        self._clock = clock
        self._window: list[dict[str, str]] = []
        self._pending: _Pending | None = None
        self._trace_id: str | None = None

    async def known_turns(self) -> int:
        """How many turns the mind holds."""
        mind = await self._memory.mind_or_none(self._mind_id)
        return int(mind["turns"]) if mind is not None else 0

    async def hear(self, line: str) -> Answer:
        """What surfaces when *line* is said; silence with its reason where memory can not be asked."""
        messages = [*self._window, self._message("user", line)][-_WINDOW:]
        asked = {
            "session_id": self._session_id,
            "messages": messages,
            "timezone": local_zone(),
            "deadline_ms": _DEADLINE_MS,
        }
        try:
            surfaced = await self._memory.resonate(self._mind_id, asked)
            self._trace_id = surfaced["trace_id"]
        except CommandFailed as fault:
            is_new = isinstance(fault, Refused) and fault.status == httpx.codes.NOT_FOUND
            surfaced = _silence("this mind begins with this turn" if is_new else str(fault), messages)
            self._trace_id = None
        self._pending = _Pending(self._clock.fresh_id(), messages[-1:], surfaced)
        return surfaced

    async def answer(self) -> str:
        """What the bot says to it. Raises ModelFault."""
        assert self._pending is not None  # noqa: S101 - hear came first
        text = await self.bot.answer(self._pending.surfaced)
        if self.bot.is_kept:
            self._pending.messages.append(self._message("assistant", text))
        return text

    async def keep(self) -> Answer:
        """Post the turn. Raises CommandFailed; then the window has it all the same, as the person has seen it."""
        pending, self._pending = self._pending, None
        assert pending is not None  # noqa: S101 - hear came first
        self._window = [*self._window, *pending.messages][-_WINDOW:]
        turn = {"turn_id": pending.turn_id, "session_id": self._session_id, "messages": pending.messages}
        try:
            return await self._memory.keep(
                self._mind_id, turn | ({"trace_id": self._trace_id} if self._trace_id else {})
            )
        except CommandFailed as fault:
            raise CommandFailed(f"This turn is not kept: {fault}") from fault

    def forget(self) -> None:
        """Give up the turn under way."""
        self._pending = None

    async def trace(self) -> Answer | None:
        """Why what surfaced did; None before anything was looked for."""
        return await self._memory.trace(self._mind_id, self._trace_id) if self._trace_id else None

    async def remember(self, query: str) -> Answer:
        """Recall on purpose."""
        return await self._memory.remember(self._mind_id, query=query, limit=5)

    def _message(self, role: str, content: str) -> dict[str, str]:
        return {"role": role, "content": content, "timestamp": self._clock.now().isoformat()}


def _silence(reason: str, messages: list[dict[str, str]]) -> dict[str, Any]:
    return {"flashbacks": [], "silence": reason, "degraded": [], "messages": messages}
