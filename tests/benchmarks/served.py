"""The service under measurement: the real one, in this process, over a home of its own; every call through HTTP."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx2

from tests.support.service import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from datetime import datetime
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import Turn
    from service.ports.embedder import Embedder
    from service.resonance.arms import Switches
    from service.settings.settings import Settings
    from tests.benchmarks.locomo import Conversation
    from tests.support.service import Running

_POLL_SECONDS = 0.5
_BLOCK_TOKENS = 20_000  # recall is of fragments: the block's length must not cut the list


@dataclass(frozen=True, slots=True)
class Answer:
    """What surfaced: the turns behind each flashback, best score first, and the block that the bot reads."""

    ranked: tuple[tuple[str, ...], ...]
    surfaced: bool
    block: str = ""

    def turns(self, most: int) -> frozenset[str]:
        """The ids of the turns behind the first *most* flashbacks."""
        return frozenset(turn_id for turn_ids in self.ranked[:most] for turn_id in turn_ids)


@asynccontextmanager
async def serving(
    home: Path,
    *,
    settings: Settings | None = None,
    switches: Switches | None = None,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
) -> AsyncIterator[Running]:
    """The service on *home*; *switches* leave parts of the search out, *embedder* and *clock* replace the shipped ones."""
    async with running(home, settings=settings, switches=switches, embedder=embedder, clock=clock) as service:
        await _ready(service)
        yield service


async def import_all(service: Running, conversation: Conversation) -> None:
    """Post every turn, as the import command does; what is kept already is not kept twice."""
    for turn in conversation.turns:
        answer = await service.http.post(f"/v1/minds/{conversation.mind_id}/turns", json=body_of(turn))
        answer.raise_for_status()


async def digested(service: Running, mind_id: str, *, advanced: Callable[[int, int], None] = lambda _, __: None) -> int:
    """Wait until every turn is saved and extracted, telling *advanced* (done, all); how many turns were parked."""
    while True:
        status = await service.status(mind_id)
        graph, last = status["graph"], status["last_sequence"]
        advanced(last - graph["lag"], last)
        if graph["saved"] >= last and graph["lag"] == 0:
            return len(graph["parked"])
        await asyncio.sleep(_POLL_SECONDS)


async def ask(service: Running, mind_id: str, text: str, *, session_id: str, now: datetime, **more: object) -> Answer:
    """Ask one question in an empty window of a session of its own."""
    answer = await service.resonate(
        mind_id, text, session_id=session_id, now=now.isoformat(), **{"max_tokens": _BLOCK_TOKENS, **more}
    )
    answer.raise_for_status()
    found = answer.json()
    if found["degraded"]:
        raise RuntimeError(f"the service was not whole: {found['degraded']}")
    best_first = sorted(found["flashbacks"], key=lambda one: -one["score"])  # it answers the boosted and facts first
    ranked = tuple(tuple(source["turn_id"] for source in one["sources"]) for one in best_first)
    return Answer(ranked, found["surfaced"], found["block"])


async def _ready(service: Running) -> None:
    """Wait until the graph has loaded: until then the service answers from full text alone."""
    while (await service.http.get("/readyz")).status_code != httpx2.codes.OK:
        await asyncio.sleep(_POLL_SECONDS)


def body_of(turn: Turn) -> dict[str, object]:
    """A turn as the body of ``POST …/turns``."""
    messages = [
        {
            "role": message.role.value,
            "content": message.content,
            "timestamp": message.timestamp.isoformat() if message.timestamp else None,
            "name": message.name,
            "id": message.id,
        }
        for message in turn.messages
    ]
    return {
        "turn_id": turn.turn_id,
        "session_id": turn.session_id,
        "kind": turn.kind.value,
        "messages": messages,
        "metadata": dict(turn.metadata),
    }
