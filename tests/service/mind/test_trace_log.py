"""What was shown is remembered, over restarts, damaged lines and days."""

import json
import resource
import threading
from contextlib import contextmanager
from datetime import timedelta

import pytest

from consolidation.kernel.clock import FixedClock
from service.index.trace_index import CallFilter
from service.mind import trace_log as module
from service.mind.trace_document import PhasesTrace, SeedsTrace, ShownTrace, TraceDocument
from service.mind.trace_files import words_in
from service.mind.trace_log import TraceLog
from tests.support.fragments import NOON


def trace_of(trace_id, *shown, session_id="s1", **more):
    fragments = tuple(ShownTrace(f"episode:{one}", (one,), "…") for one in shown)
    return TraceDocument(trace_id, "ada", session_id, NOON, shown=fragments, **more)


@pytest.fixture
def file(tmp_path):
    return tmp_path / f"subconscious-{NOON.date()}.jsonl"


def opened(file, *, clock=None, keep_days=0):
    """The log of the mind whose file of today is *file*."""
    index = file.with_name("traces.sqlite3")
    return TraceLog(file.parent, index=index, clock=clock or FixedClock(NOON), keep_days=keep_days)


@contextmanager
def no_room(file):
    """As if the disk were full: no file may grow beyond the size of *file*, but for a few bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 10, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def now_and_after_a_restart(log, file):
    yield log
    log.close()  # it has the index alone
    yield opened(file)


def test_a_restart_remembers_what_was_shown_and_why(file):
    first = opened(file)
    first.add(trace_of("one", 1, 2))
    first.add(trace_of("two", 3, session_id="s2"))

    for log in now_and_after_a_restart(first, file):
        assert log.echoes("s1", turns=25).fragments == {"episode:1", "episode:2"}
        assert log.echoes("s1", turns=25).sequences == {1, 2}
        assert [trace.trace_id for trace in log.recent(limit=10)] == ["two", "one"]
        assert log.find("one") == trace_of("one", 1, 2)
        assert log.find("nothing") is None


def test_the_phases_of_a_trace_are_on_the_disk_alone(file):
    """Broken: an open mind holds up to 200 traces whole, a megabyte of memory and more."""
    whole = trace_of("one", 1, phases=PhasesTrace(seeds=SeedsTrace(queries=("Bruno",))))
    first = opened(file)
    first.add(whole)

    for log in now_and_after_a_restart(first, file):
        assert log.recent(limit=1) == (trace_of("one", 1),)
        assert log.find("one") == whole
        assert log.page(CallFilter(), limit=1).traces == (whole,)


def thought_of(trace_id, *shown, **more):
    return trace_of(trace_id, *shown, thought="(A thought surfaces: …)", **more)


def test_a_thought_waits_until_an_answer_says_it_and_counts_as_shown_from_then_on(file):
    """Broken: what surfaced for an agent is an echo although no answer said it; a restart loses it."""
    first = opened(file)
    first.add(thought_of("one", 1))

    for log in now_and_after_a_restart(first, file):
        assert (log.is_waiting("s1"), log.is_waiting("s2")) == (True, False)
        assert log.echoes("s1", turns=25).fragments == frozenset()
    assert log.deliver("s2", turn=7) is None
    assert log.deliver("s1", turn=7).trace_id == "one"
    for again in now_and_after_a_restart(log, file):
        assert again.deliver("s1", turn=8) is None
        assert again.said("s1", turn=7).trace_id == "one"
        assert again.said("s1", turn=8) is None
        assert again.echoes("s1", turns=25).fragments == {"episode:1"}
    again.add(trace_of("two"))
    assert [one.trace_id for one in again.page(CallFilter(), limit=9).traces] == ["two", "one"]


def test_a_thought_that_is_outdated_is_said_by_no_answer_and_the_next_one_is(file):
    """Broken: it comes after a restart, or takes the next one with it."""
    log = opened(file)
    log.add(thought_of("one", 1))
    log.add(thought_of("two", 2))

    said = log.deliver("s1", turn=7, is_outdated=lambda thought: thought.trace_id == "one")

    assert said.trace_id == "two"
    for again in now_and_after_a_restart(log, file):
        assert not again.is_waiting("s1")
        assert again.said("s1", turn=7).trace_id == "two"


def test_a_thought_that_a_call_before_a_turn_says_otherwise_waits_no_longer(file):
    """Broken: the same memory comes twice."""
    first = opened(file)
    first.add(thought_of("one", 1))
    first.add(thought_of("other", 1, session_id="s2"))
    first.add(trace_of("two", 1))

    for log in now_and_after_a_restart(first, file):
        assert (log.is_waiting("s1"), log.is_waiting("s2")) == (False, True)


def test_erasing_takes_a_thought_that_waits_and_lets_others_be_delivered_once(file):
    """Broken: a line that says what was delivered goes with the damaged ones, and the thought comes again."""
    log = opened(file)
    log.add(thought_of("one", 1))
    log.deliver("s1", turn=7)
    log.add(thought_of("two", 2))

    assert log.count_doomed(lambda trace: trace.trace_id == "two")[0] == 1
    assert log.forget(lambda trace: trace.trace_id == "two") == 1
    for one in now_and_after_a_restart(log, file):
        assert one.deliver("s1", turn=8) is None
        assert one.said("s1", turn=7).trace_id == "one"
    assert "".join(words_in(file)) == "…(A thought surfaces: …)"


def test_erasing_keeps_no_call_waiting_and_loses_nothing_that_is_written_meanwhile(file):
    """Broken: locks are held while the files are read."""
    log, waited, added = opened(file), [], []
    for number in (1, 2, 3):
        log.add(trace_of(f"t{number}", number))

    def ask():
        log.echoes("s1", turns=25), log.recent(limit=10), log.summary()

    def add():
        added.append(f"t{10 + len(added)}")
        log.add(trace_of(added[-1], int(added[-1][1:])))

    def is_doomed(trace):
        """Asked while memory is looked through, and while the file is."""
        for call in (ask, add) if trace.trace_id == "t1" else (ask,):
            thread = threading.Thread(target=call, daemon=True)
            thread.start()
            thread.join(10)
            waited.append(thread.is_alive())
        return trace.trace_id == "t1"

    assert log.forget(is_doomed) == 1
    assert not any(waited)
    for one in now_and_after_a_restart(log, file):
        assert [trace.trace_id for trace in one.recent(limit=10)] == ["t11", "t10", "t3", "t2"]
        assert one.echoes("s1", turns=25).sequences == {2, 3, 10, 11}
        assert [trace.trace_id for trace in one.page(CallFilter(), limit=9).traces] == ["t11", "t10", "t3", "t2"]
        assert one.find("t1") is None


def test_what_waits_for_room_on_the_disk_is_remembered_when_others_are_erased(file):
    """Broken: after an erasure, memory holds only what the files do."""
    log = opened(file)
    log.add(trace_of("one", 1))
    log.add(trace_of("two", 2))
    with no_room(file), pytest.raises(OSError, match="large"):
        log.add(trace_of("three", 3))

    assert log.forget(lambda trace: trace.trace_id == "one") == 1
    assert log.echoes("s1", turns=25).sequences == {2, 3}
    assert [trace.trace_id for trace in log.recent(limit=10)] == ["three", "two"]
    assert log.forget(lambda trace: trace.trace_id == "three") == 0
    assert [trace.trace_id for trace in log.recent(limit=10)] == ["two"]


def test_an_echo_fades_after_so_many_turns_of_its_session(file):
    log = opened(file)
    log.add(trace_of("first", 1))
    for n in range(24):
        log.add(trace_of(f"t{n}"))
        log.add(trace_of(f"u{n}", session_id="s2"))

    assert log.echoes("s1", turns=25).sequences == {1}
    log.add(trace_of("last"))
    for one in now_and_after_a_restart(log, file):
        assert one.echoes("s1", turns=25).sequences == frozenset()
        assert one.echoes("s1", turns=26).sequences == {1}
        assert one.echoes("s1", turns=0).sequences == frozenset()
        assert one.echoes("nobody", turns=25).fragments == frozenset()


def test_what_calls_showed_that_are_made_again_is_no_echo(file):
    log = opened(file)
    for trace_id, shown in (("first", (1, 2)), ("again", (1,)), ("other", (3,))):
        log.add(trace_of(trace_id, *shown))

    assert log.echoes("s1", turns=25, but_for={"first"}).sequences == {1, 3}
    assert log.echoes("s1", turns=25, but_for={"first", "again"}).sequences == {3}
    assert log.echoes("s1", turns=2, but_for={"other"}).sequences == {1, 2}


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\n\n",
        b"\x00" * 100 + b"\n",
        b"\xff\xfe garbage\n",
        b'{"trace_id": "torn", "shown": [{"id"',
        b"[1, 2]\n",
        b'"text"\n',
        b'{"trace_id": "odd", "shown": 7}\n',
        b'{"trace_id": "odd", "shown": [1, null]}\n',
        b'{"trace_id": "odd", "shown": [{"id": "x"}]}\n',
        b'{"trace_id": "odd", "shown": [{"id": ["x"], "sequences": [[1]]}]}\n',
        b'{"trace_id": "odd", "shown": [{"id": "x", "sequences": 5}], "session_id": ["s1"]}\n',
        b'{"trace_id": "odd", "shown": null}\n',
        b"[" * 5000 + b"\n",
    ],
)
def test_a_damaged_line_takes_no_other_with_it(file, damage):
    first = opened(file)
    first.add(trace_of("one", 1))
    first.close()
    with file.open("ab") as handle:
        handle.write(damage)
    second = opened(file)
    second.add(trace_of("two", 2))
    second.close()

    log = opened(file)

    assert log.echoes("s1", turns=25).sequences == {1, 2}
    assert log.find("two")
    assert log.recent(limit=1)[0].trace_id == "two"


def test_the_newest_traces_are_remembered_over_days(file):
    clock = FixedClock(NOON)
    log = opened(file, clock=clock)
    for n in range(6):
        log.add(trace_of(f"t{n}", n))
        clock.advance(timedelta(days=1))
    log.close()

    again = opened(file, clock=clock)

    assert len(list(file.parent.glob("subconscious-*.jsonl"))) == 6
    assert again.echoes("s1", turns=3).sequences == {3, 4, 5}
    assert again.find("t0").trace_id == "t0"
    assert [one.trace_id for one in again.recent(limit=9)] == [f"t{n}" for n in (5, 4, 3, 2, 1, 0)]


def test_no_more_is_read_when_it_is_opened_than_a_few_megabytes(file):
    log = opened(file)
    for n in range(12):
        log.add(trace_of(f"t{n}", n, message="x" * (module._TAIL_BYTES // 8)))
    log.close()

    again = opened(file)

    assert 0 < len(again.recent(limit=100)) < 12
    assert again.find("t0").trace_id == "t0"


def test_the_files_of_earlier_versions_are_read_as_the_oldest(file):
    lines = {"subconscious.jsonl.1": "oldest", "subconscious.jsonl": "older"}
    for name, trace_id in lines.items():
        file.with_name(name).write_text(f"{trace_of(trace_id, 7).encoded()}\n")
    log = opened(file)
    log.add(trace_of("new", 8))

    found = [one.trace_id for one in log.page(CallFilter(), limit=9).traces]

    assert found == ["new", "older", "oldest"]
    assert log.echoes("s1", turns=3).sequences == {7, 8}


def test_a_session_that_never_ends_does_not_fill_the_memory(file):
    log = opened(file)
    for n in range(1500):
        log.add(trace_of(f"t{n}", n))

    assert len(log.echoes("s1", turns=10_000).sequences) <= 1000
    assert log.echoes("s1", turns=2).sequences == {1498, 1499}


def test_many_threads_write_whole_lines(file):
    log = opened(file)
    threads = [
        threading.Thread(target=lambda at=at: [log.add(trace_of(f"{at}-{n}", n)) for n in range(20)]) for at in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({json.loads(line)["trace_id"] for line in file.read_text().splitlines()}) == 160


def test_a_trace_that_finds_no_room_is_written_with_the_next_one(file):
    log = opened(file)
    log.add(trace_of("one", 1))
    size = file.stat().st_size
    with no_room(file), pytest.raises(OSError, match="large"):
        log.add(trace_of("two", 2))

    assert file.stat().st_size == size
    log.add(trace_of("three", 3))
    log.close()
    assert [trace.trace_id for trace in opened(file).recent(limit=10)] == ["three", "two", "one"]
