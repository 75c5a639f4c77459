"""
Processes of `mind-memory`, and of the tests themselves, that start at once: forked from one that has imported everything.

An import of the service takes three seconds of a processor, one with a model six. What a start itself costs or prints
is shown by tests that start a process of their own.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path
from select import select

from tests.support.paths import ROOT

MIND_MEMORY, UVICORN = "mind-memory", "uvicorn"
READ_SETTINGS = "read-settings"
_ENTRIES = {
    MIND_MEMORY: ("service.cli.main", "main"),
    UVICORN: ("uvicorn", "main"),
    READ_SETTINGS: ("service.settings.loading", "read_settings"),
}
_LARGEST_ORDER = 1 << 20  # bytes; an environment is most of it
_COMMANDS = ("consolidate", "import_", "mcp", "mount", "serve", "status")
_IMPORTED = (
    "anyio._backends._asyncio",
    "falkordb.asyncio",
    "httpx2",
    "jinja2.sandbox",
    "mind_memory_client",
    "redis.asyncio",
    "service.adapters.falkordb.graphiti",
    "service.app",
    "service.serving.home",
    "uvicorn.lifespan.on",
    "uvicorn.protocols.http.auto",
    *(f"service.cli.commands.{name}" for name in _COMMANDS),
)


class ForkedProcess(subprocess.Popen):
    """
    A `Popen` of ``[MIND_MEMORY, …]``, ``[UVICORN, …]``, ``[READ_SETTINGS]`` or ``[MODULE, …]``, with its pipes, ``env``, ``cwd``.

    A module is one of the tests; its ``main`` is called.

    It is a child of the process that forks, which is asked how it ended: three private methods of `Popen` are replaced.
    """

    def _execute_child(self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, *more):
        _startupinfo, _creationflags, shell, *ends = more[:9]
        assert not (executable or preexec_fn or pass_fds or shell), "a process that is forked can not be told this"
        order = {"words": list(map(str, args)), "cwd": str(cwd or Path.cwd()), "env": dict(env or os.environ)}
        of_child = (ends[0], ends[3], ends[5])  # -1 where it takes what this process has
        self.pid = _forking().ask(order, ends=[own if end == -1 else end for own, end in enumerate(of_child)])
        self._child_created = True
        self._ending = os.pidfd_open(self.pid)
        self._close_pipe_fds(*ends)

    def _internal_poll(self, _deadstate=None):
        if self.returncode is None and self._has_ended(0):
            self._set_ended()
        return self.returncode

    def _wait(self, timeout):
        if self.returncode is None:
            if not self._has_ended(timeout):
                raise subprocess.TimeoutExpired(self.args, timeout)
            self._set_ended()
        return self.returncode

    def _has_ended(self, seconds):
        try:
            return bool(select([self._ending], [], [], seconds)[0])
        except (OSError, ValueError):  # another thread has just seen its end
            return True

    def _set_ended(self):
        with self._waitpid_lock:
            if self.returncode is None:
                self.returncode = _forking().ask({"ended": self.pid})
                os.close(self._ending)
                self._ending = -1


class _Forking:
    """The process that forks, as a test sees it; may be asked by several threads."""

    def __init__(self):
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        words = [sys.executable, "-W", "ignore", "-m", __name__, str(theirs.fileno())]
        self._process = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
        theirs.close()
        self._lock = threading.Lock()
        atexit.register(self.close)

    def ask(self, order, *, ends=()):
        with self._lock:
            socket.send_fds(self._socket, [json.dumps(order).encode()], ends)
            answer = self._socket.recv(_LARGEST_ORDER)
        assert answer, "the process that forks has ended"
        return json.loads(answer)

    def close(self):
        self._socket.close()
        self._process.wait()


@cache
def _forking():
    return _Forking()


def main():
    orders = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for those that were forked
    _import_all()
    gc.collect()
    gc.freeze()  # a child does not copy what it only looks through
    while True:
        said, ends, *_ = socket.recv_fds(orders, _LARGEST_ORDER, 3)
        if not said:
            return None
        order = json.loads(said)
        if "ended" in order:
            answer = os.waitstatus_to_exitcode(os.waitpid(order["ended"], 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                orders.close()
                return _become(order, ends)
            for end in ends:
                os.close(end)
        orders.send(json.dumps(answer).encode())


def _import_all():
    from service.adapters.falkordb.mind_graph import silence_graphiti
    from service.adapters.litellm.loader import _import_litellm
    from service.adapters.minilm import limit_threads
    from service.adapters.multilingual_e5.embedder import MultilingualE5
    from service.adapters.word_rarity import WordRarity
    from service.composition.startup import _warm_texts

    limit_threads()
    silence_graphiti(dimension=384)
    for name in _IMPORTED:
        importlib.import_module(name)
    _import_litellm()
    _warm_texts(WordRarity())
    MultilingualE5()._model()
    threads = os.listdir("/proc/self/task")
    assert len(threads) == 1, "a child would miss a thread, and wait for what it has locked"


def _become(order, ends):
    """Go on as the process that was ordered, as if it had just started."""
    for standard, end in enumerate(ends):
        os.dup2(end, standard)
    os.closerange(3, max(ends, default=2) + 1)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    time.tzset()
    random.seed()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _open_streams()
    sys.argv = order["words"]
    first = order["words"][0]
    module, name = _ENTRIES.get(first, (first, "main"))
    getattr(importlib.import_module(module), name)()


def _open_streams():
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        is_by_line = name == "stderr" or os.isatty(number)
        errors = "backslashreplace" if name == "stderr" else "strict"
        stream = open(number, mode, encoding="utf-8", errors=errors, closefd=False, buffering=1 if is_by_line else -1)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


if __name__ == "__main__":
    main()
