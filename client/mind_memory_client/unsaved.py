"""Turns that could not be stored: whole, with their ids, so that sending them again stores them once."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mind_memory_client.answers import TurnKept
    from mind_memory_client.call import Call
    from mind_memory_client.faults import MemoryFault

log = logging.getLogger("mind_memory_client")


@dataclass(frozen=True)
class Unsaved:
    """A turn that is not stored, and why: ``memory.send(unsaved.call)`` sends it again."""

    mind: str
    turn_id: str
    call: Call[TurnKept]
    fault: MemoryFault

    @property
    def body(self) -> Any:  # noqa: ANN401 - JSON
        """What would have been stored, as JSON: to be put somewhere that outlives this process."""
        return self.call.body


class Shelf:
    """Holds the last turns that could not be stored, until somebody takes them. What adapters do by default."""

    def __init__(self, most: int = 1000) -> None:
        """Hold *most*, and let go of the oldest beyond."""
        self._held: deque[Unsaved] = deque(maxlen=most)

    def __call__(self, unsaved: Unsaved) -> None:
        """Put one there, and say so."""
        if len(self._held) == self._held.maxlen:
            log.error("turn %s is let go: too many could not be stored", self._held[0].turn_id)
        self._held.append(unsaved)
        log.error("turn %s of %s is not stored, but held: %s", unsaved.turn_id, unsaved.mind, unsaved.fault)

    def __len__(self) -> int:
        """How many are held."""
        return len(self._held)

    def take(self) -> tuple[Unsaved, ...]:
        """All that is held, oldest first; the shelf is empty then."""
        taken = tuple(self._held)
        self._held.clear()
        return taken
