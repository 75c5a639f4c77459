"""
A model of extraction that answers from notes: what each turn of a life tells and ends, as a careful model noted it.

The notes stand in ``lives/facts``, a turn a line. A person without a name in the talk is "User", as models write.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tests.benchmarks.lives import FOLDER
from tests.support.scripted_models import Brain, between
from tests.support.service import settings_of
from tests.twins.provider import ScriptedProvider

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from service.settings.settings import Settings
    from tests.benchmarks.lives import Life

_FACTS = FOLDER / "facts"
_SAID = re.compile(r'<said number="\d+"[^>]*>\n(.*?)\n</said>', re.DOTALL)
_NEW = re.compile(r'<new number="(\d+)">\n(.*?)\n</new>', re.DOTALL)
_KNOWN = re.compile(r"^\s*(\d+)\. (.*)$", re.MULTILINE)


class NotedFacts(ScriptedProvider):
    """A provider on loopback that notes of each turn what a file says."""

    def __init__(self) -> None:
        super().__init__(respond=Brain(extraction=self._extraction, settlements=self._settlements))
        self._facts: dict[str, list[Mapping[str, Any]]] = {}  # by the first message of a turn
        self._ended: dict[str, set[str]] = {}  # by a new fact

    def settings(self, home: Path) -> Settings:
        """Settings that ask it after a turn."""
        model = {"model": "openai/noted", "api_base": self.url, "api_key": "none"}
        return settings_of(home, models={"extraction": model})

    def hear(self, life: Life) -> bool:
        """Know what the turns of *life* tell; False where nobody noted it."""
        file = _FACTS / f"{life.mind_id.replace('-', '_')}.jsonl"
        if not file.is_file():
            return False
        noted = {one["turn"]: one for one in map(json.loads, file.read_text(encoding="utf-8").splitlines())}
        for turn in life.turns:
            one = noted.get(turn["turn_id"], {"facts": []})
            self._facts[turn["messages"][0]["content"].strip()] = one["facts"]
            for fact in one["facts"]:
                self._ended.setdefault(fact["fact"], set()).update(one.get("ends", ()))
        return True

    def _extraction(self, prompt: str) -> dict[str, Any]:
        said = _SAID.findall(between(prompt, "turn"))
        facts = self._facts.get(said[0].strip(), []) if said else []
        names = dict.fromkeys(name for fact in facts for name in (fact["source"], fact["target"]))
        return {"entities": [{"name": name} for name in names], "facts": facts}

    def _settlements(self, prompt: str) -> dict[str, Any]:
        found = []
        for number, words in _NEW.findall(prompt):
            fact, _, known = words.partition("\n")
            ended = self._ended.get(fact.strip(), set())
            contradicts = [int(one) for one, text in _KNOWN.findall(known) if text.strip() in ended]
            found.append({"number": int(number), "contradicts": contradicts})
        return {"settlements": found}
