"""What a mind's size costs before a turn: our retrieval and stock Graphiti's search, on the same server and graph."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from service.resonance.retrieval import Retrieval, Switches
from tests.benchmarks.contents import GRAPH, MIND
from tests.benchmarks.exactness import Exactness
from tests.benchmarks.latency import timed
from tests.benchmarks.loading import build
from tests.benchmarks.spent import Spent, Timed, TimedConnection, arm
from tests.benchmarks.standing import Caller, apart, opened, resident, standing, until_indexed
from tests.benchmarks.stock import stock
from tests.benchmarks.synthetic import NOW
from tests.benchmarks.vectors import WordVectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from service.minds import Mind
    from tests.benchmarks.loading import Built
    from tests.benchmarks.standing import Standing
    from tests.benchmarks.synthetic import Question
    from tests.running import Running

    Told = Callable[[str], None]

MANY = 8
OURS, ONE, DOOR = "ours, 3 queries", "ours, 1 query", "POST …/resonance"
STOCK, BARE = "stock search_", "stock search_, no group"
_QUESTIONS, _PROFILED = 200, 30
_DEPTH = 100


async def size(folder: Path, *, facts: int, seconds: float, advanced: Told = lambda _: None) -> dict[str, Any]:
    """Everything about a mind of *facts* facts, each cell within *seconds*."""
    advanced("a mind is made")
    made = await build(folder / "made", facts=facts)
    questions = [made.mind.question(number) for number in range(_QUESTIONS)]
    async with standing(made.home, within=folder) as stood:
        found = {
            "facts": facts,
            "turns": made.mind.turns,
            "entities": made.mind.entities,
            "made in": made.notes["seconds"],
        }
        async with opened(stood) as (service, mind):
            found |= await _inside(service, mind, made, questions, seconds=seconds, advanced=advanced)
        found["load seconds"] = stood.load_seconds
        found["megabytes"] = stood.sizes
        door = await _through_the_door(stood, questions, seconds=seconds, advanced=advanced)
        found["megabytes"] |= door.pop("megabytes")
        found["phases ms"] = door.pop("phases ms")
        found["cells"] |= door
        found["cells"] |= await _stock(stood, questions, seconds=seconds, advanced=advanced)
    return found


async def _inside(
    service: Running, mind: Mind, made: Built, questions: Sequence[Question], *, seconds: float, advanced: Told
) -> dict[str, Any]:
    """Our retrieval at its seam, what its arms find, and where its time goes."""
    memory = service.memory
    retrieval = Retrieval(memory.graph, embedder=memory.embedder, switches=Switches())

    async def search(queries: Sequence[str]) -> str | None:
        found = await retrieval.search(queries, mind=mind, language="en", now=NOW, seconds=None)
        return ", ".join(found.degraded) or None

    cells = {}
    for name, most in ((OURS, 3), (ONE, 1)):
        advanced(name)

        async def ask(number: int, most: int = most) -> str | None:
            return await search(questions[number % _QUESTIONS].queries[:most])

        cells[name] = await _alone_and_many(ask, seconds=seconds)
    advanced("the arms")
    exact = Exactness(made, WordVectors().of([query for one in questions for query in one.queries]))
    arms = {}
    for name, callers in (("alone", 1), (f"{MANY} callers", MANY)):

        async def near(number: int) -> None:
            rows = exact.rows(number % _QUESTIONS * 3, 3)
            exact.compare(number % _QUESTIONS * 3, await memory.graph.near(MIND, rows, limit=_DEPTH))

        arms[name] = {"pages": await timed([near] * callers, seconds=seconds, most=_QUESTIONS), **exact.take()}
    advanced("where the time goes")
    return {"cells": cells, "arms": arms, "profile ms": await _profile(service, mind, questions, seconds=seconds)}


async def _profile(service: Running, mind: Mind, questions: Sequence[Question], *, seconds: float) -> dict[str, float]:
    """Milliseconds of a search by what was asked: each statement to the graph, each question to full text."""
    spent, memory = Spent(), service.memory
    connection = memory.graph._connection
    memory.graph._connection = memory.graph._indexes._connection = TimedConnection(connection, spent)
    embedder = Timed(memory.embedder, spent, called=lambda name, _: f"embedder: {name}")
    retrieval = Timed(
        Retrieval(memory.graph, embedder=embedder, switches=Switches()), spent, called=lambda *_: "the whole search"
    )
    watched = replace(mind, text=Timed(mind.text, spent, called=arm))

    async def search(number: int) -> None:
        spent.begin()
        await retrieval.search(questions[number].queries, mind=watched, language="en", now=NOW, seconds=None)

    try:
        await timed([search], seconds=seconds, most=_PROFILED)
    finally:
        memory.graph._connection = memory.graph._indexes._connection = connection
    return spent.medians()


async def _through_the_door(
    stood: Standing, questions: Sequence[Question], *, seconds: float, advanced: Told
) -> dict[str, Any]:
    """The whole pre-turn call over HTTP, quoting, with the gate off so that every phase has work."""
    advanced(DOOR)
    phases = Spent()

    def asking(caller: Caller, place: int) -> Callable[[int], Any]:
        async def ask(number: int) -> str | None:
            body = {
                "session_id": f"asking-{place}-{number}",
                "messages": [{"role": "user", "content": questions[number % _QUESTIONS].message}],
                "deadline_ms": 0,
                "relevance": 0,
                "now": NOW.isoformat(),
            }
            status, answer = await caller.post(f"/v1/minds/{MIND}/resonance", body)
            if place == 0:
                phases.begin()
                for phase, ms in answer.get("timings_ms", {}).items():
                    phases.add(phase, ms / 1000)
            return ", ".join(answer["degraded"]) or None if status == 200 else str(status)

        return ask

    with apart(stood) as served:
        async with AsyncExitStack() as stack:
            callers = [await stack.enter_async_context(Caller(served.socket)) for _ in range(MANY)]
            await asking(callers[0], 1)(0)
            alone = await timed([asking(callers[0], 0)], seconds=seconds)
            many = await timed([asking(one, place) for place, one in enumerate(callers, start=1)], seconds=seconds)
        megabytes = {"service in memory": resident(served.process.pid)}
    return {DOOR: {"alone": alone, "many": many}, "phases ms": phases.medians(), "megabytes": megabytes}


async def _stock(stood: Standing, questions: Sequence[Question], *, seconds: float, advanced: Told) -> dict[str, Any]:
    cells = {}
    async with stock(stood.url, graph=GRAPH, embedder=WordVectors(), answer=lambda *_: {}) as graphiti:
        from graphiti_core.search.search_config_recipes import COMBINED_HYBRID_SEARCH_RRF

        await until_indexed(stood.url)
        for name, groups in ((STOCK, [GRAPH]), (BARE, None)):
            advanced(name)

            async def search(number: int, groups: list[str] | None = groups) -> str | None:
                query = questions[number // 3 % _QUESTIONS].queries[number % 3]
                found = await graphiti.search_(query, config=COMBINED_HYBRID_SEARCH_RRF, group_ids=groups)
                return None if found.edges and found.nodes and found.episodes else "found nothing"

            cells[name] = await _alone_and_many(search, seconds=seconds)
    return cells


async def _alone_and_many(call: Callable[[int], Any], *, seconds: float) -> dict[str, Any]:
    await call(0)  # what only the first one waits for
    return {"alone": await timed([call], seconds=seconds), "many": await timed([call] * MANY, seconds=seconds)}
