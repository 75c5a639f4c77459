"""
Puts a mind's id into the path of a request, in place of the name that the caller gave it.

It comes before access is decided, so that a key is checked for the mind that the route will open.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from consolidation.kernel.errors import InvalidMindId
from consolidation.workspace import mind_id_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

# In the raw path, since only that shows whether a slash parts two steps or belongs to a name.
_MIND = re.compile(r"(?P<minds>/v1/minds/)(?P<name>[^/]+)(?P<rest>(?:/.*)?)", re.DOTALL)


class MindPath:
    """ASGI middleware. A name that no mind can have stays one step of the path, and every route refuses it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on by the mind's id."""
        await self._app(_by_id(scope) if scope["type"] in {"http", "websocket"} else scope, receive, send)


def _by_id(scope: Scope) -> Scope:
    prefix = str(scope.get("root_path", ""))
    raw_path = (scope.get("raw_path") or quote(str(scope["path"])).encode()).decode("latin-1")
    found = _MIND.fullmatch(raw_path.removeprefix(prefix))
    if found is None:
        return scope
    path = f"{prefix}{found['minds']}{_id_of(unquote(found['name']))}{unquote(found['rest'])}"
    return {**scope, "path": path, "raw_path": quote(path).encode()}


def _id_of(name: str) -> str:
    try:
        return mind_id_of(name)
    except InvalidMindId:
        return quote(name, safe="")
