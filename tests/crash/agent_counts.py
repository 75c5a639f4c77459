"""
What is left of an agent's life, counted from outside: what was answered and what the person wrote against the files.

Nothing of it reads with our own readers: lines are JSON, observations are found by a pattern, digests are made anew.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

from tests.crash.agent_day import TOKEN, briefing_of, is_request, request_of, rule_of, token_of

DAY = re.compile(r"^## (\d{4}-\d\d-\d\d)$")
LINE = re.compile(r"^(RED|YLW|GRN) (\d\d:\d\d) (.+)$")
ENTRY = re.compile(r"^## ", re.MULTILINE)


@dataclass
class Lived:
    """What a driver knows: answers (id, sequence) of actions, its sleeps, and what the person wrote and reworded."""

    answers: list[tuple[str, int]] = field(default_factory=list)
    actions: int = 0
    sleeps: int = 0
    added: list[str] = field(default_factory=list)
    reworded: dict[str, str] = field(default_factory=dict)  # new by old

    @property
    def requests(self):
        """The numbers of the actions that are requests."""
        return [number for number in range(self.actions) if is_request(number)]

    @property
    def theirs(self):
        """The lines of the person."""
        return [*self.added, *self.reworded.values()]


def broken_life(folder, lived):
    """By name what is wrong in the *folder* of a mind whose life was *lived*, when it sleeps and owes nothing."""
    dreams, torn = _records(folder / "dreams.jsonl")
    evaluations, torn_too = _records(folder / "evaluation.jsonl")
    deep = [one for one in dreams if one["deep"]]
    return {
        **_of_actions(folder, lived),
        **_of_dreams(dreams, lived),
        **_of_observations(_observations(folder), dreams, deep, lived),
        **_of_rules(folder, dreams, lived),
        **_of_deep_sleeps(folder, dreams, deep, evaluations),
        "lines glued to a torn one": [line for line in (*torn, *torn_too) if line.count('{"t"') > 1],
        "left behind": [name for name in (".dream.json",) if (folder / name).exists()],
        "dreams still owed": list(
            filter(None, map(json.loads(_text(folder / "sleep.json")).get, ("owed", "owed_next")))
        ),
    }


def _of_actions(folder, lived):
    kept = [record for log in sorted((folder / "transcript").glob("*.jsonl")) for record in _records(log)[0]]
    times = Counter(one["turn_id"] for one in kept)
    at = {one["turn_id"]: one["sequence"] for one in kept}
    posted = {f"a{number}" for number in range(lived.actions)}
    return {
        "actions not kept once": [one for one, _ in lived.answers if times[one] != 1],
        "actions not answered": sorted(posted - {one for one, _ in lived.answers}),
        "actions of nobody": sorted(set(times) - posted),
        "actions elsewhere": [pair for pair in lived.answers if at.get(pair[0]) != pair[1]],
        "actions out of order": [
            (one, then)
            for one, then in pairwise([at.get(f"a{number}", 0) for number in range(lived.actions)])
            if one >= then
        ],
    }


def _of_dreams(dreams, lived):
    covered = Counter(at for one in dreams for at in range(one["first_sequence"], one["last_sequence"] + 1))
    numbers = [one["dream"] for one in dreams]
    return {
        "sequences not in one dream": [
            at for at in sorted({at for _, at in lived.answers} | set(covered)) if covered[at] != 1
        ],
        "dreams numbered wrongly": [] if numbers == list(range(1, len(numbers) + 1)) else numbers,
        "other than one dream a sleep": [] if len(dreams) == lived.sleeps else [(len(dreams), lived.sleeps)],
    }


def _of_observations(lines, dreams, deep, lived):
    there = Counter(line for *_, line in lines)
    theirs = set(lived.theirs)
    levels = {}
    for one in dreams:
        levels |= one["levels"]
    ours = [
        (day, level, line, _digest(f"{day} {at} {text}"))
        for day, level, at, text, line in lines
        if TOKEN.search(text) and line not in theirs
    ]
    over = {one for dream in dreams for one in dream["superseded"]}
    old = str((datetime.fromisoformat(deep[-1]["t"]) - timedelta(days=3)).date()) if deep else ""
    return {
        "observations twice": [
            pair for pair, often in Counter((day, text) for day, _, _, text, _ in lines).items() if often > 1
        ],
        "lines of the person that are gone": [line for line in lived.theirs if there[line] != 1],
        "reworded lines that came back": [line for line in lived.reworded if there[line]],
        "requests not observed once": [
            number
            for number in lived.requests
            if sum(f"“{request_of(number)}”" in line for line in there if line.startswith("RED ")) != 1
        ],
        "lines that no dream knows": [line for _, level, line, digest in ours if levels.get(digest) != level],
        "lines that are over": [
            line
            for day, level, line, digest in ours
            if (level == "GRN" and day < old) or (level == "YLW" and digest in over)
        ],
    }


def _of_rules(folder, dreams, lived):
    lines = [line for line in _text(folder / "rules.md").splitlines() if line.startswith("- ")]
    known = {one for dream in dreams for one in dream["rules"]}
    last = _last_request(lived.requests, dreams, lived)
    wanted = {one["dream"]: _last_request(lived.requests, [one], lived) for one in dreams}
    rules = [f"- {rule_of(token)} (dream {dream})" for dream, token in wanted.items() if token]
    briefing = _text(folder / "briefing.md").splitlines()
    return {
        "rules not there once": [rule for rule in rules if lines.count(rule) != 1],
        "rules of nobody": [line for line in lines if line not in rules],
        "rules that no dream knows": [line for line in lines if _digest(line) not in known],
        "briefings of an earlier day": [] if briefing == [briefing_of(last)] else briefing or ["none"],
    }


def _of_deep_sleeps(folder, dreams, deep, evaluations):
    diary = _text(folder / "diary.md")
    priorities = [line for line in _text(folder / "priorities.md").splitlines() if line.startswith("- ")]
    evaluated = Counter(one["dream"] for one in evaluations)
    told = [one for one in dreams if deep and one["dream"] <= deep[-1]["dream"]]
    entries = len(ENTRY.findall(diary))
    first = [f"- {one['priority']}" for one in deep[-1:]]
    return {
        "other than one diary entry a deep sleep": [] if entries == len(deep) else [(entries, len(deep))],
        "dreams not in the diary once": [one["dream"] for one in told if diary.count(one["reflection"]) != 1],
        "other than one evaluation a deep sleep": sorted(
            number for number in {one["dream"] for one in deep} | set(evaluated) if evaluated[number] != 1
        ),
        "evaluations of nobody": sorted(set(evaluated) - {one["dream"] for one in deep}),
        "priorities of an earlier deep sleep": [] if priorities[:1] == first else priorities,
    }


def _last_request(requests, dreams, lived):
    """The token of the newest request that these dreams cover."""
    at = dict(lived.answers)
    first, last = dreams[0]["first_sequence"] if dreams else 1, dreams[-1]["last_sequence"] if dreams else 0
    found = [number for number in requests if first <= at.get(f"a{number}", 0) <= last]
    return token_of(found[-1]) if found else ""


def _observations(folder):
    """(day, level, time, text, line) of each observation."""
    found, day = [], ""
    for line in _text(folder / "observations.md").splitlines():
        if heading := DAY.match(line):
            day = heading[1]
        elif one := LINE.match(line):
            found.append((day, *one.groups(), line))
    return found


def observed(folder):
    """The lines of observations.md that hold a token, without those that are reworded."""
    return [line for *_, line in _observations(folder) if TOKEN.search(line)]


def deep_sleeps(folder):
    """The numbers of the deep sleeps, and of those that were evaluated."""
    deep = {one["dream"] for one in _records(folder / "dreams.jsonl")[0] if one["deep"]}
    return deep, {one["dream"] for one in _records(folder / "evaluation.jsonl")[0]}


def _records(log):
    """What each line holds, and the lines that hold nothing."""
    found, torn = [], []
    for line in _text(log).splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            torn.append(line)
    return found, torn


def _text(file):
    with suppress(FileNotFoundError):
        return file.read_text(errors="replace")
    return ""


def _digest(words):
    return hashlib.blake2b(words.encode(), digest_size=8).hexdigest()
