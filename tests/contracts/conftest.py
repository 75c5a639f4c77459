"""Graphs for the contracts: each implementation on one server, or cluster, for all tests of a module."""

import zlib
from contextlib import AsyncExitStack

import pytest

from tests.support.falkordb_cluster import falkordb_cluster
from tests.support.graphs import (
    Reader,
    bench,
)

KIND_NAMES = ("memory", "falkordb", "falkordb cluster")


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """Three masters and three replicas for all modules; nothing is done to them."""
    with falkordb_cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture(scope="module")
async def benches(anyio_backend, tmp_path_factory, cluster):
    """Each implementation, on one server for all tests; each test takes a mind of its own."""
    async with AsyncExitStack() as stack:
        folder = tmp_path_factory.mktemp("graph")
        yield {kind: await stack.enter_async_context(bench(kind, folder, url=cluster.url)) for kind in KIND_NAMES}


@pytest.fixture(params=KIND_NAMES)
def on(request, benches):
    """One implementation, with a reader that goes by its own rules again."""
    found = benches[request.param]
    found.reader.rules, found.reader.asked = Reader().rules, []
    return found


@pytest.fixture
def mind(request):
    return f"m-_{zlib.crc32(request.node.nodeid.encode()):x}"


@pytest.fixture
def graph(on, mind):
    return on.of(mind)
