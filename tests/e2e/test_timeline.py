"""The timeline over HTTP: what each day or week brought, also of calls whose traces are gone."""

import pytest

from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

ASKS = "Where does my mother live?"


def said(content, day):
    return {"role": "user", "content": content, "timestamp": f"{day}T12:00:00Z"}


async def told(service):
    """Turns of a Sunday, a Monday and a Tuesday, and calls on the Tuesday."""
    await service.keep("ada", said("My mother lives in Lyon.", "2026-01-11"))
    await service.keep("ada", said("My sister lives in Ghent.", "2026-01-12"))
    await service.keep("ada", said("My aunt lives in Porto.", "2026-01-13"))
    await service.digested("ada")
    for session_id in ("s7", "s8"):
        await service.resonate("ada", ASKS, now="2026-01-13T13:00:00Z", session_id=session_id)
    await service.resonate("ada", "Tell me a joke.", now="2026-01-13T13:00:00Z")


async def timeline(service, **asked):
    asked = {"since": "2026-01-01T00:00:00Z", "until": "2026-01-31T00:00:00Z", **asked}
    answer = await service.http.get("/v1/minds/ada/timeline", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()["buckets"]


async def test_days_tell_turns_facts_chapters_and_calls(tmp_path):
    async with running(tmp_path) as service:
        await told(service)
        await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})
        days = await timeline(service)

    assert [(one["start"], one["turns"], one["facts_learned"]) for one in days] == [
        ("2026-01-11", 1, 1),
        ("2026-01-12", 1, 1),
        ("2026-01-13", 1, 1),
    ]
    assert sum(one["chapters"] for one in days) >= 1
    calls = days[2]["resonance"]
    assert (calls["calls"], calls["surfaced"], calls["silent"]) == (3, 2, 1)
    assert 0 < calls["p50_ms"] <= calls["p95_ms"]
    assert days[0]["resonance"]["p50_ms"] is None


async def test_weeks_begin_on_mondays_and_only_what_is_asked_for_is_told(tmp_path):
    async with running(tmp_path) as service:
        await told(service)
        weeks = await timeline(service, bucket="week")
        one_day = await timeline(service, since="2026-01-12T23:00:00Z", until="2026-01-12T01:00:00Z")

    assert [(one["start"], one["turns"], one["resonance"]["calls"]) for one in weeks] == [
        ("2026-01-05", 1, 0),
        ("2026-01-12", 2, 3),
    ]
    assert [one["start"] for one in one_day] == ["2026-01-12"]


async def test_calls_are_told_when_their_traces_are_gone(tmp_path):
    async with running(tmp_path) as service:
        await told(service)
        before = await timeline(service)
    (new,) = (tmp_path / "minds/ada").glob("subconscious-*.jsonl")
    new.rename(new.with_name("subconscious-2026-01-13.jsonl"))

    async with running(tmp_path, settings=settings_of(tmp_path)) as service:
        await service.until("ada", lambda _: not list((tmp_path / "minds/ada").glob("subconscious-*.jsonl")))
        after = await timeline(service)
        traces = (await service.http.get("/v1/minds/ada/traces")).json()["traces"]

    assert traces == []
    assert after == before


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ("bucket=month", "query/bucket"),
        ("since=yesterday", "query/since"),
        ("since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z", "query/until"),
    ],
)
async def test_a_bad_question_for_a_timeline_is_pointed_at(tmp_path, asked, pointer):
    async with running(tmp_path) as service:
        await service.keep("ada", "Hello.")

        answer = await service.http.get(f"/v1/minds/ada/timeline?{asked}")

    assert answer.status_code == 422
    assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]
