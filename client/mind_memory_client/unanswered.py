"""What was stored before it was answered, so that it is not stored again with its answer."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_MOST_SESSIONS, _MOST_WORDS = 1000, 100


class Unanswered:
    """The words of each session's user that are stored and wait for an answer; the newest thousand sessions."""

    def __init__(self) -> None:
        """Begin with none."""
        self._waiting: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()

    def note(self, mind: str, session: str, messages: Iterable[Mapping[str, Any]]) -> None:
        """*messages* are stored, and wait beside those that did."""
        waiting = (*self._waiting.pop((mind, session), ()), *(str(one["content"]) for one in messages))
        self._waiting[mind, session] = waiting[-_MOST_WORDS:]
        while len(self._waiting) > _MOST_SESSIONS:
            self._waiting.popitem(last=False)

    def end(self, mind: str, session: str) -> None:
        """They are answered."""
        self._waiting.pop((mind, session), None)

    def new(self, mind: str, session: str, messages: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """*messages* without those that are stored already."""
        stored = list(self._waiting.get((mind, session), ()))
        found = []
        for one in messages:
            if one["content"] in stored:
                stored.remove(one["content"])
            else:
                found.append(dict(one))
        return found
