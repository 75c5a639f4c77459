"""The arguments of tools: what a model may write in them, and what is made of it."""

import pytest
from pydantic import ValidationError

from prompts.library import render
from service.index.journal_files import OWN_WRITINGS
from service.mcp_server.arguments import ToAsk, ToGetJournal, ToSearchLog, ToStore


def test_a_search_leaves_out_from_a_day_a_time_or_the_present_cycle():
    given = ("cycle", "2026-01-09", "2026-01-09T18:30:00Z")

    found = [ToSearchLog(query="x", exclude_from=one).exclude_from for one in given]

    assert found == ["cycle", "2026-01-09T00:00:00+00:00", "2026-01-09T18:30:00+00:00"]
    with pytest.raises(ValidationError):
        ToSearchLog(query="x", exclude_from="cycles")


def test_a_model_is_told_that_the_session_of_a_connection_may_be_shared():
    """Broken: it is promised a session of its own, and every connection to an address has the same one."""
    described = ToStore.model_json_schema()["properties"]["session_id"]

    assert "which other conversations may share" in str(described)


def test_what_held_on_a_day_is_asked_for_at_its_noon_in_the_time_zone_of_the_call():
    """Broken: the last moment of the day in UTC is the day after in Paris, and the model is told so."""
    asked = {"question": "Where did Ines live?", "timezone": "Europe/Paris"}

    assert ToAsk(at="2026-01-31", **asked).at == "2026-01-31T12:00:00+01:00"
    assert ToAsk(at="2026-07-31T18:00", **asked).at == "2026-07-31T18:00:00+02:00"
    assert ToAsk(at="2026-01-31T18:00:00Z", **asked).at == "2026-01-31T18:00:00+00:00"


def test_a_model_is_told_which_writings_of_an_agent_it_can_read():
    """Broken: at waking it is told to read its diary and observations, and by the tool that it can not."""
    described = str(ToGetJournal.model_json_schema()["properties"]["path"]["description"])

    for writing in OWN_WRITINGS:
        assert f"`{writing}`" in described and f"`{writing}`" in render("tool_journal_memory_get")
