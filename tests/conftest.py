"""What all tests share: one event loop library, no way out of this machine, a service on a real embedded graph."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys

import pytest
from httpx2._config import DEFAULT_TIMEOUT_CONFIG
from hypothesis import settings

from service.adapters.memory_arenas import keep_few_arenas
from service.adapters.minilm import limit_threads
from service.observability.logging import configure_logs
from tests.support.waiting import GIVE_UP

# Hundreds of processes are started. Each would compile all that it imports, where this variable is set.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# No test speaks TLS, and every HTTP client would read the certificates of this machine, which takes 20 ms.
os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = os.devnull
# A call of a test waits as long as a busy machine needs: none is about the five seconds that are the library's default.
for _part in vars(DEFAULT_TIMEOUT_CONFIG):
    setattr(DEFAULT_TIMEOUT_CONFIG, _part, GIVE_UP)
# A shell that runs tests in the background has them ignore Ctrl-C, and all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
limit_threads()
keep_few_arenas()
configure_logs(level="WARNING", as_json=False)

# What is unchanged fails or passes as it did before; HYPOTHESIS=explore looks further each time.
settings.register_profile("settled", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("explore", deadline=None, derandomize=False, max_examples=100)
settings.load_profile(os.environ.get("HYPOTHESIS", "settled"))


class _Loggers(dict):
    """pytest goes through all loggers at each phase of a test, while a service's thread may import one more."""

    def values(self):
        """Those of now, in one step."""
        return list(super().values())


logging.root.manager.loggerDict = _Loggers(logging.root.manager.loggerDict)
_REAL_CONNECT = socket.socket.connect


def pytest_collection_finish():
    """What was imported and collected stays to the end: no search for garbage looks through it again."""
    gc.collect()
    gc.freeze()


def _only_loopback(self, address):
    if self.family in {socket.AF_INET, socket.AF_INET6} and not str(address[0]).startswith(
        ("127.", "::1", "localhost")
    ):
        raise AssertionError(f"a test reached out to {address}")
    return _REAL_CONNECT(self, address)


@pytest.fixture(autouse=True)
def _no_way_out(monkeypatch):
    monkeypatch.setattr(socket.socket, "connect", _only_loopback)


@pytest.fixture(scope="session")
def _nowhere(tmp_path_factory):
    """Where a test works that asks for no folder of its own. To make one for each of thousands takes its time."""
    return tmp_path_factory.mktemp("nowhere")


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch, request, _nowhere):
    for name in os.environ:
        if name.startswith(("MIND_MEMORY_", "OTEL_", "FASTAPI_OTEL_")) or name == "FALKORDB_URL":
            monkeypatch.delenv(name)
    monkeypatch.chdir(request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else _nowhere)
    yield
    assert list(_nowhere.iterdir()) == []  # else the next test would find it


@pytest.fixture(scope="session")
def anyio_backend():
    """Of the session, so that a service may be of one module."""
    return "asyncio"


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """The PostgreSQL that all workers share; it starts with the first test that asks for it."""
    from tests.support.postgres import shared_postgres

    base = tmp_path_factory.getbasetemp()
    with shared_postgres(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) as found:
        yield found


@pytest.fixture(scope="module")
def graph_server(tmp_path_factory):
    """A FalkorDB server, for services that share a home and so need one graph."""
    from tests.support.falkordb_cluster import single_server

    with single_server(tmp_path_factory.mktemp("graph")) as server:
        yield server


@pytest.fixture
def database_url(postgres, request):
    """The address of a database of this test's own, with our tables and nothing in them."""
    from tests.support.postgres import name_for

    with postgres.fresh(name_for(request.node.nodeid)) as url:
        yield url


@pytest.fixture(scope="module")
def whole_pair():
    from tests.support.postgres import postgres_pair

    with postgres_pair() as found:
        yield found


@pytest.fixture
def pair(whole_pair):
    """A primary and its strict standby, both alive and in step; a test may hurt them as it likes."""
    whole_pair.mend()
    return whole_pair
