"""What a mind's size costs after a turn: turns accepted over HTTP, and digested, model time left out; stock beside it."""

from __future__ import annotations

import time
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from consolidation.kernel.ports import Reply
from prompts.responses import Entity, Extraction, Fact, Identities, Settlements
from service.ingest.episodes import remembered
from tests.benchmarks.brain import Brain
from tests.benchmarks.contents import GRAPH, MIND
from tests.benchmarks.latency import latency, timed
from tests.benchmarks.loading import build
from tests.benchmarks.spent import Spent, TimedConnection
from tests.benchmarks.standing import Caller, apart, opened, standing, until_indexed
from tests.benchmarks.stock import add, stock
from tests.benchmarks.synthetic import SyntheticMind
from tests.benchmarks.talk import Fact as TalkFact
from tests.benchmarks.talk import Talk
from tests.benchmarks.vectors import WordVectors
from tests.benchmarks.vocabulary import HUB, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pydantic import BaseModel

    from consolidation.kernel.ports import Ask
    from service.mind.minds import Mind
    from tests.benchmarks.standing import Standing
    from tests.benchmarks.synthetic import Told
    from tests.support.service import Running

CALLERS = 32
_UNTOLD = 4_000  # turns there are to tell, more than are ever accepted in a cell
_FIRST = 2  # turns that also pay for what only the first one waits for


async def writes(
    folder: Path, *, facts: int, seconds: float, turns: int, with_stock: bool, advanced: Callable[[str], None]
) -> dict[str, Any]:
    """Accept for *seconds*, then digest *turns* more turns, on a mind of *facts* facts; 0 for an empty home."""
    made = await build(folder / "made", facts=facts, advanced=advanced) if facts else None
    mind = made.mind if made else SyntheticMind(_UNTOLD)
    first = mind.turns + 1 if made else 1
    told = [mind.told(number) for number in range(first, first + _FIRST + turns)]
    found: dict[str, Any] = {"facts": facts}
    parts = {
        "digestion": lambda stood: _digested(stood, told),
        "accepting": lambda stood: _accepted(stood, mind, first, seconds=seconds),
        "stock add_episode": lambda stood: _stock(stood, told),
    }
    for name, measure in parts.items():
        if name.startswith("stock") and not with_stock:
            continue
        advanced(name)
        home = (made.stock if name.startswith("stock") else made.home) if made else None
        async with standing(home, within=folder) as stood:  # each on a copy of its own
            found[name] = await measure(stood)
    return found


async def _accepted(stood: Standing, mind: SyntheticMind, first: int, *, seconds: float) -> dict[str, Any]:
    """Many callers post turns over HTTP, while what they posted is digested behind them."""

    def posting(caller: Caller) -> Callable[[int], Any]:
        async def post(number: int) -> str | None:
            status, _ = await caller.post(f"/v1/minds/{MIND}/turns", bodies[number])
            return None if status == 202 else str(status)

        return post

    bodies = [_body(mind.told(number)) for number in range(first, first + _UNTOLD + 1)]
    with apart(stood) as served:
        async with AsyncExitStack() as stack:
            callers = [await stack.enter_async_context(Caller(served.socket)) for _ in range(CALLERS)]
            await posting(callers[0])(_UNTOLD)  # makes or opens the mind
            accepted = await timed([posting(caller) for caller in callers], seconds=seconds, most=_UNTOLD)
    return accepted.figures


async def _digested(stood: Standing, told: Sequence[Told]) -> dict[str, Any]:
    """Seconds of each lane, a turn at a time, with a model that answers at once; and where they go."""
    spent = Spent()
    async with opened(stood) as (service, mind):
        graph = mind.graph
        graph._readers = replace(graph._readers, model=AtOnce(told))  # no setting scripts a model
        lanes = await _through_lanes(service, mind, told[:_FIRST])
        graph._connection = TimedConnection(graph._connection, spent)
        lanes = await _through_lanes(service, mind, told[_FIRST:], begin=spent.begin)
        progress = await graph.progress()
    if progress.parked or progress.extracted != mind.transcript.positions.last:
        raise RuntimeError(f"not every turn was digested: {progress}")
    whole = [sum(of) for of in zip(*lanes.values(), strict=True)]
    return {"a turn": latency(whole), **{lane: latency(of) for lane, of in lanes.items()}, "ms": spent.medians()}


async def _through_lanes(
    service: Running, mind: Mind, told: Sequence[Told], *, begin: Callable[[], None] = lambda: None
) -> dict[str, list[float]]:
    lanes = {lane.name.value: lane.step for lane in service.memory.ingestion.lanes}
    taken: dict[str, list[float]] = {lane: [] for lane in lanes}
    for one in told:
        await mind.transcript.append(one.kept.turn, tokens=one.kept.tokens)
        begin()
        for lane, step in lanes.items():
            began = time.perf_counter()
            await step(mind)
            taken[lane].append(time.perf_counter() - began)
    return taken


async def _stock(stood: Standing, told: Sequence[Told]) -> dict[str, Any]:
    """The same turns through ``add_episode``, on a copy of the graph, with a model that answers at once."""
    talks = [_talk(one) for one in told]
    taken = []
    async with stock(stood.url, graph=GRAPH, embedder=WordVectors(), answer=Brain(talks).answer) as graphiti:
        await until_indexed(stood.url)
        for talk in talks:
            began = time.perf_counter()
            await add(graphiti, talk, graph=GRAPH)
            taken.append(time.perf_counter() - began)
    return latency(taken[_FIRST:])


class AtOnce:
    """A model that answers extraction with what a turn is known to tell, and finds nothing to settle."""

    is_hosted = False

    def __init__(self, told: Sequence[Told]) -> None:
        self._told = {remembered(one.kept): one for one in told}

    async def answer[Answer: BaseModel](self, ask: Ask[Answer], /) -> Reply[Answer]:
        match ask.prompt:
            case "extraction":
                return Reply(_extraction(self._told[ask.words["said"]]), model="scripted")
            case "identities":
                return Reply(Identities(), model="scripted")
            case _:
                return Reply(Settlements(), model="scripted")


def _extraction(told: Told) -> Extraction:
    return Extraction(
        entities=tuple(Entity(name=name_of(number)) for number in told.entities),
        facts=tuple(
            Fact(source=name_of(one.source), relation=one.relation, target=name_of(one.target), fact=one.text)
            for one in told.facts
        ),
    )


def _talk(told: Told) -> Talk:
    user, bot = told.kept.turn.messages
    facts = tuple(TalkFact(name_of(one.source), one.relation, name_of(one.target), one.text) for one in told.facts)
    names = tuple(name_of(number) for number in told.entities)
    return Talk(told.kept.sequence, told.kept.occurred_at, user.content, bot.content, names, facts)


def _body(told: Told) -> dict[str, Any]:
    turn = told.kept.turn
    user, bot = ({"role": one.role.value, "content": one.content} for one in turn.messages)
    return {"turn_id": turn.turn_id, "session_id": turn.session_id, "messages": [{**user, "name": HUB}, bot]}
