"""What a mind's size costs before a turn: our retrieval, and stock Graphiti's search on a copy of the graph."""

from __future__ import annotations

from contextlib import AsyncExitStack
from datetime import UTC
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from service.resonance.arms import Switches
from service.resonance.retrieval import Retrieval
from tests.benchmarks.contents import GRAPH, MIND
from tests.benchmarks.exactness import Exactness
from tests.benchmarks.latency import side_by_side, timed
from tests.benchmarks.loading import build
from tests.benchmarks.spent import Spent, Timed, TimedConnection, arm
from tests.benchmarks.standing import Caller, apart, opened, resident, standing, until_indexed
from tests.benchmarks.stock import stock
from tests.benchmarks.synthetic import NOW
from tests.benchmarks.vectors import WordVectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from service.mind.minds import Mind
    from tests.benchmarks.latency import Call
    from tests.benchmarks.loading import Built
    from tests.benchmarks.standing import Standing
    from tests.benchmarks.synthetic import Question
    from tests.support.service import Running

    Told = Callable[[str], None]

MANY = 8
CALLERS = {"alone": 1, f"{MANY} callers": MANY}
OURS, ONE, DOOR = "ours, 3 queries", "ours, 1 query", "POST …/resonance"
STOCK, BARE = "stock search_", "stock search_, no group"
_QUESTIONS, _PROFILED, _ROUNDS = 200, 30, 4
_ROUNDS_AT_ONCE = 17  # of all questions: more than 10,000 queries
_PROFILE_SECONDS = 120
_DEPTH = 100


async def size(folder: Path, *, facts: int, seconds: float, advanced: Told = lambda _: None) -> dict[str, Any]:
    """Everything about a mind of *facts* facts, each cell within *seconds*."""
    advanced("a mind is made")
    made = await build(folder / "made", facts=facts)
    mind = made.mind
    questions = [mind.question(number) for number in range(_QUESTIONS)]
    found: dict[str, Any] = {"facts": facts, "turns": mind.turns, "entities": mind.entities, **made.notes}
    async with standing(made.home, within=folder) as stood:
        found["load seconds"] = stood.load_seconds
        async with opened(stood) as (service, opened_mind):
            advanced("the arms")
            found["arms"] = await _arms(service, made, questions, seconds=seconds)
            advanced("where the time goes")
            found["profile ms"] = await _profile(service, opened_mind, questions, seconds=seconds)
            found["megabytes"] = stood.sizes
            advanced("ours and stock")
            async with standing(made.stock, within=folder) as copy:
                found["cells"] = await _ours_and_stock(service, opened_mind, copy, questions, seconds=seconds)
        advanced(DOOR)
        door = await _through_the_door(stood, questions, seconds=seconds)
    found["megabytes"] |= door.pop("megabytes")
    found["phases ms"] = door.pop("phases ms")
    found["cells"] |= door
    return found


async def _arms(service: Running, made: Built, questions: Sequence[Question], *, seconds: float) -> dict[str, Any]:
    """What the vector arms find, alone and while others ask."""
    exact = Exactness(made, WordVectors().of([query for one in questions for query in one.queries]))

    async def near(number: int) -> None:
        first = number % _QUESTIONS * 3
        rows = exact.rows(first, 3)
        exact.compare(
            first, await service.memory.graphs.of(MIND).nearest(rows, turns=_DEPTH, facts=_DEPTH, entities=_DEPTH)
        )

    found = {}
    for name, callers in CALLERS.items():
        rounds = 1 if callers == 1 else _ROUNDS_AT_ONCE
        pages = await timed([near] * callers, seconds=rounds * seconds, most=rounds * _QUESTIONS)
        found[name] = {"pages": pages.figures, **exact.take()}
    return found


async def _ours_and_stock(
    service: Running, mind: Mind, copy: Standing, questions: Sequence[Question], *, seconds: float
) -> dict[str, Any]:
    """Our retrieval at its seam, of a turn's three queries and of one; and stock's search, of one."""
    retrieval = Retrieval(embedder=service.memory.embedder, switches=Switches())

    def ours(most: int) -> Call:
        async def search(number: int) -> str | None:
            queries = questions[number % _QUESTIONS].queries[:most]
            found = await retrieval.search_round(queries, mind=mind, language="en", now=NOW, timezone=UTC, seconds=None)
            return ", ".join(found.degraded) or None

        return search

    def stocks(groups: list[str] | None) -> Call:
        async def search(number: int) -> str | None:
            query = questions[number // 3 % _QUESTIONS].queries[number % 3]
            found = await graphiti.search_(query, config=COMBINED_HYBRID_SEARCH_RRF, group_ids=groups)
            return None if found.edges and found.nodes and found.episodes else "found nothing"

        return search

    async with stock(copy.url, graph=GRAPH, embedder=WordVectors(), answer=lambda *_: {}) as graphiti:
        from graphiti_core.search.search_config_recipes import COMBINED_HYBRID_SEARCH_RRF

        await until_indexed(copy.url)
        calls = {OURS: ours(3), ONE: ours(1), STOCK: stocks([GRAPH]), BARE: stocks(None)}
        return await side_by_side(calls, callers=CALLERS, seconds=seconds, rounds=_ROUNDS)


async def _profile(service: Running, mind: Mind, questions: Sequence[Question], *, seconds: float) -> dict[str, float]:
    """
    Milliseconds of a search by what was asked: each statement to the graph, each question to full text.

    The time limit of a statement is lifted, so that every arm is seen whole.
    """
    spent, memory = Spent(), service.memory
    graph = mind.graph
    connection = graph._connection
    limits = connection._limits
    connection._limits = replace(limits, read_seconds=_PROFILE_SECONDS)
    graph._connection = TimedConnection(connection, spent)
    embedder = Timed(memory.embedder, spent, called=lambda name, _: f"embedder: {name}")
    retrieval = Timed(Retrieval(embedder=embedder, switches=Switches()), spent, called=lambda *_: "the whole search")
    vectors = graph.vectors
    graph.vectors = Timed(vectors, spent, called=lambda name, _: f"vectors: {name}")
    watched = replace(mind, text=Timed(mind.text, spent, called=arm))

    async def search(number: int) -> None:
        spent.begin()
        await retrieval.search_round(
            questions[number].queries, mind=watched, language="en", now=NOW, timezone=UTC, seconds=None
        )

    try:
        await timed([search], seconds=seconds, most=_PROFILED)
    finally:
        graph._connection, graph.vectors = connection, vectors
        connection._limits = limits
    return spent.medians()


async def _through_the_door(stood: Standing, questions: Sequence[Question], *, seconds: float) -> dict[str, Any]:
    """The whole pre-turn call over HTTP, quoting, with the gate off so that every phase has work."""
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
    return {
        DOOR: {"alone": alone.figures, f"{MANY} callers": many.figures},
        "phases ms": phases.medians(),
        "megabytes": megabytes,
    }
