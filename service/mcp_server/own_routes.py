"""The application's own routes, asked from inside as the caller who asks it: keys, limits and problems hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

from service.mcp_server.asking import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Receive, Scope, Send

    from service.mcp_server.asking import Answer

_SHOWN = (b"authorization", b"origin")  # of a caller, besides its address, to the doorkeeper


class OwnRoutes:
    """Asks the application that serves *scope*, with the address, the name and the key that came with it."""

    def __init__(self, scope: Scope) -> None:
        """Bind to one request."""
        self._app = scope["app"]
        self._state = {name: value for name, value in scope["state"].items() if name != "caller"}
        self._client = scope.get("client")
        given = {name: value for name, value in scope["headers"] if name in _SHOWN}
        host = next((value for name, value in scope["headers"] if name == b"host"), b"memory")
        self._headers = [(b"host", host), *given.items()]

    async def ask(
        self, method: str, path: str, *, params: Mapping[str, object] | None = None, json: object = None
    ) -> Answer:
        """What the route answers. Raises Refused."""
        transport = httpx.ASGITransport(self._with_state, raise_app_exceptions=False, client=self._client)  # type: ignore[arg-type] # None for a Unix socket
        async with httpx.AsyncClient(
            transport=transport,
            base_url="http://memory",
            headers=self._headers,
            trust_env=False,
            timeout=None,  # noqa: S113 - nothing lies between
        ) as http:
            answer = await http.request(method, path, params=params, json=json)  # type: ignore[arg-type] # plain values
        said: Answer = answer.json()
        if answer.is_success:
            return said
        raise Refused(answer.status_code, said, retry_after=answer.headers.get("Retry-After", ""))

    async def _with_state(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, "state": dict(self._state)}, receive, send)
