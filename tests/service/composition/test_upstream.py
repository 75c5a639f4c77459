"""Which models a client may ask for, and whose key goes where."""

import pytest

from consolidation.kernel.errors import ModelNotFound
from service.adapters.litellm.fallback_chain import Deployment
from service.composition.upstream import menu_of
from service.settings.settings import Settings

CHAT = {
    "model": "openai/gpt-4o-mini",
    "api_base": "https://gate.example/v1",
    "api_key": "sk-chat",
    "fallbacks": ["openai/b"],
}
USUAL = (
    Deployment("openai/gpt-4o-mini", "https://gate.example/v1", "sk-chat"),
    Deployment("openai/b", "https://gate.example/v1", "sk-chat"),
)


def menu(chat=CHAT, **proxy):
    return menu_of(Settings(models={"chat": chat} if chat else {}, proxy=proxy))


@pytest.mark.parametrize("name", ["memory", "openai/gpt-4o-mini", "gpt-4o-mini"])
def test_the_chat_roles_model_has_three_names_and_its_fallbacks(name):
    assert menu().find(name) == USUAL


@pytest.mark.parametrize("name", ["gpt-4o", "openai/b", "", "MEMORY", "openai/"])
def test_any_other_name_is_not_found(name):
    with pytest.raises(ModelNotFound):
        menu().find(name)


def test_a_key_goes_to_its_own_provider_alone():
    found = menu(models=["openai/gpt-4o", "gpt-4.1", "anthropic/claude", "claude-3"])

    assert found.find("gpt-4o") == (Deployment("openai/gpt-4o", CHAT["api_base"], "sk-chat"),)
    assert found.find("gpt-4.1") == (Deployment("gpt-4.1", CHAT["api_base"], "sk-chat"),)
    assert found.find("claude") == (Deployment("anthropic/claude"),)
    assert found.find("claude-3") == (Deployment("claude-3"),)
    assert found.names == ("memory", "openai/gpt-4o-mini", "openai/gpt-4o", "gpt-4.1", "anthropic/claude", "claude-3")


def test_models_may_have_a_place_and_a_key_of_their_own():
    found = menu(models=["openai/gpt-4o"], api_base="https://other.example/v1", api_key="sk-other")

    assert found.find("gpt-4o") == (Deployment("openai/gpt-4o", "https://other.example/v1", "sk-other"),)
    assert found.find("memory") == USUAL


def test_no_model_is_named_where_none_is_configured():
    assert menu(chat=None).names == ()
    assert menu(chat=None, models=["ollama/x"]).names == ("memory", "ollama/x")
