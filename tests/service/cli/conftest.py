"""Commands run in this process set up logs for a stderr that ends with them."""

from __future__ import annotations

import pytest

from service.observability.logging import configure_logs


@pytest.fixture(autouse=True)
def _logs_as_before():
    yield
    configure_logs(level="WARNING", as_json=False)
