"""
Metrics in Prometheus's text format. The only module that imports prometheus_client.

Nothing is sent anywhere unless somebody requests it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.observability.histograms import Spread

if TYPE_CHECKING:
    from collections.abc import Iterable

    from prometheus_client.core import Metric

    from service.http.metrics import MetricSeries

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PREFIX = "mind_memory"


def exposition(all_series: Iterable[MetricSeries]) -> bytes:
    """*all_series* and the metrics of the process, in Prometheus's text format."""
    from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest

    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(_Collector(tuple(map(_family, all_series))))
    return generate_latest(registry)


class _Collector:
    """Gives prometheus_client families that are already made."""

    def __init__(self, families: tuple[Metric, ...]) -> None:
        self._families = families

    def collect(self) -> tuple[Metric, ...]:
        """All families."""
        return self._families


def _family(series: MetricSeries) -> Metric:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

    name = f"{_PREFIX}_{series.name}"
    if series.kind == "histogram":
        histogram = HistogramMetricFamily(name, series.about, labels=series.labels)
        for key, spread in series.values.items():
            assert isinstance(spread, Spread)  # noqa: S101 - of a histogram
            bounds = [*map(str, spread.bounds), "+Inf"]
            histogram.add_metric(key, list(zip(bounds, spread.up_to, strict=True)), spread.seconds)
        return histogram
    plain = CounterMetricFamily if series.kind == "counter" else GaugeMetricFamily
    family: CounterMetricFamily | GaugeMetricFamily = plain(name, series.about, labels=series.labels)
    for key, value in series.values.items():
        assert not isinstance(value, Spread)  # noqa: S101 - of a histogram alone
        family.add_metric(key, value)
    return family
