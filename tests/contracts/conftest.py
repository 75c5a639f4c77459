"""Graphs for the contracts: each implementation on one server for all tests of a module, each test with a mind."""

import zlib
from contextlib import AsyncExitStack

import pytest

from tests.support.graphs import (
    Reader,
    bench,
)

KIND_NAMES = ("memory", "falkordb")


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
async def benches(anyio_backend, tmp_path_factory):
    """Each implementation, on one server for all tests; each test takes a mind of its own."""
    async with AsyncExitStack() as stack:
        folder = tmp_path_factory.mktemp("graph")
        yield {kind: await stack.enter_async_context(bench(kind, folder)) for kind in KIND_NAMES}


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
