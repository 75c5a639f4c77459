"""The main job: a turn is kept, and comes back when it matters."""

import pytest

from tests.support.service import running

pytestmark = pytest.mark.anyio


async def test_a_turn_is_kept_and_comes_back_when_it_matters(tmp_path):
    async with running(tmp_path) as service:
        kept = await service.keep(
            "ada",
            {"role": "user", "content": "My mother lives in Lyon.", "timestamp": "2026-01-09T18:30:00Z"},
            {"role": "assistant", "content": "How often do you see her?", "timestamp": "2026-01-09T18:30:05Z"},
        )
        assert (kept.status_code, kept.json()["sequence"]) == (202, 1)
        await service.keep("ada", "I started to learn the cello.", "That takes patience!", session_id="s0")
        await service.digested("ada")

        found = (await service.resonate("ada", "Where does my mother live?", now="2026-01-12T09:00:00Z")).json()

        assert found["surfaced"], found["silence"]
        first = found["flashbacks"][0]
        assert (first["label"], first["date"]) == ("a few days ago", "Jan 9")
        assert first["sources"][0]["turn_id"] == kept.json()["turn_id"]
        assert found["block"].startswith("---\n[SUBCONSCIOUS RESONANCE]\n- A few days ago — Jan 9, ")
        assert "cello" not in found["block"]


async def test_a_turn_comes_back_in_the_call_right_after_it(tmp_path):
    async with running(tmp_path) as service:
        for mind_id in ("ada", "bo", "cleo"):
            await service.keep(mind_id, "My mother lives in Lyon.")

            found = (await service.resonate(mind_id, "Where does my mother live?", deadline_ms=0)).json()

            assert "Lyon" in found["block"], found["silence"]


async def test_the_messages_can_be_sent_to_a_model_as_they_are(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", "My mother lives in Lyon.", "How often do you see her?")
        window = [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "name": "Ann", "content": "Hello there!"},
        ]

        messages = (await service.resonate("ada", window)).json()["messages"]

    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[0]["content"].startswith("Be brief.\n\n[MY MEMORY]")
    assert messages[1] == {"role": "user", "content": "Hello there!", "name": "Ann"}
    assert all(None not in message.values() for message in messages)
