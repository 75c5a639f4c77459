"""
What a careful model would answer about the made-up conversation, to our prompts and to stock Graphiti's.

Answers are of the length and kind a real model gives; tokens are counted by o200k_base, the schema of the answer,
which providers put into the prompt, included.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from consolidation.text.tokens import count_tokens
from tests.benchmarks.talk import short
from tests.twins.provider import Says

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.benchmarks.talk import Talk

_NUMBERED = re.compile(r"^\s*(\d+)\. (.*)$", re.MULTILINE)
_QUESTION = re.compile(r'<new number="(\d+)">\n(.*?)\n</new>', re.DOTALL)
_CANDIDATE = re.compile(r"^(\d+)\. \[[^\]]*\] (.*)$", re.MULTILINE)
_SURFACING = 2


@dataclass
class Brain:
    """Answers by the shape asked for, and keeps count: (shape, prompt tokens, completion tokens) of every call."""

    told: Sequence[Talk]
    calls: list[tuple[str, int, int]] = field(default_factory=list)

    def __call__(self, body: dict[str, Any]) -> Says:
        """What is said, whole or as a stream."""
        schema = body["response_format"]["json_schema"]
        prompt = "\n".join(str(message["content"]) for message in body["messages"])
        text = json.dumps(self.answer(schema["name"], prompt), ensure_ascii=False)
        asked, said = count_tokens(prompt) + count_tokens(json.dumps(schema["schema"])), count_tokens(text)
        self.calls.append((schema["name"], asked, said))
        return Says(text)

    def answer(self, shape: str, prompt: str) -> dict[str, Any]:
        """The bare answer in the shape asked for, not counted."""
        return _ANSWERS[shape](prompt, self._talk_in(prompt))

    def take(self) -> list[tuple[str, int, int]]:
        """The calls since the last time."""
        taken, self.calls = self.calls, []
        return taken

    def _talk_in(self, prompt: str) -> Talk | None:
        """The newest turn that the prompt quotes: those before it are there to be understood only."""
        return next((talk for talk in reversed(self.told) if talk.mark in prompt), None)


def _extraction(_: str, talk: Talk | None) -> dict[str, Any]:
    facts = talk.facts if talk else ()
    return {
        "entities": [{"name": name} for name in (talk.names if talk else ())],
        "facts": [
            {
                "source": fact.source,
                "relation": fact.relation,
                "target": fact.target,
                "fact": fact.text,
                "valid_at": None,
                "invalid_at": None,
            }
            for fact in facts
        ],
    }


def _identities(prompt: str, _: Talk | None) -> dict[str, Any]:
    new, known = (_numbered(_between(prompt, mark)) for mark in ("new", "known"))
    return {
        "identities": [
            {"number": number, "same_as": next((key for key, other in known.items() if _is_same(name, other)), None)}
            for number, name in new.items()
        ]
    }


def _settlements(prompt: str, _: Talk | None) -> dict[str, Any]:
    settled = []
    for number, block in _QUESTION.findall(prompt):
        fact = block.partition("\n")[0]
        known = _numbered(block)
        ended = [key for key, other in known.items() if _ends(fact, other)]
        settled.append({"number": int(number), "repeats": [], "contradicts": ended})
    return {"settlements": settled}


def _seeds(prompt: str, _: Talk | None) -> dict[str, Any]:
    message = _between(prompt, "message").strip()
    words = [word for word in re.findall(r"\w+", message) if len(word) > 4]
    return {
        "entities": re.findall(r"\b[A-Z][a-z]+\b", message)[1:4],
        "queries": [" ".join(words[:4]), " ".join(words[-4:])],
        "wonders": [{"hypothesis": "They may have made a plan about this before.", "query": "planning trip present"}],
    }


def _narration(prompt: str, _: Talk | None) -> dict[str, Any]:
    chosen = _CANDIDATE.findall(_between(prompt, "candidates"))[:_SURFACING]
    return {
        "surfaces": [int(number) for number, _ in chosen],
        "lines": [{"number": int(number), "text": text[:160]} for number, text in chosen],
    }


def _stock_entities(_: str, talk: Talk | None) -> dict[str, Any]:
    names = talk.names if talk else ()
    return {"extracted_entities": [{"name": name, "entity_type_id": 0, "episode_indices": [0]} for name in names]}


def _stock_edges(_: str, talk: Talk | None) -> dict[str, Any]:
    return {
        "edges": [
            {
                "source_entity_name": fact.source,
                "target_entity_name": fact.target,
                "relation_type": fact.relation,
                "fact": fact.text,
                "valid_at": None,
                "invalid_at": None,
                "episode_indices": [0],
            }
            for fact in (talk.facts if talk else ())
        ]
    }


def _stock_identities(prompt: str, _: Talk | None) -> dict[str, Any]:
    new, known = (json.loads(_between(prompt, mark)) for mark in ("ENTITIES", "EXISTING ENTITIES"))
    found = []
    for entity in new:
        same = (other["candidate_id"] for other in known if _is_same(entity["name"], other["name"]))
        found.append({"id": entity["id"], "name": entity["name"], "duplicate_candidate_id": next(same, -1)})
    return {"entity_resolutions": found}


def _stock_summaries(prompt: str, talk: Talk | None) -> dict[str, Any]:
    names = [entity["name"] for entity in json.loads(_between(prompt, "ENTITIES"))]
    told = " ".join(fact.text for fact in (talk.facts if talk else ()))
    return {"summaries": [{"name": name, "summary": f"{name} is known to Nora. {told}"[:240]} for name in names]}


_ANSWERS: dict[str, Callable[[str, Talk | None], dict[str, Any]]] = {
    "Extraction": _extraction,
    "Identities": _identities,
    "Settlements": _settlements,
    "Seeds": _seeds,
    "Narration": _narration,
    "ExtractedEntities": _stock_entities,
    "ExtractedEdges": _stock_edges,
    "NodeResolutions": _stock_identities,
    "EdgeDuplicate": lambda _, __: {"duplicate_facts": [], "contradicted_facts": []},
    "EdgeTimestamps": lambda _, __: {"valid_at": "2026-01-05T18:00:00Z", "invalid_at": None},
    "SummarizedEntities": _stock_summaries,
}


def _numbered(text: str) -> dict[int, str]:
    return {int(number): name for number, name in _NUMBERED.findall(text)}


def _is_same(name: str, other: str) -> bool:
    """Whether a first name is short for a known whole one; with the summary after a colon left out."""
    return name == short(other.partition(":")[0])


def _ends(fact: str, other: str) -> bool:
    """Whether the first makes the second untrue: a person moved on, or quit."""
    who = " ".join(fact.split()[:1])
    return other.startswith(who) and (
        (" moved to " in fact and " moved to " in other) or (" quit " in fact and " started at " in other)
    )


def _between(text: str, mark: str) -> str:
    return text.partition(f"<{mark}>\n")[2].partition(f"\n</{mark}>")[0]
