"""One real service for the tests of the client, and a key-less client of it; each test has a mind of its own."""

import hashlib
import json
import os
from contextlib import contextmanager

import pytest
from mind_memory_client import MemoryClient

from tests.support.cli_process import serving, until_digested
from tests.twins.fault_proxy import FaultProxy

MOTHER, ASKS = "My mother lives in Lyon.", "Where does my mother live?"


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """The home folder of the service."""
    return tmp_path_factory.mktemp("client") / "home"


@pytest.fixture(scope="session")
def url(home):
    """Where `mind-memory serve` answers."""
    outside = {name: os.environ.pop(name) for name in tuple(os.environ) if name.startswith("MIND_MEMORY_")}
    try:
        with serving(home, MIND_MEMORY_DIGESTION__SWEEP_SECONDS="5") as (_, found):
            yield found
    finally:
        os.environ.update(outside)


@pytest.fixture
def memory(url):
    with MemoryClient(url) as client:
        yield client


@pytest.fixture
def mind(request):
    """A mind that no other test has."""
    return f"m{hashlib.md5(request.node.nodeid.encode()).hexdigest()}"


@pytest.fixture
def told_mind(url, memory, mind):
    """A mind that heard in an earlier session where a mother lives."""
    memory.store_turn(
        mind, "earlier", [user_says(MOTHER), {"role": "assistant", "content": "How often do you see her?"}]
    )
    until_digested(url, mind)
    return mind


@contextmanager
def through_faults(url):
    """A proxy to the service that a test may break, and its address."""
    with FaultProxy(url.removeprefix("http://")) as proxy:
        yield proxy, f"http://127.0.0.1:{proxy.port}"


def user_says(content, **more):
    """A message of the user."""
    return {"role": "user", "content": content, **more}


def stored_turns(home, mind):
    """Every turn in the transcript of a mind: (session, [(role, content), …])."""
    files = sorted((home / "minds" / mind / "transcript").glob("*.jsonl"))
    turns = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [(one["session_id"], [(m["role"], m["content"]) for m in one["messages"]]) for one in turns]
