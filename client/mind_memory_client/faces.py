"""How a call that is described once becomes a method of both clients, with its own parameters and answer."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from mind_memory_client.call import Call
from mind_memory_client.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager, AbstractContextManager

    from mind_memory_client.client import AsyncMemoryClient, MemoryClient

P = ParamSpec("P")
T = TypeVar("T")


class _Face(Generic[P, T]):
    """A method whose words are those of *described*."""

    def __init__(self, described: Callable[P, T]) -> None:
        """Take its parameters and its documentation."""
        self.described = described
        self.__doc__ = described.__doc__

    def _bound(self, act: Callable[[T], Any]) -> Callable[P, Any]:
        @functools.wraps(self.described)
        def method(*args: P.args, **kwargs: P.kwargs) -> Any:  # noqa: ANN401 - what *act* returns
            return act(self.described(*args, **kwargs))

        return method


class Blocking(_Face[P, Call[T]], Generic[P, T]):
    """A method that sends a call and returns its answer."""

    @overload
    def __get__(self, client: None, owner: type) -> Blocking[P, T]: ...
    @overload
    def __get__(self, client: MemoryClient, owner: type) -> Callable[P, T]: ...
    def __get__(self, client: MemoryClient | None, owner: type) -> Blocking[P, T] | Callable[P, T]:
        """Bind to *client*."""
        return self if client is None else self._bound(client.send)


class Awaited(_Face[P, Call[T]], Generic[P, T]):
    """A method that sends a call and is awaited."""

    @overload
    def __get__(self, client: None, owner: type) -> Awaited[P, T]: ...
    @overload
    def __get__(self, client: AsyncMemoryClient, owner: type) -> Callable[P, Awaitable[T]]: ...
    def __get__(self, client: AsyncMemoryClient | None, owner: type) -> Awaited[P, T] | Callable[P, Awaitable[T]]:
        """Bind to *client*."""
        return self if client is None else self._bound(client.send)


class Around(_Face[P, Turn], Generic[P]):
    """A method that is entered by ``with``."""

    @overload
    def __get__(self, client: None, owner: type) -> Around[P]: ...
    @overload
    def __get__(self, client: MemoryClient, owner: type) -> Callable[P, AbstractContextManager[Turn]]: ...
    def __get__(
        self, client: MemoryClient | None, owner: type
    ) -> Around[P] | Callable[P, AbstractContextManager[Turn]]:
        """Bind to *client*."""
        return self if client is None else self._bound(client.around)


class AroundAwaited(_Face[P, Turn], Generic[P]):
    """A method that is entered by ``async with``."""

    @overload
    def __get__(self, client: None, owner: type) -> AroundAwaited[P]: ...
    @overload
    def __get__(self, client: AsyncMemoryClient, owner: type) -> Callable[P, AbstractAsyncContextManager[Turn]]: ...
    def __get__(
        self, client: AsyncMemoryClient | None, owner: type
    ) -> AroundAwaited[P] | Callable[P, AbstractAsyncContextManager[Turn]]:
        """Bind to *client*."""
        return self if client is None else self._bound(client.around)
