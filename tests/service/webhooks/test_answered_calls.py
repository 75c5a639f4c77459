"""Which pre-turn calls are told of: each line of the files of traces once, whoever wrote it and whatever is erased."""

import json
from dataclasses import dataclass
from datetime import timedelta

import pytest

from consolidation.kernel.clock import FixedClock
from service.mind.trace_document import TraceDocument
from service.mind.trace_log import TraceLog
from service.webhooks.sources import AnsweredCalls
from tests.support.fragments import NOON

pytestmark = pytest.mark.anyio
BEFORE, LATER = NOON - timedelta(hours=1), NOON + timedelta(hours=1)


@dataclass
class Told:
    """A mind of which only the traces are looked at, and what was told of it."""

    trace_log: TraceLog
    position: str | None = None

    async def news(self):
        found, is_all = [], False
        while not is_all:
            read = await AnsweredCalls(FixedClock(NOON)).after(self, self.position, since=BEFORE)
            found += [one.key for one in read.events]
            self.position, is_all = read.position, read.is_all
        return found


@pytest.fixture
def told(tmp_path):
    log = TraceLog(tmp_path, index=tmp_path / "traces.sqlite3", clock=FixedClock(NOON))
    yield Told(log)
    log.close()


def trace_of(trace_id, *, at=NOON, session_id="s1"):
    return TraceDocument(trace_id, "ada", session_id, at)


def write(tmp_path, day, *traces):
    """As another machine does, of which this one gets the lines."""
    with (tmp_path / f"subconscious-{day.date()}.jsonl").open("a") as file:
        file.writelines(f"{one.encoded()}\n" for one in traces)


async def test_each_call_is_told_once_in_the_order_of_writing(told):
    told.trace_log.add(trace_of("one"))
    told.trace_log.add(trace_of("two", at=NOON - timedelta(minutes=1)))
    assert await told.news() == ["one", "two"]
    assert await told.news() == []

    told.trace_log.add(trace_of("three"))

    assert await told.news() == ["three"]


async def test_what_was_before_the_endpoint_is_not_told(told):
    told.trace_log.add(trace_of("old", at=BEFORE - timedelta(minutes=1)))
    assert await told.news() == []

    told.trace_log.add(trace_of("new"))

    assert await told.news() == ["new"]


@pytest.mark.parametrize("now", [NOON - timedelta(days=700), NOON + timedelta(days=700)])
async def test_a_call_is_told_whatever_time_its_caller_gives(told, now):
    told.trace_log.add(trace_of("replayed", at=now))
    assert await told.news() == ["replayed"]

    told.trace_log.forget(lambda trace: trace.trace_id == "replayed")
    told.trace_log.add(trace_of("new"))

    assert await told.news() == ["new"]


async def test_more_than_a_page_is_told_in_pages(told, tmp_path):
    write(tmp_path, NOON, *(trace_of(f"{number:03}") for number in range(450)))

    assert await told.news() == [f"{number:03}" for number in range(450)]


async def test_what_another_machine_wrote_between_ours_is_told(told, tmp_path):
    """Its line is in the file and not among what this process remembers."""
    told.trace_log.add(trace_of("ours"))
    write(tmp_path, NOON, trace_of("theirs"))
    told.trace_log.add(trace_of("ours again"))

    assert await told.news() == ["ours", "theirs", "ours again"]


async def test_a_machine_whose_clock_is_before_midnight_is_heard_after_it(told, tmp_path):
    tomorrow = NOON + timedelta(days=1)
    write(tmp_path, NOON, trace_of("evening"))
    write(tmp_path, tomorrow, trace_of("morning", at=tomorrow))
    assert await told.news() == ["evening", "morning"]

    write(tmp_path, NOON, trace_of("late"))

    assert await told.news() == ["late"]


async def test_an_erasure_of_other_calls_changes_nothing(told):
    for trace_id in ("one", "two"):
        told.trace_log.add(trace_of(trace_id))
    assert await told.news() == ["one", "two"]

    told.trace_log.forget(lambda trace: trace.trace_id == "one")
    told.trace_log.add(trace_of("three"))

    assert await told.news() == ["three"]


async def test_where_the_last_call_was_erased_newer_ones_are_told(told):
    for trace_id in ("one", "two"):
        told.trace_log.add(trace_of(trace_id))
    assert await told.news() == ["one", "two"]

    told.trace_log.forget(lambda trace: trace.trace_id == "two")
    told.trace_log.add(trace_of("three", at=LATER))

    assert await told.news() == ["three"]


async def test_a_position_of_an_earlier_version_is_gone_on_from(told, tmp_path):
    write(tmp_path, NOON, trace_of("one"), trace_of("two"), trace_of("three"))
    told.position = json.dumps(["two", NOON.isoformat()])

    assert await told.news() == ["three"]
    assert await told.news() == []
