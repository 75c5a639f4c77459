"""Running `mind-memory`: as a process of its own, as a service that is waited for, or in this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import httpx
from typer.testing import CliRunner

from service.cli.main import app

MAIN = (sys.executable, "-c", "from service.cli.main import main; main()")
ROOT = Path(__file__).parents[3]


def environment(**more):
    """This environment with *more*, and the project to be found."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", **more}


def run(*words, said="", **more):
    """A process that ends by itself."""
    return subprocess.run(
        [*MAIN, *map(str, words)], input=said, capture_output=True, text=True, timeout=60, env=environment(**more)
    )


def call(*words, said=None, **more):
    """The same in this process, which is quicker."""
    return CliRunner().invoke(app, [str(word) for word in words], input=said, env={"COLUMNS": "200", **more})


@contextmanager
def serving(home, *words, **more):
    """A service on a free port: its process and its address, once it answers."""
    with _said(home).open("w") as said, _log(home).open("w") as log:  # a pipe that nobody reads would fill, and hold it
        process = subprocess.Popen(
            [*MAIN, "serve", "--home", str(home), "--port", "0", *words],
            stdout=said,
            stderr=log,
            env=environment(**more),
        )
    try:
        yield process, _address(home, process)
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(timeout=20)


def log_of_ended(process, home):
    """Wait until the service of this home has ended, and return all that it logged."""
    process.wait(timeout=60)
    return _log(home).read_text()


def until_digested(url, mind_id):
    """Wait until the graph holds all that the mind was told."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        graph = (found := httpx.get(f"{url}/v1/minds/{mind_id}", timeout=10).json())["graph"]
        if graph["saved"] >= found["last_sequence"] and graph["lag"] == 0:
            return
        time.sleep(0.05)
    raise AssertionError(f"not digested: {found}")


def said_by_service(home):
    """What the service of this home has said so far."""
    return _said(home).read_text()


def _said(home):
    return Path(home).with_name(f"{Path(home).name}-said.txt")


def _log(home):
    return Path(home).with_name(f"{Path(home).name}-log.txt")


def _address(home, process):
    file = Path(home) / "service.json"
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if process.poll() is not None:
            raise AssertionError(_log(home).read_text())
        if file.exists():
            url = json.loads(file.read_text())["url"]
            assert httpx.get(f"{url}/healthz", timeout=10).json() == {"status": "alive"}
            return url
        time.sleep(0.05)
    raise AssertionError("the service never announced itself")
