"""
A model that never errs, asked which memories surface: what it can not choose, no model can.

It knows what each query of a life expects. A candidate is the turn whose words it shares most of.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.support.scripted_models import Brain, numbers
from tests.support.service import settings_of
from tests.twins.provider import ScriptedProvider

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from service.settings.settings import Settings
    from tests.benchmarks.lives import Life, Query

_WORD = re.compile(r"\w+")


class PerfectJudge(ScriptedProvider):
    """A provider on loopback whose model chooses right for `query`, best first, and rewords nothing."""

    def __init__(self) -> None:
        super().__init__(respond=Brain(narration=self._chosen))
        self.query: Query | None = None
        self._said: dict[str, Counter[str]] = {}

    def settings(self, home: Path) -> Settings:
        """Settings that ask it before a turn."""
        model = {"model": "openai/perfect", "api_base": self.url, "api_key": "none"}
        return settings_of(home, models={"subconscious": model})

    def hear(self, life: Life) -> None:
        """Know the turns of *life*, and no others."""
        self._said = {turn["turn_id"]: _words(" ".join(_texts(turn))) for turn in life.turns}

    def _chosen(self, prompt: str) -> dict[str, Any]:
        if self.query is None or self.query.is_silent:
            return {"surfaces": [], "lines": []}
        expect = {
            name: {turn for entry in found for turn in entry.split("|")} for name, found in self.query.expect.items()
        }
        best = expect.get("top") or expect.get("all") or expect.get("any") or set()
        named = best.union(*(expect.get(name, ()) for name in ("any", "all", "top", "also")))
        turns = {number: self._turn_of(text) for number, text in numbers(prompt).items()}
        right = sorted(
            (number for number, turn in turns.items() if turn in named), key=lambda one: turns[one] not in best
        )
        return {"surfaces": right, "lines": []}

    def _turn_of(self, text: str) -> str:
        shown = _words(text)
        return max(self._said, key=lambda turn: sum((shown & self._said[turn]).values()) - len(self._said[turn]) / 1e4)


def _texts(turn: Mapping[str, Any]) -> list[str]:
    return [message["content"] for message in turn["messages"]]


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.casefold()))
