"""
The page `/docs`: the OpenAPI document in Swagger UI, all of it from here, under a policy that lets no other script in.

Without a key this page has the rights of the person who looks at it. So nothing that it runs may come from a CDN.
"""

import importlib.util
from functools import cache
from pathlib import Path

import anyio.to_thread
from fastapi import APIRouter
from starlette.responses import Response

from consolidation.kernel.errors import NotFound

PAGE, ASSETS = "/docs", "/docs/"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HTML = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Mind Memory</title><link rel="stylesheet" href="docs/swagger-ui.css"></head>
<body><div id="ui"></div><script src="docs/swagger-ui-bundle.js"></script><script src="docs/start.js"></script></body>
</html>
"""
_START = 'SwaggerUIBundle({url: "openapi.json", dom_id: "#ui", deepLinking: true});\n'
# Swagger UI in the version that litellm's package carries: the lock file pins it by its hash.
_SWAGGER = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css"}

router = APIRouter(include_in_schema=False)


@router.get(PAGE)
async def page() -> Response:
    """The page."""
    return _answer(_HTML.encode(), "text/html")


@router.get(ASSETS + "{name}")
async def asset(name: str) -> Response:
    """A script or style sheet of the page."""
    if name == "start.js":
        return _answer(_START.encode(), "text/javascript")
    if name not in _SWAGGER:
        raise NotFound("Not Found")
    return _answer(await anyio.to_thread.run_sync(_swagger, name), _SWAGGER[name])


def _answer(content: bytes, media_type: str) -> Response:
    headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-cache"}
    return Response(content, media_type=media_type, headers=headers)


@cache
def _swagger(name: str) -> bytes:
    """Raises NotFound."""
    found = importlib.util.find_spec("litellm")
    folders = found.submodule_search_locations if found is not None else None
    for folder in folders or ():
        file = Path(folder) / "proxy/swagger" / name
        if file.is_file():
            return file.read_bytes()
    raise NotFound("Swagger UI is not installed; the document itself is at /openapi.json")
