"""Cold starts over real processes: few imports before the first answer, and no wait for a graph that loads."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import closing, contextmanager

import httpx2
import pytest

from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.server import EmbeddedServer
from tests.support.cli_process import MAIN, environment
from tests.support.embedded_graph import redis_pids
from tests.support.punctuality import timed
from tests.support.service import running
from tests.support.waiting import GIVE_UP, end, until

pytestmark = pytest.mark.anyio

AUNT, ASKS_FOR_AUNT = "My aunt Carla lives in Lyon.", "Where does my aunt Carla live?"
AT_ONCE = 0.5  # seconds until a turn is accepted
LATER = (
    "numpy", "redis", "falkordb", "jinja2", "httpx", "httpx2", "tokenizers", "py3langid", "litellm", "graphiti_core",
    "prometheus_client", "opentelemetry.sdk", "opentelemetry.exporter", "mcp",
)  # fmt: skip
OURS = {"service", "consolidation", "prompts"}
QUICK = {"MIND_MEMORY_DIGESTION__FIRST_RETRY_SECONDS": "0.2", "MIND_MEMORY_DIGESTION__MOST_RETRY_SECONDS": "0.5"}
MOST_IMPORTS = 30
INDEX = "CREATE VECTOR INDEX FOR (x:P) ON (x.v) OPTIONS {dimension: 384, similarityFunction: 'cosine', M: 32, efConstruction: 200}"


class Served:
    """`mind-memory serve` on a home: its process, its address, and what it was asked first."""

    def __init__(self, home, process):
        self.process, self._home = process, home
        until(lambda: (home / "service.json").exists() or process.poll() is not None)
        assert process.poll() is None, "the service ended by itself"
        url = json.loads((home / "service.json").read_text())["url"]
        assert httpx2.get(f"{url}/healthz", timeout=GIVE_UP).json() == {"status": "alive"}
        self.http = httpx2.Client(base_url=url, timeout=GIVE_UP)

    @property
    def said(self):
        """Logs so far, and with ``-X importtime`` every import in its order."""
        return self._home.with_name("said.txt").read_text()

    def resonate(self, message, *, deadline_ms, session_id="s2"):
        """What the pre-turn call answers, seconds it took, and whether it was in time."""
        body = {"session_id": session_id, "messages": [{"role": "user", "content": message}]}
        answer, took, is_in_time = self._post("resonance", {**body, "deadline_ms": deadline_ms}, deadline_ms / 1000)
        assert answer.status_code == 200
        return answer.json(), took, is_in_time

    def keep(self, message):
        """Post a turn; seconds until it was accepted, and whether that was at once."""
        body = {"session_id": "s1", "messages": [{"role": "user", "content": message}]}
        answer, took, is_at_once = self._post("turns", body, AT_ONCE)
        assert answer.status_code == 202
        return took, is_at_once

    def _post(self, path, body, seconds):
        return timed(lambda: self.http.post(f"/v1/minds/ada/{path}", json=body), within=seconds)

    def until(self, is_so):
        """Wait until *is_so* of this."""
        until(lambda: is_so(self), said=lambda: self.said[-2000:], every=0.1)


@contextmanager
def served(home, *words, freezes=False, **env):
    """The service, once it answers; its graph is stopped before it can answer anything, where it *freezes*."""
    with home.with_name("said.txt").open("w") as said:
        process = subprocess.Popen(
            [MAIN[0], *words, *MAIN[1:], "serve", "--home", str(home), "--port", "0"],
            stdout=subprocess.DEVNULL,
            stderr=said,
            env=environment(**QUICK, **env),
        )
    frozen = []
    try:
        if freezes:
            frozen = until(lambda: redis_pids(process.pid), every=0.005)
            os.kill(frozen[0], signal.SIGSTOP)
        service = Served(home, process)
        with closing(service.http):
            yield service
    finally:
        for pid in frozen:
            os.kill(pid, signal.SIGCONT)
        end(process)


async def lived(home):
    """A home with one mind, that holds one memory."""
    async with running(home) as service:
        await service.keep("ada", AUNT, session_id="s0")
        await service.digested("ada")
    return home


def imported(names):
    """Every module that a fresh interpreter has once it has imported *names*."""
    said = f"import sys, {names}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, env=environment(), check=True)
    return set(run.stdout.split())


def test_a_start_imports_nothing_that_the_first_answer_does_without():
    assert set(LATER) & imported("service.cli.main, service.serving.home") == set()


def test_a_start_imports_at_most_twice_the_modules_of_its_web_framework():
    framework = imported("fastapi, uvicorn")
    start = {name for name in imported("service.cli.main, service.serving.home") if name.partition(".")[0] not in OURS}

    assert len(start) < 2 * len(framework), sorted(start - framework)


async def test_the_first_resonance_imports_nothing_once_warming_is_over(tmp_path):
    home = await lived(tmp_path / "home")

    with served(home, "-X", "importtime") as service:
        service.until(lambda one: "service.warmed" in one.said)
        before = len(service.said)
        found, *_ = service.resonate(ASKS_FOR_AUNT, deadline_ms=5000)
        imports = re.findall(r"import time: +(\d+) \| +\d+ \| +(\S+)", service.said[before:])

    assert "Lyon" in found["block"]
    assert found["degraded"] == []
    assert {name.partition(".")[0] for _, name in imports} & set(LATER) == set()
    assert len(imports) < MOST_IMPORTS, imports


@pytest.mark.timing
async def test_before_warming_is_over_the_first_resonance_is_in_time_and_says_what_it_lacks(tmp_path):
    home = await lived(tmp_path / "home")
    answers = []

    for _ in range(4):
        with served(home) as service:
            found, took, is_in_time = service.resonate(ASKS_FOR_AUNT, deadline_ms=900)
            answers.append((round(took, 2), found["degraded"], found["timings_ms"]))
        if is_in_time and found["degraded"]:
            return
    raise AssertionError(f"never in time and degraded: {answers}")


@pytest.mark.timing
async def test_after_a_kill_the_first_call_of_a_service_that_is_ready_surfaces(tmp_path):
    home = await lived(tmp_path / "home")

    for turn in range(3):
        (home / "service.json").unlink(missing_ok=True)  # of the one that was killed
        with served(home) as service:
            service.until(lambda one: one.http.get("/readyz").status_code == 200)
            found, took, _ = service.resonate(ASKS_FOR_AUNT, deadline_ms=1500, session_id=f"k{turn}")
            service.process.kill()
        assert "Lyon" in found["block"], (turn, took, found["degraded"], found["silence"])


@pytest.mark.timing
async def test_while_the_graph_does_not_answer_nothing_waits_for_it(tmp_path):
    home = await lived(tmp_path / "home")

    with served(home, freezes=True) as service:
        ready = service.http.get("/readyz")
        assert ready.status_code == 503
        assert "does not answer" in ready.json()["parts"]["graph"]
        kept = [service.keep(f"Bruno has {number} dogs.") for number in range(3)]
        assert any(is_at_once for _, is_at_once in kept), kept
        service.until(lambda one: "service.warmed" in one.said)
        answers = [service.resonate(ASKS_FOR_AUNT, deadline_ms=600, session_id=f"s{at}") for at in range(5)]
        assert any(is_in_time for *_, is_in_time in answers), [took for _, took, _ in answers]
        assert any("graph_unavailable" in found["degraded"] and "Lyon" in found["block"] for found, *_ in answers)
        os.kill(redis_pids(service.process.pid)[0], signal.SIGCONT)
        service.until(digested)
        assert service.http.get("/readyz").status_code == 200


@pytest.mark.timing
async def test_a_start_does_not_wait_for_a_graph_that_loads(tmp_path):
    home = await lived(tmp_path / "home")
    spent = []

    for freezes in (False, True):
        began = time.monotonic()
        with served(home, freezes=freezes):
            spent.append(time.monotonic() - began)

    assert spent[1] < 3 * spent[0]


async def test_all_is_digested_after_a_graph_has_rebuilt_its_vector_index(tmp_path):
    home = await lived(tmp_path / "home")
    await large(home / "graph")

    with served(home) as service:
        was_ready = service.http.get("/readyz").status_code == 200
        service.keep("Bruno has seven dogs.")
        found, *_ = service.resonate(ASKS_FOR_AUNT, deadline_ms=800)
        is_ready = service.http.get("/readyz").status_code == 200
        assert found["degraded"] or was_ready or is_ready  # a fast machine has built the index by then
        service.until(digested)
        found, *_ = service.resonate(ASKS_FOR_AUNT, deadline_ms=0, session_id="s3")

    assert found["degraded"] == []
    assert "Lyon" in found["block"]


def digested(service):
    status = service.http.get("/v1/minds/ada").json()
    return status["graph"]["saved"] >= status["last_sequence"] and status["graph"]["lag"] == 0


async def large(folder):
    """Put another mind's graph beside, in a snapshot: FalkorDB says nothing at all while it indexes those vectors."""
    server = EmbeddedServer(folder)
    await server.start()
    await server.wait_until_ready()
    connection = GraphConnection(server.url, read_seconds=60)
    try:
        made = "UNWIND range(1, $count) AS i CREATE (:P {v: vecf32([j IN range(1, 384) | rand() - 0.5])})"
        await connection.write("mind_large", made, {"count": 12_000})
        await connection.write("mind_large", INDEX, {})
        client = await connection.client()
        await client.execute_command("BGREWRITEAOF")
        while (await client.connection.info("persistence"))["aof_rewrite_in_progress"]:
            await asyncio.sleep(0.1)
    finally:
        await connection.close()
        await server.stop()
