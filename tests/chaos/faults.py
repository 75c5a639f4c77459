"""What is done to the system: each kind of fault, from its beginning until it is mended."""

from __future__ import annotations

import random
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from tests.support.waiting import until

STOPPED_SECONDS = 8.0  # longer than the lease of a replica
_TURNS = "SELECT mind_id, sequence, turn_id FROM turns"
AT_STEPS = ("chapter noted", "half extracted", "extracted", "saved")  # each with a write behind it
STEP_SECONDS = 3.0
SEEN_SECONDS = 3.0  # in which replicas see what their primary alone has
BETWEEN = (0.5, 2.0)  # seconds between the end of one fault and the next of its track


@dataclass(frozen=True)
class Deed:
    """
    A fault that was, by the monotonic clock. ``replica`` is the place of the one that was hurt, ``lost`` how much of
    what stood was taken back: turns of a primary that nobody was answered for, or bytes of a shard.
    """

    kind: str
    began: float
    ended: float
    replica: int | None = None
    lost: int | None = None


def kill_replica(system, rng):
    """Kill a replica and start it again."""
    with _hurting(system, rng) as replica:
        replica.kill()
        time.sleep(rng.uniform(0.2, 1.5))
        replica.start()
    return {"replica": replica.at}


def stop_replica(system, rng):
    """Stop a replica in the middle of work for longer than its lease, and let it go on as if nothing had been."""
    with _hurting(system, rng) as replica:
        replica.stop(at_step=rng.choice(AT_STEPS), seconds=STEP_SECONDS)
        time.sleep(STOPPED_SECONDS)
        replica.resume()
    return {"replica": replica.at}


def kill_primary(system, _rng):
    """Kill the primary, promote its standby, and let the dead one follow."""
    system.pair.primary.kill()
    system.pair.promote()
    system.pair.rejoin()


def cancel_commits(system, _rng):
    """Cancel the commits that wait for a standby which does not answer."""
    system.pair.standby.freeze()
    with suppress(AssertionError):  # nobody committed
        system.pair.cancel_waiting_commits()
    time.sleep(0.5)
    system.pair.standby.thaw()
    system.pair.until_in_step()


def take_standby(system, rng):
    """Stop the standby for a while."""
    system.pair.standby.stop()
    time.sleep(rng.uniform(2, 4))
    system.pair.rejoin()


def roll_back_primary(system, _rng):
    """Let commits be cancelled that no standby has, kill their primary, and promote the standby."""
    system.pair.standby.kill()
    until_seen = time.monotonic() + SEEN_SECONDS
    while time.monotonic() < until_seen:
        if system.pair.waiting_commits():
            system.pair.cancel_waiting_commits()
        time.sleep(0.1)
    had = system.rows(_TURNS)
    system.pair.primary.kill()
    system.pair.standby.start()
    system.pair.promote()
    lost = len(set(had) - set(system.rows(_TURNS)))
    system.pair.rejoin()
    return {"lost": lost}


def kill_master(system, rng):
    """Kill a master of the graph's cluster; its replica takes over, and it comes back as a replica."""
    master = rng.choice(system.cluster.masters())
    [replica] = until(lambda: system.cluster.replicas_of(master))  # not every node knows of one that came back just now
    master.kill()
    _until_taken_over(system.cluster, master, replica)


def roll_back_shard(system, rng):
    """Cut a master from its replica, let it write, kill it: the replica, which lacks that, takes over."""
    master = rng.choice(system.cluster.masters())
    [replica] = until(lambda: system.cluster.replicas_of(master))  # not every node knows of one that came back just now
    replica.command("CONFIG", "SET", "masteruser", "nobody")
    replica.command("CONFIG", "SET", "masterauth", "nothing")
    master.command("CLIENT", "KILL", "TYPE", "replica")
    until(lambda: replica.command("INFO", "replication")["master_link_status"] == "down")
    time.sleep(rng.uniform(2, 4))
    lost = master.command("INFO", "replication")["master_repl_offset"]
    lost -= replica.command("INFO", "replication")["slave_repl_offset"]
    master.kill()
    _until_taken_over(system.cluster, master, replica)
    replica.command("CONFIG", "SET", "masteruser", "")
    replica.command("CONFIG", "SET", "masterauth", "")
    return {"lost": lost}


def _until_taken_over(cluster, master, replica):
    """Wait until the replica serves what its dead master did, start that one, and wait until it follows."""
    until(lambda: replica.command("ROLE")[0] == "master", seconds=60)
    cluster.until_whole()
    master.start()
    until(master.answers)
    until(lambda: _follows(master), seconds=60)
    cluster.until_whole()


def _follows(node):
    found = node.command("INFO", "replication")
    return found["role"] == "slave" and found["master_link_status"] == "up"


FAULTS = {
    "replica killed": kill_replica,
    "replica stopped": stop_replica,
    "primary killed": kill_primary,
    "commit cancelled": cancel_commits,
    "standby away": take_standby,
    "primary rolled back": roll_back_primary,
    "master killed": kill_master,
    "shard rolled back": roll_back_shard,
}
TRACKS = (  # of each, one fault at a time
    ("replica killed",),
    ("replica stopped",),
    ("primary killed", "commit cancelled", "standby away", "primary rolled back"),
    ("master killed", "shard rolled back"),
)


def done(system, kind, rng):
    """Do it; what was done."""
    began = time.monotonic()
    more = FAULTS[kind](system, rng) or {}
    return Deed(kind, began, time.monotonic(), **more)


class Track(threading.Thread):
    """One fault after the other, of these kinds, until it is stopped; each kind before any comes again."""

    def __init__(self, kinds, system, deeds, *, seed, stop, say):
        super().__init__(name=f"track {kinds[0]}")
        self._kinds, self._system, self._deeds, self._stopping, self._say = kinds, system, deeds, stop, say
        self._rng = random.Random(f"{seed} {kinds}")
        self.error = None

    def run(self):
        try:
            while True:
                for kind in self._rng.sample(self._kinds, len(self._kinds)):
                    if self._stopping.wait(self._rng.uniform(*BETWEEN)):
                        return
                    deed = done(self._system, kind, self._rng)
                    self._deeds.append(deed)
                    self._say(deed)
        except Exception as error:  # whoever began us raises it
            self.error = error


@contextmanager
def _hurting(system, rng):
    """A replica that nobody else hurts, while this lasts."""
    with system.lock:
        replica = rng.choice([one for one in system.replicas if one.at not in system.hurt])
        system.hurt.add(replica.at)
    try:
        yield replica
    finally:
        with system.lock:
            system.hurt.discard(replica.at)
