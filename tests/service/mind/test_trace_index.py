"""Every trace that is kept is found by session, time and memory, whatever was killed, deleted or damaged."""

import math
import os
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.errors import InvalidRequest
from service.index.trace_index import CallFilter, CallRow, TraceIndex
from service.mind.call_figures import decoded, figures_of
from service.mind.trace_document import (
    CandidateTrace,
    PhasesTrace,
    RetrievalTrace,
    ShownTrace,
    TraceDocument,
    UsageTrace,
)
from service.mind.trace_log import TraceLog
from tests.support.fragments import NOON


def trace_of(trace_id, *, shown=(), found=(), session_id="s1", minutes=0, **more):
    """A trace that showed some memories, as ids, and found others beside them; a fact rests on the turn 9."""
    at = NOON + timedelta(minutes=minutes)
    turns = {one: (9,) if one.startswith("fact:") else (int(one.removeprefix("episode:")),) for one in (*shown, *found)}
    candidates = tuple(
        CandidateTrace(one, one.partition(":")[0], "…", 1.0, False, NOON, turns[one], {}) for one in (*shown, *found)
    )
    phases = PhasesTrace(retrieval=RetrievalTrace(candidates=candidates))
    kept = tuple(ShownTrace(one, turns[one], "…") for one in shown)
    return TraceDocument(trace_id, "ada", session_id, at, surfaced=bool(shown), shown=kept, phases=phases, **more)


@pytest.fixture
def clock():
    return FixedClock(NOON)


@pytest.fixture
def opened(tmp_path, clock):
    """Opens the log of one mind, again and again; a log that is not closed was killed."""
    logs = []

    def open_(*, keep_days=0):
        for log in logs:
            log.close()
        logs.append(TraceLog(tmp_path, index=tmp_path / "derived/traces.sqlite3", clock=clock, keep_days=keep_days))
        return logs[-1]

    yield open_
    for log in logs:
        log.close()


def ids(log, *, limit=500, cursor=None, **wanted):
    return [one.trace_id for one in log.page(CallFilter(**wanted), limit=limit, cursor=cursor).traces]


def test_traces_are_found_by_session_time_and_memory(opened):
    log = opened()
    log.add(trace_of("a", shown=["fact:x"], found=["episode:3"]))
    log.add(trace_of("b", found=["fact:x"], minutes=1))
    log.add(trace_of("c", shown=["episode:3"], session_id="s2", minutes=2))

    assert ids(log) == ["c", "b", "a"]
    assert ids(log, session_id="s1") == ["b", "a"]
    assert ids(log, surfaced=False) == ["b"]
    assert ids(log, since=NOON + timedelta(minutes=1)) == ["c", "b"]
    assert ids(log, before=NOON + timedelta(minutes=1)) == ["a"]
    assert ids(log, memory="fact:x") == ["b", "a"]
    assert ids(log, memory="fact:x", role="shown") == ["a"]
    assert ids(log, memory="fact:x", role="dropped") == ["b"]
    assert ids(log, memory="episode:9", role="shown") == ["a"]
    assert ids(log, memory="fact:y") == []


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 12), st.integers(1, 5))
def test_pages_have_each_trace_once_in_order(tmp_path_factory, many, limit):
    folder = tmp_path_factory.mktemp("traces")
    log = TraceLog(folder, index=folder / "traces.sqlite3", clock=FixedClock(NOON))
    for n in range(many):
        log.add(trace_of(f"t{n}"))

    found, cursor = [], None
    while True:
        page = log.page(CallFilter(), limit=limit, cursor=cursor)
        found += [one.trace_id for one in page.traces]
        cursor = page.next_cursor
        if cursor is None:
            break
    log.close()

    assert found == [f"t{n}" for n in reversed(range(many))]


@pytest.mark.parametrize("cursor", ["x", "1", "-1.2", "1.2.3", "9999999.1", "1.9999999999999", "١.٢"])
def test_a_cursor_of_no_page_is_refused(opened, cursor):
    with pytest.raises(InvalidRequest) as met:
        opened().page(CallFilter(), limit=1, cursor=cursor)

    assert met.value.pointer == "query/cursor"


def test_how_often_a_memory_surfaced_is_told_with_its_newest_traces(opened):
    log = opened()
    for n in range(7):
        log.add(trace_of(f"t{n}", shown=["fact:x"], found=["episode:3"], minutes=n))

    used = log.surfaced(["fact:x", "episode:9", "episode:3", "fact:y"])

    assert used.keys() == {"fact:x", "episode:9"}
    assert (used["fact:x"].count, used["fact:x"].last_at) == (7, NOON + timedelta(minutes=6))
    assert used["fact:x"].trace_ids == ("t6", "t5", "t4", "t3", "t2")


def test_what_a_kill_kept_from_the_index_is_read_on_from_its_cursor(opened, tmp_path, clock):
    log = opened()
    log.add(trace_of("a", shown=["fact:x"]))
    file = tmp_path / f"subconscious-{NOON.date()}.jsonl"
    with file.open("a") as handle:
        handle.write(f"{trace_of('b', shown=['fact:x']).encoded()}\n")
    log.add(trace_of("c", shown=["fact:x"]))
    clock.advance(timedelta(days=1))
    log.add(trace_of("d", shown=["fact:x"]))

    again = opened()

    assert ids(again, memory="fact:x") == ["d", "c", "b", "a"]
    assert ids(again, memory="fact:x") == ["d", "c", "b", "a"]
    assert again.surfaced(["fact:x"])["fact:x"].count == 4


@pytest.mark.parametrize("damage", ["deleted", "garbage", "other version"])
def test_an_index_that_is_lost_is_made_again(opened, tmp_path, damage):
    log = opened()
    for n in range(3):
        log.add(trace_of(f"t{n}", shown=["fact:x"]))
    log.close()
    file = tmp_path / "derived/traces.sqlite3"
    if damage == "deleted":
        file.unlink()
    elif damage == "garbage":
        file.write_bytes(b"no database at all" * 1000)
    else:
        file.write_bytes(file.read_bytes()[:4000])

    again = opened()
    again.add(trace_of("t3", shown=["fact:x"]))

    assert ids(again, memory="fact:x") == ["t3", "t2", "t1", "t0"]
    assert again.find("t0").trace_id == "t0"


def test_a_file_that_was_replaced_by_a_shorter_one_is_read_anew(opened, tmp_path):
    log = opened()
    for n in range(3):
        log.add(trace_of(f"t{n}"))
    file = tmp_path / f"subconscious-{NOON.date()}.jsonl"
    file.write_text(f"{trace_of('other').encoded()}\n")

    assert ids(opened()) == ["other"]


def test_what_is_erased_is_in_no_byte_of_files_and_index(opened, tmp_path, clock):
    log = opened()
    for n in range(40):
        log.add(trace_of(f"doomed{n}", shown=["fact:doomed"], session_id="doomed-session"))
    clock.advance(timedelta(days=1))
    log.add(trace_of("staying", shown=["fact:stays"]))
    log.page(CallFilter(), limit=1)

    gone = log.forget(lambda trace: trace.trace_id.startswith("doomed"))

    assert gone == 40
    assert ids(log) == ["staying"]
    assert log.recent(limit=9)[0].trace_id == "staying"
    log.close()
    assert not any(b"doomed" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_traces_are_kept_for_so_many_days_and_then_gone_from_files_and_index(opened, tmp_path, clock):
    old = tmp_path / "subconscious.jsonl"
    old.write_text(f"{trace_of('older').encoded()}\n")
    os.utime(old, (NOON.timestamp(), NOON.timestamp()))
    log = opened(keep_days=2)
    for n in range(4):
        log.add(trace_of(f"t{n}", shown=["fact:x"]))
        clock.advance(timedelta(days=1))
    assert len(ids(log)) == 5

    dropped = log.drop_old()

    assert dropped == 3
    assert ids(log) == ["t3", "t2"]
    assert log.surfaced(["fact:x"])["fact:x"].count == 2
    assert sorted(file.name for file in tmp_path.glob("subconscious*")) == [
        f"subconscious-{NOON.date() + timedelta(days=n)}.jsonl" for n in (2, 3)
    ]


def test_traces_are_kept_for_ever_where_no_limit_is_set(opened, clock):
    log = opened()
    log.add(trace_of("a"))
    clock.advance(timedelta(days=4000))

    assert log.drop_old() == 0
    assert ids(log) == ["a"]


def test_calls_that_are_noted_while_the_index_is_read_on_are_found_too(opened, tmp_path):
    log = opened()
    index = TraceIndex(tmp_path / "other.sqlite3")

    assert index.add(5, (), start=0, end=10)
    assert not index.add(5, (), start=0, end=20)
    assert index.add(5, (), start=10, end=20)
    assert index.cursors() == {5: 20}
    index.close()
    assert ids(log) == []


# -- figures


def test_figures_of_calls_outlive_their_traces_and_are_counted_once(opened, tmp_path, clock):
    log = opened(keep_days=2)
    for n in range(4):
        usage = UsageTrace(1, 100, 10, 0.01)
        shown = ["fact:x"] if n % 2 else []
        minutes = n * 24 * 60
        log.add(trace_of(f"t{n}", shown=shown, minutes=minutes, timings_ms={"total": 40.0}, usage=usage,
                         degraded=("seeds_skipped",)))  # fmt: skip
        clock.advance(timedelta(days=1))
    days = {"since": NOON.date(), "until": NOON.date() + timedelta(days=9)}
    before = log.figures(**days)
    kept = (tmp_path / f"subconscious-{NOON.date()}.jsonl").read_bytes()

    log.drop_old()
    after = log.figures(**days)
    (tmp_path / f"subconscious-{NOON.date()}.jsonl").write_bytes(kept)  # as if it was killed before it was deleted
    again = opened(keep_days=2).figures(**days)
    opened(keep_days=2).drop_old()

    assert before == after == again == opened().figures(**days)
    assert [before[NOON.date() + timedelta(days=n)].surfaced for n in range(4)] == [0, 1, 0, 1]
    one = before[NOON.date()]
    assert (one.calls, one.tokens, one.degraded) == (1, 110, {"seeds_skipped": 1})
    assert one.percentile(0.5) == pytest.approx(40.0, rel=0.05)


@given(st.lists(st.floats(0.1, 100_000), min_size=1, max_size=50), st.sampled_from([0.5, 0.95]))
def test_a_percentile_is_right_to_a_twentieth(times, share):
    rows = [CallRow(NOON, False, ms, (), 0, 0.0) for ms in times]
    (found,) = figures_of(rows).values()

    exact = sorted(times)[max(0, math.ceil(share * len(times)) - 1)]

    assert found.percentile(share) == pytest.approx(exact, rel=0.06, abs=0.1)  # it is rounded to a tenth of a ms


@pytest.mark.parametrize("line", [b"", b"{}", b"[]", b"7", b'{"file": 1, "day": "x"}', b"\xff"])
def test_a_damaged_line_of_figures_is_passed_over(line):
    assert decoded(line) is None
