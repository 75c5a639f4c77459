"""Spans, of which the trace of a turn is made: the port, and what takes its place while there is no collector."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

type Attribute = str | int | float | bool | Sequence[str] | None


class Annotate(Protocol):
    """Adds attributes to a span that is open; None is ignored."""

    def __call__(self, **attributes: Attribute) -> None: ...


class Spans(Protocol):
    """
    Opens spans. Their attributes are ids, counts and outcomes, and never a person's words.

    A block that raises marks its span with the type of the error, and not with its message.
    """

    def inside(self, name: str, /, **attributes: Attribute) -> AbstractContextManager[Annotate]:
        """Open a span within the current one."""
        ...

    def apart(
        self, name: str, /, *, after: Iterable[str] = (), **attributes: Attribute
    ) -> AbstractContextManager[Annotate]:
        """Open a span that begins a trace of its own, linked to the spans that were marked as any of *after*."""
        ...

    def served(self, headers: Iterable[tuple[bytes, bytes]]) -> AbstractContextManager[Served]:
        """Open the span of a request, within the trace of its caller where *headers* name one."""
        ...

    def mark(self, key: str) -> None:
        """Mark the current span as *key*, so that later spans can be linked to it."""
        ...


class Served(Protocol):
    """Names the span of a request, once its route is known."""

    def __call__(self, *, method: str, route: str, status: int | None) -> None: ...


class NoopSpans:
    """Spans while no collector is configured: none are made or sent, and nothing is imported."""

    def inside(self, _name: str, /, **_attributes: Attribute) -> AbstractContextManager[Annotate]:
        """Do nothing."""
        return _NO_SPAN

    def apart(
        self, _name: str, /, *, after: Iterable[str] = (), **_attributes: Attribute
    ) -> AbstractContextManager[Annotate]:
        """Do nothing."""
        del after
        return _NO_SPAN

    def served(self, _headers: Iterable[tuple[bytes, bytes]]) -> AbstractContextManager[Served]:
        """Do nothing."""
        return _NO_REQUEST

    def mark(self, key: str) -> None:
        """Do nothing."""


def _ignore_attributes(**_attributes: Attribute) -> None: ...


def _ignore_route(*, method: str, route: str, status: int | None) -> None:
    del method, route, status


_NO_SPAN: AbstractContextManager[Annotate] = nullcontext(_ignore_attributes)
_NO_REQUEST: AbstractContextManager[Served] = nullcontext(_ignore_route)
