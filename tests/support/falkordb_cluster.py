"""A FalkorDB cluster on loopback: three masters, each with a replica, and ways to hurt it from outside."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import redis
from redis.crc import key_slot

from service.adapters.falkordb.server import binaries
from tests.support.free_ports import free_port, free_ports
from tests.support.waiting import until

MASTERS, SLOTS = 3, 16384
NODE_TIMEOUT_SECONDS = 2.0


@dataclass(eq=False)
class ClusterNode:
    """One server process of the cluster."""

    port: int
    bus: int
    folder: object
    process: subprocess.Popen | None = None

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def start(self):
        """Start it, with what it has on its disk."""
        program, module = binaries()
        self.folder.mkdir(exist_ok=True)
        options = {
            "port": self.port,
            "cluster-port": self.bus,
            "bind": "127.0.0.1",
            "dir": self.folder,
            "save": "",
            "appendonly": "yes",
            "cluster-enabled": "yes",
            "cluster-node-timeout": int(NODE_TIMEOUT_SECONDS * 1000),
            "cluster-require-full-coverage": "no",
            "repl-diskless-sync-delay": 0,
            "logfile": self.folder / "redis.log",
        }
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        self.process = subprocess.Popen(
            [str(program), *words, "--loadmodule", str(module), "MAX_INFO_QUERIES", "0"], stdout=subprocess.DEVNULL
        )

    def kill(self):
        """Kill it without a word."""
        self.process.kill()
        self.process.wait()

    def freeze(self):
        os.kill(self.process.pid, signal.SIGSTOP)

    def thaw(self):
        os.kill(self.process.pid, signal.SIGCONT)

    def command(self, *words):
        """What it answers to a command past everybody."""
        with redis.Redis(port=self.port, decode_responses=True, socket_timeout=10) as client:
            return client.execute_command(*words)

    def holds(self, word):
        """Whether a word is in a file of its data."""
        files = (self.folder / "appendonlydir").glob("*")
        return any(word.encode() in file.read_bytes() for file in files)

    def answers(self):
        try:
            return self.command("PING")
        except (redis.exceptions.ConnectionError, redis.exceptions.BusyLoadingError):
            return False


class FalkorCluster:
    """Six servers that are one cluster."""

    def __init__(self, nodes):
        self.nodes = nodes

    @property
    def url(self):
        """An address that names every node."""
        return "redis://" + ",".join(node.address for node in self.nodes)

    def masters(self):
        """The living masters by the first slot that they serve."""
        found = {}
        for start, _, master, *_ in self._living().command("CLUSTER", "SLOTS"):
            found[int(start)] = self.at(master[1])
        return list({node.port: node for _, node in sorted(found.items())}.values())

    def master_of(self, graph):
        """The node that serves a graph."""
        slot = key_slot(graph.encode())
        for start, end, master, *_ in self._living().command("CLUSTER", "SLOTS"):
            if int(start) <= slot <= int(end):
                return self.at(master[1])
        raise AssertionError(f"nobody serves slot {slot}")

    def replicas_of(self, node):
        """The living nodes that follow another one."""
        for _, _, master, *replicas in self._living().command("CLUSTER", "SLOTS"):
            if int(master[1]) == node.port:
                return [self.at(one[1]) for one in replicas]
        return []

    def at(self, port):
        return next(node for node in self.nodes if node.port == int(port))

    def mend(self):
        """Start every node that is dead, and wait until all are in step."""
        for node in self.nodes:
            if node.process.poll() is not None:
                node.start()
        self.until_in_step()

    def set(self, name, value):
        """Change an option of every living node."""
        for node in self.nodes:
            if node.process.poll() is None:
                node.command("CONFIG", "SET", name, value)

    def holding(self, word):
        """The nodes in whose data a word is."""
        return [node for node in self.nodes if node.holds(word)]

    def until_whole(self):
        """Wait until every slot has a living master that every living node knows."""
        living = [node for node in self.nodes if node.process.poll() is None]
        until(lambda: all(_is_ok(node) for node in living), seconds=60)

    def until_in_step(self):
        """Wait until every node lives and every replica has what its master has."""
        until(lambda: all(node.answers() for node in self.nodes), seconds=60)
        self.until_whole()
        until(lambda: all(self._is_followed(node) for node in self.masters()), seconds=60)

    def _living(self):
        return next(node for node in self.nodes if node.process.poll() is None)

    def _is_followed(self, node):
        if len(self.masters()) < MASTERS or not self.replicas_of(node):
            return False
        found = node.command("INFO", "replication")
        return found["connected_slaves"] >= 1 and all(
            one["state"] == "online" and one["offset"] == found["master_repl_offset"]
            for name, one in found.items()
            if name.startswith("slave") and name[5:].isdigit()
        )


@contextmanager
def falkordb_cluster(folder):
    """Three masters and three replicas, together and in step."""
    with ExitStack() as stack:
        ports = free_ports(MASTERS * 4)
        nodes = []
        for number in range(MASTERS * 2):
            node = ClusterNode(ports[2 * number], ports[2 * number + 1], folder / f"node{number}")
            node.start()
            stack.callback(_end, node)
            nodes.append(node)
        cluster = FalkorCluster(nodes)
        _join(cluster)
        yield cluster


def _join(cluster):
    first, *others = cluster.nodes
    until(lambda: all(node.answers() for node in cluster.nodes), seconds=60)
    for number, node in enumerate(cluster.nodes[:MASTERS]):
        node.command("CLUSTER", "SET-CONFIG-EPOCH", str(number + 1))
        share = (SLOTS * number // MASTERS, SLOTS * (number + 1) // MASTERS - 1)
        node.command("CLUSTER", "ADDSLOTSRANGE", *map(str, share))
    for node in others:
        node.command("CLUSTER", "MEET", "127.0.0.1", str(first.port), str(first.bus))
    everybody = {str(node.port) for node in cluster.nodes}
    until(lambda: all(_known_to(node) >= everybody for node in cluster.nodes), seconds=60)
    for master, replica in zip(cluster.nodes[:MASTERS], cluster.nodes[MASTERS:], strict=True):
        replica.command("CLUSTER", "REPLICATE", master.command("CLUSTER", "MYID"))
    cluster.until_in_step()


def _known_to(node):
    return {
        line.split()[1].partition("@")[0].rpartition(":")[2] for line in node.command("CLUSTER", "NODES").splitlines()
    }


def _is_ok(node):
    return "cluster_state:ok" in node.command("CLUSTER", "INFO")


def _end(node):
    node.process.kill()
    node.process.wait()


@dataclass(frozen=True)
class SingleServer:
    """A FalkorDB server that is not in any cluster."""

    url: str
    process: subprocess.Popen

    @contextmanager
    def frozen(self):
        """It accepts and never answers, while this lasts."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)


@contextmanager
def single_server(folder):
    """A server on loopback, with its files in *folder*."""
    port = free_port()
    program, module = binaries()
    options = {"port": port, "bind": "127.0.0.1", "dir": folder, "save": "", "appendonly": "no"}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    process = subprocess.Popen([str(program), *words, "--loadmodule", str(module)], stdout=subprocess.DEVNULL)
    client = redis.Redis(port=port)
    try:
        until(lambda: _answers(client))
        yield SingleServer(f"redis://127.0.0.1:{port}", process)
    finally:
        client.close()
        process.kill()
        process.wait()


def _answers(client):
    try:
        return client.ping()
    except redis.ConnectionError:
        return False
