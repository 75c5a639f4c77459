"""
Several services on one home in PostgreSQL: what a call costs each process, against services and against minds.

On one machine throughput says nothing, since all of them share its cores. The processor time that a call takes does:
it must not grow with the number of services, nor with the number of minds. Rows of minds that nobody uses are made by
one statement; a few minds are told something, over HTTP, by callers of whom each goes to the service that a proxy would
choose by the mind.
"""

from __future__ import annotations

import tempfile
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

from service.adapters.postgres.database import Database
from service.adapters.postgres.migrations import migrate
from tests.benchmarks.talk import talks
from tests.support.falkordb_cluster import single_server
from tests.support.postgres import postgres_pair
from tests.support.service_process import serving
from tests.support.waiting import until_answered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tests.support.falkordb_cluster import SingleServer
    from tests.support.postgres import PostgresPair
    from tests.support.service_process import Serving

CALLERS = 32
_UNUSED = """
INSERT INTO minds (mind_id, version, last_sequence, listed_at)
SELECT 'unused-' || lpad(number::text, 9, '0'), 1, 40, now() - interval '1 day' FROM generate_series(1, %s) number
"""  # not of the last minutes, in which services would list each of them at every look


@dataclass(frozen=True, slots=True)
class Work:
    """How much is done for a row: minds that are used, turns that each is told, and questions that it is asked."""

    minds: int = 16
    turns: int = 12
    questions: int = 20
    idle_seconds: float = 20.0
    first_deadline_ms: int | None = None  # of the first question at a service without a copy; None: as shipped


def scale(
    rows: Iterable[tuple[int, int]], *, work: Work = Work(), advanced: Callable[[str], None] = lambda _: None
) -> list[dict[str, Any]]:
    """
    One row of figures for each pair of a number of services and a number of minds that nobody uses.

    Before them, a row of one service that keeps minds in files.
    """
    found = []
    with tempfile.TemporaryDirectory() as folder, postgres_pair() as pair, single_server(folder) as graph:
        advanced("1 service with files")
        found.append({"services": 1, "minds": 0, "kept in": "files"} | _measured(pair, graph, None, 1, work))
        for services, unused in rows:
            advanced(f"{services} services, {unused:,} minds")
            name = f"scale_{services}_{unused}"
            pair.primary.create_database(name)
            _add_unused(pair.url(name), unused)
            found.append({"services": services, "minds": unused} | _measured(pair, graph, name, services, work))
    return found


def _add_unused(url: str, minds: int) -> None:
    with closing(Database(url)) as database:
        database.open()
        migrate(database)
        with database.transaction(deadline_seconds=600) as cursor:
            cursor.execute(_UNUSED, (minds,))


def _measured(pair: PostgresPair, graph: SingleServer, name: str | None, services: int, work: Work) -> dict[str, Any]:
    """With the database of this *name*; None: with files."""
    settings = {"MIND_MEMORY_GRAPH_PREFIX": f"{name or 'files'}_", "FALKORDB_URL": graph.url}
    if name is not None:
        settings["MIND_MEMORY_DATABASE"] = pair.url(name)
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(services)]
        all_served = [stack.enter_context(serving(folder, **settings)) for folder in folders]
        for served in all_served:
            until_answered(lambda: served.http.get("/readyz"), lambda answer: answer.is_success)  # noqa: B023 - at once
        system = _System(pair, graph, all_served)
        minds = [f"used-{number}" for number in range(work.minds)]
        pool = stack.enter_context(ThreadPoolExecutor(CALLERS))
        found: dict[str, Any] = {}

        before, began = system.spent(), time.monotonic()
        time.sleep(work.idle_seconds)
        found["idle, % of a core"] = system.each(before, (time.monotonic() - began) / 100)

        before = system.spent()
        list(pool.map(lambda mind: _tell(system.for_mind(mind), mind, work.turns), minds))
        for mind in minds:
            until_answered(lambda: system.for_mind(mind).http.get(f"/v1/minds/{mind}").json(), _is_digested(work.turns))  # noqa: B023 - at once
        found["a turn, ms of a processor"] = system.each(before, work.minds * work.turns / 1000)

        before = system.spent()
        asked = [mind for mind in minds for _ in range(work.questions)]
        list(pool.map(lambda mind: _ask(system.for_mind(mind), mind), asked))
        found["a question, ms of a processor"] = system.each(before, len(asked) / 1000)

        if services > 1:
            first = [_ask(system.for_mind(mind, other=1), mind, deadline_ms=work.first_deadline_ms) for mind in minds]
            found["first question at a service without a copy, ms"] = _spread([took for took, _ in first])
            found["of these whole"] = f"{sum(not answer['degraded'] for _, answer in first)} of {len(first)}"
        return found


class _System:
    """The processes of a row, and what they have spent."""

    def __init__(self, pair: PostgresPair, graph: SingleServer, services: Sequence[Serving]) -> None:
        self._services = services
        self._processes = {
            "services": [psutil.Process(served.process.pid) for served in services],
            "primary": [psutil.Process(pair.primary.pid)],
            "standby": [psutil.Process(pair.standby.pid)],
            "graph": [psutil.Process(graph.process.pid)],
        }

    def for_mind(self, mind: str, *, other: int = 0) -> Serving:
        """The service that a proxy would choose; with *other*, another one."""
        return self._services[(zlib.crc32(mind.encode()) + other) % len(self._services)]

    def spent(self) -> dict[str, float]:
        """Seconds of a processor so far."""
        return {name: sum(map(_seconds_of, processes)) for name, processes in self._processes.items()}

    def each(self, before: dict[str, float], times: float) -> dict[str, float]:
        """What was spent since, by *times*."""
        return {name: round((spent - before[name]) / times, 2) for name, spent in self.spent().items()}


def _seconds_of(process: psutil.Process) -> float:
    """Of a process and of its children, those included that have ended."""
    own = process.cpu_times()
    total = float(own.user + own.system + own.children_user + own.children_system)
    for child in process.children():
        times = child.cpu_times()
        total += times.user + times.system
    return total


def _tell(served: Serving, mind: str, turns: int) -> None:
    for talk in talks(turns):
        said = [{"role": "user", "content": talk.user}, {"role": "assistant", "content": talk.bot}]
        body = {"session_id": "s1", "messages": said}
        served.http.post(f"/v1/minds/{mind}/turns", json=body).raise_for_status()


def _ask(served: Serving, mind: str, *, deadline_ms: int | None = None) -> tuple[float, dict[str, Any]]:
    asked = {"role": "user", "content": "What did Marta Keller do?"}
    body = {"session_id": "s2", "messages": [asked], "deadline_ms": deadline_ms}
    began = time.perf_counter()
    answer = served.http.post(f"/v1/minds/{mind}/resonance", json=body).raise_for_status()
    return time.perf_counter() - began, answer.json()


def _is_digested(turns: int) -> Callable[[dict[str, Any]], bool]:
    return lambda state: state["graph"]["saved"] >= turns and not state["graph"]["lag"]


def _spread(took: Sequence[float]) -> list[float]:
    return [round(float(np.quantile(took, share)) * 1000, 1) for share in (0.5, 0.95)]
