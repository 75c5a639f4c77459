"""
Which process has which mind, while a home is served by several.

Invariant: a mind has one worker at a time. It follows from the mind's id and the number of workers alone, so every
process knows it, and nothing of it is stored: the next start may have another number.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

_FRONT = -1


class MindElsewhere(Exception):
    """A mind was asked for in a process that does not have it."""

    def __init__(self, mind_id: str) -> None:
        super().__init__(mind_id)
        self.mind_id = mind_id


def owner_of(mind_id: str, *, of: int) -> int:
    """The number of the worker, of so many, that has a mind."""
    return zlib.crc32(mind_id.encode("utf-8", "surrogatepass")) % of


@dataclass(frozen=True, slots=True)
class Share:
    """The minds of one process: all of them, those of one worker of several, or none, which is the front."""

    number: int = 0
    of: int = 1

    @classmethod
    def of_front(cls, workers: int) -> Share:
        """The share of the process in front of so many workers."""
        return cls(_FRONT, workers)

    @property
    def is_whole(self) -> bool:
        """Whether this is the only process."""
        return self.of == 1

    @property
    def is_front(self) -> bool:
        """Whether this process has no mind, and passes calls on."""
        return self.number == _FRONT

    @property
    def is_worker(self) -> bool:
        """Whether another process is in front of this one."""
        return not self.is_whole and not self.is_front

    @property
    def is_first(self) -> bool:
        """Whether this process says what every process that has minds would say."""
        return self.number == 0

    def owns(self, mind_id: str) -> bool:
        """Whether this process has a mind."""
        return self.is_whole or owner_of(mind_id, of=self.of) == self.number

    def check(self, mind_id: str) -> None:
        """Raise MindElsewhere where another process has the mind."""
        if not self.owns(mind_id):
            raise MindElsewhere(mind_id)


WHOLE = Share()
