"""
A scripted OpenTelemetry collector: OTLP over HTTP on loopback, that keeps what it is sent and answers as it is told.

    with ScriptedCollector() as collector:
        ...  # collector.url is the endpoint; collector.spans holds every span, in order of arrival
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.support.waiting import GIVE_UP, until


@dataclass(frozen=True)
class Span:
    """A span as it came over the wire; ids in hexadecimal, attributes as plain values."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    links: tuple[str, ...]
    is_error: bool
    message: str
    events: int
    attributes: dict
    resource: dict


class ScriptedCollector:
    """The server; use as a context manager. ``status`` is what it answers; ``hangs`` lets callers wait."""

    def __init__(self):
        self.paths, self.bodies, self.headers = [], [], []
        self.status, self.hangs = 200, False
        self._over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.collector = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self):
        """The endpoint, as OTEL_EXPORTER_OTLP_ENDPOINT has it."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def spans(self):
        """Every span that was taken."""
        return [span for body in list(self.bodies) for span in _spans(body)]

    def named(self, name):
        """The spans of one name."""
        return [span for span in self.spans if span.name == name]

    def until(self, is_so, *, seconds=GIVE_UP):
        """Wait until *is_so* of the spans, and return them."""
        until(lambda: is_so(self.spans), said=lambda: [span.name for span in self.spans], seconds=seconds)
        return self.spans

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        collector = self.server.collector
        body = self.rfile.read(int(self.headers["Content-Length"]))
        collector.paths.append(self.path)
        collector.headers.append(dict(self.headers))
        if collector.hangs:
            collector._over.wait()
            self.close_connection = True
            return
        if collector.status == 200 and self.path == "/v1/traces":
            collector.bodies.append(body)
        self.send_response(collector.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def _spans(body):
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        own = _plain(resource.resource.attributes)
        for span in (span for scope in resource.scope_spans for span in scope.spans):
            yield Span(
                span.name,
                span.trace_id.hex(),
                span.span_id.hex(),
                span.parent_span_id.hex(),
                tuple(link.trace_id.hex() for link in span.links),
                span.status.code == 2,
                span.status.message,
                len(span.events),
                _plain(span.attributes),
                own,
            )


def _plain(attributes):
    return {one.key: _value(one.value) for one in attributes}


def _value(value):
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    return getattr(value, kind) if kind else None
