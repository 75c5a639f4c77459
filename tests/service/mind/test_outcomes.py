"""
The log of outcomes and its projection: durable, replaced and not added, the same again from the beginning.

Every docstring says what was broken, once, to see the test fail.
"""

import json
import os

import pytest

from service.mind.outcomes import OutcomeRecord, Outcomes
from tests.support.fragments import NOON


@pytest.fixture
def opened(tmp_path):
    found = []

    def open_outcomes(index="index.sqlite3"):
        found.append(Outcomes(tmp_path / "outcomes.jsonl", index=tmp_path / index))
        return found[-1]

    yield open_outcomes
    for one in found:
        one.close()


def record(memory, outcome, *, trace="t1", reporter="caller", sequences=(1,), session="s1", newest=5):
    return OutcomeRecord(NOON, trace, session, memory, outcome, reporter, sequences, newest)


MANY = [
    record(f"fact:{number % 7}", ("acted", "dismissed", "contradicted", "used")[number % 4], trace=f"t{number // 3}")
    for number in range(60)
]
KEYS = tuple({one.id for one in MANY} | {"episode:1"})


def test_a_replay_of_the_log_gives_the_same_numbers(opened):
    """Broken: a signal's place is not kept; the weight of turns is not written."""
    first = opened()
    for one in MANY:
        first.add([one])
    found = first.salience(KEYS)
    first.close()

    assert opened("another.sqlite3").salience(KEYS) == found
    assert opened().salience(KEYS) == found
    assert set(found) == set(KEYS)


def test_what_the_projection_has_not_yet_is_read_from_the_log(opened, tmp_path):
    """Broken: the cursor moves before the signals are in; the log is read only when it is new."""
    first = opened()
    first.add([record("fact:1", "acted")])
    first.close()
    with (tmp_path / "outcomes.jsonl").open("a") as log:  # a process that died between log and projection
        log.write(record("fact:2", "contradicted").encoded() + "\n" + '{"torn')

    second = opened()
    assert second.salience(["fact:2"])["fact:2"].doubt == 1
    second.add([record("fact:3", "acted")])
    assert second.counts() == {"acted": 2, "contradicted": 1}
    lines = (tmp_path / "outcomes.jsonl").read_bytes().splitlines()
    assert json.loads(lines[-1])["id"] == "fact:3"


def test_the_same_again_is_not_written_and_another_takes_its_place(opened, tmp_path):
    """Broken: ``add`` writes every record; the old signal stays beside the new one."""
    outcomes = opened()
    written = [
        len(outcomes.add([record("fact:1", outcome)])) for outcome in ("acted", "acted", "contradicted", "acted")
    ]
    fresh = opened("fresh.sqlite3")

    assert written == [1, 0, 1, 1]
    assert outcomes.counts() == fresh.counts() == {"acted": 1}
    assert outcomes.salience(["fact:1"])["fact:1"].usefulness == pytest.approx(0.7)


def test_a_facts_turns_count_half_and_an_episode_only_itself(opened):
    """Broken: turns count in full, or not at all."""
    outcomes = opened()
    outcomes.add([record("fact:1", "acted", sequences=(3, 4)), record("episode:9", "acted", sequences=(9,))])
    found = outcomes.salience(("fact:1", "episode:3", "episode:4", "episode:9"))

    assert [found[key].usefulness for key in ("fact:1", "episode:3", "episode:4", "episode:9")] == pytest.approx(
        [0.7, 0.6, 0.6, 0.7]
    )


def test_what_was_noticed_gives_way_to_what_a_caller_says(opened):
    """Broken: the last one wins, whoever it is."""
    outcomes = opened()
    outcomes.add([record("fact:1", "used", reporter="noticed")])
    outcomes.add([record("fact:1", "dismissed")])
    outcomes.add([record("fact:1", "contradicted", reporter="noticed")])

    assert [(one.outcome, one.reporter) for one in outcomes.of_trace("t1")] == [("dismissed", "caller")]


def test_what_a_caller_confirms_is_the_callers(opened):
    """Broken: the same outcome is never new, whoever says it."""
    outcomes = opened()
    outcomes.add([record("fact:1", "used", reporter="noticed")])
    outcomes.add([record("fact:1", "used")])
    outcomes.add([record("fact:1", "contradicted", reporter="noticed")])

    assert [(one.outcome, one.reporter) for one in outcomes.of_trace("t1")] == [("used", "caller")]


def test_a_mind_without_outcomes_has_no_file_of_them(opened, tmp_path):
    """Broken: looking makes the projection, for each mind that is ever asked."""
    outcomes = opened()

    assert (outcomes.salience(["fact:1"]), outcomes.used_by([1]), outcomes.counts()) == ({}, {}, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_which_answer_used_a_memory_stays_known_whatever_is_reported_of_it(opened, order):
    """Broken: the row of ``answers`` goes with the signal; what was noticed later is not kept."""
    outcomes = opened()
    for one in [record("fact:1", "used", reporter="noticed", newest=7), record("fact:1", "contradicted")][order]:
        outcomes.add([one])

    for found in (outcomes, opened("fresh.sqlite3")):
        assert found.used_by((6, 7)) == {7: {"fact:1"}}
        assert [one.outcome for one in found.of_trace("t1")] == ["contradicted"]
        assert found.counts() == {"contradicted": 1}


def test_what_is_forgotten_counts_no_more(opened, tmp_path):
    """Broken: the projection stays; the log stays."""
    outcomes = opened()
    outcomes.add([record("fact:1", "acted", sequences=(1,)), record("fact:2", "acted", sequences=(2,))])
    gone = outcomes.forget(lambda one: 1 in one.sequences)

    assert gone == 1
    assert outcomes.salience(("fact:1", "episode:1")) == {}
    assert outcomes.salience(("fact:2",))["fact:2"].usefulness == pytest.approx(0.7)
    assert "fact:1" not in (tmp_path / "outcomes.jsonl").read_text()


def test_nothing_is_kept_where_the_disk_refuses(opened, tmp_path, monkeypatch):
    """Broken: a part of the line stays; the projection goes ahead of the log."""
    outcomes = opened()
    outcomes.add([record("fact:1", "acted")])
    before = (tmp_path / "outcomes.jsonl").read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", _refusing)
        with pytest.raises(OSError, match="no room"):
            outcomes.add([record("fact:2", "acted")])

    assert (tmp_path / "outcomes.jsonl").read_bytes() == before
    assert outcomes.counts() == {"acted": 1}


def _refusing(_handle):
    raise OSError("no room")
