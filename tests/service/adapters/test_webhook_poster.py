"""Webhooks are posted to receivers that are allowed, and to no address that no receiver has."""

import asyncio
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from ipaddress import ip_address
from ssl import PROTOCOL_TLS_SERVER, SSLContext

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from service.adapters.webhook_poster import HttpWebhookPoster, is_refused
from service.ports.webhooks import NotPosted
from tests.support.fragments import NOON
from tests.support.free_ports import free_port
from tests.twins.webhook_receiver import receiving

pytestmark = pytest.mark.anyio
HEADERS = {"webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,of-nobody"}


def resolve(monkeypatch, *addresses):
    """Let every name have these addresses."""

    async def found(_host, port, **_):
        family = {False: socket.AF_INET, True: socket.AF_INET6}
        return [(family[":" in one], socket.SOCK_STREAM, 6, "", (one, port)) for one in addresses]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", found)


def has_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("169.254.169.254", {"169.254.169.254"}),  # where clouds keep their secrets
        ("0.0.0.0", {"0.0.0.0"}),
        ("224.0.0.1", {"224.0.0.1"}),
        ("[fe80::1]", {"fe80::1"}),
        ("[::]", {"::"}),
        ("[::ffff:169.254.169.254]", {"::ffff:169.254.169.254"}),
        ("[64:ff9b::a9fe:a9fe]", {"64:ff9b::a9fe:a9fe"}),  # the same, as a network without IPv4 writes it
        ("10.0.0.1", set()),
    ],
)
async def test_addresses_that_no_receiver_has_are_never_asked(host, allowed):
    poster = HttpWebhookPoster(timeout_seconds=5, allowed_hosts=frozenset(allowed))

    with pytest.raises(NotPosted, match="no webhook may be posted to|not allowed"):
        await poster.post(f"http://{host}:9/", body=b"{}", headers={})


async def test_a_name_that_leads_to_this_machine_is_not_asked(monkeypatch):
    resolve(monkeypatch, "127.0.0.1", "::1")
    poster = HttpWebhookPoster(timeout_seconds=5, allowed_hosts=frozenset({"hooks.example.com"}))

    with pytest.raises(NotPosted, match="no webhook may be posted to"):
        await poster.post("http://hooks.example.com:9/", body=b"{}", headers={})


@pytest.mark.parametrize("host", ["hooks..example.com", f"{'a' * 70}.example"])
async def test_a_name_that_can_not_be_looked_up_is_not_posted_to(host):
    poster = HttpWebhookPoster(timeout_seconds=5, allowed_hosts=frozenset({host}))

    with pytest.raises(NotPosted, match="no address"):
        await poster.post(f"http://{host}:9/", body=b"{}", headers={})


@needs_ipv6
@pytest.mark.parametrize("name", ["[::1]", "localhost"])
async def test_a_receiver_on_this_machine_may_listen_on_ipv6_alone(monkeypatch, name):
    resolve(monkeypatch, "::1")
    with receiving(family=socket.AF_INET6) as receiver:
        poster = HttpWebhookPoster(timeout_seconds=5, allowed_hosts=frozenset())

        await poster.post(f"http://{name}:{receiver.port}/", body=b"{}", headers=HEADERS)

    assert len(receiver.all) == 1


@pytest.mark.parametrize("first", ["127.0.0.2", "169.254.169.254"])
async def test_where_nobody_listens_at_one_address_the_next_is_asked(monkeypatch, first):
    """Broken: the first address alone is asked, or one that is refused stands for all."""
    resolve(monkeypatch, first, "127.0.0.1")
    with receiving() as receiver:
        poster = HttpWebhookPoster(timeout_seconds=5, allowed_hosts=frozenset())

        await poster.post(f"http://localhost:{receiver.port}/", body=b"{}", headers=HEADERS)

    assert len(receiver.all) == 1


async def test_a_name_at_none_of_whose_addresses_somebody_listens_is_not_posted_to(monkeypatch):
    resolve(monkeypatch, "127.0.0.2", "127.0.0.1")
    poster = HttpWebhookPoster(timeout_seconds=5, allowed_hosts=frozenset())

    with pytest.raises(NotPosted, match="nobody answered"):
        await poster.post(f"http://localhost:{free_port()}/", body=b"{}", headers={})


@pytest.mark.parametrize(
    ("receiver", "scheme", "reason"),
    [
        ("self-signed", "https", "certificate of the receiver is not trusted: self-signed certificate"),
        ("plain", "https", "does not speak TLS, which https needs: WRONG_VERSION_NUMBER"),
        ("silent", "https", "ended the connection while TLS was set up, which https needs: UNEXPECTED_EOF"),
        ("self-signed", "http", "broke off, or does not speak HTTP"),
    ],
)
async def test_a_receiver_that_is_there_is_not_said_to_be_away(tmp_path, receiver, scheme, reason):
    def answer(_reader, writer):
        if receiver != "silent":  # as a balancer that has nobody behind it
            writer.write(b"who is there?\r\n\r\n")
        writer.close()

    tls = self_signed(tmp_path) if receiver == "self-signed" else None
    poster = HttpWebhookPoster(timeout_seconds=5, allowed_hosts=frozenset())

    async with await asyncio.start_server(answer, "127.0.0.1", 0, ssl=tls) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(NotPosted, match=reason):
            await poster.post(f"{scheme}://127.0.0.1:{port}/", body=b"{}", headers=HEADERS)


def self_signed(folder):
    """What a server needs to speak TLS with a certificate that nobody vouches for."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hooks")])
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, NOON, NOON + timedelta(days=36_500))
    file = folder / "receiver.pem"
    keys = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(keys + made.sign(key, SHA256()).public_bytes(Encoding.PEM))
    context = SSLContext(PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


async def test_a_receiver_may_ask_for_a_pause_by_a_date():
    """Broken: only seconds are read."""
    poster = HttpWebhookPoster(timeout_seconds=5, allowed_hosts=frozenset())
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    with receiving() as receiver:
        receiver.script = [(503, {"Retry-After": until})]
        posted = await poster.post(receiver.url, body=b"{}", headers=HEADERS)

    assert posted.status == 503
    assert 60 < posted.retry_after <= 101


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800::1", "64:ff9b::5db8:d822", "10.0.0.7", "fd00::7"])
def test_what_a_receiver_elsewhere_may_have_is_asked(address):
    assert not is_refused(ip_address(address), "hooks.example.com")
