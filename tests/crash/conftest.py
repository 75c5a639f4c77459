"""One nest for all tests that kill services: importing everything takes seconds."""

import pytest

from tests.crash.nest import Nest


@pytest.fixture(scope="session")
def nest():
    nest = Nest()
    yield nest
    nest.close()
