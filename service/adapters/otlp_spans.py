"""
Spans over OpenTelemetry, sent to a collector by OTLP over HTTP, from a thread of their own. Imports its SDK.

The provider is ours and never the global one, so that what libraries report (queries, exceptions with their messages)
is not sent. A collector that does not answer is logged once, and costs the spans and nothing else.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING

import structlog
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Link, SpanKind, StatusCode, format_trace_id, get_current_span, use_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from structlog.contextvars import bound_contextvars

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace import Span, SpanContext

    from service.ports.spans import Annotate, Attribute, Served

log = structlog.get_logger()

_MARKS = 10_000  # turns that wait to be digested, and are linked to the calls that brought them
_CALLERS = frozenset({b"traceparent", b"tracestate"})
_TELLERS = ("opentelemetry.exporter.otlp.proto.http.trace_exporter", "opentelemetry.sdk._shared_internal")
_UNNAMED = "unknown_service"


class OtlpSpans:
    """Spans to a collector."""

    def __init__(self, endpoint: str, *, shown: str, version: str, counts: Counter[str]) -> None:
        """Send to *endpoint*, called *shown* in the log; how many went and were lost is added to *counts*."""
        self._exporter = _Telling(OTLPSpanExporter(endpoint), heard=_hear(), shown=shown, counts=counts)
        # Without its handler at exit, which would wait for a dead collector after everything else has ended.
        self._provider = TracerProvider(resource=_resource(version), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter))
        self._tracer = self._provider.get_tracer("mind-memory", version)
        self._propagator = TraceContextTextMapPropagator()
        self._marks: OrderedDict[str, SpanContext] = OrderedDict()

    @contextmanager
    def inside(self, name: str, /, **attributes: Attribute) -> Iterator[Annotate]:
        """A span within the one that is open here."""
        with _open(self._tracer.start_span(name)) as span:
            note = partial(_note, span)
            note(**attributes)
            yield note

    @contextmanager
    def apart(self, name: str, /, *, after: Iterable[str] = (), **attributes: Attribute) -> Iterator[Annotate]:
        """A span that begins a trace of its own, linked to the ones that were marked as any of *after*."""
        links = [Link(self._marks[key]) for key in after if key in self._marks]
        with _open(self._tracer.start_span(name, context=Context(), links=links)) as span, _in_logs(span):
            note = partial(_note, span)
            note(**attributes)
            yield note

    @contextmanager
    def served(self, headers: Iterable[tuple[bytes, bytes]]) -> Iterator[Served]:
        """The span of a request: within its caller's trace, where *headers* name one."""
        carrier = {name.decode(): value.decode("latin-1") for name, value in headers if name in _CALLERS}
        caller = self._propagator.extract(carrier)  # else what is open here: a door may ask another one
        span = self._tracer.start_span("request", context=caller, kind=SpanKind.SERVER)
        with _open(span), _in_logs(span):
            yield partial(_serve, span)

    def mark(self, key: str) -> None:
        """Remember the open span as *key*, for what will come of it later."""
        context = get_current_span().get_span_context()
        if context.is_valid:
            self._marks[key] = context
        while len(self._marks) > _MARKS:
            self._marks.popitem(last=False)

    def close(self, seconds: float) -> None:
        """Send what is left, within so many *seconds*; what can not be sent by then is lost. Blocking."""
        ending = threading.Thread(target=self._provider.shutdown, name="spans", daemon=True)
        ending.start()
        ending.join(seconds)
        if ending.is_alive():
            self._exporter.shutdown()  # it waits no more between two tries


class _Telling(SpanExporter):
    """Sends and counts spans, and logs once that the collector does not answer, and once that it does again."""

    def __init__(self, plain: SpanExporter, *, heard: _Heard, shown: str, counts: Counter[str]) -> None:
        self._plain = plain
        self._heard = heard
        self._shown = shown
        self._counts = counts
        self._lost = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._plain.export(spans)
        if result is SpanExportResult.SUCCESS:
            self._counts["exported"] += len(spans)
            if self._lost:
                log.warning("telemetry.reached", collector=self._shown, lost=self._lost)
            self._lost = 0
        else:
            self._counts["lost"] += len(spans)
            if not self._lost:
                log.warning("telemetry.unreachable", collector=self._shown, reason=self._heard.last)
            self._lost += len(spans)
        return result

    def shutdown(self) -> None:
        self._plain.shutdown()


class _Heard(logging.Filter):
    """Drops what the exporter logs at every try, in whole tracebacks; we log the reason once."""

    def __init__(self) -> None:
        super().__init__()
        self.last = ""

    def filter(self, record: logging.LogRecord) -> bool:
        self.last = record.getMessage()
        return False


def _hear() -> _Heard:
    heard = _Heard()
    for name in _TELLERS:
        logger = logging.getLogger(name)
        for known in [one for one in logger.filters if isinstance(one, _Heard)]:
            logger.removeFilter(known)
        logger.addFilter(heard)
    return heard


def _resource(version: str) -> Resource:
    """Who we are: by the standard variables, where they say so."""
    found = Resource.create({SERVICE_VERSION: version})
    is_named = not str(found.attributes[SERVICE_NAME]).startswith(_UNNAMED)
    return found if is_named else found.merge(Resource({SERVICE_NAME: "mind-memory"}))


@contextmanager
def _open(span: Span) -> Iterator[Span]:
    """Have *span* open; of an error that ends it, its type alone: what an error says may be somebody's words."""
    try:
        with use_span(span, record_exception=False, set_status_on_exception=False):
            yield span
    except BaseException as error:
        span.set_attribute("error.type", type(error).__name__)
        span.set_status(StatusCode.ERROR)
        raise
    finally:
        span.end()


def _in_logs(span: Span) -> AbstractContextManager[None]:
    """What is logged meanwhile names the trace, so that one is found from the other."""
    return bound_contextvars(otel_trace_id=format_trace_id(span.get_span_context().trace_id))


def _note(span: Span, **attributes: Attribute) -> None:
    span.set_attributes({f"mind_memory.{key}": value for key, value in attributes.items() if value is not None})


def _serve(span: Span, *, method: str, route: str, status: int | None) -> None:
    span.update_name(f"{method} {route}")
    span.set_attributes({"http.request.method": method, "http.route": route})
    if status is not None:
        span.set_attribute("http.response.status_code", status)
    if status is None or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        span.set_status(StatusCode.ERROR)
