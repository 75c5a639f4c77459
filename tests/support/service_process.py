"""The service as a process of its own, on a Unix socket, so that a test may kill it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import contextmanager

import httpx2

from tests.support.forked_process import UVICORN, ForkedProcess
from tests.support.paths import ROOT
from tests.support.waiting import until

_FACTORY = "service.app:create_app"


class Serving:
    """A process that serves *home*; ``http`` speaks to it."""

    def __init__(self, home, env, *, factory=_FACTORY):
        self._folder = tempfile.mkdtemp(prefix="mm-test-")
        self.socket = f"{self._folder}/s"
        words = [UVICORN, "--factory", factory, "--uds", self.socket]
        whole = {**os.environ, "MIND_MEMORY_HOME": str(home), "MIND_MEMORY_LOG_LEVEL": "ERROR", **env}
        self.process = ForkedProcess([*words, "--log-level", "error"], cwd=ROOT, env=whole, stderr=subprocess.DEVNULL)
        transport = httpx2.HTTPTransport(uds=self.socket)
        self.http = httpx2.Client(transport=transport, base_url="http://localhost", timeout=60)

    def wait(self):
        """Return once it answers."""
        until(self._is_listening)
        return self.http.get("/healthz").raise_for_status()

    def _is_listening(self):
        assert self.process.poll() is None, "the service ended by itself"
        with socket.socket(socket.AF_UNIX) as probe:  # httpx2 would leak one a refusal
            return probe.connect_ex(self.socket) == 0

    def keep(self, mind_id, content, *, session_id="s1", **more):
        """Post one turn of one message."""
        body = {"session_id": session_id, "messages": [{"role": "user", "content": content}], **more}
        return self.http.post(f"/v1/minds/{mind_id}/turns", json=body).raise_for_status().json()

    def kill(self):
        """Kill it without a word."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self):
        """Let go of everything."""
        self.http.close()
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def serving(home, *, factory=_FACTORY, **env):
    """The service on *home* in a process of its own, as *factory* makes it; *env* are its settings, by variable."""
    served = Serving(home, env, factory=factory)
    try:
        served.wait()
        yield served
    finally:
        served.close()


def env_of(provider, *, role="EXTRACTION"):
    """The variables that send a role to *provider*, with quick retries."""
    section = f"MIND_MEMORY_MODELS__{role}__"
    return {
        f"{section}MODEL": "openai/scripted",
        f"{section}API_BASE": provider.url,
        f"{section}API_KEY": "k",
        "MIND_MEMORY_DIGESTION__FIRST_RETRY_SECONDS": "0.05",
        "MIND_MEMORY_DIGESTION__MOST_RETRY_SECONDS": "0.2",
        "MIND_MEMORY_DIGESTION__SWEEP_SECONDS": "0.5",
    }
