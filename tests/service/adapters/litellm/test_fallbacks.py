"""A hosted model that can not answer: its fallbacks, what is tried again, and what rests."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from threading import Barrier

import pytest
from structlog.testing import capture_logs

from consolidation.kernel.errors import ModelTruncated, ModelUnavailable
from consolidation.kernel.ports import Role
from service.observability.logging import configure_logs
from tests.support.hosted_models import BICYCLE, HELLO, KEY, LITELLM_NOISE, REST, model_at
from tests.twins.provider import (
    Body,
    Breaks,
    Closes,
    Drips,
    Fails,
    Hangs,
    ScriptedProvider,
)

pytestmark = [pytest.mark.anyio, *(pytest.mark.filterwarnings(noise) for noise in LITELLM_NOISE)]


@pytest.mark.parametrize(
    "broken",
    [
        Fails(401),
        Fails(404),
        Fails(429, headers={"Retry-After": str(REST)}),
        Fails(500),
        Closes(),
        Breaks("half of it"),
    ],
)
async def test_the_fallback_answers_at_once_when_the_first_can_not(broken):
    with ScriptedProvider(broken) as first, ScriptedProvider("whole") as second:
        async with model_at(first.url, second.url) as model:
            async with asyncio.timeout(REST / 2):
                reply = await model.converse(HELLO)

    assert (reply.content, reply.model) == ("whole", "openai/model-1")
    assert reply.usage.calls == 2
    assert len(first.asked) == 1


@pytest.mark.parametrize("slow", [Hangs(), Drips()])
async def test_a_hanging_model_leaves_time_for_its_fallback(slow):
    with ScriptedProvider(slow) as first, ScriptedProvider("whole") as second:
        async with model_at(first.url, second.url, seconds=9) as model:
            assert (await model.converse(HELLO)).content == "whole"


async def test_fallbacks_are_asked_in_their_order(ask):
    with ScriptedProvider(Fails(500)) as one, ScriptedProvider(Fails(404)) as two, ScriptedProvider(BICYCLE) as three:
        async with model_at(one.url, two.url, three.url) as model:
            reply = await model.answer(ask)

    assert reply.model == "openai/model-2"
    assert (len(one.asked), len(two.asked), len(three.asked)) == (1, 1, 1)


async def test_a_call_is_logged_as_it_begins_and_ends_and_a_failover_with_its_reason():
    """Broken: ``_log_asked`` or ``_log_ended`` is not called; a key is quoted in a reason."""
    configure_logs(level="DEBUG", as_json=False)
    try:
        with capture_logs() as logged, ScriptedProvider(Fails(401, f"bad key {KEY}")) as one:
            with ScriptedProvider("whole") as two:
                async with model_at(one.url, two.url) as model:
                    await model.converse(HELLO)
    finally:
        configure_logs(level="WARNING", as_json=False)

    calls = [line for line in logged if line["event"].startswith("model.")]
    assert [(line["event"], line["log_level"]) for line in calls] == [
        ("model.asked", "debug"),
        ("model.failed", "debug"),
        ("model.failed_over", "warning"),
        ("model.asked", "debug"),
        ("model.answered", "debug"),
    ]
    assert (calls[0]["host"], calls[0]["streamed"]) == ("127.0.0.1", True)
    assert (calls[2]["to"], "refused the key" in calls[2]["reason"]) == ("openai/model-1", True)
    assert calls[4]["first_words_ms"] <= calls[4]["ms"]
    assert KEY not in str(calls)


async def test_a_model_without_a_provider_fails_as_any_other_and_the_next_one_is_asked(ask):
    """Broken: the Router is given what it can not take, and litellm's own error comes out."""
    with ScriptedProvider(BICYCLE) as provider:
        async with model_at(None, provider.url, names=("llama3.2", "openai/x")) as model:
            assert (await model.answer(ask)).model == "openai/x"
        async with model_at(None, names=("llama3.2",)) as model:
            with pytest.raises(ModelUnavailable, match=r"^llama3.2 names no provider") as caught:
                await model.answer(ask)

    assert caught.value.needs_mending


async def test_when_all_fail_each_is_named_with_its_reason():
    with ScriptedProvider(Fails(401)) as first, ScriptedProvider(Fails(429)) as second:
        async with model_at(first.url, second.url) as model:
            with pytest.raises(ModelUnavailable) as caught:
                await model.converse(HELLO)

    assert "model-0 refused the key" in str(caught.value)
    assert "model-1 is at its rate limit" in str(caught.value)


async def test_the_repair_is_asked_of_the_model_that_must_be_repaired(ask):
    with ScriptedProvider(Fails(500)) as first, ScriptedProvider("prose", BICYCLE) as second:
        async with model_at(first.url, second.url) as model:
            reply = await model.answer(ask)

    assert reply.usage.calls == 3
    assert len(first.asked) == 1


async def test_a_server_error_of_the_last_model_is_tried_twice_and_a_rate_limit_once(ask):
    with ScriptedProvider(Fails(500), BICYCLE, Fails(429, headers={"Retry-After": str(REST)})) as provider:
        async with model_at(provider.url) as model:
            assert (await model.answer(ask)).content.wheels == 2
            async with asyncio.timeout(REST / 2):
                with pytest.raises(ModelUnavailable):
                    await model.answer(ask)

    assert len(provider.asked) == 3


@pytest.mark.parametrize("status", [400, 422])
async def test_a_reasoning_model_is_asked_as_it_wants_to_be_and_that_is_remembered(ask, status):
    def respond(body):
        if "max_tokens" in body:
            return Fails(status, "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                         "'max_completion_tokens' instead.")  # fmt: skip
        if body.get("temperature", 1) != 1:
            return Fails(status, "Unsupported value: 'temperature' does not support 0.25 with this model. Only the default "
                         "(1) value is supported.")  # fmt: skip
        return BICYCLE

    with ScriptedProvider(respond=respond) as provider:
        async with model_at(provider.url) as model:
            for _ in range(2):
                assert (await model.answer(ask)).content.wheels == 2

    *_, before, last = (asked.body for asked in provider.chats)
    assert len(provider.chats) == 4
    assert before == last
    assert last["max_completion_tokens"] == 200 and "temperature" not in last
    assert last["response_format"]["type"] == "json_schema"


async def test_of_two_first_questions_at_once_both_are_asked_as_the_model_wants_to_be(ask):
    """Broken: what one has learnt meanwhile counts as sent by the other, which is asked in a weaker way for good."""
    both = Barrier(2, timeout=REST)

    def respond(body):
        if "max_tokens" in body:
            both.wait()
            return Fails(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return BICYCLE

    with ScriptedProvider(respond=respond) as provider:
        async with model_at(provider.url) as model:
            await asyncio.gather(model.answer(ask), model.answer(ask))

    assert len(provider.chats) == 4
    assert all(asked.body["response_format"]["type"] == "json_schema" for asked in provider.chats)


async def test_no_two_messages_of_the_user_follow_each_other_in_any_way_of_asking(ask):
    def respond(body):
        roles = [message["role"] for message in body["messages"]]
        if "user user" in " ".join(roles):
            return Fails(400, "successive user messages are not supported")
        return Fails(400, "no response_format") if "response_format" in body else answers.pop(0)

    answers = ["", BICYCLE]
    with ScriptedProvider(respond=respond) as provider:
        async with model_at(provider.url) as model:
            assert (await model.answer(ask)).content.wheels == 2

    assert '"wheels"' in provider.chats[-1].words


async def test_a_completion_without_an_answer_is_said_in_words(ask):
    with ScriptedProvider(respond=lambda _: Body({"choices": []})) as provider:
        async with model_at(provider.url) as model:
            with pytest.raises(ModelUnavailable, match="it sent no answer"):
                await model.answer(ask)


@pytest.mark.parametrize(("status", "is_busy"), [(429, True), (503, True), (500, False), (401, False)])
async def test_a_model_at_its_limit_says_so_and_for_how_long_it_asks_to_be_left_alone(status, is_busy):
    with ScriptedProvider(respond=lambda _: Fails(status, headers={"Retry-After": "7"})) as provider:
        async with model_at(provider.url, role=Role.EXTRACTION) as model:
            with pytest.raises(ModelUnavailable) as caught:
                await model.converse(HELLO)

    assert (caught.value.is_busy, caught.value.retry_after) == (is_busy, 7 if is_busy else 0)


async def test_a_model_may_ask_by_a_date_to_be_left_alone():
    """Broken: only seconds are read, so a provider that names a time is asked again at once."""
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    with ScriptedProvider(respond=lambda _: Fails(429, headers={"Retry-After": until})) as provider:
        async with model_at(provider.url, role=Role.EXTRACTION) as model:
            with pytest.raises(ModelUnavailable) as caught:
                await model.converse(HELLO)

    assert 60 < caught.value.retry_after <= 101


async def test_of_several_models_the_one_at_its_limit_counts():
    with ScriptedProvider(Fails(429, headers={"Retry-After": "7"})) as first, ScriptedProvider(Fails(401)) as second:
        async with model_at(first.url, second.url, role=Role.EXTRACTION) as model:
            with pytest.raises(ModelUnavailable) as caught:
                await model.converse(HELLO)

    assert (caught.value.is_busy, caught.value.retry_after) == (True, 7)


async def test_a_question_that_one_model_can_not_answer_is_not_waited_with_for_another():
    """Broken: one at its limit counts for all, so that a turn which its fallback refuses stops its mind for ever."""
    with (
        ScriptedProvider(respond=lambda _: Fails(429)) as first,
        ScriptedProvider(respond=lambda _: Fails(400)) as second,
    ):
        async with model_at(first.url, second.url, role=Role.EXTRACTION) as model:
            with pytest.raises(ModelUnavailable) as caught:
                await model.converse(HELLO)

    assert not caught.value.is_busy


async def test_a_model_that_failed_three_times_rests_and_its_fallback_answers_without_it():
    with ScriptedProvider(respond=lambda _: Fails(500)) as first, ScriptedProvider(respond=lambda _: "whole") as second:
        async with model_at(first.url, second.url) as model:
            for _ in range(5):
                await model.converse(HELLO)
                await asyncio.sleep(0.1)

    assert len(first.asked) == 3
    assert len(second.asked) == 5


async def test_a_lone_model_that_rests_says_so():
    with ScriptedProvider(respond=lambda _: Fails(404)) as provider:
        async with model_at(provider.url) as model:
            for _ in range(3):
                with pytest.raises(ModelUnavailable, match="not found"):
                    await model.converse(HELLO)
                await asyncio.sleep(0.1)
            with pytest.raises(ModelUnavailable, match="not found.* rests for"):
                await model.converse(HELLO)

    assert len(provider.asked) == 3


async def test_a_question_that_is_too_long_is_not_why_a_model_rests():
    """Broken: a prompt that was never sent was named as the cause, and the key that is wrong was not."""
    with ScriptedProvider(respond=lambda _: Fails(401)) as provider:
        async with model_at(provider.url, window=1_000) as model:
            for _ in range(3):
                with pytest.raises(ModelUnavailable, match="refused the key"):
                    await model.converse(HELLO)
                await asyncio.sleep(0.1)
            with pytest.raises(ModelTruncated):
                await model.converse([{"role": "user", "content": "Hello! " * 2_000}])
            with pytest.raises(ModelUnavailable, match="refused the key.* rests for") as caught:
                await model.converse(HELLO)

    assert caught.value.needs_mending


async def test_a_lone_model_of_the_background_never_rests_so_that_one_question_costs_no_other():
    with ScriptedProvider(respond=lambda _: Fails(500)) as provider:
        async with model_at(provider.url, role=Role.EXTRACTION) as model:
            for _ in range(5):
                with pytest.raises(ModelUnavailable, match="failed"):
                    await model.converse(HELLO)

    assert len(provider.asked) >= 5
