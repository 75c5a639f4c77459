"""A command that asks too often waits as long as it is told, and no longer than a minute."""

import httpx
import pytest

from service.cli.client import MemoryClient
from service.cli.faults import Refused

pytestmark = pytest.mark.anyio


def client_of(*answers):
    """A client of a service that gives these answers: a Retry-After each, None for the minds."""
    left = list(answers)

    async def service(scope, receive, send):
        wait = left.pop(0)
        headers = [(b"retry-after", wait)] if wait is not None else []
        await send({"type": "http.response.start", "status": 200 if wait is None else 429, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"minds": [{"mind_id": "ada"}]}'})

    http = httpx.AsyncClient(transport=httpx.ASGITransport(app=service), base_url="http://localhost")
    return MemoryClient(http, place="here", is_own=False), left


async def test_it_asks_again_when_it_may():
    client, left = client_of(b"0", b"0", None)

    assert await client.minds() == ["ada"]
    assert left == []


@pytest.mark.parametrize("wait", [b"61", b"", b"soon", b"-1"])
async def test_it_does_not_wait_for_ever(wait):
    client, left = client_of(wait, None)

    with pytest.raises(Refused, match="asked too often"):
        await client.minds()
    assert left == [None]
