"""A story that is being told holds nobody up: not its own mind's turns, not what surfaces, and no other mind."""

import asyncio
import random
import time
from datetime import UTC, datetime, timedelta

import pytest

from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn
from consolidation.story.chapters import parse
from consolidation.story.narrator import Narrator, ToldSoFar, Voice
from consolidation.story.run import Run, RunInProgress
from consolidation.text.tokens import count_tokens
from service.adapters.extractive_model import ExtractiveModel
from tests.e2e.test_story import TALK, keep_talk
from tests.support.punctuality import timed_async
from tests.support.scripted_models import free
from tests.support.service import running, settings_of
from tests.support.waiting import until_async
from tests.twins.provider import Hangs, ScriptedProvider

pytestmark = pytest.mark.anyio

DEADLINE_MS = 1500
AUNT, ASKS = "My aunt Carla lives in Lyon.", "Where does my aunt Carla live?"
WORDS = (
    "My mother Ines lives in Lyon and turned seventy last week, I promised my sister Carla to visit her in March with "
    "Bruno and Pascal the dog while it rains on the river"
).split()


async def ready(service, *mind_ids):
    """Something to recall in each mind, and everything loaded once."""
    for mind_id in mind_ids:
        await service.keep(mind_id, AUNT, session_id="s0")
        await service.digested(mind_id)
        await service.resonate(mind_id, ASKS, session_id="warm")


async def answers_in_time(service, *mind_ids):
    """Assert that every mind accepts turns and is reminded, and that each of both is in time."""
    for number, mind_id in enumerate(mind_ids * 2):
        kept, keeping, is_kept_in_time = await timed_async(
            lambda: service.keep(mind_id, "And today it snowed.", session_id=f"n{number}"), within=DEADLINE_MS / 1000
        )
        found, recalling, is_found_in_time = await timed_async(
            lambda: service.resonate(mind_id, ASKS, session_id=f"r{number}", deadline_ms=DEADLINE_MS),
            within=DEADLINE_MS / 1000,
        )
        assert (kept.status_code, found.status_code) == (202, 200)
        assert is_kept_in_time and is_found_in_time, (keeping, recalling)
        assert "Lyon" in found.json()["flashbacks"][0]["raw"], found.json()["degraded"]


async def consolidation(service, mind_id="ada"):
    return (await service.http.get(f"/v1/minds/{mind_id}/consolidation")).json()


@pytest.mark.timing
async def test_a_narrator_that_hangs_holds_nobody_up_and_is_seen_running(tmp_path):
    with ScriptedProvider(respond=lambda _: Hangs()) as model:
        narrative = {"model": "openai/scripted", "api_base": model.url, "api_key": "k"}
        settings = settings_of(tmp_path, story={"threshold_tokens": 0}, models={"narrative": narrative})
        async with running(tmp_path, settings=settings) as service:
            await ready(service, "ada", "bo")
            asked = await service.http.post("/v1/minds/ada/consolidation", json={"wait": False})
            await until_async(lambda: model.chats)
            before = await consolidation(service)
            await answers_in_time(service, "ada", "bo")
            after, other = await consolidation(service), await consolidation(service, "bo")
            free(model)

    assert asked.status_code == 202 and before["is_running"] and after["is_running"]
    assert after["last_run"]["ended_at"] is None and after["last_run"]["turns"] == 1
    assert after["pending_turns"] == 3 and other["last_run"] is None and not other["is_running"]


@pytest.mark.timing
async def test_a_whole_batch_that_is_only_quoted_leaves_the_loop_to_everybody_else():
    chance, batch, first = random.Random(1), [], datetime(2026, 1, 1, tzinfo=UTC)
    while sum(kept.tokens for kept in batch) < 50_000:
        text = ". ".join(" ".join(chance.choices(WORDS, k=14)).capitalize() for _ in range(4))
        said = Message(Speaker.USER, text, first + timedelta(minutes=20 * len(batch)))
        batch.append(StoredTurn(len(batch) + 1, first, Turn(f"t{len(batch)}", "s", (said,)), count_tokens(text)))
    telling = asyncio.create_task(
        Narrator((ExtractiveModel(),)).narrate(
            batch,
            told=ToldSoFar(parse("")),
            voice=Voice("the bot", "", None),
            going=RunInProgress(Run("manual", first), lambda _: None),
        )
    )
    pauses = []
    while not telling.done():
        began = time.process_time()
        await asyncio.sleep(0.005)
        pauses.append(time.process_time() - began)

    assert len((await telling).append) > 5
    # Work on the loop itself would be one pause as long as the whole. A pause is what this process did meanwhile, not
    # how long it took: the loop may also wait for the machine's other work.
    assert max(pauses) < sum(pauses) / 5, f"of {sum(pauses):.1f} s nobody else was answered for {max(pauses):.1f} s"


async def test_a_story_that_fails_leaves_another_minds_story_alone(tmp_path):
    async with running(tmp_path, settings=settings_of(tmp_path, story={"threshold_tokens": 1})) as service:
        await keep_talk(service, TALK[:1])
        await service.until("ada", lambda s: not s["story"]["pending_turns"])
        path = tmp_path / "minds/ada/STORY.md"
        path.unlink()
        path.mkdir()  # no story can be read or written there
        await keep_talk(service, TALK[1:2])
        await service.keep("bo", TALK[2][1])
        other = await service.until("bo", lambda s: s["story"]["chapters"] == 1)
        found = await service.resonate("ada", "Who is Carla, my sister?", relevance=0)

    assert not other["story"]["pending_turns"] and found.status_code == 200
    assert "Carla" in str(found.json()["flashbacks"])
