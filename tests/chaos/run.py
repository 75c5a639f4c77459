"""
Three replicas, PostgreSQL with a standby and a FalkorDB cluster, all hurt under load; then everything is counted.

    python -m tests.chaos.run --seconds 90 --seed 7            `make chaos`

First each kind of fault comes alone, which gives the table of who waits for how long; then several at a time. Ends with
1 unless every promise was kept, and unless writes of former owners were refused on the way: else it proved nothing.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx2

from tests.chaos.callers import DEADLINE_MS, Backend, Editor, Ledger
from tests.chaos.counting import broken_answers, broken_events, broken_minds, late
from tests.chaos.faults import FAULTS, TRACKS, Track, done
from tests.chaos.system import Meter, system
from tests.chaos.table import Tally, tables
from tests.chaos.talk import LAST, MINDS, number_of, turn_of
from tests.support.waiting import GIVE_UP, until

BACKENDS = 4
QUIET_SECONDS = 2.0  # after a fault that comes alone, so that what it did is not taken for the next one's
SWEEP_SECONDS = 3.0  # in which whoever claims a mind looks at it once more
QUIET_WITHIN = 2 * GIVE_UP
GRACE_SECONDS = 1.0  # that a pre-turn call may come late where processes share two cores
LOSING = ("primary rolled back", "shard rolled back")
REFUSALS = {
    'mind_memory_shared_writes_refused_total{reason="changed_elsewhere"}': "files that others had changed",
    'mind_memory_shared_writes_refused_total{reason="not_in_custody"}': "files of minds that others had claimed",
    "mind_memory_fenced_writes_total": "graph writes of minds that others had claimed",
}


def chaos(folder, *, seconds, seed, kinds=tuple(FAULTS), rest=0.3, say=print):
    """One run under these *kinds* of faults; what is left is in *folder*."""
    ledger, deeds, stop = Ledger(), [], threading.Event()
    with ExitStack() as stack:
        whole = stack.enter_context(system(folder))
        meter = Meter(whole.replicas, REFUSALS)
        people = [
            Backend(
                at, whole.replicas, ledger, stop=stop, seed=seed, rest=rest, backends=BACKENDS, is_hashing=at % 2 == 0
            )
            for at in range(BACKENDS)
        ]
        people.append(Editor("editor", whole.replicas, ledger, stop=stop, seed=seed, rest=2 * rest))
        began = time.monotonic()

        def tell(deed):
            lost = f", lost {deed.lost}" if deed.lost is not None else ""
            say(f"{deed.began - began:6.1f}s  {deed.kind}, {deed.ended - deed.began:.1f}s{lost}")
            whole.receiver.script.append((503, {}))  # the receiver of webhooks has its troubles, too

        for thread in (meter, *people):
            thread.start()
        stack.callback(meter.stop)
        try:
            _until_all_began(ledger)
            lonely = _alone(whole, kinds, random.Random(seed), tell)
            deeds += lonely
            _together(whole, kinds, deeds, tell, seed=seed, until=began + seconds)
        except Exception as error:  # said first: who waits for what is broken now waits for long
            say(f"a fault could not be done: {error!r}")
            raise
        finally:
            stop.set()
            for person in people:
                person.join(GIVE_UP)
        errors = [repr(person.error) for person in people if person.error or person.is_alive()]
        load = time.monotonic() - began
        _mend(whole)
        say(f"{time.monotonic() - began:6.1f}s  mended")
        _until_quiet(whole, ledger)
        _until_all_is_sent(whole)
        say(f"{time.monotonic() - began:6.1f}s  quiet")
        meter.stop()
        return Tally(
            seconds=load,
            ledger=ledger,
            deeds=tuple(deeds),
            lonely=tuple(lonely),
            digested=tuple(meter.digested),
            refusals={
                **{about: meter.sums()[name] for name, about in REFUSALS.items()},
                "events that a receiver of webhooks took": len(whole.receiver.taken),
                "events that it was sent in vain": len(whole.receiver.all) - len(whole.receiver.taken),
                **{
                    f"lost when a {kind}": sum(one.lost for one in deeds if one.kind == kind)
                    for kind in LOSING
                    if kind in kinds
                },
            },
            broken={
                **broken_answers(ledger),
                **broken_minds(whole, ledger),
                **broken_events(whole),
                "pre-turn calls beyond their deadline": late(
                    ledger, deeds, most_seconds=DEADLINE_MS / 1000 + GRACE_SECONDS
                ),
                "callers that fell over": errors,
                "tracebacks": [one for replica in whole.replicas for one in replica.tracebacks],
            },
        )


def _until_all_began(ledger):
    """Wait until every mind has a turn."""
    until(lambda: {one.number // 10_000 for one in ledger.kept} >= set(range(1, len(MINDS) + 1)))


def _alone(whole, kinds, rng, tell):
    """Each kind once, with quiet between them; the deeds."""
    deeds = []
    for kind in rng.sample(kinds, len(kinds)):
        deeds.append(done(whole, kind, rng))
        tell(deeds[-1])
        time.sleep(QUIET_SECONDS)
    return deeds


def _together(whole, kinds, deeds, tell, *, seed, until):
    """Faults of every track at a time, until then."""
    stop = threading.Event()
    chosen = [tuple(kind for kind in track if kind in kinds) for track in TRACKS]
    tracks = [Track(some, whole, deeds, seed=seed, stop=stop, say=tell) for some in chosen if some]
    for track in tracks:
        track.start()
    while time.monotonic() < until and not any(track.error for track in tracks):
        time.sleep(0.1)
    stop.set()
    for track in tracks:
        track.join(GIVE_UP)
    for track in tracks:
        if track.error is not None:
            raise track.error


def _mend(whole):
    """Bring everything to life again."""
    whole.pair.mend()
    whole.cluster.mend()
    for replica in whole.replicas:
        if not replica.is_alive:
            replica.start()


def _until_quiet(whole, ledger):
    """Tell every mind one turn more through every replica, and wait until nothing is left to do."""
    with httpx2.Client(timeout=GIVE_UP) as http:
        for mind in MINDS:
            for replica in whole.replicas:
                _tell(http, replica, number_of(mind, LAST + replica.at), mind)
        waiting = {}

        def is_quiet():
            waiting.clear()
            for mind in MINDS:
                waiting.update({(mind, one.at): why for one in whole.replicas if (why := _waits_for(http, one, mind))})
            return not waiting

        def said():
            return f"it never became quiet: {waiting}; {_custody(http, whole)}"

        until(is_quiet, seconds=QUIET_WITHIN, every=0.5, said=said)
        time.sleep(SWEEP_SECONDS)
        until(is_quiet, seconds=QUIET_WITHIN, every=0.5, said=said)


def _until_all_is_sent(whole):
    """Wait until the receiver of webhooks has been sent every event."""
    said = ""

    def is_sent():
        nonlocal said
        try:
            [found] = (
                httpx2.get(f"{whole.replicas[0].url}/v1/webhooks", timeout=GIVE_UP)
                .raise_for_status()
                .json()["endpoints"]
            )
        except httpx2.HTTPError as error:
            said = repr(error)
            return False
        said = f"{found['waiting']} events wait, {found['error']}"
        return not found["waiting"]

    until(is_sent, seconds=QUIET_WITHIN, every=0.5, said=lambda: said)


def _custody(http, whole):
    """Who works on what, and what each replica says that it waits for."""
    owners = whole.rows("SELECT mind_id, owner, epoch, has_work, last_sequence FROM minds")
    alive = whole.rows("SELECT replica, alive_until > clock_timestamp() FROM replicas")
    status = {}
    for replica in whole.replicas:
        with suppress(httpx2.HTTPError):
            status[replica.at] = http.get(f"{replica.url}/v1/minds/{MINDS[0]}").json()
    return f"owners {owners}; replicas {alive}; {MINDS[0]}: {status}"


def _tell(http, replica, number, mind):
    def is_kept():
        with suppress(httpx2.HTTPError):
            answer = http.post(f"{replica.url}/v1/minds/{mind}/turns", json=turn_of(number))
            assert answer.status_code in {202, 503}, answer.text
            return answer.status_code == 202
        return False

    until(is_kept, said=lambda: f"turn {number}")


def _waits_for(http, replica, mind):
    """What is still to do for a mind, as a replica sees it; "" for nothing."""
    try:
        found = http.get(f"{replica.url}/v1/minds/{mind}").raise_for_status().json()
        graph, story = found["graph"], found["story"]
        if story["pending_turns"]:
            http.post(f"{replica.url}/v1/minds/{mind}/consolidation", json={"wait": True})
            return f"story: {story['pending_turns']} turns, {story['waiting_for']}"
        if graph["lag"] or graph["saved"] < found["last_sequence"] or graph["parked"]:
            return f"graph: {graph['saved']} of {found['last_sequence']}, lag {graph['lag']}, {graph['waiting_for']}"
    except (httpx2.HTTPError, ValueError) as error:
        return repr(error)
    return ""


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--seconds", type=float, default=90, help="Of load; longer where the faults alone take longer.")
    words.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    words.add_argument("--kinds", nargs="+", choices=list(FAULTS), default=list(FAULTS), metavar="KIND")
    words.add_argument("--rest", type=float, default=0.3, help="Seconds that each backend rests between two turns.")
    words.add_argument("--keep", type=Path, help="Where everything is left to be looked at; else it is thrown away.")
    given = words.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    print(f"seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="mm-chaos-") as thrown_away:
        folder = given.keep or Path(thrown_away)
        folder.mkdir(parents=True, exist_ok=True)

        def say(line):
            print(line, flush=True)

        tally = chaos(folder, seconds=given.seconds, seed=given.seed, kinds=given.kinds, rest=given.rest, say=say)
    print(tables(tally))
    sys.exit(not tally.is_kept)


if __name__ == "__main__":
    main()
