"""Answers of a hosted model that are streamed: those that somebody listens to, and chats."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from consolidation.kernel.errors import (
    InvalidModelOutput,
    ModelRefused,
    ModelTimedOut,
    ModelTruncated,
    ModelUnavailable,
)
from consolidation.kernel.ports import Role
from service.adapters.litellm.loader import open_litellm
from service.observability.model_usage import UsageLedger
from tests.support.hosted_models import BICYCLE, HELLO, LITELLM_NOISE, Thing, model_at
from tests.twins.provider import (
    Body,
    Breaks,
    Drips,
    Fails,
    Says,
    ScriptedProvider,
    Stumbles,
)

pytestmark = [pytest.mark.anyio, *(pytest.mark.filterwarnings(noise) for noise in LITELLM_NOISE)]


# Answers that are listened to


async def listened(ask, *script, silence=30.0, ledger=None, behind=()):
    """The reply to *ask*, asked so that it streams, the letters that were heard, and the requests."""
    heard = []
    with ScriptedProvider(*script) as provider, ScriptedProvider(*behind) as second:
        urls = (provider.url, second.url) if behind else (provider.url,)
        async with model_at(*urls, silence=silence, ledger=ledger, role=Role.NARRATIVE) as model:
            reply = await model.answer(replace(ask, heard=heard.append))
    return reply, heard, provider.asked


async def test_a_refusal_that_is_streamed_is_a_refusal_and_is_not_asked_for_again(ask):
    """Broken: litellm drops its pieces, and an answer without a word is asked for again."""
    with ScriptedProvider(Says(None, refusal="I can not help with that"), BICYCLE) as provider:
        async with model_at(provider.url, role=Role.NARRATIVE) as model:
            listening = replace(ask, heard=lambda _: None)
            with pytest.raises(ModelRefused, match="refused to answer"):
                await model.answer(listening)
            refused = [asked.body["stream"] for asked in provider.asked]
            reply = await model.answer(listening)

    assert refused == [True]
    assert reply.content == Thing(name="bicycle", wheels=2)


async def test_an_answer_that_somebody_listens_to_is_streamed_in_its_shape(ask):
    """Broken: ``_ways`` does not stream, or ``listen`` calls ``heard`` not at all."""
    reply, heard, asked = await listened(ask, BICYCLE)

    assert reply.content == Thing(name="bicycle", wheels=2)
    assert heard == sorted(heard)
    assert heard[-1] == len(json.dumps(BICYCLE))
    assert len(set(heard)) > 3
    assert asked[0].body["stream"] is True
    assert asked[0].body["response_format"]["json_schema"]["name"] == "Thing"
    assert reply.usage.completion_tokens == 4


async def test_a_provider_that_does_not_stream_with_a_schema_is_asked_in_words_and_then_for_the_whole(ask):
    refused = [Fails(400, "stream and response_format do not go together")] * 3
    reply, _, asked = await listened(ask, *refused, BICYCLE)

    assert reply.content.name == "bicycle"
    assert [bool(one.body.get("stream")) for one in asked] == [True] * 4

    reply, _, asked = await listened(ask, *refused, *refused, BICYCLE)

    assert reply.content.name == "bicycle"
    assert asked[-1].body.get("stream") in {None, False}


async def test_a_shaped_answer_in_the_pieces_of_a_tool_call_is_asked_for_whole(ask):
    """Broken: ``is_tool_call`` is read by nobody."""
    call = {"index": 0, "id": "1", "type": "function", "function": {"name": "json", "arguments": "{}"}}
    choice = {"index": 0, "delta": {"role": "assistant", "tool_calls": [call]}, "finish_reason": None}
    ending = {"index": 0, "delta": {}, "finish_reason": "tool_calls"}
    head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    events = [json.dumps({**head, "choices": [one]}) for one in (choice, ending)]
    stream = "".join(f"data: {one}\n\n" for one in (*events, "[DONE]"))

    reply, _, asked = await listened(ask, Body(stream.encode(), "text/event-stream"), BICYCLE)

    assert reply.content.name == "bicycle"
    assert asked[-1].body.get("stream") in {None, False}


@pytest.mark.parametrize("hang", [Drips(0.02), Says(json.dumps(BICYCLE), drip=60.0)])
async def test_a_stream_that_falls_silent_is_given_up_long_before_its_deadline(ask, hang):
    """Broken: ``_patient`` waits for ever."""
    ledger = UsageLedger()
    await open_litellm()  # its first import takes longer than all of this
    began = asyncio.get_running_loop().time()

    with pytest.raises(ModelTimedOut, match="said nothing for 0.3 s"):
        await listened(ask, hang, silence=0.3, ledger=ledger)

    assert asyncio.get_running_loop().time() - began < 20
    assert "said nothing" in ledger.last_calls[0].reason


async def test_after_a_silence_the_next_model_is_asked(ask):
    reply, _, _ = await listened(ask, Says(json.dumps(BICYCLE), drip=20.0), silence=0.3, behind=(BICYCLE,))

    assert reply.model == "openai/model-1"


async def test_a_stream_that_goes_on_slowly_is_not_silent(ask):
    reply, _, _ = await listened(ask, Says(json.dumps(BICYCLE), drip=0.2), silence=1.0)

    assert reply.content.wheels == 2


# Conversation


async def test_a_chat_is_streamed_and_collected_with_the_providers_count():
    with ScriptedProvider(Says("<think>hm</think> I am well, thank you.", drip=0.01)) as provider:
        async with model_at(provider.url) as model:
            reply = await model.converse(HELLO)

    assert reply.content == "I am well, thank you."
    assert provider.asked[0].body["stream"] is True
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (2, 6)


@pytest.mark.parametrize(
    "broken",
    [
        Breaks("half of an answer"),
        Breaks("half of an answer", reset=False),
        Stumbles("half of an answer"),
        Stumbles("half of an answer", code=429),
        Stumbles(""),
        Body({}),
        Body(b"<html>", content_type="text/html"),
    ],
)
async def test_half_an_answer_is_none(broken):
    with ScriptedProvider(broken, broken) as provider:
        async with model_at(provider.url) as model:
            with pytest.raises(ModelUnavailable) as caught:
                await model.converse(HELLO)

    assert not isinstance(caught.value, ModelTimedOut)


async def test_a_chat_cut_at_its_length_or_filtered_or_empty_is_no_answer():
    script = (Says("half", finish="length"), Says("", finish="content_filter"), Says(""))

    with ScriptedProvider(*script) as provider:
        async with model_at(provider.url) as model:
            for fault in (ModelTruncated, ModelRefused, InvalidModelOutput):
                with pytest.raises(fault):
                    await model.converse(HELLO)


async def test_a_server_that_ignores_max_tokens_is_cut_off():
    with ScriptedProvider(Says("blah " * 50_000)) as provider:
        async with model_at(provider.url, max_tokens=10) as model:
            with pytest.raises(ModelTruncated):
                await model.converse(HELLO)
