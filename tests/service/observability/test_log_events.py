"""What a day is told in: one event a decision, with its ids, as JSON for machines, and nobody's words."""

import json

import httpx2
import pytest
from structlog.contextvars import bound_contextvars, get_contextvars

from service.runtime.background import Background
from tests.support.cli_process import log_of_ended, serving, until_digested

SAID, ASKED = "My aunt Xenia lives in Trondheim.", "Where does my aunt Xenia live?"


def body(content, session_id, **more):
    return {"session_id": session_id, "messages": [{"role": "user", "content": content}], **more}


def test_a_start_a_turn_a_call_and_a_story_are_a_line_each(tmp_path):
    told = {"MIND_MEMORY_LOG_JSON": "true", "MIND_MEMORY_LOG_LEVEL": "DEBUG"}
    with serving(tmp_path / "home", **told) as (process, url):
        httpx2.post(f"{url}/v1/minds/ada/turns", json=body(SAID, "s1", turn_id="t1"), timeout=60)
        until_digested(url, "ada")
        asked = body(ASKED, "s2", deadline_ms=0)
        trace_id = httpx2.post(f"{url}/v1/minds/ada/resonance", json=asked, timeout=30).json()["trace_id"]
        manual = {"trigger": "manual", "wait": True}
        httpx2.post(f"{url}/v1/minds/ada/consolidation", json=manual, timeout=30)
        process.terminate()
        said = log_of_ended(process, tmp_path / "home")

    events = {event["event"]: event for event in map(json.loads, said.splitlines())}
    start, kept, answered = events["service.started"], events["turn.accepted"], events["resonance.answered"]
    assert {start[name] for name in ("graph", "models", "spans")} == {"embedded", "none"}
    assert (start["embedder"], start["keys"], start["minds"]) == ("multilingual-e5-small", 0, 0)
    assert start["home"] == str(tmp_path / "home")
    assert (kept["mind_id"], kept["session_id"], kept["turn_id"], kept["sequence"]) == ("ada", "s1", "t1", 1)
    assert (kept["outcome"], kept["kind"], kept["level"]) == ("accepted", "turn", "info")
    assert (events["turn.extracted"]["turn_id"], events["turn.extracted"]["facts"]) == ("t1", 1)
    assert (answered["mind_id"], answered["session_id"], answered["trace_id"]) == ("ada", "s2", trace_id)
    assert (answered["surfaced"], answered["silence"]) == (1, None)
    assert "turn_id" not in events["story.told"]
    assert events["story.told"]["turns"] == 1
    assert events["service.stopping"]["level"] == "info"
    for word in ("Xenia", "Trondheim", "aunt"):
        assert word not in said


@pytest.mark.anyio
async def test_a_job_tells_of_itself_alone_unless_it_is_part_of_its_call():
    async def job():
        return get_contextvars()

    async with Background(drain_seconds=1) as background:
        with bound_contextvars(turn_id="t1"):
            own, part = background.start("own", job), background.start("part", job, in_caller_context=True)
        assert (await own, await part) == ({}, {"turn_id": "t1"})
