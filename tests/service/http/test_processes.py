"""What several processes know, as one: counts are added, and trouble of one is trouble of all."""

from datetime import UTC, datetime, timedelta

from consolidation.kernel.ports import Role, Usage
from service.http.metrics import MetricSeries
from service.http.processes import DependencyState, ProcessState, merged_series, merged_states
from service.observability.histograms import Spread
from service.observability.model_usage import ModelCall

NOON = datetime(2026, 1, 9, 12, tzinfo=UTC)


def gauge(name, values, *labels):
    return MetricSeries(name, "about", "gauge", labels, values)


def counter(name, values, *labels):
    return MetricSeries(name, "about", "counter", labels, values)


def test_counts_and_histograms_are_added():
    spreads = [Spread((1.0, 2.0), (1, 2, 3), 4.5), Spread((1.0, 2.0), (0, 1, 1), 1.5)]
    found = [
        [counter("turns", {("a",): 1, ("b",): 2}, "outcome"), MetricSeries("t_seconds", "", "histogram", (), {(): one})]
        for one in spreads
    ]

    turns, times = merged_series([*found, [counter("turns", {("c",): 5}, "outcome")]])

    assert turns.values == {("a",): 2, ("b",): 4, ("c",): 5}
    assert times.values == {(): Spread((1.0, 2.0), (1, 3, 4), 6.0)}


def test_a_counter_and_a_histogram_of_one_name_stay_two():
    assert len(merged_series([[counter("resonance", {(): 1}), gauge("resonance", {(): 1})]] * 2)) == 2


def test_sums_of_minds_are_added_and_states_are_the_worst():
    def states(**of):
        return gauge(
            "breaker",
            {
                (name, state): int(state == is_in)
                for name, is_in in of.items()
                for state in ("closed", "half_open", "open")
            },
            "dependency",
            "state",
        )

    well = [gauge("minds", {(): 3}), gauge("dependency_up", {("graph",): 1}, "dependency"), states(graph="closed")]
    ill = [gauge("minds", {(): 4}), gauge("dependency_up", {("graph",): 0}, "dependency"), states(graph="half_open")]

    minds, up, breaker = merged_series([well, ill])

    assert minds.values == {(): 7}
    assert up.values == {("graph",): 0}
    assert breaker.values == {("graph", "closed"): 0, ("graph", "half_open"): 1, ("graph", "open"): 0}


def test_the_trouble_of_one_is_told_and_the_newest_calls_of_all():
    def state(trouble, breaker, *minutes):
        calls = tuple(
            ModelCall(Role.CHAT, "m", "h", NOON + timedelta(minutes=at), Usage(), "answered") for at in minutes
        )
        return ProcessState((DependencyState("graph", trouble, breaker),), calls, 2, {"used": 1})

    found = merged_states([state(None, "closed", 5, 1), state("down", "open", *range(30, 10, -1))])

    assert found.dependencies == (DependencyState("graph", "down", "open"),)
    assert [call.at.minute for call in found.model_calls] == list(range(30, 10, -1))
    assert found.surfaced == 4
    assert found.outcomes == {"used": 2}
