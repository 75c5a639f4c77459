"""
Puts the conversations of an export that has its newest first in the order of their times, as they are to be stored.

All files of the export are one order: large exports are split. At most a bounded number of characters is held; of an
export with more, each such part is in order by itself.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from service.importing.results import FoundTurn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.importing.results import ImportItem

_MOST_HELD = 1 << 26  # characters of what was said
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class OldestFirst:
    """The conversations that are held until the oldest is known."""

    def __init__(self, *, most_characters: int = _MOST_HELD) -> None:
        self._most = most_characters
        self._held: list[list[FoundTurn]] = []
        self._characters = 0

    def take(self, items: Iterable[ImportItem]) -> Iterator[ImportItem]:
        """Hold the turns of *items*; what gives no turn is passed on, and what is held where it is too much."""
        for item in items:
            if not isinstance(item, FoundTurn):
                yield item
                continue
            if not self._held or self._held[-1][-1].turn.session_id != item.turn.session_id:
                if self._characters > self._most:
                    yield from self.rest()
                self._held.append([])
            self._held[-1].append(item)
            self._characters += sum(len(message.content) for message in item.turn.messages)

    def rest(self) -> Iterator[FoundTurn]:
        """What is held, by when each conversation ended; of one time, the last in the file is the oldest."""
        held, self._held, self._characters = self._held, [], 0
        held.reverse()
        for conversation in sorted(held, key=_ended_at):
            yield from conversation


def _ended_at(conversation: list[FoundTurn]) -> datetime:
    times = (message.timestamp for found in conversation for message in found.turn.messages)
    return max((at for at in times if at is not None), default=_LONG_AGO)
