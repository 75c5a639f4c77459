"""
Backends, editors and kill -9 at one service; then everything is counted from outside.

    python -m tests.crash.run --seconds 600 --seed 7            `make crash`
    python -m tests.crash.run --seconds 60 --seed 7 --stock     the same load against the stock pattern, too

The service is killed at every named step of a turn's way (``steps.py``), its graph or both at some of them, all at
random moments in between, and now and then the disk takes nothing more. Ends with 1 unless every promise was kept.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import httpx2

from tests.crash.counting import accepted_in, answers_in, broken_answers, broken_minds, broken_stock, is_refusal
from tests.crash.nest import ROOT, Nest
from tests.crash.outcome_counts import reports_in
from tests.crash.served import Served
from tests.crash.steps import STEPS, STOCK_STEPS
from tests.crash.table import Tally, tables
from tests.crash.talk import MINDS
from tests.e2e.story_torture import LAST_TURNS, people, told_to_the_end
from tests.support.forked_process import ForkedProcess
from tests.support.story_counts import saved_by
from tests.support.story_processes import token_of
from tests.support.waiting import GIVE_UP

CLIENTS = 4
EDITORS = ("vim", "sed", "door")
MOST_HITS = 3  # a step is armed at its first, second or third hit
ARMED_SECONDS = 6.0  # that an armed step is waited for
DEEDS = {"service": 14, "both": 2, "graph": 2}  # at a step: how often each
FEWEST_KILLS = 3  # at steps, in a short run
MOMENTS = 0.25  # of all rounds: killed at a random moment


def crash(folder, nest, *, seconds, seed, is_stock=False, rest=0.25, kills_everywhere=True):
    """
    One run of *seconds*, and more until every step was killed at (reached, at least, unless *kills_everywhere*).

    What is left is in *folder*.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng, moments = random.Random(seed), Counter()
    steps = STOCK_STEPS if is_stock else STEPS
    served = Served(folder, nest, is_stock=is_stock)
    missed = partial(_missed, served, steps, kills_everywhere=kills_everywhere)
    try:
        served.start()
        with _editors(folder, seed=seed, rest=2 * rest, is_stock=is_stock) as desk:
            with _clients(folder, seed=seed, rest=rest, is_stock=is_stock):
                began, todo = time.monotonic(), _rounds(steps, rng)
                while time.monotonic() < began + seconds or missed() or not all(_edits(desk).values()):
                    if time.monotonic() > began + seconds + GIVE_UP:
                        break  # what was missed is told
                    _round(served, todo, rng, moments)
        _until_quiet(served, is_stock=is_stock)
    finally:
        served.close()
    answers = answers_in(folder.glob("client-*.jsonl"))
    is_disk_full = any(deed == "full disk" for _, deed in served.deeds)
    return Tally(
        name="stock pattern" if is_stock else "Mind Memory",
        seconds=seconds,
        answers=len(answers),
        accepted=len(accepted_in(answers)),
        edits=sum(map(len, _edits(desk).values())),
        outcomes=sum(len(one["outcomes"]) for one in reports_in(answers) if one["status"] == 200),
        refused=sum(map(is_refusal, answers)),
        steps=steps,
        reached=served.reached,
        deeds=served.deeds,
        moments=moments,
        broken={
            **counted(folder, answers, is_stock=is_stock),
            **broken_answers(answers, is_disk_full=is_disk_full),
            "steps missed": missed(),
            "tracebacks": [] if is_stock else served.tracebacks,
        },
    )


def counted(folder, answers, *, is_stock=False):
    """By name what is wrong with what was left in *folder*, after these answers."""
    if is_stock:
        return broken_stock(folder / "home", answers)
    last = {f"turn-{token_of(number)}": token_of(number) for number in LAST_TURNS}
    return broken_minds(folder / "home", folder / "desk", answers, more=last)


def _rounds(steps, rng):
    """For ever: what to do next, as (step, deed), or (None, deed) for a random moment; each step once a lap."""
    while True:
        lap = [(step, _deed(rng)) for step in steps]
        lap += [(None, _deed(rng)) for _ in range(int(len(steps) * MOMENTS) + 1)]
        lap += [("accepted", "full disk")] if "synced" in steps else []
        rng.shuffle(lap)
        yield from lap


def _deed(rng):
    return rng.choices(list(DEEDS), weights=list(DEEDS.values()))[0]


def _round(served, todo, rng, moments):
    step, deed = next(todo)
    arm = {"step": step, "hit": rng.randint(1, MOST_HITS), "deed": deed} if step is not None else None
    served.start(arm)
    before = sum(served.deeds.values())
    if arm is None:
        time.sleep(rng.uniform(0.1, 3.0))
        if deed != "service":
            moments["graph"] += served.kill_graph()
        if deed == "graph":
            time.sleep(rng.uniform(0.2, 2.0))
        moments["service"] += served.kill()
        return
    until = time.monotonic() + ARMED_SECONDS
    while time.monotonic() < until and sum(served.deeds.values()) == before and served.is_alive:
        time.sleep(0.02)
    if served.is_alive:  # the deed was another's: what it left is lived with for a while
        time.sleep(rng.uniform(0.2, 2.0))
        moments["service"] += served.kill()


def _missed(served, steps, *, kills_everywhere):
    killed = [step for step, deed in served.deeds if deed != "full disk"]
    if not kills_everywhere:
        return [step for step in steps if not served.reached[step]] + ["more kills"] * (len(killed) < FEWEST_KILLS)
    return [step for step in steps if step not in killed]


@contextmanager
def _clients(folder, *, seed, rest, is_stock):
    """The backends, while this lasts; each ends its turn."""
    stop = folder / "clients-stop"
    words = ["--home", folder / "home", "--clients", CLIENTS, "--seed", seed, "--stop", stop, "--rest", rest]
    words += ["--is-stock"] if is_stock else []
    clients = [
        ForkedProcess(["tests.crash.client", "--number", at, "--log", folder / f"client-{at}.jsonl", *words], cwd=ROOT)
        for at in range(CLIENTS)
    ]
    try:
        yield
        stop.touch()
        assert [client.wait(GIVE_UP) for client in clients] == [0] * CLIENTS, "a client fell over"
    finally:
        for client in clients:
            client.kill()
            client.wait()


@contextmanager
def _editors(folder, *, seed, rest, is_stock):
    """People at the story of the first mind, if there are stories; the desk of what they saved, or None."""
    if is_stock:
        yield None
        return
    with people(EDITORS, folder, seed=seed, rest=rest, mind=MINDS[0]) as desk:
        yield desk


def _edits(desk):
    return saved_by(desk) if desk is not None else {}


def _until_quiet(served, *, is_stock):
    """Start once more, unarmed, wait until nothing is left to do, and end as an operator does."""
    served.start()
    until = time.monotonic() + 4 * GIVE_UP
    with httpx2.Client(timeout=GIVE_UP) as http:
        if not is_stock:
            for mind in MINDS:
                told_to_the_end(served, mind=mind)
        while not _is_quiet(http, served, is_stock=is_stock):
            assert time.monotonic() < until, "it never became quiet"
            time.sleep(0.1)
    served.stop()


def _is_quiet(http, served, *, is_stock):
    with suppress(httpx2.HTTPError):
        if is_stock:
            return http.get(f"{served.url}/queue").json()["waiting"] == 0
        for mind in MINDS:
            status = http.get(f"{served.url}/v1/minds/{mind}").json()
            graph, story = status["graph"], status["story"]
            if graph["lag"] or graph["saved"] < status["last_sequence"] or graph["parked"] or story["pending_turns"]:
                return False
        return True
    return False


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--seconds", type=float, default=600)
    words.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    words.add_argument("--rest", type=float, default=0.25, help="Seconds that each backend rests between two turns.")
    words.add_argument("--stock", action="store_true", help="The same load against the stock pattern, too.")
    words.add_argument("--keep", type=Path, help="Where everything is left to be looked at; else it is thrown away.")
    given = words.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    print(f"seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="mm-crash-") as thrown_away:
        folder = given.keep or Path(thrown_away)
        nest = Nest()
        tallies = [
            crash(
                folder / name, nest, seconds=given.seconds, seed=given.seed, rest=given.rest, is_stock=name == "stock"
            )
            for name in ("ours", *(("stock",) if given.stock else ()))
        ]
        nest.close()
    print(tables(tallies))
    sys.exit(any(tallies[0].broken.values()))


if __name__ == "__main__":
    main()
