"""How results read as text."""

from datetime import UTC, datetime

from service.mcp_server.results import EntitiesResult, EntityResult, LogItemResult, LogResult
from service.mcp_server.text_rendering import entities_listed, log_found

NOW = datetime(2026, 1, 9, 18, 30, tzinfo=UTC)


def test_one_of_a_kind_is_not_told_in_the_plural():
    """Broken: "1 cycles ago", "1 facts"."""
    said = {"role": "tool", "at": NOW, "text": "ok", "session_id": "s1", "turn_id": "t1"}
    items = tuple(LogItemResult(**said, cycles_ago=one) for one in (0, 1, 2))
    known = tuple(EntityResult(id=f"e{one}", name="Ada", facts=one, mentions=1) for one in (0, 1))

    heads = [line for line in log_found(LogResult(mind="ada", items=items)).splitlines() if line[0].isdigit()]
    names = entities_listed(EntitiesResult(mind="ada", items=known)).splitlines()

    assert [line.split(", ")[1] for line in heads] == ["in this cycle", "1 cycle ago", "2 cycles ago"]
    assert names == ["1. Ada: 0 facts (id e0)", "2. Ada: 1 fact (id e1)"]
