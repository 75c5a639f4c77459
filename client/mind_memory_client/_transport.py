"""A call as an HTTP library sends it; and the only place where clock, ids and environment come in."""

from __future__ import annotations

import os
import random
import sys
import time
import uuid
from contextlib import aclosing, closing
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import anyio
import httpx2

from mind_memory_client._endpoints import Reply, is_download
from mind_memory_client._retry import Broken, Pause, RetryPolicy, Try, attempts
from mind_memory_client.errors import Unreachable

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator
    from types import ModuleType

    import httpx

    from mind_memory_client._endpoints import Call
    from mind_memory_client._retry import Result

T = TypeVar("T")

_DEFAULT_URL = "http://127.0.0.1:8001"
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_LIBRARIES = ("httpx2", "httpx")
_CONNECT_SECONDS = 10.0  # at most, of the time that a call has
_UNSENDABLE = (TypeError, ValueError, RecursionError)  # of what JSON and addresses can not hold


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(timezone.utc)


def monotonic() -> float:
    """Seconds from an arbitrary start, never going back."""
    return time.monotonic()


def new_id() -> str:
    """An id that nothing else has."""
    return uuid.uuid4().hex


def _jitter() -> float:
    return random.random()  # noqa: S311 - spreads retries; guards nothing


class Transport:
    """Sends calls, and blocks until they are answered."""

    def __init__(
        self, url: str | None, *, key: str | None, retry: RetryPolicy | None, http: httpx2.Client | httpx.Client | None
    ) -> None:
        self._address = _Address(url, key)
        self.policy = retry or RetryPolicy()
        self._is_own = http is None
        self._http: Any = http or httpx2.Client(**self._address.connection())
        self._library = _Library(self._http)

    def send(self, call: Call[T]) -> T:
        """Send *call* as often as the policy allows, and return its answer."""
        plan = attempts(call, policy=self.policy, clock=time.monotonic, jitter=_jitter)
        result: Result = None
        while True:
            try:
                step = plan.send(result)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return] # a generator's value
            result = self._take(step)

    def download(self, call: Call[Any]) -> Generator[bytes, None, None]:
        """The body of the answer, part by part. Raises Unreachable where it breaks off."""
        with closing(self.send(call)) as response:
            try:
                yield from response.iter_bytes()
            except self._library.errors as error:
                raise self._library.broken_off(error) from error

    def wait(self, seconds: float) -> None:
        """Return after *seconds*."""
        time.sleep(seconds)

    def websocket(self, path: str) -> tuple[str, dict[str, str]]:
        """The address of a WebSocket, and the headers that it wants."""
        return self._address.websocket(path)

    def close(self) -> None:
        """Close the connections, unless they are the caller's."""
        if self._is_own:
            self._http.close()

    def _take(self, step: Try[Any] | Pause) -> Result:
        if isinstance(step, Pause):
            self.wait(step.seconds)
            return None
        endpoint, until = step.call.endpoint, time.monotonic() + step.seconds
        try:
            try:
                request = self._http.build_request(**self._address.request(step))
            except _UNSENDABLE as error:
                return _unsendable(error)
            response = self._http.send(request, stream=True)
            if endpoint.is_download and _is_download(response):
                return _reply(response, b"")
            with closing(response):
                content = bytearray()
                for part in response.iter_bytes():
                    content += part
                    if time.monotonic() > until and not endpoint.is_upload:
                        raise TimeoutError("the answer did not end in time")
                return _reply(response, bytes(content))
        except self._library.failures as error:
            return self._library.broken(error)


class AsyncTransport:
    """Sends calls, and is awaited."""

    def __init__(
        self,
        url: str | None,
        *,
        key: str | None,
        retry: RetryPolicy | None,
        http: httpx2.AsyncClient | httpx.AsyncClient | None,
    ) -> None:
        self._address = _Address(url, key)
        self.policy = retry or RetryPolicy()
        self._is_own = http is None
        self._http: Any = http or httpx2.AsyncClient(**self._address.connection())
        self._library = _Library(self._http)

    async def send(self, call: Call[T]) -> T:
        """Send *call* as often as the policy allows, and return its answer."""
        plan = attempts(call, policy=self.policy, clock=time.monotonic, jitter=_jitter)
        result: Result = None
        while True:
            try:
                step = plan.send(result)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return] # a generator's value
            result = await self._take(step)

    async def download(self, call: Call[Any]) -> AsyncGenerator[bytes, None]:
        """The body of the answer, part by part. Raises Unreachable where it breaks off."""
        async with aclosing(await self.send(call)) as response:
            try:
                async for part in response.aiter_bytes():
                    yield part
            except self._library.errors as error:
                raise self._library.broken_off(error) from error

    async def wait(self, seconds: float) -> None:
        """Return after *seconds*."""
        await anyio.sleep(seconds)

    def websocket(self, path: str) -> tuple[str, dict[str, str]]:
        """The address of a WebSocket, and the headers that it wants."""
        return self._address.websocket(path)

    async def aclose(self) -> None:
        """Close the connections, unless they are the caller's."""
        if self._is_own:
            await self._http.aclose()

    async def _take(self, step: Try[Any] | Pause) -> Result:
        if isinstance(step, Pause):
            await self.wait(step.seconds)
            return None
        endpoint = step.call.endpoint
        try:
            with anyio.fail_after(None if endpoint.is_upload else step.seconds):
                try:
                    request = self._http.build_request(**self._address.request(step))
                except _UNSENDABLE as error:
                    return _unsendable(error)
                response = await self._http.send(request, stream=True)
                if endpoint.is_download and _is_download(response):
                    return _reply(response, b"")
                async with aclosing(response):
                    return _reply(response, await response.aread())
        except self._library.failures as error:
            return self._library.broken(error)


class _Address:
    """Where the service answers, and the key it wants: as given, or as the environment says."""

    def __init__(self, url: str | None, key: str | None) -> None:
        """Raises ValueError now, and not in the middle of a chat."""
        found = url or os.environ.get("MIND_MEMORY_URL") or _DEFAULT_URL
        try:
            parts = urlsplit(found)
            is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError as error:
            raise ValueError(f"{found!r} is not the address of a service: {error}") from error
        if not is_address:
            raise ValueError(f"{found!r} is not the address of a service, such as {_DEFAULT_URL}")
        self._url = found.rstrip("/")
        self._scheme, self._is_local = parts.scheme, parts.hostname in _LOOPBACK
        key = key or os.environ.get("MIND_MEMORY_KEY") or None
        if key is not None and not (key.isascii() and key.isprintable() and key.strip() == key):
            raise ValueError("the key holds characters that no HTTP header can")
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    def connection(self) -> dict[str, Any]:
        """
        What ``httpx2.Client`` takes to connect there.

        No proxy of the environment stands between this machine and itself. Without TLS no certificates are read, which
        takes as long as some calls; redirects are not followed.
        """
        return {"trust_env": not self._is_local, "verify": self._scheme == "https"}

    def websocket(self, path: str) -> tuple[str, dict[str, str]]:
        """Where a WebSocket is, and as whom to connect."""
        return f"ws{self._url.removeprefix('http')}{path}", dict(self._headers)

    def request(self, step: Try[Any]) -> dict[str, Any]:
        """What an HTTP library takes to build a request."""
        call = step.call
        connect = min(step.seconds, _CONNECT_SECONDS)
        found: dict[str, Any] = {
            "method": call.endpoint.method,
            "url": self._url + call.path,
            "headers": {**self._headers, **call.headers},
            "timeout": (connect, step.seconds, step.seconds, connect),  # connect, read, write, wait for a connection
        }
        if call.query:
            found["params"] = list(call.query)
        if call.body is not None:
            found["json"] = call.body
        if call.content is not None:
            found["content"] = call.content
        return found


class _Library:
    """httpx2 or httpx, whichever *http* comes from: their errors have the same names, but no class in common."""

    def __init__(self, http: object) -> None:
        """Raises TypeError where *http* comes from neither."""
        roots = (kind.__module__.partition(".")[0] for kind in type(http).__mro__)
        root = next((one for one in roots if one in _LIBRARIES), None)
        if root is None:
            raise TypeError(f"http must be a client of httpx2 or httpx, not {type(http).__name__}")
        library: ModuleType = sys.modules[root]
        self.errors: tuple[type[Exception], ...] = (library.HTTPError, library.InvalidURL)
        self.failures: tuple[type[Exception], ...] = (TimeoutError, *self.errors)
        self._unsent = (library.ConnectError, library.ConnectTimeout, library.PoolTimeout, library.InvalidURL)
        self._timeouts = (TimeoutError, library.TimeoutException)

    def broken(self, error: Exception) -> Broken:
        """What became of a request that has no answer."""
        was_sent = not isinstance(error, self._unsent)
        return Broken(error, was_sent=was_sent, is_timeout=isinstance(error, self._timeouts))

    def broken_off(self, error: Exception) -> Unreachable:
        """The error for an answer that began and did not end."""
        return Unreachable(f"the answer broke off: {str(error) or type(error).__name__}", was_sent=True)


def _unsendable(error: Exception) -> Broken:
    return Broken(error, was_sent=False, is_unsendable=True)


def _is_download(response: Any) -> bool:  # noqa: ANN401 - the response of either library
    return bool(response.is_success) and is_download(response.headers)


def _reply(response: Any, content: bytes) -> Reply:  # noqa: ANN401 - the response of either library
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(response.status_code, headers, content, response)
