"""Webhooks are posted to receivers that are allowed, and to no address that no receiver has."""

import asyncio

import pytest

from service.adapters.webhook_poster import HttpWebhookPoster
from service.ports.webhooks import NotPosted

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("169.254.169.254", {"169.254.169.254"}),  # where clouds keep their secrets
        ("0.0.0.0", {"0.0.0.0"}),
        ("224.0.0.1", {"224.0.0.1"}),
        ("[fe80::1]", {"fe80::1"}),
        ("10.0.0.1", set()),
    ],
)
async def test_addresses_that_no_receiver_has_are_never_asked(host, allowed):
    poster = HttpWebhookPoster(timeout_seconds=5, allowed_hosts=frozenset(allowed))

    with pytest.raises(NotPosted, match="no webhook may be posted to|not allowed"):
        await poster.post(f"http://{host}:9/", body=b"{}", headers={})


async def test_a_name_that_leads_to_this_machine_is_not_asked(monkeypatch):
    async def to_loopback(*_, **__):
        return [(2, 1, 6, "", ("127.0.0.1", 9))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", to_loopback)
    poster = HttpWebhookPoster(timeout_seconds=5, allowed_hosts=frozenset({"hooks.example.com"}))

    with pytest.raises(NotPosted, match="no webhook may be posted to"):
        await poster.post("http://hooks.example.com:9/", body=b"{}", headers={})
