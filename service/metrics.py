"""
Figures as Prometheus reads them. The only module that knows prometheus_client.

None of this goes anywhere unless somebody asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.durations import Spread

if TYPE_CHECKING:
    from collections.abc import Iterable

    from prometheus_client.core import Metric

    from service.figures import Figure

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PREFIX = "mind_memory"


def exposition(figures: Iterable[Figure]) -> bytes:
    """*figures*, and the process's own, in Prometheus's text format. Imports prometheus_client."""
    from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest

    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(_Told(tuple(map(_family, figures))))
    return generate_latest(registry)


class _Told:
    """Families that are ready."""

    def __init__(self, families: tuple[Metric, ...]) -> None:
        self._families = families

    def collect(self) -> tuple[Metric, ...]:
        """All of them."""
        return self._families


def _family(figure: Figure) -> Metric:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

    name = f"{_PREFIX}_{figure.name}"
    if figure.kind == "histogram":
        histogram = HistogramMetricFamily(name, figure.about, labels=figure.labels)
        for key, spread in figure.values.items():
            assert isinstance(spread, Spread)  # noqa: S101 - of a histogram
            bounds = [*map(str, spread.bounds), "+Inf"]
            histogram.add_metric(key, list(zip(bounds, spread.up_to, strict=True)), spread.seconds)
        return histogram
    plain = CounterMetricFamily if figure.kind == "counter" else GaugeMetricFamily
    family: CounterMetricFamily | GaugeMetricFamily = plain(name, figure.about, labels=figure.labels)
    for key, value in figure.values.items():
        assert not isinstance(value, Spread)  # noqa: S101 - of a histogram alone
        family.add_metric(key, value)
    return family
