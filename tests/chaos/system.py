"""Everything that is hurt: a primary with its standby, a FalkorDB cluster, and replicas that share both."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from contextlib import ExitStack, contextmanager, suppress

import httpx2
import psutil

from tests.crash.nest import Nest
from tests.crash.served import Served
from tests.support.falkordb_cluster import falkordb_cluster
from tests.support.free_ports import free_ports
from tests.support.postgres import postgres_pair
from tests.support.waiting import until
from tests.twins.webhook_receiver import SECRET, receiving

REPLICAS = 3
_DIGESTED = 'mind_memory_digested_turns_total{lane="saving"}'
DATABASE, PREFIX = "minds", "chaos_"
SETTINGS = {
    "MIND_MEMORY_GRAPH_PREFIX": PREFIX,
    "MIND_MEMORY_GRAPH__REST_SECONDS": "0.5",
    "MIND_MEMORY_STORY__THRESHOLD_TOKENS": "40",
    "MIND_MEMORY_WEBHOOKS__FIRST_RETRY_SECONDS": "0.1",
    "MIND_MEMORY_WEBHOOKS__MOST_RETRY_SECONDS": "0.5",
}


class Replica:
    """One service, always at the same address."""

    def __init__(self, at, folder, nest, *, port, env):
        folder.mkdir()
        self.at, self.folder = at, folder
        self.is_stopped = False
        self._served = Served(folder, nest, port=port, **env)
        self.url = self._served.url

    def start(self):
        """Start it until it is up, as a process manager does: without its database it ends at once."""
        until(self._comes_up, every=0.3)

    def _comes_up(self):
        try:
            self._served.start()
        except AssertionError:
            return False
        return True

    def kill(self):
        """Kill it without a word; False when it is dead already."""
        return self._served.kill()

    def stop(self, *, at_step, seconds):
        """Stop it when it reaches a step of ``tests/crash/steps.py``, or after so many seconds; nobody tells it."""
        self._served.arm_next(at_step, "stop")
        with suppress(AssertionError):
            until(lambda: psutil.Process(self._served.pid).status() == psutil.STATUS_STOPPED, seconds=seconds)
        os.kill(self._served.pid, signal.SIGSTOP)
        self.is_stopped = True

    def resume(self):
        """Let it go on, also where it reaches that step only now."""
        self._served.arm_next("never", "stop")
        until_disarmed = time.monotonic() + 1
        while time.monotonic() < until_disarmed:
            os.kill(self._served.pid, signal.SIGCONT)
            time.sleep(0.02)
        self.is_stopped = False

    def figures(self):
        """The figures of its /metrics, by name with labels; none where it does not answer."""
        with suppress(httpx2.HTTPError), httpx2.Client(timeout=2) as http:
            for line in http.get(f"{self.url}/metrics").text.splitlines():
                name, _, value = line.rpartition(" ")
                if name and not line.startswith("#"):
                    yield name, float(value)

    def close(self):
        self._served.close()

    @property
    def is_alive(self):
        return self._served.is_alive

    @property
    def tracebacks(self):
        return self._served.tracebacks


class System:
    """All of it, and who receives webhooks."""

    def __init__(self, pair, cluster, replicas, receiver):
        self.pair, self.cluster, self.replicas, self.receiver = pair, cluster, replicas, receiver
        self.lock = threading.Lock()
        self.hurt = set()  # places of replicas that somebody hurts just now

    def rows(self, statement, *values):
        """What the primary's superuser is answered."""
        return self.pair.primary.ask(statement, *values, database=DATABASE)


@contextmanager
def system(folder):
    """All of it, up and whole."""
    with ExitStack() as stack:
        nest = Nest()
        stack.callback(nest.close)
        pair = stack.enter_context(postgres_pair())
        pair.primary.create_database(DATABASE)
        cluster = stack.enter_context(falkordb_cluster(folder))
        receiver = stack.enter_context(receiving())
        endpoint = {"name": "counter", "url": receiver.url, "secret": SECRET, "kinds": ["turn.kept"]}
        env = {
            **SETTINGS,
            "MIND_MEMORY_DATABASE": pair.url(DATABASE),
            "MIND_MEMORY_WEBHOOKS__ENDPOINTS": json.dumps([endpoint]),
            "FALKORDB_URL": cluster.url,
        }
        replicas = []
        for at, port in enumerate(free_ports(REPLICAS)):
            replicas.append(Replica(at, folder / f"replica-{at}", nest, port=port, env=env))
            stack.callback(replicas[-1].close)
            replicas[-1].start()
        yield System(pair, cluster, replicas, receiver)


class Meter(threading.Thread):
    """Sums what the replicas count of themselves, also of those that were killed since."""

    def __init__(self, replicas, names):
        super().__init__(name="meter")
        self._replicas, self._names = replicas, names
        self._stopping = threading.Event()
        self._before, self._now = {}, {}
        self.digested = []

    def run(self):
        while not self._stopping.wait(0.5):
            self.look()

    def look(self):
        for replica in self._replicas:
            for name, value in () if replica.is_stopped else replica.figures():
                if name in self._names or name == _DIGESTED:
                    key = replica.at, name
                    if value < self._now.get(key, 0):  # another process
                        self._before[key] = self._before.get(key, 0) + self._now[key]
                    self._now[key] = value
        self.digested.append((time.monotonic(), self._sum(_DIGESTED)))

    def stop(self):
        self._stopping.set()
        self.join()
        self.look()

    def sums(self):
        """What was counted of each, over all replicas."""
        return {name: self._sum(name) for name in self._names}

    def _sum(self, name):
        return int(
            sum(value for counted in (self._before, self._now) for (_, of), value in counted.items() if of == name)
        )
