"""A mind that another worker of this service has: what a call that also reads it may ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from service.workers.link import WorkerLink

SEARCH, REMEMBER = "search", "remember"  # the questions


@dataclass(frozen=True, slots=True)
class ForeignMind:
    """A mind by its id, and the worker that has it. Whether it exists is not known here."""

    mind_id: str
    worker: WorkerLink

    async def search(self, *asked: object, seconds: float | None) -> Any:  # noqa: ANN401 - what the search of that worker gives
        """What may surface of it in a pre-turn call, within *seconds*. Raises WorkerUnavailable."""
        return await self.worker.ask(SEARCH, self.mind_id, *asked, seconds=seconds)

    async def remember(self, query: str, **asked: object) -> Any:  # noqa: ANN401 - what the recall of that worker gives
        """What it remembers on purpose. Raises WorkerUnavailable."""
        return await self.worker.ask(REMEMBER, self.mind_id, query, **asked)
