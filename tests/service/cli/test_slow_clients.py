"""Slow and greedy clients: deadlines for headers and bodies, a bound on connections, and no body without a key."""

import contextlib
import socket
import time
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.support.api_keys import make_key
from tests.support.cli_process import serving

PATH = "/v1/minds/ada/turns"
BODY = b'{"session_id": "s1", "messages": [{"role": "user", "content": "My mother lives in Lyon."}]}'
BEGUN = b"POST /v1/minds/ada/turns HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
QUICK = {"MIND_MEMORY_HEADER_SECONDS": "1", "MIND_MEMORY_BODY_SECONDS": "1.5", "MIND_MEMORY_MAX_CONNECTIONS": "20"}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("home"), **QUICK) as (_, found):
        yield found


@contextlib.contextmanager
def opened(url, sent=b""):
    place = urlsplit(url)
    with socket.create_connection((place.hostname, place.port), timeout=20) as connection:
        connection.sendall(sent)
        yield connection


def until_closed(connection):
    """What comes until the service closes, and how long that took."""
    began, parts = time.monotonic(), []
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65_536):
            parts.append(part)
    return b"".join(parts), time.monotonic() - began


def answer_to(url, sent):
    """The same for a connection that sends this alone."""
    with opened(url, sent) as connection:
        return until_closed(connection)


@pytest.mark.parametrize("sent", [b"", b"GET /v1/minds HT", BEGUN], ids=["nothing", "half a line", "half a header"])
def test_a_connection_whose_headers_do_not_come_is_closed(url, sent):
    answer, seconds = answer_to(url, sent)

    assert answer == b""
    assert 0.5 < seconds < 10


def test_a_header_a_letter_at_a_time_does_not_keep_it_open(url):
    sent = 0
    with opened(url, BEGUN) as connection, pytest.raises(OSError):  # noqa: PT011 - reset, or a broken pipe
        for sent in range(150):
            connection.sendall(b"a")
            time.sleep(0.1)

    assert sent < 100


def test_a_second_request_of_a_connection_has_the_same_deadline(url):
    with opened(url, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n") as connection:
        time.sleep(0.5)
        connection.recv(65_536)
        connection.sendall(b"GET /healthz HT")
        answer, seconds = until_closed(connection)

    assert answer == b""
    assert seconds < 10


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (PATH, b"/problems/request-timed-out"),
        ("/v1/chat/completions", b"did not arrive"),
        ("/v1/minds/bo/import", b"timed-out"),
    ],
)
def test_a_body_that_does_not_come_is_408_and_nothing_is_stored(url, path, kind):
    begun = BEGUN.replace(PATH.encode(), path.encode()).replace(
        b"application/json", b"application/zip" if "import" in path else b"application/json"
    )
    answer, seconds = answer_to(url, begun + b"Content-Length: 9000\r\n\r\n" + BODY)

    assert answer.startswith(b"HTTP/1.1 408 ")
    assert kind in answer
    assert b"connection: close" in answer.lower()
    assert 1 < seconds < 10
    assert httpx2.get(f"{url}/v1/minds/bo").status_code == 404


def test_a_slow_answer_of_ours_is_not_cut(url):
    """The deadlines are for what a client sends: a long call is served."""
    sent = {"session_id": "s1", "messages": [{"role": "user", "content": "Hello"}]}
    with httpx2.Client(base_url=url, timeout=60) as http:
        http.post(PATH, json=sent)
        for _ in range(3):
            assert http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True}).status_code == 200


def test_a_hundred_idle_connections_keep_nobody_out(url):
    with contextlib.ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(opened(url, BEGUN[:40]))
        alive = [httpx2.get(f"{url}/healthz", timeout=20).status_code for _ in range(10)]

    assert alive == [200] * 10


def test_a_body_with_two_lengths_is_refused(url):
    both = b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer, _ = answer_to(url, BEGUN + both)

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1") == 1  # what follows is not read as a second request


def test_without_a_key_a_large_body_is_refused_before_it_is_in(tmp_path):
    make_key(tmp_path)
    with serving(tmp_path) as (_, url):
        answer, seconds = answer_to(url, BEGUN + b"Content-Length: 1000000\r\n\r\n" + BODY)
        whole = httpx2.post(f"{url}{PATH}", content=b"x" * 1_000_000, timeout=20)

    assert answer.startswith(b"HTTP/1.1 401 ")
    assert seconds < 5
    assert whole.status_code == 401
