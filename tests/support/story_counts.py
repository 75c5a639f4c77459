"""Counting from outside, when all is over: what stands in a transcript and in a story, against what was promised."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import suppress

# With the full stop: a chapter's title may quote the rest of a sentence.
TOLD = re.compile(r"has the number (k\d{6}) in (?:\w+ today|faded ink)\.")


def kept_in(workspace):
    """How often each turn stands in the transcript; a torn line, sealed by whoever came next, is no turn."""
    return kept_in_folder(workspace.transcript)


def kept_in_folder(folder):
    """The same of the folder of a transcript, which need not be there."""
    kept = Counter()
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(errors="replace").splitlines():
            with suppress(ValueError):
                kept[json.loads(line)["turn_id"]] += 1
    return kept


def saved_by(desk):
    """The lines that each editor saved, by its name."""
    return {
        file.stem: [json.loads(one)["line"] for one in file.read_text().splitlines()]
        for file in sorted(desk.glob("*.saved"))
    }


def broken_story(workspace, accepted, edits):
    """By name what is wrong with the story: of *accepted* (token by turn) and of the lines that were saved."""
    text = workspace.story.read_text()
    told, lines = Counter(TOLD.findall(text)), Counter(text.splitlines())
    marks = [line for line in lines.elements() if re.search("CURSOR|LAST_PROCESSED", line)]
    return {
        "lost turns": sorted(token for token in accepted.values() if not told[token]),
        "doubled turns": sorted(token for token, times in told.items() if times > 1),
        "gone edits": [line for saved in edits.values() for line in saved if not lines[line]],
        "doubled edits": sorted(line for line, times in lines.items() if line.startswith("EDIT-") and times > 1),
        "marks": marks if [line.split()[1] for line in marks] != ["CURSOR:", "LAST_PROCESSED:"] else [],
    }


def not_kept_once(kept, accepted):
    """The turns that stand in the transcript more or less than once, or were never accepted."""
    return sorted(turn for turn in {*kept, *accepted} if kept[turn] != 1 or turn not in accepted)
