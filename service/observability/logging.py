"""
Sets up structured logs: event names with fields, for a person or as JSON, with nobody's words and no secrets.

What other libraries log, and what Python prints of an uncaught error, is redacted in the same way.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TextIO, cast

import structlog

from service.observability.log_stream import stream_of_stderr
from service.observability.redaction import Redactor

if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from types import TracebackType

_OTHERS = ("uvicorn", "uvicorn.error", "uvicorn.access")  # have handlers of their own where uvicorn was asked to


def configure_logs_once(*, level: str, as_json: bool, secrets: tuple[str, ...]) -> None:
    """
    Set up logs where no entry point has done so.

    structlog's own defaults would show local variables, which are people's words.
    """
    if not structlog.is_configured():
        configure_logs(level=level, as_json=as_json, secrets=secrets, serves=True)


def configure_logs(
    *, level: str, as_json: bool, secrets: tuple[str, ...] = (), has_colours: bool = True, serves: bool = False
) -> None:
    """
    Set up all logs of this process; an entry point calls it. *secrets* are hidden, and all that looks like a secret.
    With *has_colours* it has some where stderr is a terminal. A process that *serves* never waits for whoever
    reads its log.

    Tracebacks show no local variables: those are people's words.
    """
    numbers = logging.getLevelNamesMapping()
    redactor = Redactor(secrets)
    patient = stream_of_stderr() if serves else None
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(
            colors=has_colours and sys.stderr.isatty(),
            exception_formatter=structlog.dev.plain_traceback,
        )
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _RedactEvents(redactor),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(numbers[level]),
        logger_factory=lambda *_: _SafeLogger(cast("TextIO", patient or sys.stderr)),
    )
    logging.basicConfig(level=max(numbers[level], logging.WARNING), stream=patient or sys.stderr, format="%(message)s")
    if patient is not None:
        patient.on_lost = _tell_lost
    for name in ("httpx", "httpcore", "httpx2", "httpcore2", "openai"):  # they log whole addresses, keys and all
        logging.getLogger(name).setLevel(logging.WARNING)
    _redact_handlers(_RedactRecords(redactor))
    _format_records(as_json=as_json)
    _redact_uncaught(_UncaughtErrors(redactor))


class _RedactEvents:
    """A structlog processor: no field and no traceback shows a secret."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def __call__(self, _logger: object, _name: str, event: MutableMapping[str, object]) -> dict[str, object]:
        return {key: self._redactor.value(value) for key, value in event.items()}


class _RedactRecords(logging.Filter):
    """The same for records of other libraries. The message and its traceback are put together here."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            message = record.getMessage()
        except (TypeError, ValueError, KeyError):  # a message and arguments that do not fit each other
            message = f"{record.msg} {record.args}"
        record.msg, record.args = self._redactor.text(message), ()
        if record.exc_info:
            record.exc_text = "".join(traceback.format_exception(*record.exc_info)).rstrip("\n")
            record.exc_info = None
        record.exc_text = self._redactor.text(record.exc_text) if record.exc_text else None
        record.stack_info = self._redactor.text(record.stack_info) if record.stack_info else None
        return True


def _redact_handlers(redact: _RedactRecords) -> None:
    for logger in (logging.getLogger(), *(logging.getLogger(name) for name in _OTHERS)):
        for handler in logger.handlers:
            for known in tuple(handler.filters):
                if isinstance(known, _RedactRecords):
                    handler.removeFilter(known)
            handler.addFilter(redact)


def _format_records(*, as_json: bool) -> None:
    """Write what other libraries log as our own events are written. Handlers of somebody else stay as they are."""
    for handler in logging.getLogger().handlers:
        if type(handler) is logging.StreamHandler:
            handler.setFormatter(_JsonRecords() if as_json else logging.Formatter("%(message)s"))


class _JsonRecords(logging.Formatter):
    """One JSON object per record, its traceback inside it."""

    def format(self, record: logging.LogRecord) -> str:
        said = {"event": record.getMessage(), "level": record.levelname.lower(), "logger": record.name}
        if trace := "\n".join(filter(None, (record.exc_text, record.stack_info))):
            said["exception"] = trace
        said["timestamp"] = datetime.fromtimestamp(record.created, UTC).isoformat().replace("+00:00", "Z")
        return json.dumps(said)


class _UncaughtErrors:
    """Prints what nobody caught, as Python itself would."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def __call__(self, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
        with suppress(OSError):
            sys.stderr.write(self._redactor.text("".join(traceback.format_exception(kind, error, trace))))

    def in_thread(self, args: threading.ExceptHookArgs) -> None:
        self(args.exc_type, args.exc_value, args.exc_traceback)


def _redact_uncaught(hook: _UncaughtErrors) -> None:
    sys.excepthook = hook
    current = threading.excepthook
    if current is threading.__excepthook__ or isinstance(getattr(current, "__self__", None), _UncaughtErrors):
        threading.excepthook = hook.in_thread  # that of somebody else, such as a test runner, stays


def _tell_lost(lines: int) -> None:
    structlog.get_logger().warning("log.lines_lost", lines=lines)


class _SafeLogger(structlog.WriteLogger):
    """Writes what the disk or pipe takes. An event that can not be written must not stop the code that logs it."""

    def msg(self, message: str) -> None:
        with suppress(OSError):
            super().msg(message)

    log = debug = info = warn = warning = fatal = failure = err = error = critical = exception = msg
