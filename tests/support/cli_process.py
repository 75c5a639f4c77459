"""Running `mind-memory`: as a process, as a service that is waited for, or in this process."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import httpx2
from typer.testing import CliRunner

from service.cli.main import app
from service.observability.logging import configure_logs
from tests.support import command_server
from tests.support.forked_process import MIND_MEMORY, ForkedProcess
from tests.support.paths import ROOT
from tests.support.service import CYCLES
from tests.support.waiting import GIVE_UP, end, until

# A child inherits that SIGINT is ignored, as it is where a shell starts the tests in the background; then Ctrl-C does nothing.
_HEEDS_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
# A start as a user makes it, for tests of starts; others fork, see ``run`` and ``serving``.
MAIN = (sys.executable, "-c", f"{_HEEDS_CTRL_C}; from service.cli.main import main; main()")


def environment(**more):
    """This environment with *more*, and the project to be found."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", **more}


def run(*words, said="", **more):
    """A process that ends by itself."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with ForkedProcess([MIND_MEMORY, *words], **pipes, text=True, env=environment(**more)) as process:
        try:
            printed = process.communicate(said, timeout=GIVE_UP)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, *printed)


def call(*words, said=None, **more):
    """The same in this process, which is quicker."""
    try:
        return CliRunner().invoke(app, [str(word) for word in words], input=said, env={"COLUMNS": "200", **more})
    finally:
        configure_logs(level="WARNING", as_json=False)  # as tests/conftest.py has it: a command logs errors alone
        gc.set_threshold(*CYCLES)


@contextmanager
def serving_commands():
    """The socket of a process that runs `mind-memory` for others; a path of a socket has to be short."""
    with tempfile.TemporaryDirectory(prefix="mm-commands-") as folder:
        path = f"{folder}/s"
        process = ForkedProcess([command_server.__name__, path])
        try:
            until(lambda: Path(path).exists() or process.poll() is not None)
            assert process.poll() is None, "it could not import the command"
            yield path
        finally:
            end(process)


def calling(path):
    """The words of a shell that run `mind-memory`, before its own, by the process at that socket."""
    return f"exec {sys.executable} -I -S {command_server.__file__} {path}"


@contextmanager
def serving(home, *words, log=None, **more):
    """A service on a free port: its process and its address, once it answers. It logs to a file, or to the descriptor *log*."""
    with _said(home).open("w") as said, _log(home).open("w") as to_file:
        process = ForkedProcess(
            [MIND_MEMORY, "serve", "--home", home, "--port", "0", *words],
            stdout=said,
            stderr=to_file if log is None else log,
            env=environment(**more),
        )
    try:
        yield process, _address(home, process)
    finally:
        end(process)


def log_of_ended(process, home):
    """Wait until the service of this home has ended, and return all that it logged."""
    process.wait(timeout=GIVE_UP)
    return _log(home).read_text()


def until_digested(url, mind_id):
    """Wait until the graph holds all that the mind was told."""

    def is_digested():
        graph = (found := httpx2.get(f"{url}/v1/minds/{mind_id}", timeout=GIVE_UP).json())["graph"]
        return graph["saved"] >= found["last_sequence"] and graph["lag"] == 0

    until(is_digested)


def said_by_service(home):
    """What the service of this home has said so far."""
    return _said(home).read_text()


def logged(home):
    """What the service of this home has logged so far."""
    return _log(home).read_text()


def _said(home):
    return Path(home).with_name(f"{Path(home).name}-said.txt")


def _log(home):
    return Path(home).with_name(f"{Path(home).name}-log.txt")


def _address(home, process):
    file = Path(home) / "service.json"

    def is_announced():
        assert process.poll() is None, _log(home).read_text()
        return file.exists()

    until(is_announced)
    url = json.loads(file.read_text())["url"]
    assert httpx2.get(f"{url}/healthz", timeout=GIVE_UP).json() == {"status": "alive"}
    return url
