"""Mistakes in settings stop the start, and the sentence says what to write in its place."""

from pathlib import Path

import pytest

from consolidation.kernel.errors import ConfigurationFault
from service.settings.loading import effective_settings, read_settings
from service.settings.settings import Settings


def refusal():
    with pytest.raises(ConfigurationFault) as fault:
        read_settings()
    return str(fault.value)


@pytest.mark.parametrize("name", ["ACCESS__ALLOWED_HOSTS", "WEBHOOKS__ALLOWED_HOSTS"])
@pytest.mark.parametrize(
    "host",
    ["memory.local:8234", "http://memory.local:80", "https://x/", "", " ", "*.example.com", "[::1]", "me@host", "a b"],
)
def test_a_host_that_would_never_match_is_refused(monkeypatch, name, host):
    """Broken: the start took a host with a port or a URL, and each call was refused with a hint to this setting."""
    monkeypatch.setenv(f"MIND_MEMORY_{name}", f'["localhost", "{host}"]')

    said = refusal()
    assert said.startswith(f"MIND_MEMORY_{name}: entry 2: must be the name or address of a host alone")
    assert said.endswith("or * alone, which accepts every host") == name.startswith("ACCESS")


def test_a_host_is_kept_as_a_header_names_it():
    settings = Settings(access={"allowed_hosts": ["Memory.Local.", "Bücher.example", "192.168.1.5", "fe80::1", "*"]})

    assert settings.access.allowed_hosts == ("memory.local", "xn--bcher-kva.example", "192.168.1.5", "fe80::1", "*")


def test_every_host_can_not_be_one_that_webhooks_are_sent_to(monkeypatch):
    monkeypatch.setenv("MIND_MEMORY_WEBHOOKS__ALLOWED_HOSTS", '["*"]')

    assert "entry 1: must be the name or address of a host alone" in refusal()


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        ("MODEL", "   ", "MIND_MEMORY_MODEL"),
        ("MODELS__CHAT__MODEL", "\t", "MIND_MEMORY_MODELS__CHAT__MODEL"),
        ("MODELS__TRANSCRIPTION__MODEL", " ", "MIND_MEMORY_MODELS__TRANSCRIPTION__MODEL"),
        ("MODELS__LAST_RESORT", " ", "MIND_MEMORY_MODELS__LAST_RESORT"),
        ("EMBEDDER__MODEL", " ", "MIND_MEMORY_EMBEDDER__MODEL"),
        ("MODELS__CHAT__FALLBACKS", '["a/b", ""]', "MIND_MEMORY_MODELS__CHAT__FALLBACKS: entry 2"),
        ("PROXY__MODELS", '[""]', "MIND_MEMORY_PROXY__MODELS: entry 1"),
    ],
)
def test_a_blank_name_is_not_a_model(monkeypatch, name, value, place):
    """Broken: it counted as a configured model, and each call to it failed."""
    monkeypatch.setenv(f"MIND_MEMORY_{name}", value)

    assert f"{place}: must not be blank" in refusal()


@pytest.mark.parametrize("name", ["HOME", "STORY__SESSIONS_FOLDER"])
def test_a_home_of_nobody_is_refused(monkeypatch, name):
    """Broken: the start ended with a traceback."""
    monkeypatch.setenv(f"MIND_MEMORY_{name}", "~nobody2/x")

    assert refusal() == (
        f"MIND_MEMORY_{name}: ~nobody2/x can not be found: ~nobody2 is not a home folder of this machine"
    )


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("RESONANCE", '{"relevanc": 0.4}', "MIND_MEMORY_RESONANCE: relevanc is not a setting; did you mean resonance.rel"),
        ("RESONANCE", '{"relevance": 4}', "MIND_MEMORY_RESONANCE: relevance: input should be less than or equal to 1"),
        ("RESONANCE", "0.4", 'MIND_MEMORY_RESONANCE: must be JSON, like {"deadline_ms": …}; or set what is in it by it'),
        ("RELEVANCE", "0.4", "MIND_MEMORY_RELEVANCE is not a setting; did you mean MIND_MEMORY_RESONANCE__RELEVANCE?"),
        ("EMBEDDER_MODEL", "x", "did you mean MIND_MEMORY_EMBEDDER__MODEL?"),
        ("MODELS", '{"chat": "openai/x"}', 'MIND_MEMORY_MODELS: chat: must be JSON, like {"model": …}; or set what is in'),
        ("ACCESS__ALLOWED_HOSTS", '"a"', 'MIND_MEMORY_ACCESS__ALLOWED_HOSTS: must be a list, like ["memory.local"]'),
        ("STORY__LINKED_FOLDERS", "/a", 'MIND_MEMORY_STORY__LINKED_FOLDERS must be JSON, like ["/home/ann/vault"]'),
        ("ENTITY_KINDS", '["Person"]', 'MIND_MEMORY_ENTITY_KINDS: entry 1: must be as in [{"name": "…"}]'),
    ],
)  # fmt: skip
def test_a_variable_of_the_wrong_form_is_told_what_to_write(monkeypatch, name, value, said):
    monkeypatch.setenv(f"MIND_MEMORY_{name}", value)

    assert said in refusal()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("relevance = 0.4", "relevance in mind-memory.toml is not a setting; did you mean resonance.relevance?"),
        ("max_bytes = 3", "did you mean archive.max_bytes or imports.max_bytes?"),
        ("[resonanc]\nrelevance = 0.4", "resonanc in mind-memory.toml is not a setting; did you mean resonance?"),
        ("resonance = 0.4", "resonance in mind-memory.toml: must be a section: write [resonance], and below it a line"),
        ('[models]\nchat = "a/b"', "models.chat in mind-memory.toml: must be a section: write [models.chat], and below"),
        ('entity_kinds = "Person"', "entity_kinds in mind-memory.toml: must be a section: write [[entity_kinds]], and"),
        ('entity_kinds = ["Person"]', "mind-memory.toml: entry 1: must be a section: write [[entity_kinds]], and below"),
        ('[access]\nallowed_hosts = "a"', 'access.allowed_hosts in mind-memory.toml: must be a list, like ["memory.local'),
        ("foobarbaz = 3", "foobarbaz in mind-memory.toml is not a setting; remove it"),
    ],
)  # fmt: skip
def test_a_line_of_the_wrong_form_is_told_what_to_write(monkeypatch, tmp_path, text, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mind-memory.toml").write_text(text)

    assert said in refusal()


def test_the_documentation_says_which_settings_are_lists():
    text = (Path(__file__).parents[3] / "docs/configuration.md").read_text(encoding="utf-8")
    listed = text[text.index("Lists are ") : text.index("A whole section may be JSON")]

    lists = [one.name for one in effective_settings(Settings()) if isinstance(one.value, list)]

    assert [name for name in lists if f"`{name}`" not in listed and not name.endswith("__FALLBACKS")] == []
