"""
Everybody at one story at once: the service, `mind-memory consolidate` beside it, editors, and kill -9; then it is counted.

    python -m tests.e2e.story_torture --seconds 60 --seed 7

Every turn that was answered with 202 holds one sentence with a number of its own, on a day of its own, so that each is
quoted once; every line that an editor saved holds a name of its own. What is counted at the end is what is in STORY.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from tests.e2e import editors
from tests.embedded import redis_pids
from tests.service.cli.cli_process import MAIN, environment

MIND = "ada"
STYLES = ("vim", "vim-yes", "vscode", "sed", "door")
POSTERS = 4
DAY_ZERO = datetime(2015, 6, 1, 9, tzinfo=UTC)
SAID = "I told you that Zoe has the number {token} in Lyon today."
TOLD = re.compile(r"has the number (k\d{6}) in Lyon today")
SETTINGS = {
    "MIND_MEMORY_LOG_LEVEL": "WARNING",
    "MIND_MEMORY_STORY__THRESHOLD_TOKENS": "1",
    "MIND_MEMORY_STORY__MOST_WORDS": "10000000",  # a chapter told shorter may leave a sentence out
    "MIND_MEMORY_STORY__RETRY_SECONDS": "0.2",
    "MIND_MEMORY_DIGESTION__SWEEP_SECONDS": "0.5",
}
FEWEST_TURNS, MOST_SECONDS = 20, 120  # a slow machine gets more time, not another verdict
PATIENCE = 90


@dataclass
class Counts:
    """What was done, and what became of it; the lists after ``edits`` are empty when every promise was kept."""

    turns: int
    edits: dict[str, int]
    kills: Counter[str]
    told_beside: Counter[str]
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    transcript: list[str] = field(default_factory=list)
    marks: tuple[int, int] = (1, 1)
    tracebacks: list[str] = field(default_factory=list)

    def table(self):
        rows = [("turns", self.turns), *((f"edits by {name}", count) for name, count in self.edits.items())]
        rows += [(f"killed: {name}", count) for name, count in sorted(self.kills.items())]
        rows += [(f"consolidate: {name}", count) for name, count in sorted(self.told_beside.items())]
        for name in ("lost", "doubled", "gone", "repeated", "transcript", "tracebacks"):
            found = getattr(self, name)
            rows.append((name, f"{len(found)} {found[:6] if found else ''}"))
        rows.append(("pairs of marks", f"{self.marks[0]} and {self.marks[1]}"))
        return "\n".join(f"{name:<28}{value}" for name, value in rows)


class Service:
    """`mind-memory serve` on a home, started again for as long as another process has it."""

    def __init__(self, home):
        self._home = home
        self._said = home.with_name("service-said.txt")
        self.process = None

    def start(self):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            with self._said.open("a") as said:
                words = [*MAIN, "serve", "--home", str(self._home), "--port", "0"]
                self.process = subprocess.Popen(words, stdout=said, stderr=said, env=environment(**SETTINGS))
            while self.process.poll() is None and time.monotonic() < until:
                if self._announced().get("pid") == self.process.pid:
                    return
                time.sleep(0.02)
        raise AssertionError(f"the service did not come up: {self.said[-2000:]}")

    @property
    def url(self):
        return self._announced().get("url", "http://127.0.0.1:9")

    @property
    def said(self):
        return self._said.read_text()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)

    def kill_graph(self):
        """Kill the embedded server; False when there is none just now."""
        pids = redis_pids(self.process.pid)
        for pid in pids:
            os.kill(pid, 9)
        return bool(pids)

    def _announced(self):
        try:
            return json.loads((self._home / "service.json").read_text())
        except (OSError, ValueError):
            return {}


class Poster(threading.Thread):
    """Posts turn after turn, each until it is answered with 202."""

    def __init__(self, number, service, *, stop, rng):
        super().__init__(name=f"poster {number}")
        self._number, self._service, self._stopping, self._rng = number, service, stop, rng
        self.accepted = {}

    def run(self):
        with httpx.Client(timeout=20) as http:
            while not self._stopping.is_set():
                token = f"k{self._number + POSTERS * len(self.accepted):06d}"
                days = (self._number + POSTERS * len(self.accepted)) * (-1 if self._number % 2 else 1)
                self.accepted[post(http, self._service, token, at=DAY_ZERO + timedelta(days=days))] = token
                self._stopping.wait(self._rng.uniform(0.0, 0.3))


def post(http, service, token, *, at):
    """The id of the turn, once it is kept."""
    message = {"role": "user", "content": SAID.format(token=token), "timestamp": at.isoformat()}
    body = {"turn_id": f"turn-{token}", "session_id": "s1", "messages": [message]}
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            answer = http.post(f"{service.url}/v1/minds/{MIND}/turns", json=body)
        except httpx.HTTPError:
            time.sleep(0.05)
            continue
        if answer.status_code == 202:
            return body["turn_id"]
        assert answer.status_code == 503, answer.text
    raise AssertionError(f"nobody took {token}")


class Teller(threading.Thread):
    """`mind-memory consolidate`, again and again, beside the service or, while that is away, instead of it."""

    def __init__(self, home, *, stop, rng):
        super().__init__(name="teller")
        self._home, self._stopping, self._rng = home, stop, rng
        self.process = None
        self.ended = Counter()
        self.tracebacks = []

    def run(self):
        while not self._stopping.wait(self._rng.uniform(0.5, 1.5)):
            words = [*MAIN, "consolidate", "--mind", MIND, "--home", str(self._home)]
            self.process = subprocess.Popen(
                words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment(**SETTINGS)
            )
            said = self.process.communicate(timeout=PATIENCE)[1]
            alone = ", alone" if "open in this command alone" in said else ""
            self.ended[f"exit {self.process.returncode}{alone}"] += 1
            self.tracebacks += [said] if "Traceback" in said else []


def torture(folder, *, seconds, seed):
    """Everybody at one story for *seconds*, and the counts of what became of it; what is left is in *folder*."""
    rng, stop, home, desk = random.Random(seed), threading.Event(), folder / "home", folder / "desk"
    desk.mkdir()
    service, kills = Service(home), Counter()
    posters = [Poster(at, service, stop=stop, rng=random.Random(f"{seed} poster {at}")) for at in range(POSTERS)]
    teller = Teller(home, stop=stop, rng=random.Random(f"{seed} teller"))
    people = []
    try:
        service.start()
        people += [open_editor(style, home, desk, seed) for style in STYLES]
        for thread in (*posters, teller):
            thread.start()
        _kill_now_and_then(service, teller, kills, rng, is_over=_over(seconds, posters, desk, kills))
        (desk / "stop").touch()
        assert [editor.wait(PATIENCE) for editor in people] == [0] * len(people), "an editor fell over"
        stop.set()
        for thread in (*posters, teller):
            thread.join(PATIENCE)
        service.stop()
        service.start()
        accepted = {turn: token for poster in posters for turn, token in poster.accepted.items()}
        accepted |= _told_to_the_end(service)
    finally:
        stop.set()
        (desk / "stop").touch()
        for editor in people:
            editor.kill() if editor.poll() is None else None
            editor.wait()
        service.stop()
    counts = Counts(len(accepted), {style: len(saved(desk, style)) for style in STYLES}, kills, teller.ended)
    return _counted(counts, home / "minds" / MIND, desk, accepted, tracebacks=[*teller.tracebacks, service.said])


def open_editor(style, home, desk, seed):
    words = [sys.executable, editors.__file__, style, style, "--home", home, "--mind", MIND, "--desk", desk]
    return subprocess.Popen([*map(str, words), "--seed", str(seed)])


def saved(desk, style):
    """The lines that an editor saved."""
    file = desk / f"{style}.saved"
    return [json.loads(one)["line"] for one in file.read_text().splitlines()] if file.exists() else []


def _over(seconds, posters, desk, kills):
    """Whether the time is over, and something was done in it by everybody."""
    began = time.monotonic()

    def is_over():
        past = time.monotonic() - began
        is_enough = sum(len(poster.accepted) for poster in posters) >= FEWEST_TURNS and kills["the service"]
        return past > MOST_SECONDS or (past > seconds and is_enough and all(saved(desk, style) for style in STYLES))

    return is_over


def _kill_now_and_then(service, teller, kills, rng, *, is_over):
    while not is_over():
        until = time.monotonic() + rng.uniform(0.5, 4.0)
        while time.monotonic() < until and not is_over():
            time.sleep(0.02)
        if kills["the service"] and rng.random() < 0.25:
            kills["the graph"] += service.kill_graph()
            continue
        service.kill()
        kills["the service"] += 1
        if rng.random() < 0.3:  # long enough for the command beside it to open the home itself
            time.sleep(rng.uniform(0.5, 6.0))
            if rng.random() < 0.5 and teller.process is not None and teller.process.poll() is None:
                teller.process.kill()
                kills["consolidate"] += 1
        service.start()


def _told_to_the_end(service):
    """Tell all that waits; then one more turn, because what was saved into a displaced version is merged at a change."""
    with httpx.Client(timeout=PATIENCE) as http:
        for last in ("k999998", "k999999", None):
            while True:
                answer = http.post(f"{service.url}/v1/minds/{MIND}/consolidation", json={"wait": True})
                state = answer.raise_for_status().json()
                if not state["pending_turns"] and not state["is_running"]:
                    break
            if last is not None:
                post(http, service, last, at=DAY_ZERO + timedelta(days=int(last[-1]) + 4000))
    return {f"turn-{last}": last for last in ("k999998", "k999999")}


def _counted(counts, mind, desk, accepted, *, tracebacks):
    text = (mind / "STORY.md").read_text()
    told, lines = Counter(TOLD.findall(text)), Counter(text.splitlines())
    counts.lost = sorted(token for token in accepted.values() if not told[token])
    counts.doubled = sorted(token for token, times in told.items() if times > 1)
    noted = [line for style in STYLES for line in saved(desk, style)]
    counts.gone = [line for line in noted if not lines[line]]
    counts.repeated = sorted(line for line, times in lines.items() if line.startswith("EDIT-") and times > 1)
    files = sorted((mind / "transcript").glob("*.jsonl"))
    kept = Counter(json.loads(one)["turn_id"] for file in files for one in file.read_text().splitlines())
    counts.transcript = sorted(turn for turn in kept | accepted if kept[turn] != 1 or turn not in accepted)
    counts.marks = (text.count("<!-- CURSOR: "), text.count("<!-- LAST_PROCESSED: "))
    counts.tracebacks = [said[said.index("Traceback") :][:3000] for said in tracebacks if "Traceback" in said]
    return counts


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--seconds", type=float, default=60)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--keep", type=Path, help="Where everything is left to be looked at; else it is thrown away.")
    given = words.parse_args()
    with tempfile.TemporaryDirectory(prefix="mm-torture-") as thrown_away:
        folder = given.keep or Path(thrown_away)
        folder.mkdir(parents=True, exist_ok=True)
        print(torture(folder, seconds=given.seconds, seed=given.seed).table())


if __name__ == "__main__":
    main()
