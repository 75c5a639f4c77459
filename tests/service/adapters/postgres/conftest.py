"""A database for each test, and troubles that it reported."""

from contextlib import closing

import pytest

from service.adapters.postgres.database import Database


@pytest.fixture
def reports():
    return []


@pytest.fixture
def database(database_url, reports):
    with closing(Database(database_url, report=reports.append, connections=4)) as found:
        found.open()
        yield found
