"""LoCoMo's questions, each with the turns that hold its answer. The file itself is never part of the project."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from service.importing.results import FoundTurn
from tests.benchmarks.locomo_turns import read_turns

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from consolidation.kernel.turns import Turn

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_EVIDENCE = re.compile(r"D(\d+):(\d+)")
_LATER = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its kind, the ids of the turns that answer it, and the answer where there is one."""

    text: str
    category: str
    evidence: frozenset[str]
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as the import command reads it, with its questions."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]

    @property
    def mind_id(self) -> str:
        """The mind it is imported into."""
        return re.sub(r"[^a-z0-9_-]", "-", self.name.casefold())

    @property
    def people(self) -> tuple[str, ...]:
        """Everyone who speaks, sorted."""
        return tuple(sorted({message.who for turn in self.turns for message in turn.messages}))

    @property
    def now(self) -> datetime:
        """When the questions are asked: a week after the last word."""
        return max(turn.messages[-1].timestamp for turn in self.turns) + _LATER


def read(path: Path, *, only: str | None = None, most_questions: int | None = None) -> tuple[Conversation, ...]:
    """The conversations of a LoCoMo file; *only* one, and *most_questions* of each, evenly spread, when asked so."""
    samples = json.loads(path.read_text(encoding="utf-8"))
    return tuple(
        _conversation(path, sample, most_questions) for sample in samples if only in (None, sample["sample_id"])
    )


def _conversation(path: Path, sample: dict, most_questions: int | None) -> Conversation:
    name = sample["sample_id"]
    turns = tuple(found.turn for found in read_turns(path, only=name) if isinstance(found, FoundTurn))
    by_dialogue_id = {turn.metadata["dia_id"]: turn.turn_id for turn in turns}
    questions = tuple(
        Question(asked["question"], CATEGORIES[asked["category"]], evidence, str(asked.get("answer", "")))
        for asked in sample["qa"]
        if (evidence := _evidence(asked.get("evidence", ()), by_dialogue_id))
    )
    if most_questions is not None:
        questions = questions[:: max(1, len(questions) // most_questions)][:most_questions]
    return Conversation(name, turns, questions)


def _evidence(told: list[str], turn_ids: dict[str, str]) -> frozenset[str]:
    """Turn ids of evidence as it is written, mended where it is misspelt: D:11:26, D30:05, D8:6; D9:17."""
    written = " ".join(told).replace("D:", "D")
    ids = (f"D{int(session)}:{int(number)}" for session, number in _EVIDENCE.findall(written))
    return frozenset(turn_ids[one] for one in ids if one in turn_ids)
