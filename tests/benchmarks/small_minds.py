"""
What a newcomer asks of a memory that knows ten or twenty things: does it come up, in whatever words, and only then?

``small_minds.jsonl`` has what a person ``told`` in passing and how they ``asked`` for it, twenty of each ``language``,
of which none answers another's question. Three minds of each language know the even ones, the odd ones, and all.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.benchmarks.served import digested

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.support.service import Running

_FILE = Path(__file__).with_name("small_minds.jsonl")
_TOLD, _APART, _ASKED = datetime(2026, 3, 1, 10, tzinfo=UTC), timedelta(days=2), timedelta(days=60)
_OF_A_SESSION = 4


class Told(NamedTuple):
    """What was told, and how it is asked for."""

    language: str
    told: str
    asked: str


def read_told() -> tuple[Told, ...]:
    """All that is here."""
    return tuple(Told(**json.loads(line)) for line in _FILE.read_text(encoding="utf-8").splitlines())


async def asked_of_small_minds(
    service: Running, told: Sequence[Told], *, advanced: Callable[[], None]
) -> Mapping[str, Mapping[str, int]]:
    """By language: how often what was told stands first, comes up, is asked; how often anything comes up of the rest."""
    found = {
        one.language: dict.fromkeys(("first", "came up", "asked", "never told: came up", "never told: asked"), 0)
        for one in told
    }
    for language, counts in found.items():
        every = [one for one in told if one.language == language]
        for name, known in {"even": every[::2], "odd": every[1::2], "all": every}.items():
            await _ask(service, f"{language}-{name}", every, known=set(known), counts=counts)
            advanced()
    return found


async def _ask(
    service: Running, mind_id: str, every: Sequence[Told], *, known: set[Told], counts: dict[str, int]
) -> None:
    for place, one in enumerate(every):
        if one in known:
            message = {"role": "user", "content": one.told, "timestamp": (_TOLD + place * _APART).isoformat()}
            body = {"session_id": f"s{place // _OF_A_SESSION}", "turn_id": f"t{place}", "messages": [message]}
            (await service.http.post(f"/v1/minds/{mind_id}/turns", json=body)).raise_for_status()
    await digested(service, mind_id)
    for place, one in enumerate(every):
        answer = await service.resonate(
            mind_id, one.asked, session_id=f"asking-{place}", now=(_TOLD + _ASKED).isoformat(), deadline_ms=0
        )
        flashbacks = answer.raise_for_status().json()["flashbacks"]
        sources = [source["turn_id"] for memory in flashbacks for source in memory["sources"]]
        if one in known:
            counts["asked"] += 1
            counts["first"] += sources[:1] == [f"t{place}"]
            counts["came up"] += f"t{place}" in sources
        else:
            counts["never told: asked"] += 1
            counts["never told: came up"] += bool(sources)
