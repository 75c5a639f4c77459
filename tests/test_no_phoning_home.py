"""
Nothing leaves this machine: not at import of litellm and Graphiti, not for a turn, not for a resonance.

The hook sees what Python opens. A library of other code that reports to its maker keeps what it would send in the user's
folder, where nothing else of what runs writes but FalkorDB.
"""

import json
import subprocess
import sys

from tests.support.paths import ROOT

A_LIFE = """
import asyncio, importlib, json, pkgutil, sys
from pathlib import Path

reached = []
def watch(event, words):
    if event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        reached.append(str(words[1]))
    elif event in {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyname_ex"}:
        reached.append(str(words[0]))
sys.addaudithook(watch)

import consolidation, prompts, service
from service.adapters.falkordb.mind_graph import silence_graphiti
from service.adapters.litellm.loader import open_litellm
silence_graphiti(dimension=384)
for package in (consolidation, prompts, service):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
from tests.support.service import running

async def live():
    litellm = await open_litellm()
    litellm.token_counter(model="gpt-4o", text="hello")
    async with running(Path(sys.argv[1])) as found:
        await found.keep("ada", "My mother lives in Lyon.", "Nice!", session_id="s0")
        await found.digested("ada")
        answer = await found.resonate("ada", "Where does my mother live?")
        remembered = await found.http.get("/v1/minds/ada/remember", params={"query": "mother"})
        return answer.json()["surfaced"], len(remembered.json()["memories"])

surfaced, remembered = asyncio.run(live())
heavy = [name for name in ("litellm", "graphiti_core") if name in sys.modules]
print(json.dumps({"reached": reached, "surfaced": surfaced, "remembered": remembered, "heavy": heavy}))
"""


def is_here(address):
    """Whether an address as the audit hook saw it is loopback or a Unix socket."""
    host = address.strip("('\"b").split("'")[0]
    return host.startswith(("127.", "::1", "localhost", "/", "\\x00")) or host in {"", "None"}


def test_a_life_on_this_machine_reaches_nobody_else(tmp_path):
    words = [sys.executable, "-c", A_LIFE, str(tmp_path / "home")]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "user"), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}

    (tmp_path / "user").mkdir()
    run = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=150)

    assert run.returncode == 0, run.stderr[-2000:]
    found = json.loads(run.stdout.splitlines()[-1])
    assert found["heavy"] == ["litellm", "graphiti_core"]
    assert found["surfaced"]
    assert found["remembered"]
    assert found["reached"], "the hook saw nothing at all: not even our own graph"
    assert [address for address in found["reached"] if not is_here(address)] == []
    assert {one.name for one in (tmp_path / "user").iterdir()} <= {".SuiteSparse"}  # FalkorDB's GraphBLAS, its sources


def test_the_hook_would_notice():
    assert not is_here("('93.184.216.34', 443)")
    assert not is_here("us.i.posthog.com")
    assert not is_here("('2606:2800::1', 443, 0, 0)")
    assert is_here("('127.0.0.1', 6379)")
    assert is_here("/tmp/mm-abc/s")
