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

    def read(self, part: bytes) -> Iterator[MindEvent]:
        """The events that are whole with this part."""
        *whole, self._rest = (self._rest + part).split(b"\n\n")
        for block in whole:
            event = _event(block.decode("utf-8", "replace"))
            if event is not None:
                self.last_id = event.id
                yield event


def _event(block: str) -> MindEvent | None:
    """One block of lines as an event; None for a comment, and for what is not one of ours."""
    fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and not line.startswith(":"))
    if not {"id", "event", "data"} <= fields.keys():
        return None
    return MindEvent(fields["id"], fields["event"], json.loads(fields["data"]))
