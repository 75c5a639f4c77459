"""
Two things that one person told, much alike, and what leads when they ask: one is about another, or it is a change.

``pairs.jsonl`` has a line for each: the ``language``, what was told, the ``older`` and twenty days later the ``newer``,
what is ``asked``, and which of both ``holds`` for that. Each pair is told in a mind of its own.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.benchmarks.served import digested

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.support.service import Running

_FILE = Path(__file__).with_name("pairs.jsonl")
_TOLD = datetime(2026, 9, 1, 10, tzinfo=UTC)
_LATER, _ASKED = timedelta(days=20), timedelta(days=90)


class Pair(NamedTuple):
    """What was told, what is asked, and which leads."""

    language: str
    older: str
    newer: str
    asked: str
    holds: str


def read_pairs() -> tuple[Pair, ...]:
    """All pairs that are here."""
    return tuple(Pair(**json.loads(line)) for line in _FILE.read_text(encoding="utf-8").splitlines())


async def leading(service: Running, pairs: Sequence[Pair], *, advanced: Callable[[], None]) -> dict[str, Any]:
    """How often what holds stands first, and how often nothing comes up, by what holds: the older or the newer."""
    found = {holds: {"first": 0, "silent": 0, "pairs": 0} for holds in ("older", "newer")}
    for number, pair in enumerate(pairs):
        mind_id = f"pair-{number}"
        for place, content in enumerate((pair.older, pair.newer)):
            message = {"role": "user", "content": content, "timestamp": (_TOLD + place * _LATER).isoformat()}
            body = {"session_id": f"s{place}", "turn_id": ("older", "newer")[place], "messages": [message]}
            (await service.http.post(f"/v1/minds/{mind_id}/turns", json=body)).raise_for_status()
        await digested(service, mind_id)
        answer = await service.resonate(
            mind_id, pair.asked, session_id="asking", now=(_TOLD + _ASKED).isoformat(), deadline_ms=0
        )
        flashbacks = answer.raise_for_status().json()["flashbacks"]
        counts = found[pair.holds]
        counts["pairs"] += 1
        counts["silent"] += not flashbacks
        counts["first"] += [one["turn_id"] for one in flashbacks[0]["sources"]] == [pair.holds] if flashbacks else 0
        advanced()
    return found
