"""A database for each test, troubles that it reported, and two machines on it."""

from contextlib import ExitStack, closing

import pytest

from consolidation.kernel.shared_files import sharing
from service.adapters.postgres.database import Database
from tests.support.shared_machines import Machine


@pytest.fixture
def reports():
    return []


@pytest.fixture
def database(database_url, reports):
    with closing(Database(database_url, report=reports.append, connections=4)) as found:
        found.open()
        yield found


@pytest.fixture
def machines(database, tmp_path):
    """Two on one database."""
    with ExitStack() as stack:
        both = [Machine(database, tmp_path / name) for name in ("one", "two")]
        for machine in both:
            stack.enter_context(sharing(machine.home, machine.shared))
        yield both
