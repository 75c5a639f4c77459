"""Calls the application's own routes from inside, in the caller's name, so that keys, limits and problems apply."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx2

from service.mcp_server.api_client import ApiRefused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Receive, Scope, Send

    from service.mcp_server.api_client import Answer

_FORWARDED = (b"authorization", b"origin")  # what identifies a caller to the authenticator, besides the address


class AsgiClient:
    """Calls the application that serves *scope*, with the address, Host and key of the original request."""

    def __init__(self, scope: Scope) -> None:
        self._app = scope["app"]
        self._state = {name: value for name, value in scope["state"].items() if name != "caller"}
        self._client = scope.get("client")
        identifying = {name: value for name, value in scope["headers"] if name in _FORWARDED}
        host = next((value for name, value in scope["headers"] if name == b"host"), b"memory")
        self._headers = [(b"host", host), *identifying.items()]

    async def ask(
        self, method: str, path: str, *, params: Mapping[str, object] | None = None, json: object = None
    ) -> Answer:
        """The route's answer. Raises ApiRefused."""
        transport = httpx2.ASGITransport(self._with_state, raise_app_exceptions=False, client=self._client)  # type: ignore[arg-type] # None for a Unix socket
        async with httpx2.AsyncClient(
            transport=transport,
            base_url="http://memory",
            headers=self._headers,
            trust_env=False,
            timeout=None,
        ) as http:
            answer = await http.request(method, path, params=params, json=json)  # type: ignore[arg-type] # plain values
        body: Answer = answer.json()
        if answer.is_success:
            return body
        raise ApiRefused(answer.status_code, body, retry_after=answer.headers.get("Retry-After", ""))

    async def _with_state(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, "state": dict(self._state)}, receive, send)
