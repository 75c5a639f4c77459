"""Builds what spans go through, from settings: a collector's exporter, or nothing at all, which imports nothing."""

from __future__ import annotations

from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from service.collector import shown
from service.spans import Unheard

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import AsyncIterator

    from service.adapters.otlp_spans import OtlpSpans
    from service.settings import Settings
    from service.spans import Spans

_FLUSH_SECONDS = 2.0  # of the ten that container runtimes give


@asynccontextmanager
async def open_spans(settings: Settings, *, counts: Counter[str]) -> AsyncIterator[Spans]:
    """Spans to the configured collector, if there is one. Raises ConfigurationFault."""
    endpoint = settings.traces_endpoint
    if endpoint is None:
        yield Unheard()
        return
    spans = await anyio.to_thread.run_sync(_build, endpoint, counts)
    try:
        yield spans
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(spans.close, _FLUSH_SECONDS)


def _build(endpoint: str, counts: Counter[str]) -> OtlpSpans:
    from service.adapters.otlp_spans import OtlpSpans

    return OtlpSpans(endpoint, shown=shown(endpoint), version=version("mind-memory"), counts=counts)
