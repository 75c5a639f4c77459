"""What happens in a mind, as the service tells it: server-sent events, read from bytes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


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


def _fields(block: str) -> dict[str, str]:
    """One block of lines by the names in front; without comments."""
    return dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and not line.startswith(":"))
