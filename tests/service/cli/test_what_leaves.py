"""What the start, and `mind-memory doctor`, say of what leaves this machine: every place that settings name."""

import json

import pytest

from service.cli.output.configuration import network_of
from service.settings.settings import Settings
from tests.support.cli_process import call, said_by_service, serving
from tests.twins.webhook_receiver import SECRET

NOTHING = "none: nothing leaves this machine"


def endpoint(url, name="crm"):
    return {"name": name, "url": url, "secret": SECRET}


def test_the_start_and_doctor_name_the_host_that_events_are_posted_to(tmp_path):
    """Broken: "nothing leaves this machine", while ids and times are posted to another host; and a token is shown."""
    posted = {
        "MIND_MEMORY_WEBHOOKS__ENDPOINTS": json.dumps([endpoint("https://hooks.example.com/memory?token=abc")]),
        "MIND_MEMORY_WEBHOOKS__ALLOWED_HOSTS": '["hooks.example.com"]',
    }
    with serving(tmp_path / "home", **posted):
        started = said_by_service(tmp_path / "home")
    checked = call("doctor", "--home", tmp_path / "other", **posted).stdout

    for said in (started, checked):
        assert "only to hooks.example.com (webhooks)" in said
        assert "nothing leaves" not in said and "token=" not in said


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"falkordb_url": "redis://graph.example:6379"},
        {"database": "postgresql://me@db.example/memory", "falkordb_url": "redis://localhost"},
        {"database": "postgresql:///memory", "falkordb_url": "redis://localhost"},  # PGHOST may name another machine
        {"telemetry": {"otlp_endpoint": "http://collector.example:4318"}},
        {"model": "openai/gpt-4o-mini"},
        {"model": "ollama/llama3.2", "api_base": "http://gpu.example:11434"},
        {"models": {"transcription": {"model": "openai/whisper-1"}}},
        {"embedder": {"model": "openai/text-embedding-3-small"}},
        {"proxy": {"models": ["mistral/mistral-small"]}},
        {"webhooks": {"endpoints": [endpoint("http://10.0.0.7:9000/")], "allowed_hosts": ["10.0.0.7"]}},
    ],
    ids=str,
)
def test_every_place_elsewhere_is_named(elsewhere):
    assert network_of(Settings(**elsewhere)).startswith("only to ")


@pytest.mark.parametrize(
    "here",
    [
        {},
        {"falkordb_url": "redis://127.0.0.2:6379"},
        {"database": "postgresql://me@localhost/memory", "falkordb_url": "redis://localhost"},
        {"database": "host=/run/postgresql dbname=memory", "falkordb_url": "redis://localhost"},
        {"telemetry": {"otlp_endpoint": "http://[::1]:4318"}},
        {"model": "ollama/llama3.2"},
        {"model": "openai/any", "api_base": "http://localhost:8080/v1", "api_key": "x"},
        {"webhooks": {"endpoints": [endpoint("http://127.0.0.1:9000/"), endpoint("http://localhost/", "other")]}},
    ],
    ids=str,
)
def test_what_stays_on_this_machine_is_not_named(here):
    assert network_of(Settings(**here)) == NOTHING


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("ollama/llama3.2", "OLLAMA_API_BASE"),
        ("ollama_chat/llama3.2", "OLLAMA_API_BASE"),
        ("lm_studio/any", "LM_STUDIO_API_BASE"),
        ("llamafile/any", "LLAMAFILE_API_BASE"),
        ("hosted_vllm/any", "HOSTED_VLLM_API_BASE"),
    ],
)
def test_a_server_of_ones_own_that_a_variable_puts_elsewhere_is_named(model, variable, monkeypatch):
    """Broken: an Ollama is on this machine, whatever OLLAMA_API_BASE says."""
    monkeypatch.setenv(variable, "http://gpu.example:1234/v1")

    assert network_of(Settings(model=model)) == "only to gpu.example"
