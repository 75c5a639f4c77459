"""What is known of a model's key without litellm is what litellm says, for each provider that is listed."""

import pytest

from service.adapters.litellm.configuration import KEY_VARIABLES, missing_key_of, problem_of
from service.adapters.litellm.fallback_chain import Deployment
from service.adapters.litellm.loader import open_litellm

pytestmark = pytest.mark.anyio
MODELS = (*(f"{provider}/some" for provider in KEY_VARIABLES), "gpt-4o", "o3-mini")


@pytest.fixture
def no_keys(monkeypatch):
    for names in KEY_VARIABLES.values():
        for name in names:
            monkeypatch.delenv(name, raising=False)


async def test_a_missing_key_is_worded_as_litellm_has_it(no_keys):
    litellm = await open_litellm()

    for model in MODELS:
        assert missing_key_of(model, api_key=None) == problem_of(litellm, Deployment(model, None, None)), model


async def test_a_variable_that_is_empty_holds_no_key(no_keys, monkeypatch):
    """An .env file with `OPENAI_API_KEY=` sets one. Broken: litellm's answer, which takes it for a key, is the last."""
    monkeypatch.setenv("OPENAI_API_KEY", "")

    found = problem_of(await open_litellm(), Deployment("openai/gpt-4o", None, None))

    assert found == "openai/gpt-4o has no key: set OPENAI_API_KEY, or api_key where the model is set"


@pytest.mark.parametrize("model", ["ollama/llama3.2", "bedrock/some", "unheard/of", "some"])
async def test_of_others_nothing_is_known(no_keys, model):
    assert missing_key_of(model, api_key=None) is None


async def test_a_key_that_is_there_is_found_wherever_it_stands(no_keys, monkeypatch):
    assert missing_key_of("openai/some", api_key="k") is None
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "k")
    assert missing_key_of("anthropic/some", api_key=None) is None
