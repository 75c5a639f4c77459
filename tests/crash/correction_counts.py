"""What people put right, counted when all is quiet: answered decisions against the log, each there once."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress


def corrections_in(answers):
    """Those of *answers* that the clients got for decisions, and for decisions taken back."""
    return [one for one in answers if one["asked"] in {"correct", "undo"}]


def broken_corrections(workspace, asked):
    """By name what is wrong with the log of a mind, after what was *asked* of it and the answers to that."""
    made, undone = _logged(workspace.corrections)
    times, back = Counter(to for _, to in made), Counter(undone)
    attempted = {one["said"] for one in asked if one["asked"] == "correct"}
    ids = {key for key, _ in made}
    return {
        "lost corrections": [
            one["said"]
            for one in asked
            if one["asked"] == "correct" and one["status"] == 201 and not times[one["said"]]
        ],
        "doubled corrections": [to for to, often in times.items() if often > 1],
        "corrections of nobody": [to for to in times if to not in attempted],
        "lost undos": [
            one["of"] for one in asked if one["asked"] == "undo" and one["status"] == 200 and not back[one["of"]]
        ],
        "doubled undos": [of for of, often in back.items() if often > 1 or of not in ids],
    }


def _logged(log):
    """(id, words) of each decision, and the ids of those that were taken back; a torn line is none."""
    made, undone = [], []
    for line in log.read_text(errors="replace").splitlines() if log.exists() else ():
        with suppress(ValueError):
            record = json.loads(line)
            if record["what"] == "undo":
                undone.append(record["of"])
            else:
                made.append((record["id"], record["to"]))
    return made, undone
