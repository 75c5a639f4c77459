"""The service that is killed, as the harness holds it: forked from the nest, started again, its steps read from its log."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections import Counter
from contextlib import closing, suppress

import httpx2

from tests.support.embedded_graph import redis_pids
from tests.support.story_processes import SETTINGS
from tests.support.waiting import GIVE_UP, until

ENV = {
    **SETTINGS,
    "MIND_MEMORY_DIGESTION__FIRST_RETRY_SECONDS": "0.1",
    "MIND_MEMORY_DIGESTION__MOST_RETRY_SECONDS": "1",
}


class Served:
    """One service on ``folder/home`` at a time; with a *port*, it is found there though it can not say where it is."""

    def __init__(self, folder, nest, *, is_stock=False, port=0, **env):
        self.home = folder / "home"
        self.http = httpx2.Client(timeout=GIVE_UP)
        self._nest, self._is_stock, self._port, self._env = nest, is_stock, port, {**ENV, **env}
        self._said, self._log = folder / "service-said.txt", folder / "steps.log"
        self._log.touch()
        self._pid = None

    def start(self, arm=None):
        """Bring it up, armed with a step; kills the one that runs."""
        self.kill()
        order = {"home": str(self.home), "said": str(self._said), "log": str(self._log), "env": self._env}
        self._pid = self._nest.begin(**order, arm=arm, is_stock=self._is_stock, port=self._port)
        until(lambda: not self.is_alive or self._is_up(), every=0.01, said=lambda: self._said.read_text()[-2000:])
        if self.is_alive:
            self.http.base_url = self.url
        else:
            assert arm is not None, f"the service did not come up: {self._said.read_text()[-2000:]}"

    @property
    def pid(self):
        return self._pid

    @property
    def is_alive(self):
        if self._pid is not None and self._nest.ended(self._pid) is not None:
            self._pid = None
        return self._pid is not None

    @property
    def url(self):
        if self._port:
            return f"http://127.0.0.1:{self._port}"
        return self._announced().get("url", "http://127.0.0.1:9")

    def arm_next(self, step, deed):
        """Have *deed* done the next time that the running service reaches *step*."""
        self._log.with_suffix(".arm").write_text(json.dumps({"step": step, "deed": deed}))
        os.kill(self._pid, signal.SIGUSR2)

    def kill(self):
        """Kill it without a word; False when it is dead already."""
        was_alive = self.is_alive
        if was_alive:
            os.kill(self._pid, signal.SIGKILL)
            self._until_ended()
        return was_alive

    def kill_graph(self):
        """Kill the embedded server; False when there is none just now."""
        pids = redis_pids(self._pid) if self.is_alive else ()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        return bool(pids)

    def stop(self):
        """End it as an operator does."""
        os.kill(self._pid, signal.SIGTERM)
        code = self._until_ended()
        assert code == 0, f"it ended with {code}"

    def close(self):
        self.http.close()
        with suppress(AssertionError):
            self.kill()

    @property
    def reached(self):
        """How often each step was reached."""
        return Counter(line.removeprefix("reached ") for line in self._lines() if line.startswith("reached "))

    @property
    def deeds(self):
        """How often each deed was done at each step."""
        return Counter(tuple(line.split(": ")) for line in self._lines() if not line.startswith("reached "))

    @property
    def tracebacks(self):
        said = self._said.read_text(errors="replace")
        return [f"Traceback{one[:3000]}" for one in said.split("Traceback")[1:]]

    def _lines(self):
        return self._log.read_text().splitlines()

    def _until_ended(self):
        [code] = until(self._code, every=0.005, said=lambda: "it does not end")
        self._pid = None
        return code

    def _code(self):
        """The exit code, which may be 0, in a tuple; nothing while the process runs."""
        code = self._nest.ended(self._pid)
        return () if code is None else (code,)

    def _is_up(self):
        if not self._port:
            return self._announced().get("pid") == self._pid
        with closing(socket.socket()) as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0

    def _announced(self):
        try:
            return json.loads((self.home / "service.json").read_text())
        except (OSError, ValueError):
            return {}
