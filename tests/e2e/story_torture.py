"""
Everybody at one story at once: who tells it, editors that save it, and kill -9; then it is counted.

    python -m tests.e2e.story_torture --seconds 60 --seed 7            the service, and `mind-memory consolidate` beside it
    python -m tests.e2e.story_torture --seconds 60 --seed 7 --alone    only what tells and writes, killed far more often

Every turn that was kept holds one sentence with a number of its own, on a day of its own, so that each is quoted once;
every line that an editor saved has a name of its own. What is counted is what stands in STORY.md at the end.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from consolidation.workspace import workspace_of
from tests.support import editors
from tests.support.story_alone import Nest
from tests.support.story_counts import broken_story, kept_in, not_kept_once, saved_by
from tests.support.story_processes import MIND, POSTERS, Poster, Service, Teller, post, token_of
from tests.support.waiting import GIVE_UP

STYLES = ("vim", "vim-yes", "vscode", "sed")
FEWEST_TURNS, FEWEST_EDITS, MOST_SECONDS = 20, 10, 90  # a slow machine gets more time, not another verdict
LAST_TURNS = (4000, 4001)


@dataclass
class Counts:
    """What was done, and in ``broken`` by name what became of it that must not; empty when every promise was kept."""

    turns: int
    edits: dict[str, int]
    done: Counter[str]
    broken: dict[str, list[str]] = field(default_factory=dict)

    @property
    def table(self):
        rows = [("turns", self.turns), *((f"edits by {name}", count) for name, count in self.edits.items())]
        rows += [*sorted(self.done.items()), *((name, len(found)) for name, found in self.broken.items())]
        lines = [f"{name:<30}{value:>6}" for name, value in rows]
        return "\n".join(lines + [f"{name}: {found[:8]}" for name, found in self.broken.items() if found])


def torture(folder, *, seconds, seed):
    """The service, commands and editors at one story for *seconds*; what is left is in *folder*."""
    home, stop, done = folder / "home", threading.Event(), Counter()
    service = Service(home)
    posters = [Poster(at, service, stop=stop, rng=random.Random(f"{seed} poster {at}")) for at in range(POSTERS)]
    teller = Teller(home, stop=stop, rng=random.Random(f"{seed} teller"))
    try:
        service.start()
        with people((*STYLES, "door"), folder, seed=seed, rest=0.5) as desk:
            for thread in (*posters, teller):
                thread.start()

            def is_enough():
                turns = sum(len(poster.accepted) for poster in posters)
                return turns >= FEWEST_TURNS and done["killed: the service"] and _is_edited(desk)

            _kill_now_and_then(service, teller, done, random.Random(seed), is_over=_over(seconds, is_enough))
        stop.set()
        for thread in (*posters, teller):
            thread.join(GIVE_UP)
        service.stop()
        service.start()
        told_to_the_end(service)
    finally:
        stop.set()
        service.stop()
    done += Counter({f"consolidate: {how}": times for how, times in teller.ended.items()})
    accepted = {turn: token for poster in posters for turn, token in poster.accepted.items()}
    accepted |= {f"turn-{token_of(last)}": token_of(last) for last in LAST_TURNS}
    return _counted(workspace_of(home, MIND), desk, done, accepted, said=[*teller.said, service.said])


def torture_alone(folder, *, seconds, seed):
    """What tells and writes, killed many times a second, and editors, at one story for *seconds*."""
    workspace, done, rng = workspace_of(folder / "home", MIND), Counter(), random.Random(seed)
    workspace.create()
    workspace.story.write_text("# Mine\n")  # that it is missing would be believed only after a while
    with people(STYLES, folder, seed=seed, rest=0.05) as desk:
        nest = Nest(workspace.folder, desk, seed=seed)
        is_over = _over(seconds, lambda: _is_edited(desk))
        while not is_over():
            child = nest.begin()
            time.sleep(rng.uniform(0.05, 1.0))
            os.kill(child, 9)
            assert nest.ended() == -9, "a child fell over"
            done["killed: the teller"] += 1
    nest.begin(is_last=True)
    assert nest.ended() == 0, "the last child fell over"
    nest.close()
    accepted = {turn: turn.removeprefix("turn-") for turn in kept_in(workspace)}
    return _counted(workspace, desk, done, accepted, said=())


@contextmanager
def people(styles, folder, *, seed, rest, mind=MIND):
    """An editor of each style, open while this lasts; in the end each has finished what it was saving."""
    desk = folder / "desk"
    desk.mkdir()
    words = ["--home", folder / "home", "--mind", mind, "--desk", desk, "--seed", seed, "--rest", rest]
    people = [
        subprocess.Popen([sys.executable, editors.__file__, *map(str, (style, style, *words))]) for style in styles
    ]
    for style in styles:
        (desk / f"{style}.saved").touch()
    try:
        yield desk
        (desk / "stop").touch()
        assert [editor.wait(GIVE_UP) for editor in people] == [0] * len(people), "an editor fell over"
    finally:
        for editor in people:
            editor.kill()
            editor.wait()


def _is_edited(desk):
    """Whether everybody saved something, and all of them enough."""
    saved = saved_by(desk).values()
    return all(saved) and sum(map(len, saved)) >= FEWEST_EDITS


def _over(seconds, is_enough):
    """Whether the time is over, and everybody did something in it."""
    began = time.monotonic()

    def is_over():
        past = time.monotonic() - began
        return past > MOST_SECONDS + seconds or (past > seconds and is_enough())

    return is_over


def _kill_now_and_then(service, teller, done, rng, *, is_over):
    while not is_over():
        until = time.monotonic() + rng.uniform(0.5, 8.0)
        while time.monotonic() < until and not is_over():
            time.sleep(0.02)
        if done["killed: the service"] and rng.random() < 0.3:
            done["killed: the graph"] += service.kill_graph()
            continue
        service.kill()
        done["killed: the service"] += 1
        if rng.random() < 0.3:  # long enough for the command beside it to open the home itself
            time.sleep(rng.uniform(0.5, 6.0))
            done["killed: consolidate"] += rng.random() < 0.5 and teller.kill()
        service.start()


def told_to_the_end(service, *, mind=MIND):
    """Tell all that waits, then one turn and one more: a save into a displaced version is merged at a change."""
    with httpx2.Client(timeout=GIVE_UP) as http:
        for last in (*LAST_TURNS, None):
            is_told = False
            while not is_told:
                answer = http.post(f"{service.url}/v1/minds/{mind}/consolidation", json={"wait": True})
                state = answer.raise_for_status().json()
                is_told = not state["pending_turns"] and not state["is_running"]
            if last is not None:
                post(http, service, last, mind=mind)


def _counted(workspace, desk, done, accepted, *, said):
    edits = saved_by(desk)
    broken = {
        **broken_story(workspace, accepted, edits),
        "not kept once": not_kept_once(kept_in(workspace), accepted),
        "tracebacks": [one[one.index("Traceback") :][:4000] for one in said if "Traceback" in one],
    }
    return Counts(len(accepted), {name: len(saved) for name, saved in edits.items()}, done, broken)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--seconds", type=float, default=60)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--alone", action="store_true", help="Only what tells and writes, without a service.")
    words.add_argument("--keep", type=Path, help="Where everything is left to be looked at; else it is thrown away.")
    given = words.parse_args()
    with tempfile.TemporaryDirectory(prefix="mm-torture-") as thrown_away:
        folder = given.keep or Path(thrown_away)
        folder.mkdir(parents=True, exist_ok=True)
        counts = (torture_alone if given.alone else torture)(folder, seconds=given.seconds, seed=given.seed)
    print(counts.table)
    sys.exit(any(counts.broken.values()))


if __name__ == "__main__":
    main()
