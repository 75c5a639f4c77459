"""
Who calls: backends that post turns and ask what surfaces, and a person who edits stories, each a thread.

They know the addresses of all replicas, as a backend knows those behind its proxy, and retry as a real client does: at
another replica, under the same turn_id. What they were answered is kept for the count.
"""

from __future__ import annotations

import random
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field

import httpx2

from tests.chaos.talk import LAST, MINDS, mind_of, number_of, question_of, turn_of

PATIENCE = 6.0  # seconds that a backend waits for one answer
PAUSE = 0.1  # seconds before it tries again
AGAIN, LOOK = 0.15, 0.3  # how often, a turn
DEADLINE_MS = 1500
HEADING = "### [2014-05-01 09:00] What Ann wrote herself"


@dataclass(frozen=True)
class Answer:
    """What one call came to: ``status`` is 0 without an answer, times are of the monotonic clock."""

    asked: str
    number: int
    replica: int
    began: float
    ended: float
    status: int
    said: dict = field(repr=False)

    @property
    def seconds(self):
        return self.ended - self.began


@dataclass(frozen=True)
class Kept:
    """One turn from the first attempt to post it to its 202."""

    number: int
    began: float
    ended: float


@dataclass(frozen=True)
class Edit:
    """A line that a person saved: in whose story, at which replica it was answered 200, and when."""

    mind: str
    line: str
    replica: int
    ended: float


class Ledger:
    """Everything that callers were answered; may be written from all of them."""

    def __init__(self):
        self.answers, self.kept, self.edits = [], [], []


class _Person(threading.Thread):
    """Asks replicas until it is stopped. An error of its own ends it, and is kept."""

    def __init__(self, name, replicas, ledger, *, stop, seed, rest):
        super().__init__(name=name)
        self.rng = random.Random(f"{seed} {name}")
        self.ledger, self.rest, self.stop = ledger, rest, stop
        self.error = None
        self._urls = [replica.url for replica in replicas]
        self._http = httpx2.Client(timeout=PATIENCE)

    def run(self):
        try:
            with self._http:
                self.live()
        except Exception as error:
            self.error = error
            raise

    def ask(self, asked, number, replica, method, path, *, mind=None, **more):
        """What the replica of this place answers; it is noted."""
        began, status, said = time.monotonic(), 0, {}
        with suppress(httpx2.HTTPError, ValueError):
            url = f"{self._urls[replica]}/v1/minds/{mind or mind_of(number)}{path}"
            answer = self._http.request(method, url, **more)
            status, said = answer.status_code, answer.json()
        found = Answer(asked, number, replica, began, time.monotonic(), status, said)
        self.ledger.answers.append(found)
        return found

    @property
    def replicas(self):
        return len(self._urls)


class Backend(_Person):
    """
    Posts turns of every mind, each until it is kept; its numbers are every *backends*-th.

    By the hash of the mind it asks the same replica first each time, else one after the other.
    """

    def __init__(self, at, *words, backends, is_hashing, **more):
        super().__init__(f"backend {at}", *words, **more)
        self._at, self._backends, self._is_hashing = at, backends, is_hashing
        self._turn = at
        self._mine = []

    def live(self):
        place = self._at
        while not self.stop.is_set():
            minds = list(MINDS)
            self.rng.shuffle(minds)
            for mind in minds:
                if self.stop.is_set():
                    return
                assert place < LAST, "no numbers are left"
                number = number_of(mind, place)
                if self.keep(number, "keep"):
                    self._mine.append(number)
                self._meddle()
                self.stop.wait(self.rng.uniform(0, 2 * self.rest))
            place += self._backends

    def _meddle(self):
        if not self._mine:
            return
        known = self.rng.choice(self._mine[-40:])
        if self.rng.random() < AGAIN:
            self.keep(known, "again")
        if self.rng.random() < LOOK:
            body = {**question_of(known), "deadline_ms": DEADLINE_MS}
            self.ask("look", known, self._first(known), "POST", "/resonance", json=body)

    def keep(self, number, asked):
        """Post a turn until it is kept, also when the time is over: what was begun is ended."""
        began, replica, body = time.monotonic(), self._first(number), turn_of(number)
        while True:
            answer = self.ask(asked, number, replica, "POST", "/turns", json=body)
            if answer.status == 202:
                self.ledger.kept.append(Kept(number, began, answer.ended))
                return True
            if self.stop.is_set() and asked == "again":
                return False
            replica = (replica + 1) % self.replicas
            time.sleep(PAUSE)

    def _first(self, number):
        if self._is_hashing:
            return MINDS.index(mind_of(number)) % self.replicas
        self._turn += 1
        return self._turn % self.replicas


class Editor(_Person):
    """
    Reads a story, adds a line to a chapter of its own, puts it with If-Match, and again where that was refused.

    It writes into every third mind's story. Only a line whose save was answered 200 counts.
    """

    def live(self):
        for number in range(10**6):
            mind = self.rng.choice(MINDS[::3])
            line = f"EDIT-{number:06} Ann was here."
            if saved := self._saved(mind, line):
                self.ledger.edits.append(Edit(mind, line, saved.replica, saved.ended))
            self.stop.wait(self.rng.uniform(0, 2 * self.rest))
            if self.stop.is_set():
                return

    def _saved(self, mind, line):
        """Try until a save is answered 200; None when nobody knows, or the time was over before."""
        while True:
            replica = self.rng.randrange(self.replicas)
            read = self.ask("read", 0, replica, "GET", "/story", mind=mind)
            if read.status == 200 and line in read.said["text"].splitlines():
                return None  # of a save that was not answered: nobody promised anything
            if read.status == 200:
                body = {"text": with_line(read.said["text"], line)}
                put = self.ask(
                    "edit", 0, replica, "PUT", "/story", mind=mind, json=body, headers={"If-Match": read.said["etag"]}
                )
                if put.status == 200:
                    return put
            if self.stop.is_set():
                return None
            time.sleep(PAUSE)


def with_line(text, line):
    """*text* with a line at the end of the editor's chapter, which is made in front of all others."""
    lines = text.splitlines()
    if HEADING not in lines:
        first = next((at for at, one in enumerate(lines) if one.startswith("### [")), None)
        at = (
            next((at for at, one in enumerate(lines) if one.startswith("<!-- ")), len(lines))
            if first is None
            else first
        )
        lines[at:at] = [HEADING, "", line, ""]
    else:
        lines.insert(lines.index(HEADING) + 2, line)
    return "\n".join(lines) + "\n"
