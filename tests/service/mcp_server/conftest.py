"""A running service for the tests of each module, and a mind in it that was told something."""

import httpx2
import pytest

from tests.support.cli_process import serving, until_digested
from tests.support.mcp_hosts import LYON


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("mcp") / "home") as (_, url):
        yield url


@pytest.fixture(scope="module")
def told(service):
    """The mind ada, that was told where a mother lives."""
    turn = {"turn_id": "lyon", "session_id": "s0", "messages": LYON}
    httpx2.post(f"{service}/v1/minds/ada/turns", json=turn, timeout=60).raise_for_status()
    until_digested(service, "ada")
    return service
