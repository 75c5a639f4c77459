"""The recipe: three lines around any model call, blocking and awaited; memory that fails or is silent changes nothing."""

import inspect
from contextlib import asynccontextmanager

import pytest

from mind_memory_client import AsyncMemoryClient, AsyncSubconsciousMemory, MemoryClient, SubconsciousMemory
from mind_memory_client.recipe import sentences
from tests.client.conftest import ASKS, MOTHER, stored_turns, user_says
from tests.support.cli_process import until_digested

pytestmark = pytest.mark.anyio

NOWHERE = "http://127.0.0.1:9"
KINDS = [(SubconsciousMemory, MemoryClient), (AsyncSubconsciousMemory, AsyncMemoryClient)]
BOTH = pytest.mark.parametrize("kinds", KINDS, ids=["blocking", "awaited"])


@asynccontextmanager
async def recipe(kinds, url, mind, session="later", **more):
    kind, client_kind = kinds
    client = client_kind(url)
    try:
        yield kind(client, mind, session, deadline_ms=60_000, **more)
    finally:
        await of(client.close() if client_kind is MemoryClient else client.aclose())


async def of(answer):
    return await answer if inspect.isawaitable(answer) else answer


@BOTH
async def test_what_surfaces_is_put_in_and_nothing_else(kinds, url, told_mind):
    given = [{"role": "system", "content": "Be brief."}, user_says(ASKS)]

    async with recipe(kinds, url, told_mind) as memory:
        messages, found = await of(memory.inject_context(given))

    assert MOTHER in found.block
    assert messages == [given[0], {"role": "system", "content": found.block}, given[1]]
    assert [one["role"] for one in given] == ["system", "user"]


@BOTH
async def test_story_and_protocol_come_where_they_are_wanted_and_a_query_is_the_cue(kinds, url, told_mind):
    async with recipe(kinds, url, told_mind, include=["flashbacks", "protocol"], placement="user") as memory:
        messages, found = await of(memory.inject_context("Hm.", query=ASKS))

    assert messages[0]["content"].startswith("[MY MEMORY]")
    assert messages[1]["content"] == f"{found.block}\n\nHm."


@BOTH
@pytest.mark.parametrize(
    "words", ["ok", "What is the capital of Mongolia?", " "], ids=["filler", "nothing known", "no words"]
)
async def test_with_silence_the_messages_come_back_unchanged(kinds, url, told_mind, words):
    odd = {"role": "assistant", "content": "---\n[SUBCONSCIOUS RESONANCE]\n- Old.\n---", "refusal": None}
    given = [odd, user_says(words)]

    async with recipe(kinds, url, told_mind) as memory:
        messages, found = await of(memory.inject_context(given))

    assert not found.surfaced
    assert messages == given
    assert messages is not given


@BOTH
async def test_memory_that_is_away_changes_nothing_and_raises_nothing(kinds, mind):
    given = [user_says(ASKS)]

    async with recipe(kinds, NOWHERE, mind) as memory:
        messages, found = await of(memory.inject_context(given))
        reported = await of(memory.report_outcomes(found, "used"))

    assert messages == given
    assert found.degraded == ("memory_unavailable",)
    assert reported.applied == 0


@BOTH
async def test_each_sentence_of_an_answer_is_saved_and_recalled(kinds, url, mind, home):
    answer = 'Sure! Ada moved to Lisbon in May.\n- She said "I love the ocean." Then she left. Ok.\n```\nx = 1; y = 22222\n```'

    async with recipe(kinds, url, mind, session="chat") as memory:
        records = await of(memory.extract_memories(answer, importance=0.6))

    texts = ["Ada moved to Lisbon in May.", 'She said "I love the ocean."', "Then she left."]
    assert [one.text for one in records] == texts
    assert {one.importance for one in records} == {0.6}
    assert stored_turns(home, mind) == [("chat", [("thought", text)]) for text in texts]
    until_digested(url, mind)
    async with recipe(kinds, url, mind, session="next") as memory:
        _, found = await of(memory.inject_context("Where did Ada move to?"))
    assert "I noted: Ada moved to Lisbon in May." in found.block


@BOTH
async def test_facts_have_an_importance_of_their_own_and_small_ones_are_left_out(kinds, url, mind, home):
    facts = [
        {"text": "Ada promised the report by Friday.", "importance": 0.9},
        "Ada likes the sea.",
        {"text": "She said hello today.", "importance": 0.05},
        "Short.",
        *(f"Ada counted to {number} today." for number in range(120)),
    ]

    async with recipe(kinds, url, mind) as memory:
        records = await of(memory.extract_memories(facts))

    assert [one.importance for one in records[:3]] == [0.9, 0.5, 0.5]
    assert len(records) == 122
    assert records[-1].text == "Ada counted to 119 today."
    assert len(stored_turns(home, mind)) == len({one.id for one in records}) == 122


def test_sentences_end_where_people_end_them():
    assert list(sentences("我昨天搬到了里斯本附近。她喜欢大海和阳光明媚的日子。")) == [
        "我昨天搬到了里斯本附近。",
        "她喜欢大海和阳光明媚的日子。",
    ]
    assert list(sentences("# My plans for May\n1. Go to Rome soon.\nno")) == ["My plans for May", "Go to Rome soon."]
    assert list(sentences("The key hangs at 3.5 m. by the door; Dr. Novak has another one. It is red.")) == [
        "The key hangs at 3.5 m. by the door; Dr. Novak has another one.",
        "It is red.",
    ]
    assert list(sentences("猫が好きです。はい。")) == ["猫が好きです。"]
    assert list(sentences("x" * 9_000)) == ["x" * 4_000]


@BOTH
async def test_an_outcome_is_reported_for_all_that_surfaced_or_for_each(kinds, url, told_mind):
    async with recipe(kinds, url, told_mind) as memory:
        _, found = await of(memory.inject_context(ASKS))
        report = await of(memory.report_outcomes(found, "used"))
        (flashback,) = found.flashbacks
        wrong = await of(memory.report_outcomes(found, {flashback.id: "contradicted", "episode:9": "used"}))
        _, later = await of(memory.inject_context("Once more: where does my mother live?", query=ASKS))

    assert (report.applied, report.unknown) == (1, ())
    assert (wrong.applied, wrong.unknown) == (1, ("episode:9",))
    assert not later.surfaced


def test_both_kinds_have_the_same_methods_with_the_same_parameters():
    for name in ("__init__", "inject_context", "extract_memories", "report_outcomes"):
        one, other = (inspect.signature(getattr(kind, name)).parameters for kind, _ in KINDS)
        assert list(one) == list(other)
        assert [each.default for each in one.values()] == [each.default for each in other.values()]
