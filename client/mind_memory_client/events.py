"""What happens in a mind, as the service tells it: server-sent events, read from bytes."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mind_memory_client.errors import RateLimited, Unavailable, Unreachable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mind_memory_client._retry import RetryPolicy
    from mind_memory_client.errors import MindMemoryError

log = logging.getLogger("mind_memory_client")


@dataclass(frozen=True)
class MindEvent:
    """
    Something that happened: its id, its kind, such as ``turn.kept``, and the ids of what it happened to, by name.

    The kind ``reset`` says that events may be missing.
    """

    id: str
    kind: str
    about: Mapping[str, Any] = field(default_factory=dict)


class EventReader:
    """Reads events from the parts of an answer, wherever these break off; ``last_id`` is of the newest one."""

    def __init__(self, last_id: str | None = None) -> None:
        self.last_id = last_id
        self._rest = b""

    def begin(self) -> None:
        """Begin with another answer: what the last one left unfinished is dropped."""
        self._rest = b""

    def read(self, part: bytes) -> Iterator[MindEvent]:
        """The events that are whole with this part."""
        *whole, self._rest = (self._rest + part).split(b"\n\n")
        for block in whole:
            fields = _fields(block.decode("utf-8", "replace"))
            self.last_id = fields.get("id", self.last_id)  # an answer begins with an id alone
            if {"id", "event", "data"} <= fields.keys():
                yield MindEvent(fields["id"], fields["event"], json.loads(fields["data"]))


class Reconnecting:
    """
    When events are asked for again: soon after some came, else after pauses that grow.

    What passes is waited for, however long it takes, and logged when it begins.
    """

    def __init__(self, mind: str, reader: EventReader, *, policy: RetryPolicy) -> None:
        self._mind, self._reader, self._policy = mind, reader, policy
        self._place: str | None = None
        self._tries = 0
        self._is_away = False

    def check(self, error: MindMemoryError) -> None:
        """Raises *error*, unless it passes."""
        if isinstance(error, Unreachable | RateLimited | Unavailable):
            if not self._is_away:
                log.warning("the events of %s broke off, and are asked for again: %s", self._mind, error)
            self._is_away = True
            return
        raise error

    def pause(self) -> float:
        """The seconds before events are asked for again."""
        if self._reader.last_id != self._place:
            self._place, self._tries, self._is_away = self._reader.last_id, 0, False
        else:
            self._tries += 1
        return min(self._policy.first_backoff_seconds * 2.0 ** min(self._tries, 30), self._policy.max_backoff_seconds)


def _fields(block: str) -> dict[str, str]:
    """One block of lines by the names in front; without comments."""
    return dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and not line.startswith(":"))
