"""How events are told: names and fields, in colours for a person or as JSON for a machine; no words, no secrets."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog

from service.hiding import Hiding

if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from types import TracebackType

_OTHERS = ("uvicorn", "uvicorn.error", "uvicorn.access")  # have handlers of their own where uvicorn was asked to


def ensure_logs(*, level: str, as_json: bool, secrets: tuple[str, ...] = ()) -> None:
    """Set up structlog where no entry point has: its own defaults would show local variables, people's words."""
    if not structlog.is_configured():
        configure_logs(level=level, as_json=as_json, secrets=secrets)


def configure_logs(*, level: str, as_json: bool, secrets: tuple[str, ...] = ()) -> None:
    """
    Set up all that is logged, once, by an entry point; *secrets* are hidden beside all that looks like one.

    Tracebacks show no local variables: those are people's words.
    """
    numbers = logging.getLevelNamesMapping()
    hiding = Hiding(secrets)
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
            structlog.processors.format_exc_info,
            _HidingEvents(hiding),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(numbers[level]),
        logger_factory=lambda *_: _Teller(sys.stderr),
    )
    logging.basicConfig(level=max(numbers[level], logging.WARNING), stream=sys.stderr, format="%(message)s")
    for name in ("httpx", "httpcore", "openai"):  # they log whole addresses, keys and all
        logging.getLogger(name).setLevel(logging.WARNING)
    _hide_in_handlers(_HidingRecords(hiding))
    _hide_in_last_words(_LastWords(hiding))


class _HidingEvents:
    """A processor: no field of an event and no traceback shows a secret."""

    def __init__(self, hiding: Hiding) -> None:
        self._hiding = hiding

    def __call__(self, _logger: object, _name: str, event: MutableMapping[str, object]) -> dict[str, object]:
        return {key: self._hiding.value(value) for key, value in event.items()}


class _HidingRecords(logging.Filter):
    """The same for what others log: the message is put together here, its traceback too."""

    def __init__(self, hiding: Hiding) -> None:
        super().__init__()
        self._hiding = hiding

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            message = record.getMessage()
        except (TypeError, ValueError, KeyError):  # words and arguments that do not fit
            message = f"{record.msg} {record.args}"
        record.msg, record.args = self._hiding.text(message), ()
        if record.exc_info:
            record.exc_text = "".join(traceback.format_exception(*record.exc_info)).rstrip("\n")
            record.exc_info = None
        record.exc_text = self._hiding.text(record.exc_text) if record.exc_text else None
        record.stack_info = self._hiding.text(record.stack_info) if record.stack_info else None
        return True


def _hide_in_handlers(hiding: _HidingRecords) -> None:
    for logger in (logging.getLogger(), *(logging.getLogger(name) for name in _OTHERS)):
        for handler in logger.handlers:
            for known in tuple(handler.filters):
                if isinstance(known, _HidingRecords):
                    handler.removeFilter(known)
            handler.addFilter(hiding)


class _LastWords:
    """Says what nobody caught, as Python itself would."""

    def __init__(self, hiding: Hiding) -> None:
        self._hiding = hiding

    def __call__(self, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
        with suppress(OSError):
            sys.stderr.write(self._hiding.text("".join(traceback.format_exception(kind, error, trace))))

    def of_thread(self, words: threading.ExceptHookArgs) -> None:
        self(words.exc_type, words.exc_value, words.exc_traceback)


def _hide_in_last_words(last: _LastWords) -> None:
    sys.excepthook = last
    current = threading.excepthook
    if current is threading.__excepthook__ or isinstance(getattr(current, "__self__", None), _LastWords):
        threading.excepthook = last.of_thread  # somebody else's, a test runner's, stays


class _Teller(structlog.PrintLogger):
    """Prints what its disk or pipe takes: an event that can not be told must not stop who tells it."""

    def msg(self, message: str) -> None:
        with suppress(OSError):
            super().msg(message)

    log = debug = info = warn = warning = fatal = failure = err = error = critical = exception = msg
