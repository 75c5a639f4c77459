"""What became of memories, counted when all is quiet: answered reports against the log, the log against its projection."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

from service.mind.outcomes import Outcomes

STANDING = "SELECT trace_id, reported, outcome FROM signals WHERE memory = reported"
WEIGHTS = "SELECT memory, usefulness, doubt, last_at, doubted_at FROM salience"


def reports_in(answers):
    """Those of *answers* that the clients got for reports of outcomes."""
    return [one for one in answers if one["asked"] == "report"]


def broken_outcomes(workspace, reports):
    """By name what is wrong with the outcomes of a mind, after these *reports* and the answers to them."""
    lines = _logged(workspace.outcomes)
    times = Counter(lines)
    attempted = {line for one in reports for line in _lines_of(one)}
    standing, weights = _projected(workspace.outcome_index)
    last = {(trace, memory): outcome for trace, memory, outcome in lines}
    return {
        "lost outcomes": [
            line for one in reports if one["status"] == 200 for line in _lines_of(one) if not times[line]
        ],
        "doubled outcomes": [line for line, often in times.items() if often > 1],
        "outcomes of nobody": [line for line in times if line not in attempted],
        "outcomes counted wrongly": sorted({(*key, outcome) for key, outcome in last.items()} ^ standing),
        "outcomes weighed otherwise again": sorted(weights ^ _weighed_again(workspace.outcomes), key=str),
    }


def _projected(index):
    """What the projection has: the outcomes that stand, and the weights; nothing where no outcome ever came."""
    if not index.exists():
        return set(), set()
    with closing(sqlite3.connect(f"file:{index}?mode=ro", uri=True)) as database:
        return set(database.execute(STANDING)), set(database.execute(WEIGHTS))


def _lines_of(report):
    """What one report should have left in the log."""
    return [(report["trace_id"], memory, outcome) for memory, outcome in report["outcomes"].items()]


def _logged(log):
    """(trace, memory, outcome) of each line; a torn one, sealed by whoever came next, is none."""
    found = []
    for line in log.read_text(errors="replace").splitlines() if log.exists() else ():
        with suppress(ValueError):
            record = json.loads(line)
            found.append((record["trace_id"], record["id"], record["outcome"]))
    return found


def _weighed_again(log):
    """What the log comes to in a projection that has seen nothing yet."""
    with tempfile.TemporaryDirectory(prefix="mm-outcomes-") as folder:
        copy, index = Path(folder, "outcomes.jsonl"), Path(folder, "outcomes.sqlite3")
        copy.write_bytes(log.read_bytes() if log.exists() else b"")
        again = Outcomes(copy, index=index)
        again.counts()
        again.close()
        with closing(sqlite3.connect(f"file:{index}?mode=ro", uri=True)) as database:
            return set(database.execute(WEIGHTS))
