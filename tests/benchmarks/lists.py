"""
What the lists cost over HTTP: of a mind of made-up facts, and of one with ten thousand sessions.

No graph is asked, so none is filled: one in memory says that everything is digested.
"""

from __future__ import annotations

import asyncio
import os
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn
from consolidation.transcript.records import encode
from consolidation.workspace import workspace_of
from service.adapters.memory_graph.content import Content
from service.adapters.memory_graph.graphs import MemoryGraphs
from service.app import create_app
from service.archive.graph_rows import Row
from service.composition.container import open_memory
from tests.benchmarks.contents import MIND
from tests.benchmarks.latency import timed
from tests.benchmarks.loading import made_up, put_into_full_text, write_down
from tests.benchmarks.synthetic import NOW, SyntheticMind
from tests.benchmarks.vectors import WordVectors
from tests.support.service_process import serving
from tests.support.waiting import until_answered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import httpx2
    from fastapi import FastAPI

SESSIONS = "many-sessions"
SESSIONS_OF_MANY = f"{SESSIONS}/sessions"
_MANY = 10_000
_LAST = "BENCH_LAST_TURN"
_BACK = 20  # pages that a list is read on before a page is measured
_MOST = 200


async def lists(
    folder: Path, *, facts: int, seconds: float, sessions: int = _MANY, advanced: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Median and 95th percentile of each list, each cell within *seconds*."""
    home, mind = folder / "home", SyntheticMind(facts)
    if not (folder / "made").exists():
        advanced("a mind is made")
        held = made_up(mind)
        write_down(home, held)
        put_into_full_text(home, held)
        write_sessions(home, sessions)
        (folder / "made").touch()
    found: dict[str, Any] = {"facts": facts, "sessions": sessions, "calls": {}}
    given = {_LAST: str(mind.turns), "MIND_MEMORY_STORY__THRESHOLD_TOKENS": "0"}  # no story is told meanwhile
    with serving(home, factory="tests.benchmarks.lists:create", **given) as served:
        until_answered(lambda: served.http.get("/readyz"), lambda answer: answer.is_success)
        _until_idle(served.http, sessions)
        for name, path in paths(served.http).items():
            advanced(name)
            found["calls"][name] = await measured(served.http, path, seconds=seconds)
    return found


def paths(http: httpx2.Client) -> dict[str, str]:
    """Every call by name: first pages, later pages, narrowed ones, single things."""
    facts, entities = _of(http, "facts")["items"], _of(http, "entities")["items"]
    hub = entities[0]["id"]
    turn = _of(http, "turns")["items"][0]
    session = turn["session_id"]
    months = NOW - timedelta(days=90)
    return {
        "sessions": "sessions",
        "sessions, later page": _later(http, "sessions"),
        "10,000 sessions": SESSIONS_OF_MANY,
        "10,000 sessions, later page": _later(http, SESSIONS_OF_MANY),
        "turns": "turns",
        "turns of a session": f"turns?session_id={session}&after=0",
        "turns, later page": _later(http, "turns"),
        "one turn": f"turns/{turn['turn_id']}",
        "facts": "facts",
        "facts, later page": _later(http, "facts"),
        "facts of the hub": f"facts?entity={hub}",
        "facts, ended": "facts?state=ended",
        "facts, planned": "facts?state=planned",
        "facts with a word": "facts?query=old",
        "facts of a day long ago": "facts?since=2023-02-01T00:00:00Z&until=2023-02-02T00:00:00Z",
        "one fact": f"facts/{facts[0]['id']}",
        "entities": "entities",
        "entities by name, later page": _later(http, "entities?sort=name"),
        "entities, recent": "entities?sort=recent",
        "entities with a word": "entities?query=ma",
        "the hub": f"entities/{hub}",
        "one entity": f"entities/{entities[-1]['id']}",
        "the graph": "graph",
        "the graph of 90 days": f"graph?since={months:%Y-%m-%dT%H:%M:%SZ}",
    }


async def measured(http: httpx2.Client, path: str, *, seconds: float) -> dict[str, Any]:
    """The figures of one call, its first answer left out: that one may find themes."""

    async def call(_: int) -> str | None:
        answer = await asyncio.to_thread(http.get, _url(path))
        return None if answer.is_success else str(answer.status_code)

    await call(0)
    return (await timed([call], seconds=seconds, most=_MOST)).figures


def write_sessions(home: Path, many: int) -> None:
    """A mind of so many sessions of one turn each."""
    workspace = workspace_of(home, SESSIONS)
    workspace.create()
    turns = (
        StoredTurn(at, NOW, Turn(f"t{at}", f"session-{at}", (Message(Speaker.USER, f"Talk number {at}.", NOW),)), 5)
        for at in range(1, many + 1)
    )
    (workspace.transcript / "2026-01.jsonl").write_bytes(b"".join(map(encode, turns)))


def create() -> FastAPI:
    """The application of the process apart: with the scripted embedder, and a graph to which nothing is new."""
    last = {MIND: int(os.environ[_LAST]), SESSIONS: 10**9}

    def graphs(**given: Any) -> MemoryGraphs:
        server = {name: Content() for name in last}
        for name, sequence in last.items():
            for cursor in ("saved", "extracted"):
                server[name].put(Row("Cursor", {"name": cursor, "sequence": sequence}))
        return MemoryGraphs(**given, server=server)

    return create_app(opening=lambda settings: open_memory(settings, embedder=WordVectors(), graphs=graphs))


def _url(path: str) -> str:
    return f"/v1/minds/{path}" if path.startswith(SESSIONS_OF_MANY) else f"/v1/minds/{MIND}/{path}"


def _of(http: httpx2.Client, path: str) -> dict[str, Any]:
    found: dict[str, Any] = http.get(_url(path)).raise_for_status().json()
    return found


def _later(http: httpx2.Client, path: str) -> str:
    """The path of a page behind the first ones, or of the last page."""
    sign, found = "&" if "?" in path else "?", path
    for _ in range(_BACK):
        cursor = _of(http, found)["next_cursor"]
        if cursor is None:
            break
        found = f"{path}{sign}cursor={cursor}"
    return found


def _until_idle(http: httpx2.Client, sessions: int) -> None:
    """Return once full text has the sessions, so that nothing works beside what is measured."""
    until_answered(
        lambda: http.get(f"/v1/minds/{SESSIONS}/turns/episode:{sessions}"),
        lambda answer: answer.json()["digestion"]["indexed"],
    )
