"""
One chatbot backend under load, as a process of its own: it posts turns, retries what was not answered, posts again what
was, tries to slip other words in under a known id, asks what surfaces, and reports what became of it, twice, another
outcome the second time; it says something new, and takes some of that back. What it was answered goes to a file.

    python -m tests.crash.client --home HOME --number 0 --clients 4 --seed 7 --log FILE --stop FILE
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from pathlib import Path

import httpx2

from service.index.salience import OUTCOMES
from tests.crash.talk import MINDS, asked_in, mind_of, number_of, stock_turn_of, turn_of

WINDOW = 4  # turns that are posted out of their order
AGAIN, CONFLICT, LOOK = 0.2, 0.05, 0.2  # how often, a turn
PAUSE = 0.05  # seconds until a service that is not there is looked for again


class Client:
    """Its numbers are every *clients*-th; those of its neighbour it now and then posts, too."""

    def __init__(self, given):
        self._given = given
        self._rng = random.Random(f"{given.seed} client {given.number}")
        self._log = os.open(given.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._http = httpx2.Client(timeout=30)
        self._kept, self._looks = [], 0

    @property
    def is_over(self):
        return self._given.stop.exists()

    def live(self):
        start = 0
        while not self.is_over:
            window = [number_of(mind, self._place(start + at)) for mind in MINDS for at in range(WINDOW)]
            self._rng.shuffle(window)
            for number in window:
                if self._keep(number, asked="keep"):
                    self._kept.append(number)
                self._meddle()
                time.sleep(self._rng.uniform(0, 2 * self._given.rest))
                if self.is_over:
                    return
            start += WINDOW

    def _place(self, at):
        return at * self._given.clients + self._given.number

    def _meddle(self):
        if not self._kept:
            return
        known = self._rng.choice(self._kept[-20:])
        if self._rng.random() < AGAIN:
            self._keep(known, asked="again")
        if self._rng.random() < AGAIN:  # what a process beside us posts, or has posted
            self._keep(number_of(mind_of(known), known % 100_000 ^ 1), asked="beside")
        if self._given.is_stock:
            return
        if self._rng.random() < CONFLICT:
            other = turn_of(known)
            other["messages"][0]["content"] = "I never said what stood here before."
            self._post(known, "/turns", other, asked="conflict")
        if self._rng.random() < LOOK:
            self._report(known, *self._look(known))
        if self._rng.random() < LOOK:
            self._correct(known)

    def _look(self, number):
        """The trace of a pre-turn call, and the ids of what surfaced in it; none without an answer."""
        self._looks += 1
        session = f"look-{self._given.number}-{self._looks}"  # of its own: what was shown lately would stay away
        words = {"session_id": session, "messages": [{"role": "user", "content": asked_in(number)}], "relevance": 0}
        _, said = self._post(number, "/resonance", {**words, "deadline_ms": 500}, asked="look")
        return said.get("trace_id"), [one["id"] for one in said.get("flashbacks", ())]

    def _report(self, number, trace_id, ids):
        """Report an outcome of each flashback until it is answered, then another of each."""
        pairs = [self._rng.sample(OUTCOMES, 2) for _ in ids]
        for outcomes in zip(*pairs):  # nothing for no ids
            reported = dict(zip(ids, outcomes))
            words = [{"id": one, "outcome": outcome} for one, outcome in reported.items()]
            status = 0
            while status != 200 and not self.is_over:
                seen = {"trace_id": trace_id, "outcomes": reported}
                status, _ = self._post(
                    number, "/outcomes", {"trace_id": trace_id, "outcomes": words}, asked="report", **seen
                )
                time.sleep(PAUSE)

    def _correct(self, number):
        """Say something new until it is answered, and then, now and then, take it back until that is."""
        self._looks += 1
        said = f"Person {self._given.number} said {self._looks}."
        made = self._until(201, number, "POST", "/corrections", {"what": "say", "to": said}, asked="correct", said=said)
        if made and self._rng.random() < AGAIN:
            self._until(200, number, "DELETE", f"/corrections/{made['id']}", None, asked="undo", of=made["id"])

    def _until(self, wanted, number, method, path, body, *, asked, **more):
        """Ask until the answer is *wanted*, and return it; nothing when the time was over before."""
        while not self.is_over:
            status, answer = self._post(number, path, body, asked=asked, method=method, **more)
            if status == wanted:
                return answer
            time.sleep(PAUSE)
        return {}

    def _keep(self, number, *, asked):
        """Post until it is kept; False when the time was over before."""
        while not self.is_over:
            if self._given.is_stock:
                status, _ = self._post(number, "/messages", stock_turn_of(number), asked=asked)
            else:
                status, _ = self._post(number, "/turns", turn_of(number), asked=asked)
            if status == 202:
                return True
            time.sleep(PAUSE)
        return False

    def _post(self, number, path, body, *, asked, method="POST", **more):
        """The status, 0 without an answer, and the answer's body; *more* goes to the file beside them."""
        whole = path if self._given.is_stock else f"/v1/minds/{mind_of(number)}{path}"
        seen, said = {"number": number, "asked": asked, "status": 0, **more}, {}
        try:
            url = json.loads((self._given.home / "service.json").read_text())["url"]
            answer = self._http.request(method, f"{url}{whole}", json=body)
            seen |= {"status": answer.status_code, "is_patient": "retry-after" in answer.headers}
            said = answer.json()
            if answer.status_code == 202 and not self._given.is_stock:
                seen |= {"sequence": said["sequence"], "duplicate": said["duplicate"]}
            elif asked == "report" and answer.status_code == 200:
                seen["unknown"] = said["unknown"]
            elif answer.status_code >= 400:
                seen["why"] = said.get("detail", "")
        except (OSError, ValueError, httpx2.HTTPError):
            pass
        os.write(self._log, json.dumps(seen).encode() + b"\n")
        return seen["status"], said


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--home", type=Path, required=True)
    words.add_argument("--number", type=int, required=True)
    words.add_argument("--clients", type=int, required=True)
    words.add_argument("--seed", required=True)
    words.add_argument("--log", type=Path, required=True)
    words.add_argument("--stop", type=Path, required=True)
    words.add_argument("--rest", type=float, default=0.25, help="Seconds between two turns, on average.")
    words.add_argument("--is-stock", action="store_true")
    Client(words.parse_args()).live()


if __name__ == "__main__":
    main()
