"""Every setting as it holds: its value without secrets, where it comes from, what it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.settings.loading import effective_settings, read_settings
from service.settings.settings import Settings
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

SECRETS = {
    "api_key": "sk-hunter2-of-the-model",
    "models": {
        "chat": {"api_key": "sk-hunter2-of-chat", "api_base": "https://me:hunter2@models.example/v1?key=hunter2"}
    },
    "embedder": {"api_key": "sk-hunter2-of-the-embedder"},
    "proxy": {"api_key": "sk-hunter2-of-the-proxy"},
    "access": {"audit_key": "hunter2-of-the-log"},
    "telemetry": {"otlp_endpoint": "http://me:hunter2@collector.example:4318"},
    "falkordb_url": "redis://me:hunter2@graph.example:6379",
    "database": "postgresql://me:hunter2@one.example,two.example/memory?password=hunter2",
}


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def found(settings):
    return {one.name: one for one in effective_settings(settings)}


def test_every_setting_says_what_it_is_in_a_sentence():
    for one in effective_settings(Settings()):
        assert len(one.about) > len("FalkorDB."), one.name
        assert one.about.endswith("."), one.name


def test_a_setting_tells_its_value_and_who_set_it(tmp_path, monkeypatch):
    (tmp_path / "mind-memory.toml").write_text(
        "[resonance]\nrelevance = 0.4\nmax_fragments = 3\n[story]\nmost_words = 9\n"
    )
    monkeypatch.setenv("MIND_MEMORY_RESONANCE__MAX_FRAGMENTS", "7")
    monkeypatch.setenv("MIND_MEMORY_STORY", '{"batch_tokens": 8}')
    monkeypatch.setenv("MIND_MEMORY_PORT", "9000")

    told = {name: (one.value, one.source) for name, one in found(read_settings(port=9001, host="::1")).items()}

    assert told["RESONANCE__RELEVANCE"] == (0.4, "file")
    assert told["RESONANCE__MAX_FRAGMENTS"] == (7, "environment")
    assert told["STORY__MOST_WORDS"] == (9, "file")
    assert told["STORY__BATCH_TOKENS"] == (8, "environment")
    assert told["PORT"] == (9001, "option")
    assert told["HOST"] == ("::1", "option")
    assert told["SLEEP__NAP_SECONDS"] == (30, "default")
    assert told["HOME"] == ("~/.mind-memory", "default")


def test_no_secret_is_shown_and_an_address_loses_its_password():
    told = found(Settings(**SECRETS))

    assert "hunter2" not in json.dumps([one.value for one in told.values()])
    assert {name for name, one in told.items() if one.is_secret} == {
        "API_KEY", "EMBEDDER__API_KEY", "PROXY__API_KEY", "ACCESS__AUDIT_KEY",
        *(f"MODELS__{role}__API_KEY" for role in ("CHAT", "SUBCONSCIOUS", "NARRATIVE", "EXTRACTION", "TRANSCRIPTION")),
    }  # fmt: skip
    assert (told["API_KEY"].value, told["API_KEY"].source) == (None, "option")
    assert told["MODELS__CHAT__API_BASE"].value == "https://models.example/v1"
    assert told["FALKORDB_URL"].value == "redis://graph.example:6379"
    assert told["DATABASE"].value == "postgresql://one.example,two.example/memory"
    assert told["TELEMETRY__OTLP_ENDPOINT"].value == "http://collector.example:4318"


@given(secret=st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=12, max_size=40))
def test_whatever_a_secret_is_no_value_holds_it(secret):
    settings = Settings(api_key=secret, access={"audit_key": secret}, falkordb_url=f"redis://:{secret}@graph:6379")

    assert secret not in json.dumps([one.value for one in effective_settings(settings)])


async def test_the_service_tells_its_settings_to_those_who_look_after_it(tmp_path):
    settings = settings_of(tmp_path / "home", resonance={"relevance": 0.4}, access={"audit_key": "hunter2-of-the-log"})
    async with running(tmp_path / "home", settings=settings) as service:
        answer = await service.http.get("/v1/settings")

    told = {one["name"]: one for one in answer.json()["settings"]}
    assert told["RESONANCE__RELEVANCE"]["value"] == 0.4
    assert told["ACCESS__AUDIT_KEY"] | {"about": ""} == {
        "name": "ACCESS__AUDIT_KEY",
        "value": None,
        "source": "option",
        "about": "",
        "is_secret": True,
    }
    assert "hunter2" not in answer.text
