"""The arguments of tools: what a model may write in them, and what is made of it."""

import pytest
from pydantic import ValidationError

from service.mcp_server.arguments import ToSearchLog


def test_a_search_leaves_out_from_a_day_a_time_or_the_present_cycle():
    given = ("cycle", "2026-01-09", "2026-01-09T18:30:00Z")

    found = [ToSearchLog(query="x", exclude_from=one).exclude_from for one in given]

    assert found == ["cycle", "2026-01-09T00:00:00+00:00", "2026-01-09T18:30:00+00:00"]
    with pytest.raises(ValidationError):
        ToSearchLog(query="x", exclude_from="cycles")
