"""How servers say that a prompt is too long for their model, in their own words; and what only sounds like it."""

import re

import pytest

from consolidation.kernel.errors import ModelTruncated, ModelUnavailable
from service.adapters.litellm.model_errors import translated
from tests.support.hosted_models import HELLO, model_at
from tests.twins.provider import Fails, ScriptedProvider

pytestmark = pytest.mark.anyio

TOO_LONG = {
    "llama.cpp": "the request exceeds the available context size. try increasing the context size",
    "vLLM": "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens.",
    "vLLM, later": "The decoder prompt (length 8000) is longer than the maximum model length of 4096.",
    "LM Studio": "Trying to keep the first 8000 tokens when context the overflows. However, the model is loaded with context "
    "length of only 4096 tokens, which is not enough.",
    "Ollama": "input length exceeds the context length",
    "TGI": "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000",
    "Groq": "Please reduce the length of the messages or completion.",
    "Mistral": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "Gemini": "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).",
    "Anthropic": "prompt is too long: 200251 tokens > 200000 maximum",
    "SGLang": "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    "an account": "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 45487. The "
    "input or output tokens must be reduced in order to run successfully.",
    "TabbyAPI": "Prompt length 9000 is greater than max_seq_len 8192",
}
OTHERWISE_WRONG = [
    "Unknown parameter: foo",
    "temperature: Input should be less than or equal to 0.1",
    "max_tokens is too large: 4096. This model supports at most 2048 completion tokens.",
    "Invalid schema for response_format 'Thing': the maximum nesting depth is exceeded.",
]


@pytest.mark.parametrize("words", TOO_LONG.values(), ids=TOO_LONG)
async def test_a_prompt_that_is_too_long_is_known_by_each_servers_words_and_asked_once(words):
    with ScriptedProvider(Fails(400, words)) as provider:
        async with model_at(provider.url) as model:
            with pytest.raises(ModelTruncated):
                await model.converse(HELLO)

    assert len(provider.asked) == 1


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (429, TOO_LONG["an account"]),
        (413, "Request too large for model `llama` on tokens per minute (TPM): Limit 12000, Requested 14231, please "
         "reduce your message size and try again."),
        (413, "Request Entity Too Large"),
    ],
)  # fmt: skip
async def test_a_prompt_above_what_an_account_or_a_gateway_takes_at_once_is_too_long(status, words):
    with ScriptedProvider(Fails(status, words)) as provider:
        async with model_at(provider.url) as model:
            with pytest.raises(ModelTruncated):
                await model.converse(HELLO)

    assert len(provider.asked) == 1


async def test_a_rate_limit_in_tokens_is_no_matter_of_length():
    words = "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 20000, Requested 15000."
    with ScriptedProvider(Fails(429, words)) as provider:
        async with model_at(provider.url) as model:
            with pytest.raises(ModelUnavailable):
                await model.converse(HELLO)


@pytest.mark.parametrize(("status", "fault"), [(401, ModelTruncated), (429, ModelUnavailable), (500, ModelUnavailable)])
async def test_a_prompt_that_one_model_finds_too_long_is_so_where_no_other_can_be_waited_for(status, fault):
    """Broken: while the first model is away for a minute, turns are cut to what its small fallback takes."""
    with ScriptedProvider(Fails(400, TOO_LONG["vLLM"])) as first, ScriptedProvider(Fails(status)) as second:
        async with model_at(first.url, second.url) as model:
            with pytest.raises(fault):
                await model.converse(HELLO)


@pytest.mark.parametrize("words", OTHERWISE_WRONG)
async def test_what_is_wrong_otherwise_is_no_matter_of_length(words):
    with ScriptedProvider(*[Fails(400, words)] * 2) as provider:
        async with model_at(provider.url) as model:
            with pytest.raises(ModelUnavailable):
                await model.converse(HELLO)


def test_a_model_that_repeats_itself_is_not_away():
    error = RuntimeError("litellm.InternalServerError: The model is repeating the same chunk = and so on.")

    assert isinstance(translated(error, model="ollama_chat/llama3.2"), ModelTruncated)


def test_who_has_not_fetched_a_model_is_told_how():
    error = RuntimeError('{"error":"model \'llama3.2\' not found"}')

    assert str(translated(error, model="ollama/llama3.2")).endswith("run `ollama pull llama3.2`")
    assert "pull" not in str(translated(error, model="openai/llama3.2"))
    assert "pull" not in str(translated(RuntimeError("404 page not found"), model="ollama/llama3.2"))


async def test_a_model_that_its_provider_does_not_have_is_not_looked_for_at_another_address():
    with ScriptedProvider(Fails(404, "The model `gpt-9` does not exist.")) as provider:
        async with model_at(provider.url) as model:
            with pytest.raises(ModelUnavailable, match="not exist.$"):
                await model.converse(HELLO)


@pytest.mark.parametrize("words", ["{{1}} is not a template", "{'user', 'assistant'} are the roles", "{[]: 1}"])
async def test_braces_in_what_a_provider_says_are_words_as_others(words):
    """Broken: they were read as a value of Python's, and a TypeError came in place of a fault."""
    with ScriptedProvider(*[Fails(400, words)] * 3) as provider:
        async with model_at(provider.url) as model:
            with pytest.raises(ModelUnavailable, match=f": {re.escape(words)}$"):
                await model.converse(HELLO)


async def test_a_template_that_refuses_the_request_is_quoted_and_is_no_matter_of_the_address():
    with ScriptedProvider(*[Fails(400, "'dict object' has no attribute 'content'")] * 3) as provider:
        async with model_at(provider.url) as model:
            with pytest.raises(ModelUnavailable, match=r"the request: 'dict object' has no attribute 'content'$"):
                await model.converse(HELLO)


@pytest.mark.parametrize(
    ("status", "words", "told"),
    [
        (401, "litellm.AuthenticationError: OpenAIException - ", "openai/m refused the key"),
        (429, "litellm.RateLimitError: ", "openai/m is at its rate limit or quota"),
        (503, "litellm.ServiceUnavailableError: OpenAIException - ", "openai/m failed"),
        (500, '{"error": null, "message": "no disk"}', "openai/m failed: no disk"),
    ],
)
def test_a_provider_that_says_nothing_is_told_with_its_status_alone(status, words, told):
    error = RuntimeError(words)
    error.status_code = status

    assert str(translated(error, model="openai/m")) == told
