"""How events are told: names and fields, in colours for a person or as JSON for a machine; never anybody's words."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress

import structlog


def ensure_logs(*, level: str, as_json: bool) -> None:
    """Set up structlog where no entry point has: its own defaults would show local variables, people's words."""
    if not structlog.is_configured():
        configure_logs(level=level, as_json=as_json)


def configure_logs(*, level: str, as_json: bool) -> None:
    """Set up structlog once, by an entry point. Tracebacks show no local variables: those are people's words."""
    numbers = logging.getLevelNamesMapping()
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *([structlog.processors.format_exc_info] if as_json else []),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(numbers[level]),
        logger_factory=lambda *_: _Teller(sys.stderr),
    )
    logging.basicConfig(level=max(numbers[level], logging.WARNING), stream=sys.stderr, format="%(message)s")
    for name in ("httpx", "httpcore", "openai"):  # they log whole addresses, keys and all
        logging.getLogger(name).setLevel(logging.WARNING)


class _Teller(structlog.PrintLogger):
    """Prints what its disk or pipe takes: an event that can not be told must not stop who tells it."""

    def msg(self, message: str) -> None:
        with suppress(OSError):
            super().msg(message)

    log = debug = info = warn = warning = fatal = failure = err = error = critical = exception = msg
