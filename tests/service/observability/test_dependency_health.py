"""Trouble is told once when it begins and once when it ends, by parts, and is not believed for ever."""

from datetime import UTC, datetime, timedelta

import pytest
from structlog.testing import capture_logs

from consolidation.kernel.clock import FixedClock
from service.observability.dependency_health import Dependencies


@pytest.fixture
def clock():
    return FixedClock(datetime(2026, 1, 28, 12, tzinfo=UTC))


@pytest.fixture
def all_of_them(clock):
    return Dependencies(monotonic=clock.monotonic)


def test_trouble_is_told_once_and_its_end_once(all_of_them, clock):
    disk, woken = all_of_them.get("disk"), []
    all_of_them.on_recovery(lambda: woken.append("up"))

    with capture_logs() as logs:
        for number in range(1000):
            disk.failed(f"full, {number}")
        clock.advance(timedelta(seconds=7))
        disk.worked()
        disk.worked()

    assert [(one["event"], one.get("reason"), one.get("seconds")) for one in logs] == [
        ("dependency.failed", "full, 0", None),
        ("dependency.recovered", None, 7.0),
    ]
    assert woken == ["up"]
    assert disk.trouble is None


def test_it_works_when_every_part_of_it_works(all_of_them):
    disk = all_of_them.get("disk")
    disk.failed("ada's file", part="ada")
    disk.failed("bo's file", part="bo")
    disk.worked(part="ada")
    disk.worked(part="carla")

    assert all_of_them.get("disk").trouble == "bo's file"
    disk.worked(part="bo")
    assert disk.trouble is None


def test_trouble_that_nobody_met_again_for_long_is_no_reason_to_stay_away(all_of_them, clock):
    model = all_of_them.get("model_chat")
    model.failed("no credit left")
    clock.advance(timedelta(seconds=100))
    assert model.trouble == "no credit left"
    model.failed("no credit left")
    clock.advance(timedelta(seconds=100))
    assert model.trouble == "no credit left"
    clock.advance(timedelta(seconds=21))
    assert model.trouble is None


def test_trouble_that_nobody_met_again_for_long_hides_no_later_outage_and_no_end_of_one(all_of_them, clock):
    """Broken: after a mind whose files failed was not used any more, no outage was logged, nor its end."""
    disk, woken = all_of_them.get("disk"), []
    all_of_them.on_recovery(lambda: woken.append("up"))
    disk.failed("ada's file", part="ada")
    clock.advance(timedelta(seconds=121))

    with capture_logs() as logs:
        disk.failed("ada's file", part="ada")  # still the same outage
        clock.advance(timedelta(seconds=121))
        disk.failed("full")
        disk.worked()

    assert [(one["event"], one.get("reason")) for one in logs] == [
        ("dependency.failed", "full"),
        ("dependency.recovered", None),
    ]
    assert woken == ["up"]


def test_an_outage_ends_in_the_log_although_a_mind_that_met_it_is_not_used_any_more(all_of_them, clock):
    """Broken: the end waits for that mind, and so do all that wait for the disk."""
    disk, woken = all_of_them.get("disk"), []
    all_of_them.on_recovery(lambda: woken.append("up"))
    with capture_logs() as logs:
        disk.failed("full", part="transcript")
        disk.failed("ada's file", part="ada")
        disk.worked(part="transcript")
        clock.advance(timedelta(seconds=121))
        for _ in range(2):
            disk.worked(part="transcript")

    assert [one["event"] for one in logs] == ["dependency.failed", "dependency.recovered"]
    assert woken == ["up"]


def test_an_outage_is_as_long_as_all_its_trouble_together(all_of_them, clock):
    """Broken: it is counted from where its last trouble began."""
    disk = all_of_them.get("disk")
    disk.failed("full", part="transcript")
    disk.failed("ada's file", part="ada")
    disk.worked(part="transcript")
    clock.advance(timedelta(seconds=100))
    disk.failed("full", part="story")
    clock.advance(timedelta(seconds=100))

    with capture_logs() as logs:
        disk.worked(part="story")

    assert [(one["event"], one["seconds"]) for one in logs] == [("dependency.recovered", 200.0)]


def test_one_shard_that_is_away_is_not_the_whole_and_all_of_them_are(all_of_them):
    graph, woken = all_of_them.get("graph"), []
    all_of_them.on_recovery(lambda: woken.append("up"))
    graph.split(["slots 0-9", "slots 10-19"])
    first, second = graph.shards.values()

    first.failed("nobody there")
    assert (graph.trouble, first.trouble) == (None, "nobody there")
    second.failed("nobody here")
    assert graph.trouble == "nobody there"
    first.worked()
    assert (graph.trouble, woken) == (None, ["up"])


def test_shards_are_listed_behind_their_dependency_and_stay_while_they_keep_their_name(all_of_them):
    graph, _ = all_of_them.get("graph"), all_of_them.get("disk")
    graph.split(["slots 0-9", "slots 10-19"])
    graph.shards["slots 0-9"].failed("nobody there")

    graph.split(["slots 0-9", "slots 10-15"])

    found = {name: one.trouble for name, one in all_of_them.with_shards.items()}
    assert found == {"graph": None, "graph slots 0-9": "nobody there", "graph slots 10-15": None, "disk": None}
    assert list(found) == ["graph", "graph slots 0-9", "graph slots 10-15", "disk"]


def test_the_reason_is_the_last_one_also_where_an_earlier_one_stays(all_of_them, clock):
    """Broken: what a person has to mend hid all that was met afterwards."""
    model = all_of_them.get("model_chat")
    model.failed("no key", part="configuration", stays=True)
    clock.advance(timedelta(seconds=1))
    model.failed("it failed")
    assert model.trouble == "it failed"
    clock.advance(timedelta(seconds=200))
    assert model.trouble == "no key"
