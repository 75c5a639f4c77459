"""What was shown is remembered, over restarts, damaged lines and rotation."""

import json
import resource
import threading

import pytest

from service.resonance import ledger as module
from service.resonance.ledger import Ledger


def trace_of(trace_id, *shown, session_id="s1", **more):
    return {
        "trace_id": trace_id,
        "session_id": session_id,
        "shown": [{"id": f"episode:{one}", "sequences": [one], "text": "…"} for one in shown],
        **more,
    }


@pytest.fixture
def file(tmp_path):
    return tmp_path / "subconscious.jsonl"


def test_a_restart_remembers_what_was_shown_and_why(file):
    first = Ledger(file)
    first.note(trace_of("one", 1, 2))
    first.note(trace_of("two", 3, session_id="s2"))

    second = Ledger(file)

    for ledger in (first, second):
        assert ledger.echoes("s1", turns=25).fragments == {"episode:1", "episode:2"}
        assert ledger.echoes("s1", turns=25).sequences == {1, 2}
        assert [trace["trace_id"] for trace in ledger.recent(limit=10)] == ["two", "one"]
        assert ledger.find("one") == trace_of("one", 1, 2)
        assert ledger.find("nothing") is None


def test_an_echo_fades_after_so_many_turns_of_its_session(file):
    ledger = Ledger(file)
    ledger.note(trace_of("first", 1))
    for n in range(24):
        ledger.note(trace_of(f"t{n}"))
        ledger.note(trace_of(f"u{n}", session_id="s2"))

    assert ledger.echoes("s1", turns=25).sequences == {1}
    ledger.note(trace_of("last"))
    assert ledger.echoes("s1", turns=25).sequences == frozenset()
    assert Ledger(file).echoes("s1", turns=25).sequences == frozenset()
    assert ledger.echoes("s1", turns=26).sequences == {1}
    assert ledger.echoes("s1", turns=0).sequences == frozenset()
    assert ledger.echoes("nobody", turns=25).fragments == frozenset()


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
    Ledger(file).note(trace_of("one", 1))
    with file.open("ab") as handle:
        handle.write(damage)
    Ledger(file).note(trace_of("two", 2))

    ledger = Ledger(file)

    assert ledger.echoes("s1", turns=25).sequences == {1, 2}
    assert ledger.find("two")
    assert ledger.recent(limit=1)[0]["trace_id"] == "two"


def test_rotation_keeps_echoes_and_traces(file):
    big = "x" * (module._ROTATE_BYTES // 160)
    ledger = Ledger(file)
    for n in range(165):
        ledger.note(trace_of(f"t{n}", n, padding=big))
    assert file.with_name("subconscious.jsonl.1").exists()

    again = Ledger(file)

    assert again.echoes("s1", turns=3).sequences == {162, 163, 164}
    assert again.find("t0")["trace_id"] == "t0"
    assert all(json.loads(line) for line in file.read_text().splitlines())


def test_a_session_that_never_ends_does_not_fill_the_memory(file):
    ledger = Ledger(file)
    for n in range(1500):
        ledger.note(trace_of(f"t{n}", n))

    assert len(ledger.echoes("s1", turns=10_000).sequences) <= 1000
    assert ledger.echoes("s1", turns=2).sequences == {1498, 1499}


def test_many_threads_write_whole_lines(file):
    ledger = Ledger(file)
    threads = [
        threading.Thread(target=lambda at=at: [ledger.note(trace_of(f"{at}-{n}", n)) for n in range(20)])
        for at in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({json.loads(line)["trace_id"] for line in file.read_text().splitlines()}) == 160


def test_a_trace_that_finds_no_room_leaves_nothing_of_it_behind(file):
    ledger = Ledger(file)
    ledger.note(trace_of("one", 1))
    size = file.stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, hard))
    try:
        with pytest.raises(OSError, match="large"):
            ledger.note(trace_of("two", 2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert file.stat().st_size == size
    ledger.note(trace_of("three", 3))
    assert [trace["trace_id"] for trace in Ledger(file).recent(limit=10)] == ["three", "one"]
