"""
What is counted and how things stand, as Prometheus reads it. The only module that knows prometheus_client.

Everything is told of the service as a whole: no label holds a mind, a session or anybody's words, and none of this
goes anywhere unless somebody asks.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from service.tally import BUCKETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from prometheus_client.core import Metric

    from service.dependency import Dependencies
    from service.minds import Mind
    from service.storytelling.runs import Storytelling
    from service.tally import Tally

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_LANES = ("indexing", "saving", "extracting")
_CURSORS = {"indexing": "indexed", "saving": "saved", "extracting": "extracted"}
_GATES = ("closed", "half_open", "open")


def exposition(*, tally: Tally, dependencies: Dependencies, minds: Sequence[Mind], storytelling: Storytelling) -> bytes:
    """All figures at this moment, in Prometheus's text format. Imports prometheus_client."""
    from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest

    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    told = (_counted(tally), _dependencies(dependencies), _digestion(minds), _stories(minds, storytelling))
    registry.register(_Told(tuple(family for families in told for family in families)))
    return generate_latest(registry)


class _Told:
    """Families that are ready."""

    def __init__(self, families: tuple[Metric, ...]) -> None:
        self._families = families

    def collect(self) -> tuple[Metric, ...]:
        """All of them."""
        return self._families


def _counted(tally: Tally) -> Iterator[Metric]:
    from prometheus_client.core import HistogramMetricFamily

    yield _counter("turns", "Posted turns by what became of them.", "outcome", tally.turns)
    yield _counter("resonance", "Pre-turn calls by outcome.", "outcome", tally.resonances)
    yield _counter("resonance_degraded", "Pre-turn calls that took a rung of the ladder.", "rung", tally.rungs)
    bounds = [*map(str, BUCKETS), "+Inf"]
    buckets = list(zip(bounds, accumulate(tally.buckets), strict=True))
    took = HistogramMetricFamily("mind_memory_resonance_seconds", "How long pre-turn calls took.")
    took.add_metric([], buckets, tally.seconds)
    yield took


def _dependencies(dependencies: Dependencies) -> Iterator[Metric]:
    up = {name: int(one.trouble is None) for name, one in dependencies.all.items()}
    yield _gauge("dependency_up", "1 where it works, as far as anybody knows.", ("dependency",), _keyed(up))
    gates: dict[tuple[str, ...], float] = {
        (name, gate): int(one.gate() == gate)
        for name, one in dependencies.all.items()
        if one.gate is not None
        for gate in _GATES
    }
    yield _gauge("breaker", "1 at the state its circuit breaker is in.", ("dependency", "state"), gates)


def _digestion(minds: Sequence[Mind]) -> Iterator[Metric]:
    lag = {
        lane: sum(one.transcript.positions.remembered_after(getattr(one.health, _CURSORS[lane])) for one in minds)
        for lane in _LANES
    }
    waiting = {lane: sum(getattr(one.health, lane) is not None for one in minds) for lane in _LANES}
    parked = sum(len(one.health.progress.parked) for one in minds if one.health.progress is not None)
    yield _gauge("minds", "Minds that are open.", (), {(): len(minds)})
    yield _gauge("lag_turns", "Turns that a lane has still before it, in all minds.", ("lane",), _keyed(lag))
    yield _gauge("waiting_minds", "Minds whose lane waits because something fails.", ("lane",), _keyed(waiting))
    yield _gauge("parked_turns", "Turns that no model could read.", (), {(): parked})


def _stories(minds: Sequence[Mind], storytelling: Storytelling) -> Iterator[Metric]:
    turns, tokens = (sum(pending) for pending in zip((0, 0), *map(storytelling.pending, minds), strict=True))
    runs = [run for one in minds if (run := storytelling.last_run(one)) is not None]
    yield _gauge("story_pending_turns", "Turns that wait to be told.", (), {(): turns})
    yield _gauge("story_pending_tokens", "Tokens that wait to be told.", (), {(): tokens})
    failed = sum(run.error is not None for run in runs)
    yield _gauge("story_failed_minds", "Minds whose last run stopped early.", (), {(): failed})


def _counter(name: str, about: str, label: str, counts: Mapping[str, int]) -> Metric:
    from prometheus_client.core import CounterMetricFamily

    family = CounterMetricFamily(f"mind_memory_{name}", about, labels=(label,))
    for key, count in counts.items():
        family.add_metric((key,), count)
    return family


def _gauge(name: str, about: str, labels: Sequence[str], values: Mapping[tuple[str, ...], float]) -> Metric:
    from prometheus_client.core import GaugeMetricFamily

    family = GaugeMetricFamily(f"mind_memory_{name}", about, labels=labels)
    for key, value in values.items():
        family.add_metric(key, value)
    return family


def _keyed(values: Mapping[str, int]) -> dict[tuple[str, ...], float]:
    return {(key,): value for key, value in values.items()}
