"""
What several workers add: pre-turn calls a second over HTTP on minds of the same size, by one process and by two.

Callers, service and FalkorDB share the machine's cores, so the processor time of a call is the figure that a busy
machine leaves alone: of all processes, of the one in front, and of FalkorDB.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import psutil

from service.composition.container import open_memory
from service.runtime.service_file import find_service
from service.workers.share import owner_of
from tests.benchmarks.contents import MIND
from tests.benchmarks.latency import timed
from tests.benchmarks.loading import build
from tests.benchmarks.standing import Caller, opened, standing
from tests.benchmarks.synthetic import NOW
from tests.benchmarks.vectors import WordVectors
from tests.support.paths import ROOT
from tests.support.waiting import end, until, until_answered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.benchmarks.standing import Standing

COUNTS = (1, 2)
_MINDS_OF_EACH, _CALLERS, _ROUNDS, _QUESTIONS = 2, 8, 3, 200
_CLIENT_SECONDS = 600


@dataclass(frozen=True, slots=True)
class _Service:
    """A service of so many workers, as its processes: the one that listens, and its children of ours."""

    url: str
    front: psutil.Process
    workers: tuple[psutil.Process, ...]

    def seconds(self) -> tuple[float, float]:
        """Processor time so far: of all, and of the process that listens."""
        front = _spent(self.front)
        return front + sum(map(_spent, self.workers)), front


async def workers(
    folder: Path, *, facts: int, seconds: float, advanced: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Each count of workers in turn, *seconds* at a time and several times, on the same minds."""
    advanced("a mind is made")
    made = await build(folder / "made", facts=facts)
    questions = [made.mind.question(number).message for number in range(_QUESTIONS)]
    minds = _names()
    found: dict[str, list[dict[str, float]]] = {str(count): [] for count in COUNTS}
    async with standing(made.home, within=folder) as stood:
        async with opened(stood):
            pass
        advanced("the mind is copied")
        with _served(stood, workers=1) as service:
            _copy(service.url, minds)
        for _ in range(_ROUNDS):
            for count in COUNTS:
                advanced(f"{count} workers")
                with _served(stood, workers=count) as service:
                    found[str(count)].append(await _asked(service, stood, minds, questions, seconds=seconds))
    one, two = (max(round_["calls a second"] for round_ in found[str(count)]) for count in COUNTS)
    return {
        "facts": facts,
        "minds": len(minds),
        "load": os.getloadavg()[0],
        "rounds": found,
        "times": round(two / one, 2),
    }


def _names() -> tuple[str, ...]:
    """Minds of which each worker has as many."""
    most = max(COUNTS)
    names = [f"{MIND}-{number}" for number in range(100)]
    return tuple(
        name
        for worker in range(most)
        for name in [one for one in names if owner_of(one, of=most) == worker][:_MINDS_OF_EACH]
    )


def _copy(url: str, minds: Sequence[str]) -> None:
    with httpx2.Client(base_url=url, timeout=_CLIENT_SECONDS) as http:
        archive = http.get(f"/v1/minds/{MIND}/export").raise_for_status().content
        for mind_id in minds:
            http.post(f"/v1/minds/{mind_id}/import", content=archive).raise_for_status()


async def _asked(
    service: _Service, stood: Standing, minds: Sequence[str], questions: Sequence[str], *, seconds: float
) -> dict[str, float]:
    port = int(service.url.rpartition(":")[2])

    def asking(caller: Caller, place: int) -> Callable[[int], Any]:
        async def ask(number: int) -> str | None:
            body = {
                "session_id": f"asking-{place}-{number}",
                "messages": [{"role": "user", "content": questions[number % _QUESTIONS]}],
                "deadline_ms": 0,
                "relevance": 0,
                "now": NOW.isoformat(),
            }
            status, answer = await caller.post(f"/v1/minds/{minds[place % len(minds)]}/resonance", body)
            return ", ".join(answer["degraded"]) or None if status == 200 else str(status)

        return ask

    graph = psutil.Process(stood.pid)
    async with AsyncExitStack() as stack:
        callers = [await stack.enter_async_context(Caller(port)) for _ in range(_CALLERS)]
        calls = [asking(one, place) for place, one in enumerate(callers)]
        for place, call in enumerate(calls):
            await call(place)  # opens the mind
        before, graph_before, began = service.seconds(), _spent(graph), time.perf_counter()
        measured = await timed(calls, seconds=seconds)
        passed, after, graph_after = time.perf_counter() - began, service.seconds(), _spent(graph)
    count = len(measured.each)
    each = partial(_milliseconds, count=count)
    return {
        "calls a second": round(count / passed, 1),
        "ms of processor a call": each(after[0] - before[0]),
        "of it in front": each(after[1] - before[1]),
        "FalkorDB": each(graph_after - graph_before),
    }


def _milliseconds(seconds: float, *, count: int) -> float:
    return round(seconds * 1000 / max(count, 1), 2)


@contextmanager
def _served(stood: Standing, *, workers: int) -> Iterator[_Service]:
    """`mind-memory serve` on the home, with the scripted embedder in each of its processes, ready."""
    words = [sys.executable, "-m", "tests.benchmarks.workers_served", str(stood.home), str(workers)]
    env = {"FALKORDB_URL": stood.url, "MIND_MEMORY_STORY__THRESHOLD_TOKENS": "0", "MIND_MEMORY_LOG_LEVEL": "ERROR"}
    process = subprocess.Popen(words, cwd=ROOT, env={**os.environ, **env}, stdout=subprocess.DEVNULL)
    try:
        found = until(lambda: process.poll() is not None or find_service(stood.home))
        assert found is not True, "the service ended by itself"
        with httpx2.Client(base_url=found.url, timeout=_CLIENT_SECONDS) as http:
            until_answered(lambda: http.get("/readyz"), lambda answer: answer.is_success)
        front = psutil.Process(process.pid)
        others = tuple(one for one in front.children() if "tests.benchmarks.workers_served" in one.cmdline())
        yield _Service(found.url, front, others)
    finally:
        end(process)


def _spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


OPENING = partial(open_memory, embedder=WordVectors())
