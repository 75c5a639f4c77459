"""
A home of very many minds, of which few are used: what a start, an hour of nothing and the first call of a mind cost.

One mind is told 40 turns and left alone, until it rests and its graph is a file; then it is copied. A copy is what that
mind would be, but for the ids in its graph, which only matter when it is told something new.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

from consolidation.workspace import workspace_of
from tests.benchmarks.talk import talks
from tests.support.service_process import serving
from tests.support.waiting import until, until_answered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.support.service_process import Serving

TURNS = 40
_FIRST = "m0000000"
_MEGABYTE = 1024 * 1024
_SHARED = ("graph.checkpoint", "SOUL.md", "PURPOSE.md", "MEMORY.md")  # replaced whole, never changed: one file for all
_COPIED = (
    "is_resting",
    "used_at",
    "story_due_at",
    "embedder",
    "pending_turns",
    "pending_tokens",
    "parked",
    "has_failed",
)


async def many_minds(
    home: Path, *, minds: int, active: int, idle_seconds: float, advanced: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Make the home where it is not there, start the service on it, leave it alone, and use *active* of the minds."""
    if not (home / f"{minds}-made").exists():
        advanced("one mind is made")
        _make_one(home)
        advanced("it is copied")
        _copy(home, minds)
        (home / f"{minds}-made").touch()
    found: dict[str, Any] = {"minds": minds, "turns": TURNS, "disk MB": round(_size(home) / _MEGABYTE)}
    began = time.perf_counter()
    with serving(home) as served:
        until_answered(lambda: served.http.get("/readyz"), lambda answer: answer.is_success)
        found["start s"] = round(time.perf_counter() - began, 2)
        found["MB after the start"] = _memory(served)
        advanced("nobody calls")
        found["of a core while nobody calls"] = _idle(served, idle_seconds)
        advanced(f"{active} minds are used")
        found |= _used(served, minds=minds, active=active)
        found["MB after that"] = _memory(served)
        found["list ms"] = [_timed(served, "/v1/minds?limit=500"), _timed(served, "/v1/status")]
    return found


def _make_one(home: Path) -> None:
    given = {
        "MIND_MEMORY_IDLE_MIND_SECONDS": "0.1",
        "MIND_MEMORY_GRAPH__MEMORY_MB": "1",
        "MIND_MEMORY_STORY__THRESHOLD_TOKENS": "0",
        "MIND_MEMORY_STORY__IDLE_SECONDS": "0",
    }
    with serving(home, **given) as served:
        for talk in talks(TURNS):
            body = {
                "session_id": f"day {talk.number // 8}",
                "messages": [{"role": "user", "content": talk.user}, {"role": "assistant", "content": talk.bot}],
            }
            served.http.post(f"/v1/minds/{_FIRST}/turns", json=body).raise_for_status()
        until(workspace_of(home, _FIRST).graph_checkpoint.exists, every=0.1)
        served.process.terminate()
        served.process.wait()


def _copy(home: Path, minds: int) -> None:
    first = workspace_of(home, _FIRST).folder
    names = [f"m{number:07}" for number in range(1, minds)]
    for name in names:
        shutil.copytree(first, first.with_name(name), copy_function=_copied, dirs_exist_ok=True)
    columns = ", ".join(_COPIED)
    with closing(sqlite3.connect(home / "derived" / "minds.sqlite3")) as register, register:
        register.executemany(
            f"INSERT OR REPLACE INTO minds (mind_id, {columns}, known) SELECT ?, {columns}, known FROM minds WHERE mind_id = ?",
            [(name, _FIRST) for name in names],
        )


def _copied(source: str, target: str) -> str:
    if source.endswith(_SHARED):
        os.link(source, target)
        return target
    return str(shutil.copyfile(source, target))


def _used(served: Serving, *, minds: int, active: int) -> dict[str, Any]:
    """The first pre-turn call of minds that nobody used so far, each with a turn behind it."""
    took, surfaced, degraded = [], 0, 0
    questions = talks(TURNS)
    for number in random.Random(7).sample(range(minds), active):
        about = questions[number % TURNS]
        words = {"session_id": "now", "messages": [{"role": "user", "content": f"What did {about.names[1]} do?"}]}
        began = time.perf_counter()
        answer = served.http.post(f"/v1/minds/m{number:07}/resonance", json=words).raise_for_status().json()
        took.append(time.perf_counter() - began)
        surfaced += bool(answer["flashbacks"])
        degraded += bool(answer["degraded"])
        served.keep(f"m{number:07}", about.user)
    return {
        "first call ms": _spread(took),
        "first call surfaced": round(surfaced / active, 3),
        "first call degraded": round(degraded / active, 3),
    }


def _idle(served: Serving, seconds: float) -> float:
    """The share of a core that the service and its graph take while nobody calls."""
    before = _processor_seconds(served)
    time.sleep(seconds)
    return round((_processor_seconds(served) - before) / seconds, 4)


def _timed(served: Serving, path: str, *, times: int = 20) -> float:
    took = []
    for _ in range(times):
        began = time.perf_counter()
        served.http.get(path).raise_for_status()
        took.append(time.perf_counter() - began)
    return _spread(took)[0]


def _spread(took: Sequence[float]) -> list[float]:
    return [round(float(np.quantile(took, share)) * 1000, 1) for share in (0.5, 0.95)]


def _processes(served: Serving) -> dict[str, psutil.Process]:
    service = psutil.Process(served.process.pid)
    graph = next(one for one in service.children(recursive=True) if one.name().startswith("redis-server"))
    return {"service": service, "graph": graph}


def _memory(served: Serving) -> dict[str, int]:
    return {name: round(one.memory_info().rss / _MEGABYTE) for name, one in _processes(served).items()}


def _processor_seconds(served: Serving) -> float:
    return sum(sum(one.cpu_times()[:2]) for one in _processes(served).values())


def _size(folder: Path) -> int:
    """Bytes on the disk; a file that has several names counts once for each, as without the copies' common files."""
    return sum(entry.stat().st_size for entry in folder.rglob("*") if entry.is_file())
