"""
A home of very many minds, of which few are used: what a start, a while of nothing and the first call of a mind cost.

One mind is told 40 turns, with a pre-turn call before each, and left alone until its story is told, it rests and its
graph is a file. Then it is copied. A copy is what that mind would be, but for the ids in its graph, which only matter
when it is told something new. Minds that are used have files of their own. All others are further names of the same
files, so that a disk has room for them; that nothing was written to these is looked at in the end.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil
import redis

from consolidation.workspace import workspace_of
from tests.benchmarks.talk import talks
from tests.support.service_process import serving
from tests.support.waiting import until, until_answered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.support.service_process import Serving

TURNS = 40
_MEGABYTE = 1024 * 1024
_MOST_NAMES = 50_000  # of one file; ext4 has room for 65,000
_PAGE = 500
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
    used = random.Random(7).sample(range(1, minds), active)
    if not (home / f"{minds}-made").exists():
        advanced("one mind is made")
        _make_one(home)
        advanced("it is copied")
        _copy(home, minds, own=frozenset(used))
        (home / f"{minds}-made").touch()
    origins = sorted((home / "copied").iterdir())
    before = [_digest(folder) for folder in origins]
    found: dict[str, Any] = {"minds": minds, "turns": TURNS, "one mind, KB": _size(origins[0]) // 1024}
    with tempfile.TemporaryDirectory() as empty, serving(empty) as served:
        found["start without minds, s"] = _until_ready(served)
    with serving(home) as served:
        found["start, s"] = _until_ready(served)
        _remind(served, used[0], session="first")
        found["first answer, s"] = _spent(served)
        found["after the start"] = _standing(served)
        advanced("nobody calls")
        found["of a core in the first while"] = _idle(served, idle_seconds)
        found["of a core while nobody calls"] = _idle(served, idle_seconds)
        found["after that"] = _standing(served)
        found["lists, ms"] = _lists(served, minds)
        advanced(f"{active} minds are used")
        found |= _used(served, used)
        found["after their use"] = _standing(served)
        found["of a core after their use"] = _idle(served, idle_seconds)
        found["lists after their use, ms"] = _lists(served, minds)
    found["files of minds nobody used are as they were"] = [_digest(folder) for folder in origins] == before
    return found


def _name(number: int) -> str:
    return f"m{number:07}"


def _make_one(home: Path) -> None:
    """The first mind, whose graph is a file in the end."""
    first = _name(0)
    with serving(home) as served:
        for talk in talks(TURNS):
            session = f"day {talk.number // 8}"
            _remind(served, 0, session=session, about=talk.names[1])
            said = [{"role": "user", "content": talk.user}, {"role": "assistant", "content": talk.bot}]
            body = {"session_id": session, "messages": said}
            served.http.post(f"/v1/minds/{first}/turns", json=body).raise_for_status()
        until_answered(lambda: served.http.get(f"/v1/minds/{first}").json(), _is_digested)
        served.http.post(f"/v1/minds/{first}/consolidation", json={}).raise_for_status()
        until_answered(
            lambda: served.http.get(f"/v1/minds/{first}").json(), lambda state: not state["story"]["pending_turns"]
        )
        served.process.terminate()
        served.process.wait()
    with serving(home, MIND_MEMORY_GRAPH__MEMORY_MB="1") as served:
        until(workspace_of(home, first).graph_checkpoint.exists, every=0.1)
        served.process.terminate()
        served.process.wait()


def _is_digested(state: dict[str, Any]) -> bool:
    return state["graph"]["saved"] >= TURNS and not state["graph"]["lag"]


def _copy(home: Path, minds: int, *, own: frozenset[int]) -> None:
    """Copies of the first mind; those of *own* have files of their own."""
    first = workspace_of(home, _name(0)).folder
    within = sorted(first.rglob("*"))
    for number in range(1, minds):
        target = first.with_name(_name(number))
        if number in own:
            shutil.copytree(first, target)
            continue
        origin = home / "copied" / str(number // _MOST_NAMES)
        if not origin.exists():
            shutil.copytree(first, origin)
        target.mkdir(mode=0o700)
        for entry in within:
            name = entry.relative_to(first)
            if entry.is_dir():
                (target / name).mkdir()
            else:
                os.link(origin / name, target / name)
    columns = ", ".join(_COPIED)
    with closing(sqlite3.connect(home / "derived" / "minds.sqlite3")) as register, register:
        register.executemany(
            f"INSERT OR REPLACE INTO minds (mind_id, {columns}, known) SELECT ?, {columns}, known FROM minds WHERE mind_id = ?",
            [(_name(number), _name(0)) for number in range(1, minds)],
        )


def _until_ready(served: Serving) -> dict[str, float]:
    until_answered(lambda: served.http.get("/readyz"), lambda answer: answer.is_success)
    return _spent(served)


def _spent(served: Serving) -> dict[str, float]:
    """How long the service has been there, and what it took of a processor: a busy machine makes the first longer."""
    elapsed = time.time() - psutil.Process(served.process.pid).create_time()
    return {"elapsed": round(elapsed, 1), "processor": round(_processor_seconds(served)["service"], 1)}


def _remind(served: Serving, number: int, *, session: str, about: str = "Marta Keller") -> dict[str, Any]:
    words = {"session_id": session, "messages": [{"role": "user", "content": f"What did {about} do?"}]}
    answer = served.http.post(f"/v1/minds/{_name(number)}/resonance", json=words).raise_for_status()
    found: dict[str, Any] = answer.json()
    return found


def _used(served: Serving, used: Sequence[int]) -> dict[str, Any]:
    """The first pre-turn call of minds that nobody used so far, each with a turn behind it."""
    took, surfaced, degraded = [], 0, 0
    questions = talks(TURNS)
    for number in used:
        about = questions[number % TURNS]
        began = time.perf_counter()
        answer = _remind(served, number, session="now", about=about.names[1])
        took.append(time.perf_counter() - began)
        surfaced += bool(answer["flashbacks"])
        degraded += bool(answer["degraded"])
        served.keep(_name(number), about.user)
    return {
        "first call, ms": _spread(took),
        "first call surfaced": round(surfaced / len(used), 3),
        "first call degraded": round(degraded / len(used), 3),
    }


def _idle(served: Serving, seconds: float) -> dict[str, float]:
    """The share of a core that the service and its graph take while nobody calls."""
    before = _processor_seconds(served)
    time.sleep(seconds)
    return {name: round((after - before[name]) / seconds, 4) for name, after in _processor_seconds(served).items()}


def _lists(served: Serving, minds: int) -> dict[str, float]:
    """What the first and the last page of the lists take, and a walk over all pages."""
    took, cursor, found = [], {}, 0
    while cursor is not None:
        began = time.perf_counter()
        page = served.http.get("/v1/minds", params={"limit": _PAGE, **cursor}).raise_for_status().json()
        took.append(time.perf_counter() - began)
        found += len(page["minds"])
        last, cursor = cursor, {"cursor": page["next_cursor"]} if page["next_cursor"] else None
    assert found == minds, found
    return {
        "minds, first page": _timed(served, "/v1/minds", limit=_PAGE),
        "minds, last page": _timed(served, "/v1/minds", limit=_PAGE, **last),
        "minds, all pages": round(sum(took) * 1000),
        "status, first page": _timed(served, "/v1/status"),
        "metrics": _timed(served, "/metrics"),
    }


def _timed(served: Serving, path: str, *, times: int = 20, **params: object) -> float:
    took = []
    for _ in range(times):
        began = time.perf_counter()
        served.http.get(path, params=params).raise_for_status()
        took.append(time.perf_counter() - began)
    return _spread(took)[0]


def _spread(took: Sequence[float]) -> list[float]:
    return [round(float(np.quantile(took, share)) * 1000, 1) for share in (0.5, 0.95)]


def _processes(served: Serving) -> dict[str, psutil.Process]:
    service = psutil.Process(served.process.pid)
    graph = next(one for one in service.children(recursive=True) if one.name().startswith("redis-server"))
    return {"service": service, "graph": graph}


def _standing(served: Serving) -> dict[str, Any]:
    """Memory in MB, open files, and watches of folders, of the service and its graph; and what the budget counts."""
    found: dict[str, Any] = {}
    for name, process in _processes(served).items():
        memory = process.memory_full_info()
        files, watches = process.num_fds(), _watches(process.pid)
        if name == "graph":
            socket = re.search(r"unixsocket:(\S+)", " ".join(process.cmdline()))
            assert socket is not None
            with redis.Redis(unix_socket_path=socket[1]) as client:
                found["graphs, MB"] = client.info("memory")["used_memory"] // _MEGABYTE
        found[name] = {
            "rss": memory.rss // _MEGABYTE,
            "pss": memory.pss // _MEGABYTE,
            "files": files,
            "watches": watches,
        }
    return found


def _watches(pid: int) -> int:
    found = 0
    for file in Path(f"/proc/{pid}/fdinfo").iterdir():
        with suppress(FileNotFoundError):  # it was closed at this moment
            found += len(re.findall(r"^inotify ", file.read_text(), re.MULTILINE))
    return found


def _processor_seconds(served: Serving) -> dict[str, float]:
    return {name: sum(one.cpu_times()[:2]) for name, one in _processes(served).items()}


def _size(folder: Path) -> int:
    return sum(entry.stat().st_size for entry in folder.rglob("*") if entry.is_file())


def _digest(folder: Path) -> str:
    """One digest of all files of a folder, by their names."""
    found = hashlib.blake2b()
    for file in sorted(one for one in folder.rglob("*") if one.is_file()):
        found.update(f"{file.relative_to(folder)}\n".encode() + file.read_bytes())
    return found.hexdigest()
