"""The receiver that docs/webhooks.md prints: it takes what is signed, and answers 401 to anything else."""

import http.client
import json
import socket
import subprocess
import sys
import time
from contextlib import closing

import pytest

from service.webhooks.endpoint import signed_headers
from tests.support.doc_blocks import blocks_of
from tests.support.free_ports import free_port
from tests.support.waiting import until

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # as the page has it
BODY = json.dumps({"type": "turn.kept", "data": {"mind_id": "ada"}}).encode()
SIGNED = {
    "Content-Length": str(len(BODY)),
    **signed_headers(BODY, delivery_id="msg_1", at=round(time.time()), secret=SECRET),
}


def is_listening(port):
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def receiver(tmp_path_factory):
    """The port of the page's own receiver."""
    port = free_port()
    [page] = [one.text for one in blocks_of("docs/webhooks.md") if one.title == "receiver.py"]
    file = tmp_path_factory.mktemp("receiver") / "receiver.py"
    file.write_text(page.replace("9000", str(port)))
    process = subprocess.Popen([sys.executable, file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: is_listening(port))
        yield port
    finally:
        process.kill()
        process.wait()


def status_of(port, headers, body=BODY):
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.putrequest("POST", "/memory")
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        return connection.getresponse().status


def test_what_is_signed_is_taken(receiver):
    second = {**SIGNED, "webhook-signature": f"v1,AAAA {SIGNED['webhook-signature']}"}  # as while a secret changes

    assert (status_of(receiver, SIGNED), status_of(receiver, second)) == (204, 204)


@pytest.mark.parametrize("missing", [*SIGNED, None])
def test_what_lacks_a_header_is_not(receiver, missing):
    """Broken: no answer at all, and a traceback."""
    headers = {name: value for name, value in SIGNED.items() if missing not in (name, None)}

    assert status_of(receiver, headers) == 401


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("webhook-signature", ""),
        ("webhook-signature", "v1,é"),
        ("webhook-signature", "v1,AAAA"),
        ("webhook-id", "msg_é"),
        ("webhook-timestamp", "1"),
        ("Content-Length", "many"),
        ("Content-Length", "-1"),
    ],
)
def test_what_has_a_wrong_header_is_not(receiver, name, value):
    assert status_of(receiver, {**SIGNED, name: value}) == 401
