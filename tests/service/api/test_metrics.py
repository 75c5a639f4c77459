"""What Prometheus reads: every turn and every pre-turn call counted, how things stand, and nobody's name or words."""

import pytest
from prometheus_client.parser import text_string_to_metric_families
from running import running

pytestmark = pytest.mark.anyio

MIND, SAID = "zebulon-42", "My aunt Xenia lives in Trondheim."


async def test_turns_and_calls_are_counted_by_what_became_of_them(tmp_path):
    async with running(tmp_path) as service:
        await service.keep(MIND, SAID, turn_id="t1")
        await service.keep(MIND, SAID, turn_id="t1")
        await service.keep(MIND, "Something else.", turn_id="t1")
        await service.keep(MIND, "")
        await service.digested(MIND)
        await service.resonate(MIND, "Where does my aunt Xenia live?", relevance=0)
        await service.resonate(MIND, "What is the capital of Peru?", session_id="s3", relevance=1)
        await service.resonate(MIND, "Where does my aunt Xenia live?", session_id="s4", deadline_ms=1)
        found = await service.figures()
        text = (await service.http.get("/metrics")).text

    def of(name, label, *keys):
        return [found[f"mind_memory_{name}", (label, key)] for key in keys]

    assert of("turns_total", "outcome", "accepted", "duplicate", "refused") == [1, 1, 2]
    assert of("resonance_total", "outcome", "surfaced", "silent", "late") == [1, 1, 1]
    assert of("resonance_degraded_total", "rung", "deadline") == [1]
    assert of("dependency_up", "dependency", "graph", "embedder", "disk") == [1, 1, 1]
    assert of("lag_turns", "lane", "indexing", "saving", "extracting") == [0, 0, 0]
    assert of("waiting_minds", "lane", "indexing", "saving", "extracting") == [0, 0, 0]
    assert found["mind_memory_breaker", ("dependency", "graph"), ("state", "closed")] == 1
    assert found[("mind_memory_story_pending_turns",)] == 1
    assert found[("mind_memory_story_pending_tokens",)] > 3
    assert (found[("mind_memory_minds",)], found[("mind_memory_parked_turns",)]) == (1, 0)
    assert found[("mind_memory_resonance_seconds_count",)] == 3
    assert found["mind_memory_resonance_seconds_bucket", ("le", "+Inf")] == 3
    assert found[("mind_memory_resonance_seconds_sum",)] > 0
    assert found[("process_resident_memory_bytes",)] > 1_000_000
    for word in ("zebulon", "Xenia", "Trondheim", "t1", "s3"):
        assert word not in text


async def test_a_figure_says_what_it_is(tmp_path):
    async with running(tmp_path) as service:
        answer = await service.http.get("/metrics")

    families = list(text_string_to_metric_families(answer.text))
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert [one.name for one in families if not one.documentation] == []
    assert len({one.name for one in families}) == len(families)
