"""A client that goes before its body has ended: half a text takes nobody's place, and the log tells of no fault."""

import pytest

from tests.support.service import running

pytestmark = pytest.mark.anyio

WHOLE = "### [2026-01-09 18:30] Lyon\n\nMy mother lives in Lyon.\n"
MARKDOWN = "text/markdown"


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
async def service(anyio_backend, tmp_path_factory):
    async with running(tmp_path_factory.mktemp("home")) as found:
        assert (await found.keep("ada", "My mother lives in Lyon.")).status_code == 202
        yield found


async def cut(service, method, path, *, content_type, begun=b"", query=b"", headers=()):
    """What is sent to a client that sends *begun*, a part of its body, and goes; raises what the server would log."""
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "root_path": "",
        "headers": [
            (b"host", b"localhost"),
            (b"content-type", content_type.encode()),
            (b"transfer-encoding", b"chunked"),
            *headers,
        ],
        "client": ("127.0.0.1", 5),
        "server": ("localhost", 80),
    }
    came = iter([{"type": "http.request", "body": begun, "more_body": True}] if begun else [])
    sent = []

    async def receive():
        return next(came, {"type": "http.disconnect"})

    async def send(message):
        sent.append(message)

    await service.app(scope, receive, send)
    return sent


FILES = {
    "story": ("/v1/minds/ada/story", b""),
    "journal": ("/v1/minds/ada/journal/file", b"path=MEMORY.md"),
    "a person's file": ("/v1/minds/ada/files/SOUL.md", b""),
    "observations": ("/v1/minds/ada/observations", b""),
}


@pytest.mark.parametrize("begun", [b"### [2026-01-09 18:30] Lyon\n\nMy mother", b""], ids=["half", "nothing"])
@pytest.mark.parametrize(("path", "query"), FILES.values(), ids=FILES)
async def test_half_a_text_takes_the_place_of_nothing(service, path, query, begun):
    """Broken: a connection that breaks in the middle of a save leaves the half that came."""
    address = f"{path}?{query.decode()}" if query else path
    present = {"if-match": "*", "content-type": MARKDOWN}
    saved = await service.http.put(address, content=WHOLE, headers=present)
    assert saved.status_code == 200, saved.text

    sent = await cut(
        service, "PUT", path, content_type=MARKDOWN, begun=begun, query=query, headers=[(b"if-match", b"*")]
    )

    assert sent == []
    assert (await service.http.get(address)).json()["text"] == saved.json()["text"]


UPLOADS = {
    "chat": ("/v1/chat/completions", "application/json"),
    "archive": ("/v1/minds/eve/import", "application/zip"),
    "conversations": ("/v1/minds/eve/import/conversations", "application/octet-stream"),
}


@pytest.mark.parametrize(("path", "content_type"), UPLOADS.values(), ids=UPLOADS)
async def test_an_upload_that_is_cut_off_is_not_a_fault(service, path, content_type):
    """Broken: a traceback in the log for every client that goes."""
    await cut(service, "POST", path, content_type=content_type, begun=b"{")

    assert (await service.http.get("/v1/minds/eve")).status_code == 404
