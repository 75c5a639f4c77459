"""What a trace is made of, for those who want to follow a turn: a port, and what stands there while nobody listens."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

type Told = str | int | float | bool | Sequence[str] | None


class Note(Protocol):
    """Adds what became known while a span was open; None is passed over."""

    def __call__(self, **attributes: Told) -> None: ...


class Spans(Protocol):
    """
    Opens spans. What they tell are ids, counts and outcomes: never anybody's words, not even in an error.

    A block that raises marks its span with the error's type, and nothing of what it says.
    """

    def inside(self, name: str, /, **attributes: Told) -> AbstractContextManager[Note]:
        """A span within the one that is open here."""
        ...

    def apart(self, name: str, /, *, after: Iterable[str] = (), **attributes: Told) -> AbstractContextManager[Note]:
        """A span that begins a trace of its own, linked to the ones that were marked as any of *after*."""
        ...

    def served(self, headers: Iterable[tuple[bytes, bytes]]) -> AbstractContextManager[Served]:
        """The span of a request: within its caller's trace, where *headers* name one."""
        ...

    def mark(self, key: str) -> None:
        """Remember the open span as *key*, for what will come of it later."""
        ...


class Served(Protocol):
    """Names a request's span, once it is known what was asked."""

    def __call__(self, *, method: str, route: str, status: int | None) -> None: ...


class Unheard:
    """Spans while no collector is configured: nothing is made, nothing is sent, nothing is imported."""

    def inside(self, _name: str, /, **_attributes: Told) -> AbstractContextManager[Note]:
        """Nothing."""
        return _NOTHING

    def apart(self, _name: str, /, *, after: Iterable[str] = (), **_attributes: Told) -> AbstractContextManager[Note]:
        """Nothing, whatever it came *after*."""
        del after
        return _NOTHING

    def served(self, _headers: Iterable[tuple[bytes, bytes]]) -> AbstractContextManager[Served]:
        """Nothing."""
        return _NOTHING_SERVED

    def mark(self, key: str) -> None:
        """Nothing."""


def _untold(**_attributes: Told) -> None: ...


def _unserved(*, method: str, route: str, status: int | None) -> None:
    del method, route, status


_NOTHING: AbstractContextManager[Note] = nullcontext(_untold)
_NOTHING_SERVED: AbstractContextManager[Served] = nullcontext(_unserved)
