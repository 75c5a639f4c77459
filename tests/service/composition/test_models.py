"""Which models answer for a role: nothing that costs more than what was chosen, unless a setting names it."""

import pytest

from consolidation.kernel.ports import Role
from service.composition.models import at_once_in_background, choose, narrators
from service.serving.front import settings_of_worker
from service.settings.settings import Settings


def chosen(model, *, api_base=None, **models):
    settings = Settings(model=model, api_base=api_base, models=models)
    return [one.model for one in choose(settings)[Role.CHAT]]


def at_once(settings):
    return at_once_in_background(settings, choose(settings))


@pytest.mark.parametrize("model", ["gpt-4o-mini", "openai/gpt-4o-mini", "anthropic/claude", "ollama/llama3.2"])
def test_no_other_model_is_added_to_the_one_that_was_chosen(model):
    assert chosen(model) == [model]


def test_a_last_resort_that_a_setting_names_is_asked_last_and_only_of_openai_itself():
    assert chosen("gpt-4o-mini", last_resort="gpt-4o") == ["gpt-4o-mini", "gpt-4o"]
    assert chosen("anthropic/claude", last_resort="gpt-4o") == ["anthropic/claude"]
    assert chosen("openai/own", api_base="http://127.0.0.1:1/v1", last_resort="gpt-4o") == ["openai/own"]


def test_a_fallback_of_the_same_provider_is_asked_at_the_same_address_with_the_same_key():
    """Broken: words that go to a private address go to a public one when that fails."""
    names = ["gpt-4.1", "openai/b", "anthropic/claude"]
    own = {"model": "openai/a", "api_base": "http://10.0.0.1/v1", "api_key": "k", "fallbacks": names}
    common = Settings(model="ollama_chat/a", api_base="http://10.0.0.2", models={"chat": {"fallbacks": ["ollama/b"]}})

    found = choose(Settings(models={"chat": own}))[Role.CHAT]

    assert [(one.api_base, one.api_key) for one in found] == [("http://10.0.0.1/v1", "k")] * 3 + [(None, None)]
    assert [one.api_base for one in choose(common)[Role.CHAT]] == ["http://10.0.0.2"] * 2


def test_a_model_of_copilot_falls_back_to_copilots_gpt_4o():
    assert chosen("github_copilot/gpt-5") == ["github_copilot/gpt-5", "github_copilot/gpt-4o"]


def test_a_worker_asks_ollama_for_one_thing_at_a_time_as_a_service_alone_does():
    """Broken: what is shared out among workers counts as chosen by a person."""
    ollama = Settings(model="ollama_chat/llama3.2", workers=2)
    many = Settings(model="openai/a", workers=2, models={"at_once": 6})

    assert at_once(settings_of_worker(ollama)) == 1
    assert at_once(settings_of_worker(many)) == 3


def test_a_model_whose_chapters_were_refused_is_not_asked_again_under_another_name():
    assert narrators(Settings(model="openai/a")) == (Role.NARRATIVE,)
    assert narrators(Settings(model="openai/a", models={"narrative": {"model": "openai/b"}})) == (
        Role.NARRATIVE,
        Role.CHAT,
    )


def test_nothing_that_quotes_follows_a_narrative_model_where_chat_has_none():
    assert narrators(Settings(models={"narrative": {"model": "openai/b"}})) == (Role.NARRATIVE,)
