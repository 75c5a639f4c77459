"""What a model said too late for its own turn: kept, and at hand for the next."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prompts.responses import Seeds

_MOST_SESSIONS, _MOST_TELLINGS = 2_000, 5_000


class Afterthoughts:
    """Late seeds by session, late tellings by fragment and language; the oldest are let go."""

    def __init__(self) -> None:
        """Begin empty; a restart may forget these."""
        self._seeds: OrderedDict[tuple[str, str], Seeds] = OrderedDict()
        self._tellings: OrderedDict[tuple[str, str, str], str] = OrderedDict()

    def keep_seeds(self, mind_id: str, session_id: str, seeds: Seeds) -> None:
        """Keep seeds for the session's next turn."""
        self._seeds[mind_id, session_id] = seeds
        if len(self._seeds) > _MOST_SESSIONS:
            self._seeds.popitem(last=False)

    def take_seeds(self, mind_id: str, session_id: str) -> Seeds | None:
        """The seeds that came late last time, once."""
        return self._seeds.pop((mind_id, session_id), None)

    def forget(self, mind_id: str) -> None:
        """Let go of all that is of a mind."""
        for seeds in [key for key in self._seeds if key[0] == mind_id]:
            del self._seeds[seeds]
        for telling in [key for key in self._tellings if key[0] == mind_id]:
            del self._tellings[telling]

    def keep_telling(self, mind_id: str, fragment_id: str, language: str, text: str) -> None:
        """Keep how a fragment was told."""
        self._tellings[mind_id, fragment_id, language] = text
        if len(self._tellings) > _MOST_TELLINGS:
            self._tellings.popitem(last=False)

    def telling(self, mind_id: str, fragment_id: str, language: str) -> str | None:
        """How a fragment was told before, in this language."""
        return self._tellings.get((mind_id, fragment_id, language))
