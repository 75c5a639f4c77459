"""The processes around one story: the service, who posts turns to it, `mind-memory consolidate` beside it."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import httpx2

from tests.support.cli_process import environment
from tests.support.forked_process import MIND_MEMORY, ForkedProcess
from tests.support.embedded_graph import redis_pids
from tests.support.waiting import GIVE_UP, end, until

MIND = "ada"
POSTERS = 4
DAY_ZERO = datetime(2015, 6, 1, 9, tzinfo=UTC)
SAID = "I told you that Zoe has the number {token} in Lyon today."
SETTINGS = {
    "MIND_MEMORY_LOG_LEVEL": "WARNING",
    "MIND_MEMORY_STORY__THRESHOLD_TOKENS": "1",
    "MIND_MEMORY_STORY__MOST_WORDS": "10000000",  # a chapter told shorter may leave a sentence out
    "MIND_MEMORY_STORY__RETRY_SECONDS": "0.2",
    "MIND_MEMORY_DIGESTION__SWEEP_SECONDS": "0.5",
}


def token_of(number):
    """What a turn's sentence is found again by."""
    return f"k{number:06d}"


def day_of(number):
    """A day of its own for each turn; every third goes back in time, as what is read in from old files does."""
    return DAY_ZERO + timedelta(days=-number if number % 3 == 0 else number)


class Service:
    """`mind-memory serve` on a home, started again for as long as another process has it."""

    def __init__(self, home):
        self._home = home
        self._said = home.with_name("service-said.txt")
        self.process = None

    def start(self):
        until(self._is_up, said=lambda: self.said[-2000:])

    def _is_up(self):
        if self.process is None or self.process.poll() is not None:
            with self._said.open("a") as said:
                words = [MIND_MEMORY, "serve", "--home", self._home, "--port", "0"]
                self.process = ForkedProcess(words, stdout=said, stderr=said, env=environment(**SETTINGS))
        return self._announced().get("pid") == self.process.pid

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
        if self.process is not None:
            end(self.process)

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
        with httpx2.Client(timeout=20) as http:
            while not self._stopping.is_set():
                number = self._number + POSTERS * len(self.accepted)
                self.accepted[post(http, self._service, number)] = token_of(number)
                self._stopping.wait(self._rng.uniform(0.0, 0.3))


def post(http, service, number, *, mind=MIND):
    """The id of the turn of this number, once it is kept."""
    said = SAID.format(token=token_of(number))
    message = {"role": "user", "content": said, "timestamp": day_of(number).isoformat()}
    body = {"turn_id": f"turn-{token_of(number)}", "session_id": "s1", "messages": [message]}

    def is_kept():
        with suppress(httpx2.HTTPError):
            answer = http.post(f"{service.url}/v1/minds/{mind}/turns", json=body)
            assert answer.status_code in {202, 503}, answer.text
            return answer.status_code == 202

    until(is_kept, said=lambda: f"turn {number}")
    return body["turn_id"]


class Teller(threading.Thread):
    """`mind-memory consolidate`, again and again, beside the service or, while that is away, instead of it."""

    def __init__(self, home, *, stop, rng):
        super().__init__(name="teller")
        self._home, self._stopping, self._rng = home, stop, rng
        self.process = None
        self.ended = Counter()
        self.said = []

    def run(self):
        while not self._stopping.wait(self._rng.uniform(0.5, 1.5)):
            words = [MIND_MEMORY, "consolidate", "--mind", MIND, "--home", self._home]
            self.process = ForkedProcess(
                words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment(**SETTINGS)
            )
            said = self.process.communicate(timeout=GIVE_UP)[1]
            alone = ", alone" if "open in this command alone" in said else ""
            self.ended[f"exit {self.process.returncode}{alone}"] += 1
            self.said.append(said)

    def kill(self):
        """Kill the command; False when there is none just now."""
        is_there = self.process is not None and self.process.poll() is None
        if is_there:
            self.process.kill()
        return is_there
