"""
Answers an address that ends in a slash where no route does: its caller is sent to the address without it.

A call that deletes is not sent on. Browsers, curl and fetch take "turns/.." out of an address, so the address of a turn
called ".." becomes that of its mind with a slash: to follow it would erase the whole mind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Match

from consolidation.kernel.errors import NotFound
from service.http.problems import fault_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_API = "/v1/"


class SlashAtEnd:
    """ASGI middleware, next to the routes. An id that ends in a slash is left to its route."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        answer = self._app
        if scope["type"] == "http" and (address := _without_slash(scope)) is not None:
            if scope["method"] == "DELETE":
                told = f"there is no route {scope['path']}: to erase, leave out the slash at the end"
                answer = await fault_response(Request(scope), NotFound(told))
            else:
                query = scope["query_string"].decode("latin-1")
                answer = RedirectResponse(f"{quote(address)}{'?' if query else ''}{query}")
        await answer(scope, receive, send)


def _without_slash(scope: Scope) -> str | None:
    """The address without the slash at its end; None where it has none, or where it belongs to an id."""
    path, prefix = str(scope["path"]), str(scope.get("root_path", ""))
    if not path.endswith("/") or not path.removeprefix(prefix).startswith(_API) or _is_taken(scope):
        return None
    bare = path.rstrip("/")
    known = any(one.matches({**scope, "path": bare})[0] is not Match.NONE for one in scope["app"].routes)
    return bare if known else None


def _is_taken(scope: Scope) -> bool:
    """Whether a route answers the address as it is, with something for each id in it."""
    found = (one.matches(scope) for one in scope["app"].routes)
    return any(match is Match.FULL and all(child["path_params"].values()) for match, child in found)
