"""Services that share one home: a PostgreSQL of the test's own, and graphs on one server."""

import pytest

from tests.support.service_process import serving


@pytest.fixture
def env(database_url, graph_server):
    """What a service of the home is started with."""
    prefix = f"{database_url.rpartition('/')[2]}_"
    return {"MIND_MEMORY_DATABASE": database_url, "FALKORDB_URL": graph_server.url, "MIND_MEMORY_GRAPH_PREFIX": prefix}


@pytest.fixture
def two(env, tmp_path):
    """Two services of the home, each with its own folder."""
    with serving(tmp_path / "one", **env) as one, serving(tmp_path / "two", **env) as two:
        yield one, two
