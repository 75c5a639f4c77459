"""
Minds that are told something, rest, and are told something again, at a service that is killed at every step of that.

    python -m tests.crash.resting_life --seed 7            a part of `make crash`

A mind that nobody uses is closed, and its graph leaves the server's memory for a file; its next turn brings it back. At
each step the service, its graph or both are killed once. Ends with 1 unless every turn is everywhere once.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tests.crash.counting import broken_memories
from tests.crash.nest import Nest
from tests.crash.served import Served
from tests.crash.steps import RESTING_STEPS
from tests.crash.table import aligned
from tests.crash.talk import MINDS, number_of, turn_of
from tests.support.waiting import GIVE_UP, until

DEEDS = ("service", "graph", "both")
FILE = "graph.checkpoint"
NO_STORY = {"MIND_MEMORY_STORY__THRESHOLD_TOKENS": "0", "MIND_MEMORY_STORY__IDLE_SECONDS": "0"}
SMALL = {
    **NO_STORY,
    "MIND_MEMORY_IDLE_MIND_SECONDS": "0.2",
    "MIND_MEMORY_GRAPH__MEMORY_MB": "1",  # less than the server takes without any graph
}


@dataclass(frozen=True)
class Outcome:
    """What one life came to; ``broken`` is, by name, what must not be."""

    told: int
    reached: dict
    deeds: dict
    broken: dict[str, list]

    @property
    def table(self):
        """All of it, as text."""
        rows = [["step", "reached", *DEEDS]]
        rows += [
            [step, self.reached[step], *(self.deeds.get((step, deed), 0) for deed in DEEDS)] for step in RESTING_STEPS
        ]
        sums = [["counted", ""], ["turns", self.told]] + [[name, len(found)] for name, found in self.broken.items()]
        wrong = "\n".join(f"{name}: {found[:5]}" for name, found in self.broken.items() if found)
        return "\n\n".join(filter(None, (aligned(rows), aligned(sums), wrong)))


class Life:
    """Two minds in *folder*; each of *deeds* is done at each step once."""

    def __init__(self, folder, nest, *, seed, deeds=DEEDS):
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._nest = folder, nest
        self._served = Served(folder, nest, **SMALL)
        self._plan = [(step, deed) for step in RESTING_STEPS for deed in deeds]
        random.Random(seed).shuffle(self._plan)
        self._numbers = []

    def live(self):
        """The whole of it. Returns what it came to."""
        try:
            for step, deed in self._plan:
                self._served.start({"step": step, "hit": 1, "deed": deed})
                self._use_until(lambda: self._served.deeds[step, deed])
            self._served.kill()
            self._look_at_all()
        finally:
            self._served.close()
        return Outcome(
            told=len(self._numbers),
            reached=self._served.reached,
            deeds=self._served.deeds,
            broken={
                **broken_memories(self._folder / "home", self._numbers),
                "steps missed": [one for one in self._plan if not self._served.deeds[one]],
                "tracebacks": self._served.tracebacks,
            },
        )

    def _use_until(self, is_done):
        """Tell each mind something and let both rest, again and again."""
        end = time.monotonic() + GIVE_UP
        while not is_done() and time.monotonic() < end:
            for mind in MINDS:
                self._tell(mind)
            with suppress(AssertionError):
                until(
                    lambda: is_done() or not self._served.is_alive or self._are_out(), seconds=20, every=0.02, said=str
                )

    def _tell(self, mind):
        """A turn, posted until it is answered; the service is started again where it died."""
        number = number_of(mind, len(self._numbers))
        self._numbers.append(number)
        end = time.monotonic() + GIVE_UP
        while time.monotonic() < end:
            with suppress(httpx2.HTTPError):
                answer = self._served.http.post(f"/v1/minds/{mind}/turns", json=turn_of(number))
                assert answer.status_code == 202, answer.text
                return
            if not self._served.is_alive:
                self._served.start()
        raise AssertionError("a turn is never answered")

    def _are_out(self):
        minds = self._folder / "home" / "minds"
        return all((minds / mind / FILE).exists() for mind in MINDS)

    def _look_at_all(self):
        """Let a service whose graphs stay digest all there is, so that they can be counted."""
        last = Served(self._folder, self._nest, **NO_STORY, MIND_MEMORY_GRAPH__MEMORY_MB="0")
        try:
            last.start()
            for mind in MINDS:
                until(lambda mind=mind: self._is_digested(last, mind), every=0.1, said=lambda: "it is never digested")
            last.stop()
        finally:
            last.close()

    @staticmethod
    def _is_digested(served, mind):
        status = served.http.get(f"/v1/minds/{mind}").json()
        return status["graph"]["saved"] >= status["last_sequence"] and not status["graph"]["lag"]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    words.add_argument("--keep", type=Path, help="Where everything is left to be looked at; else it is thrown away.")
    given = words.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    print(f"seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="mm-life-") as thrown_away:
        nest = Nest()
        outcome = Life(given.keep or Path(thrown_away), nest, seed=given.seed).live()
        nest.close()
    print(outcome.table)
    sys.exit(any(outcome.broken.values()))


if __name__ == "__main__":
    main()
