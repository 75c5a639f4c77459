"""
The process that forks services: everything is imported once, so that one that was killed is back in a moment.

A child is `mind-memory serve` itself, with the seams of ``steps.py`` wrapped, or the stand-in for the stock pattern.
Orders come as lines of JSON, answers go back as lines.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import traceback
from functools import partial
from importlib import import_module
from pathlib import Path

from service.adapters.minilm import limit_threads
from tests.support.forked_process import ForkedProcess
from tests.support.paths import ROOT
from tests.support.waiting import GIVE_UP

HEAVY = (
    "falkordb.asyncio",
    "redis.asyncio",
    "jinja2.sandbox",
    "anyio._backends._asyncio",
    "uvicorn.protocols.http.auto",
    "uvicorn.lifespan.on",
    "service.adapters.falkordb.graphiti",
    "service.cli.main",
    "service.cli.commands.serve",
    "service.serving.home",
    "tests.crash.stock",
)


class Nest:
    """The nest as the harness sees it; may be used from several threads."""

    def __init__(self):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = ForkedProcess(["tests.crash.nest"], **pipes, text=True, cwd=ROOT)
        self._lock = threading.Lock()

    def begin(self, **order):
        """The id of a new child: ``home``, ``said``, ``log``, ``arm`` (or None), ``is_stock``, ``port``, ``env``."""
        return int(self._asked({**order, "word": "begin"}))

    def ended(self, pid):
        """How the child ended, None while it lives."""
        answer = self._asked({"word": "ended", "pid": pid})
        return int(answer) if answer else None

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(GIVE_UP)

    def _asked(self, order):
        with self._lock:
            self._process.stdin.write(f"{json.dumps(order)}\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
            assert answer, "the nest fell over"
            return answer.strip()


def main():
    limit_threads()
    _warm()
    children = set()
    for line in sys.stdin:
        order = json.loads(line)
        if order["word"] == "begin":
            pid = os.fork()
            if pid == 0:
                _live(order)
            children.add(pid)
            print(pid, flush=True)
            continue
        pid, status = os.waitpid(order["pid"], os.WNOHANG)
        children.discard(pid)
        print(os.waitstatus_to_exitcode(status) if pid else "", flush=True)
    for pid in children:
        os.kill(pid, signal.SIGKILL)


def _warm():
    """Load what is slow to load, so that no child has to."""
    from service.adapters.falkordb.mind_graph import silence_graphiti

    silence_graphiti(dimension=384)
    for name in HEAVY:
        import_module(name)
    from consolidation.text.language import detect
    from consolidation.text.tokens import count_tokens

    detect("Good morning, how are you today?")
    count_tokens("warm")


def _live(order):
    code = 70
    try:
        said = os.open(order["said"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for standard in (1, 2):
            os.dup2(said, standard)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.environ.update(order["env"])
        code = _serve(order)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _serve(order):
    from tests.crash.agent_day import dream_of_everything
    from tests.crash.steps import Arm, Steps, answering, install

    steps = Steps(order["log"], Arm(**order["arm"]) if order["arm"] else None)
    signal.signal(signal.SIGUSR2, lambda *_: steps.arm_next(Path(order["log"]).with_suffix(".arm")))
    if order["is_stock"]:
        from tests.crash.stock import serve

        return serve(Path(order["home"]), steps)
    from service.adapters.hashing_embedder import HashingEmbedder
    from service.cli import main
    from service.serving import home

    install(steps)
    dream_of_everything()
    create_app = home.create_app
    home.create_app = lambda *words, **more: answering(create_app(*words, **more), steps, ending="/turns")
    home.open_memory = partial(home.open_memory, embedder=HashingEmbedder())
    try:
        main.app(["serve", "--home", order["home"], "--port", str(order["port"])])
    except SystemExit as end:
        return int(end.code or 0)
    return 0


if __name__ == "__main__":
    main()
