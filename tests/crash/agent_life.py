"""
A whole life of an agent that is killed at every step of its sleep; then everything is counted from outside.

    python -m tests.crash.agent_life --seed 7            a part of `make crash`

A backend posts actions in their order, each until it is answered, and lets the agent sleep; a person edits
observations.md between dreams, and while the service is dead. The service is killed once at each step of storing actions,
of a dream and of a deep sleep (``steps.py``), each in one of its days. Ends with 1 unless every promise was kept.
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
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2

from tests.crash.agent_counts import Lived, broken_life, deep_sleeps, observed
from tests.crash.agent_day import MIND, SESSION, action_of
from tests.crash.nest import Nest
from tests.crash.served import Served
from tests.crash.steps import ACTION_STEPS, DEEP_STEPS, DREAM_STEPS
from tests.crash.table import aligned
from tests.support.waiting import GIVE_UP

MOST_POSTED = 5  # actions in one request
BEHIND = 4 * MOST_POSTED  # actions before a sleep that are posted to a service that is to die at a step
SECONDS = 60  # that the agent wants to sleep
SEEN = "seen by Ann"
STEPS = (*ACTION_STEPS, *DREAM_STEPS, *DEEP_STEPS)
PRIOR = {step for step in STEPS if step.endswith("exchanged")}  # these change a file that there is


@dataclass(frozen=True)
class Outcome:
    """What one life came to; ``broken`` is, by name, what must not be."""

    lived: Lived
    reached: dict
    kills: dict
    broken: dict[str, list]

    @property
    def table(self):
        """All of it, as text."""
        steps = [["step", "reached", "kills"]]
        steps += [[one, self.reached[one], self.kills.get(one, 0)] for one in STEPS]
        steps.append(["between", "", self.kills.get("between", 0)])
        sums = [["counted", ""], ["actions", self.lived.actions], ["sleeps", self.lived.sleeps]]
        sums += [["lines of the person", len(self.lived.theirs)], ["kills", sum(self.kills.values())]]
        sums += [[name, len(found)] for name, found in self.broken.items()]
        wrong = "\n".join(f"{name}: {found[:5]}" for name, found in self.broken.items() if found)
        return "\n\n".join(filter(None, (aligned(steps), aligned(sums), wrong)))


class Life:
    """One agent, its backend and its person, at a service in *folder* that dies again and again."""

    def __init__(self, folder, nest, *, actions, sleeps, deep_every, seed):
        folder.mkdir(parents=True, exist_ok=True)
        self._rng = random.Random(seed)
        self._served = Served(
            folder,
            nest,
            MIND_MEMORY_STORY__THRESHOLD_TOKENS="0",
            MIND_MEMORY_SLEEP__DREAM_INTERVAL_SECONDS="0",
            MIND_MEMORY_SLEEP__DEEP_EVERY=str(deep_every),
        )
        self._mind = folder / "home" / "minds" / MIND
        self._actions, self._sleeps = actions, sleeps
        self._plan = self._planned(deep_every)
        self._arms, self._between = [], 0
        self.lived = Lived()

    def live(self):
        """The whole of it, until nothing is owed. Returns what it came to."""
        try:
            self._served.start()
            for sleep in range(1, self._sleeps + 1):
                self._act_until(self._actions * sleep // self._sleeps - BEHIND, sleep)
                self._arm(sleep)
                self._act_until(self._actions * sleep // self._sleeps, sleep)
                self._answered("POST", "/sleep", {"seconds": SECONDS})
                self.lived.sleeps = sleep
                self._until_dreamt()
                self._reword()
            self._served.start()
            self._until_dreamt()
            self._served.stop()
        finally:
            self._served.close()
        return self._outcome()

    def _planned(self, deep_every):
        """The steps that the service is killed at before and in each dream, in their order, by the dream's number."""
        plan = {number: [] for number in range(1, self._sleeps + 1)}
        deep = [number for number in plan if number % deep_every == 0]
        for steps, dreams in ((ACTION_STEPS, list(plan)), (DREAM_STEPS, list(plan)), (DEEP_STEPS, deep)):
            for step in steps:
                plan[self._rng.choice(dreams[1:] if step in PRIOR else dreams)].append(step)
        return plan

    def _arm(self, sleep):
        """Kill it once more, and let it die at the steps that this dream is to be killed at."""
        self._between += self._served.kill()
        self._edit()
        self._arms = list(self._plan[sleep])
        self._revive()

    def _revive(self):
        step = self._arms.pop(0) if self._arms else None
        self._served.start({"step": step, "hit": 1, "deed": "service"} if step else None)

    def _act_until(self, end, sleep):
        day = datetime.now(UTC).date() - timedelta(days=self._sleeps + 1 - sleep)
        while self.lived.actions < end:
            first = self.lived.actions
            number = min(self._rng.randint(1, MOST_POSTED), end - first)
            posted = [action_of(one, day=day) for one in range(first, first + number)]
            said = self._answered("POST", f"/sessions/{SESSION}/actions", {"actions": posted})
            self.lived.actions += number
            self.lived.answers += [(one["id"], one["sequence"]) for one in said["kept"]]

    def _answered(self, method, path, body=None):
        """The body of the answer, asked for again until there is one; the service is started again where it died."""
        until = time.monotonic() + GIVE_UP
        while time.monotonic() < until:
            with suppress(httpx2.HTTPError):
                answer = self._served.http.request(method, f"/v1/minds/{MIND}{path}", json=body)
                assert answer.status_code < 300, answer.text
                return answer.json()
            if not self._served.is_alive:
                self._edit()
                self._revive()
        raise AssertionError(f"{path} is never answered")

    def _until_dreamt(self):
        """Wait until no dream is owed, and each deep sleep is complete; or as long as nothing hangs."""
        until = time.monotonic() + GIVE_UP
        while time.monotonic() < until:
            status = self._answered("GET", "/sleep")
            deep, complete = deep_sleeps(self._mind)
            is_over = status["dreams"] >= self.lived.sleeps and status["state"] != "dreaming" and deep <= complete
            if is_over and not (self._arms and self._served.is_alive and self._is_owed()):
                return
            time.sleep(0.02)

    def _is_owed(self):
        return '"owed":null' not in (self._mind / "sleep.json").read_text()

    def _edit(self):
        """The person writes a line and rewords another, while nobody else can."""
        self._add_line()
        self._reword()

    def _add_line(self):
        file = self._mind / "observations.md"
        if not file.exists():
            return
        line = f"GRN 08:00 Ann: note {len(self.lived.added) + 1} of mine"
        lines = file.read_text().splitlines()
        heads = [at for at, one in enumerate(lines) if one.startswith("## ")]
        lines.insert(self._rng.choice(heads) + 2, line)
        _save(file, lines)
        self.lived.added.append(line)

    def _reword(self):
        """One of our lines is put into other words, by preference one of the newest."""
        file = self._mind / "observations.md"
        known = set(self.lived.theirs)
        ours = [line for line in observed(self._mind) if line not in known and not line.startswith("RED ")]
        if not ours:
            return
        old = self._rng.choice(ours[-2:])
        new = f"{old}, {SEEN}"
        _save(file, [new if line == old else line for line in file.read_text().splitlines()])
        self.lived.reworded[old] = new

    def _outcome(self):
        kills = {step: often for (step, deed), often in self._served.deeds.items() if deed == "service"}
        missed = [step for step in STEPS if step not in kills]
        return Outcome(
            lived=self.lived,
            reached=self._served.reached,
            kills={**kills, "between": self._between},
            broken={
                **broken_life(self._mind, self.lived),
                "steps missed": missed,
                "tracebacks": self._served.tracebacks,
            },
        )


def _save(file, lines):
    """As most editors do: a new file, and a rename."""
    beside = file.with_name("observations.md.swp")
    beside.write_text("".join(f"{line}\n" for line in lines))
    beside.replace(file)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--actions", type=int, default=1000)
    words.add_argument("--sleeps", type=int, default=12)
    words.add_argument("--deep-every", type=int, default=3)
    words.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    words.add_argument("--keep", type=Path, help="Where everything is left to be looked at; else it is thrown away.")
    given = words.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    print(f"seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="mm-life-") as thrown_away:
        nest = Nest()
        life = Life(
            given.keep or Path(thrown_away),
            nest,
            actions=given.actions,
            sleeps=given.sleeps,
            deep_every=given.deep_every,
            seed=given.seed,
        )
        outcome = life.live()
        nest.close()
    print(outcome.table)
    sys.exit(any(outcome.broken.values()))


if __name__ == "__main__":
    main()
