"""What was shown is remembered, over restarts, damaged lines and rotation."""

import json
import resource
import threading

import pytest

from service.mind import trace_log as module
from service.mind.trace_document import ShownTrace, TraceDocument
from service.mind.trace_log import TraceLog
from tests.support.fragments import NOON


def trace_of(trace_id, *shown, session_id="s1", **more):
    fragments = tuple(ShownTrace(f"episode:{one}", (one,), "…") for one in shown)
    return TraceDocument(trace_id, "ada", session_id, NOON, shown=fragments, **more)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "subconscious.jsonl"


def test_a_restart_remembers_what_was_shown_and_why(file):
    first = TraceLog(file)
    first.add(trace_of("one", 1, 2))
    first.add(trace_of("two", 3, session_id="s2"))

    second = TraceLog(file)

    for log in (first, second):
        assert log.echoes("s1", turns=25).fragments == {"episode:1", "episode:2"}
        assert log.echoes("s1", turns=25).sequences == {1, 2}
        assert [trace.trace_id for trace in log.recent(limit=10)] == ["two", "one"]
        assert log.find("one") == trace_of("one", 1, 2)
        assert log.find("nothing") is None


def test_an_echo_fades_after_so_many_turns_of_its_session(file):
    log = TraceLog(file)
    log.add(trace_of("first", 1))
    for n in range(24):
        log.add(trace_of(f"t{n}"))
        log.add(trace_of(f"u{n}", session_id="s2"))

    assert log.echoes("s1", turns=25).sequences == {1}
    log.add(trace_of("last"))
    assert log.echoes("s1", turns=25).sequences == frozenset()
    assert TraceLog(file).echoes("s1", turns=25).sequences == frozenset()
    assert log.echoes("s1", turns=26).sequences == {1}
    assert log.echoes("s1", turns=0).sequences == frozenset()
    assert log.echoes("nobody", turns=25).fragments == frozenset()


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
    TraceLog(file).add(trace_of("one", 1))
    with file.open("ab") as handle:
        handle.write(damage)
    TraceLog(file).add(trace_of("two", 2))

    log = TraceLog(file)

    assert log.echoes("s1", turns=25).sequences == {1, 2}
    assert log.find("two")
    assert log.recent(limit=1)[0].trace_id == "two"


def test_rotation_keeps_echoes_and_traces(file):
    big = "x" * (module._ROTATE_BYTES // 160)
    log = TraceLog(file)
    for n in range(165):
        log.add(trace_of(f"t{n}", n, message=big))
    assert file.with_name("subconscious.jsonl.1").exists()

    again = TraceLog(file)

    assert again.echoes("s1", turns=3).sequences == {162, 163, 164}
    assert again.find("t0").trace_id == "t0"
    assert all(json.loads(line) for line in file.read_text().splitlines())


def test_a_session_that_never_ends_does_not_fill_the_memory(file):
    log = TraceLog(file)
    for n in range(1500):
        log.add(trace_of(f"t{n}", n))

    assert len(log.echoes("s1", turns=10_000).sequences) <= 1000
    assert log.echoes("s1", turns=2).sequences == {1498, 1499}


def test_many_threads_write_whole_lines(file):
    log = TraceLog(file)
    threads = [
        threading.Thread(target=lambda at=at: [log.add(trace_of(f"{at}-{n}", n)) for n in range(20)]) for at in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({json.loads(line)["trace_id"] for line in file.read_text().splitlines()}) == 160


def test_a_trace_that_finds_no_room_leaves_nothing_of_it_behind(file):
    log = TraceLog(file)
    log.add(trace_of("one", 1))
    size = file.stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, hard))
    try:
        with pytest.raises(OSError, match="large"):
            log.add(trace_of("two", 2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert file.stat().st_size == size
    log.add(trace_of("three", 3))
    assert [trace.trace_id for trace in TraceLog(file).recent(limit=10)] == ["three", "one"]
