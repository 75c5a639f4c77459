"""An agent killed at every step of its sleep loses and doubles nothing; and the counting would see if it did."""

import json
import shutil

import pytest

from tests.crash.agent_counts import broken_life
from tests.crash.agent_day import token_of
from tests.crash.agent_life import Life


def dropped(lines):
    return lines[:-1]


def doubled(lines):
    return [*lines, lines[-1]]


def behind(line):
    return lambda lines: [*lines, line]


def in_front(line):
    return lambda lines: [line, *lines]


def replaced(old, new):
    return lambda lines: [line.replace(old, new, 1) for line in lines]


def with_end_moved(lines):
    last = json.loads(lines[-1])
    return [*lines[:-1], json.dumps(last | {"last_sequence": last["last_sequence"] - 1})]


def lies(lived):
    """What a file could be made to say, by the name that it is to be found by."""
    log, old_day = "transcript/*.jsonl", f"GRN 12:00 shell: {token_of(0)} → ok"
    return [
        ("actions not kept once", log, dropped),
        ("actions not kept once", log, doubled),
        ("actions of nobody", log, replaced('"a0"', '"b0"')),
        ("actions elsewhere", log, replaced('"sequence":5,', '"sequence":9000,')),
        ("actions out of order", log, replaced('"sequence":5,', '"sequence":9000,')),
        ("sequences not in one dream", "dreams.jsonl", with_end_moved),
        ("sequences not in one dream", "dreams.jsonl", doubled),
        ("dreams numbered wrongly", "dreams.jsonl", doubled),
        ("other than one dream a sleep", "dreams.jsonl", dropped),
        ("observations twice", "observations.md", doubled),
        ("lines of the person that are gone", "observations.md", replaced("Ann: note 1 ", "")),
        ("reworded lines that came back", "observations.md", behind(next(iter(lived.reworded)))),
        ("requests not observed once", "observations.md", replaced("RED ", "YLW ")),
        ("lines that no dream knows", "observations.md", replaced("RED ", "YLW ")),
        ("lines that are over", "observations.md", lambda lines: [*lines[:1], old_day, *lines[1:]]),
        ("rules not there once", "rules.md", dropped),
        ("rules not there once", "rules.md", doubled),
        ("rules of nobody", "rules.md", behind("- Eat. (dream 1)")),
        ("rules that no dream knows", "rules.md", behind("- Eat. (dream 1)")),
        ("briefings of an earlier day", "briefing.md", in_front("The newest request is k000007.")),
        ("other than one diary entry a deep sleep", "diary.md", behind("## 2026-02-12 09:32")),
        ("dreams not in the diary once", "diary.md", replaced("looked after", "seen")),
        ("other than one evaluation a deep sleep", "evaluation.jsonl", doubled),
        ("evaluations of nobody", "evaluation.jsonl", behind('{"dream": 99}')),
        ("priorities of an earlier deep sleep", "priorities.md", in_front("- Rest.")),
        ("lines glued to a torn one", "evaluation.jsonl", behind('{"t": "20{"t": "2026", "dream": 9}')),
        ("left behind", ".dream.json", behind("{}")),
        ("dreams still owed", "sleep.json", replaced('"owed":null', '"owed":{"dream_id":"1"}')),
    ]


def told(folder, lived, pattern, change):
    """By name what is wrong in a copy of *folder*, once a file of it says something else."""
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    [file] = copy.glob(pattern) if "*" in pattern else [copy / pattern]
    lines = file.read_text().splitlines() if file.exists() else []
    file.write_text("".join(f"{line}\n" for line in change(lines)))
    found = broken_life(copy, lived)
    shutil.rmtree(copy)
    return found


@pytest.mark.timeout(240)
def test_an_agent_killed_at_every_step_of_its_sleep_loses_and_doubles_nothing(tmp_path, nest):
    outcome = Life(tmp_path, nest, actions=200, sleeps=4, deep_every=2, seed=5).live()

    assert not any(outcome.broken.values()), outcome.table
    assert len(outcome.lived.reworded) >= 2 and len(outcome.lived.added) >= 10

    folder, lived = tmp_path / "home/minds/ada", outcome.lived
    for name, pattern, change in lies(lived):
        assert told(folder, lived, pattern, change)[name], name
    lived.actions += 1
    unseen = set(broken_life(folder, lived)) - {name for name, *_ in lies(lived)}
    assert unseen == {"actions not answered"} and broken_life(folder, lived)["actions not answered"]
