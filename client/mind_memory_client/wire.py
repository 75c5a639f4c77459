"""A call as httpx sends it, and what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx

from mind_memory_client.attempts import Broken
from mind_memory_client.faults import Reply
from mind_memory_client.surroundings import variable

if TYPE_CHECKING:
    from mind_memory_client.attempts import Try

_HERE = "http://127.0.0.1:8001"
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class Address:
    """Where the service answers, and the key it asks for: as given, or as the environment says."""

    def __init__(self, url: str | None, key: str | None) -> None:
        """Refuse what can be no address, now and not in the middle of a chat."""
        found = url or variable("MIND_MEMORY_URL") or _HERE
        try:
            parsed = httpx.URL(found)
        except httpx.InvalidURL as error:
            raise ValueError(f"{found!r} is no address of a service: {error}") from error
        if parsed.scheme not in {"http", "https"} or not parsed.host:
            raise ValueError(f"{found!r} is no address of a service, like {_HERE}")
        self.url = found.rstrip("/")
        key = key or variable("MIND_MEMORY_KEY")
        if key is not None and not (key.isascii() and key.isprintable() and key.strip() == key):
            raise ValueError("that is no key: it holds what no header can")
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    def request(self, step: Try[Any]) -> dict[str, Any]:
        """What httpx takes to build a request."""
        call = step.call
        found: dict[str, Any] = {
            "method": call.method,
            "url": self.url + call.path,
            "headers": {"Accept": "application/json", **self._headers, **call.headers},
            "timeout": step.seconds,
        }
        if call.query:
            found["params"] = list(call.query)
        if call.body is not None:
            found["json"] = call.body
        return found


def reply_of(response: httpx.Response, content: bytes) -> Reply:
    """What we look at."""
    return Reply(response.status_code, {name.lower(): value for name, value in response.headers.items()}, content)


def broken(error: Exception) -> Broken:
    """What became of a request without an answer."""
    return Broken(error, was_sent=not isinstance(error, _UNSENT))
