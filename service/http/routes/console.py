"""
The console: a page for people, built from `console/`. The same bytes for everybody; what it shows comes from `/v1`.

Memories are untrusted text. The policy makes it impossible, not unlikely, that one of them runs or styles anything.
"""

import re
from functools import cache
from pathlib import Path

import anyio.to_thread
from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from consolidation.kernel.errors import NotFound

PAGE = "/console/"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_BUILT = Path(__file__).parents[2] / "console" / "static"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".txt": "text/plain", ".map": "application/json"}
_ASSET = re.compile(r"[\w.-]{1,100}")
_NOT_BUILT = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Mind Memory</title><link rel="icon" href="data:,"></head>
<body><h1>The console is not built</h1>
<p>The service works. Run <code>make console</code>, which needs npm or fetches it, and load this page anew.
Until then <a href="../docs">/docs</a> shows the same calls.</p></body>
</html>
"""

_READING = ["GET", "HEAD"]  # monitors ask for HEAD; the server leaves the body out

router = APIRouter(include_in_schema=False)


@router.api_route("/", methods=_READING)
@router.api_route("/console", methods=_READING)
async def lead() -> Response:
    """To the page: whoever opens the address that the service printed."""
    return RedirectResponse("console/")


@router.api_route(PAGE, methods=_READING)
async def page() -> Response:
    """The page."""
    index = _BUILT / "index.html"
    found = await anyio.to_thread.run_sync(lambda: index.read_bytes() if index.is_file() else _NOT_BUILT.encode())
    return _answer(found, "text/html", "no-cache")


@router.api_route(PAGE + "assets/{name}", methods=_READING)
async def asset(name: str) -> Response:
    """A script or style sheet, whose name holds its hash. Raises NotFound."""
    found = await anyio.to_thread.run_sync(_asset, name)
    return _answer(found, _TYPES[Path(name).suffix], "public, max-age=31536000, immutable")


def _answer(content: bytes, media_type: str, caching: str) -> Response:
    headers = {
        "Content-Security-Policy": _POLICY,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": caching,
    }
    return Response(content, media_type=media_type, headers=headers)


@cache
def _asset(name: str) -> bytes:
    """Raises NotFound."""
    file = _BUILT / "assets" / name
    if _ASSET.fullmatch(name) is None or file.suffix not in _TYPES or not file.is_file():
        raise NotFound("Not Found")
    return file.read_bytes()
