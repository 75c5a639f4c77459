"""Reading the settings: mistakes named by what a person typed, and where each value came from."""

from pathlib import Path

import json
import pytest

from consolidation.kernel.errors import ConfigurationFault
from service.settings.loading import known_variables, origins, read_settings


def test_a_flag_wins_over_a_variable_and_that_over_the_file(tmp_path, monkeypatch):
    (tmp_path / "mind-memory.toml").write_text("port = 1\nhost = '127.0.0.3'\n[models.chat]\nmodel = 'a/b'\n")
    monkeypatch.setenv("MIND_MEMORY_PORT", "2")
    monkeypatch.setenv("MIND_MEMORY_HOST", "127.0.0.2")

    settings = read_settings(port=3, home=None)

    assert (settings.port, settings.host, settings.models.chat.model) == (3, "127.0.0.2", "a/b")
    assert [(one.name, one.shown, one.place) for one in origins(settings, port=3)] == [
        ("host", "127.0.0.2", "MIND_MEMORY_HOST"),
        ("port", "3", "--port"),
        ("models.chat.model", "a/b", "mind-memory.toml"),
    ]


def test_a_byte_order_mark_before_the_file_is_not_read(tmp_path):
    """Broken: what Notepad saved was "not TOML", and no service started."""
    (tmp_path / "mind-memory.toml").write_text("\ufeffport = 1\n", encoding="utf-8")

    settings = read_settings()

    assert settings.port == 1
    assert [(one.name, one.place) for one in origins(settings)] == [("port", "mind-memory.toml")]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("MIND_MEMORY_HOEM", "x", "MIND_MEMORY_HOEM is not a setting; did you mean MIND_MEMORY_HOME?"),
        ("mind_memory_models__chat__modle", "x", "did you mean MIND_MEMORY_MODELS__CHAT__MODEL?"),
        ("MIND_MEMORY_PORT", "many", "MIND_MEMORY_PORT: input should be a valid integer"),
        (
            "MIND_MEMORY_GRAPH__READ_SECONDS",
            "1e12",
            "GRAPH__READ_SECONDS: input should be less than or equal to 31536000",
        ),
        ("MIND_MEMORY_WEBHOOKS__GIVE_UP_HOURS", "1e9", "WEBHOOKS__GIVE_UP_HOURS: input should be less than or equal"),
        ("MIND_MEMORY_SLEEP__DEEP_PAUSE_SECONDS", "1e12", "SLEEP__DEEP_PAUSE_SECONDS: input should be less than or eq"),
        (
            "MIND_MEMORY_STORY__SESSIONS_MIND",
            " ",
            "MIND_MEMORY_STORY__SESSIONS_MIND: a mind is called by printable text",
        ),
        ("MIND_MEMORY_RESONANCE__RELEVANCE", "2", "MIND_MEMORY_RESONANCE__RELEVANCE: input should be less than"),
        ("MIND_MEMORY_MODELS__CHAT__FALLBACKS", "a,b", "MIND_MEMORY_MODELS__CHAT__FALLBACKS must be JSON"),
        (
            "MIND_MEMORY_EMBEDDER",
            "x",
            'MIND_MEMORY_EMBEDDER must be JSON, like {"model": …}; or set what is in it by itself, as ',
        ),
        ("MIND_MEMORY_SLEEP__FATIGUE_WARNING", "90", "MIND_MEMORY_SLEEP__FATIGUE_WARNING: fatigue_limit must be above"),
        ("MIND_MEMORY_DIGESTION__FIRST_RETRY_SECONDS", "90", "first_retry_seconds must be at most most_retry_seconds"),
        ("MIND_MEMORY_WEBHOOKS__MOST_RETRY_SECONDS", "2", "first_retry_seconds must be at most most_retry_seconds"),
        ("MIND_MEMORY_DIGESTION__TURN_SECONDS", "inf", "input should be a finite number"),
        ("MIND_MEMORY_EMBEDDER__DIMENSION", "1024", "MIND_MEMORY_EMBEDDER__DIMENSION: dimension is for a hosted model"),
        (
            "MIND_MEMORY_LOG_LEVEL",
            "debug",
            "MIND_MEMORY_LOG_LEVEL: input should be 'DEBUG', 'INFO', 'WARNING' or 'ERROR'",
        ),
        ("MIND_MEMORY_GRAPH_PREFIX", "Mind-", "MIND_MEMORY_GRAPH_PREFIX: must be at most 32 of a-z, 0-9 and _"),
        ("MIND_MEMORY_HOST", "127.0.0.1:8001", "MIND_MEMORY_HOST: must be an address or a name alone"),
        ("MIND_MEMORY_API_BASE", "localhost:11434", "MIND_MEMORY_API_BASE: must be an http:// or https:// address"),
        (
            "MIND_MEMORY_EMBEDDER__API_BASE",
            "x",
            "MIND_MEMORY_EMBEDDER__API_BASE: must be an http:// or https:// address",
        ),
        ("MIND_MEMORY_MODELS__TRANSCRIPTION__LANGUAGE", "english", "must be an ISO 639 code"),
    ],
)
def test_a_mistake_in_a_variable_is_named(monkeypatch, name, value, said):
    monkeypatch.setenv(name, value)

    with pytest.raises(ConfigurationFault) as fault:
        read_settings()

    assert said in str(fault.value)


def test_a_mistake_in_a_flag_is_named_as_the_flag():
    with pytest.raises(ConfigurationFault, match="^--port: input should be less than or equal to 65535$"):
        read_settings(port=70_000)


def test_an_empty_variable_is_no_value(monkeypatch):
    for name in known_variables():
        monkeypatch.setenv(name, "")

    settings = read_settings()

    assert settings.model is None
    assert settings.falkordb_url is None
    assert settings.home == Path("~/.mind-memory")


def test_a_list_is_shown_as_a_person_would_write_it(monkeypatch):
    """Broken: `doctor` printed ('*',) and (PosixPath('/vault'),)."""
    monkeypatch.setenv("MIND_MEMORY_ACCESS__ALLOWED_HOSTS", '["a.local", "*"]')
    monkeypatch.setenv("MIND_MEMORY_STORY__LINKED_FOLDERS", '["/vault"]')
    monkeypatch.setenv("MIND_MEMORY_ENTITY_KINDS", '[{"name": "Person"}, {"name": "Place"}]')
    monkeypatch.setenv("MIND_MEMORY_OFF_THE_RECORD_MARKERS", "[]")

    shown = {one.name: one.shown for one in origins(read_settings())}

    assert shown == {
        "access.allowed_hosts": "a.local, *",
        "story.linked_folders": "/vault",
        "entity_kinds": "Person, Place",
        "off_the_record_markers": "none",
    }


def test_secrets_are_not_among_the_origins(monkeypatch):
    monkeypatch.setenv("MIND_MEMORY_EMBEDDER__API_KEY", "hushhush")
    monkeypatch.setenv("FALKORDB_URL", "redis://me:hushhush@graph:6379")

    found = origins(read_settings())

    assert "hushhush" not in repr(found)
    assert ("falkordb_url", "redis://graph:6379", "FALKORDB_URL") in [(o.name, o.shown, o.place) for o in found]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("off", "must be JSON, like"),
        ('["hush", " "]', "must not be blank"),
        ('"hush"', "MIND_MEMORY_OFF_THE_RECORD_MARKERS"),
    ],
)
def test_a_marker_that_would_void_everything_is_refused(monkeypatch, value, said):
    monkeypatch.setenv("MIND_MEMORY_OFF_THE_RECORD_MARKERS", value)

    with pytest.raises(ConfigurationFault, match=said):
        read_settings()


def test_kinds_of_entities_come_from_the_environment_or_the_file(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mind-memory.toml").write_text('[[entity_kinds]]\nname = "Place"\ndescription = "somewhere"\n')
    of_file = read_settings().entity_kinds
    monkeypatch.setenv("MIND_MEMORY_ENTITY_KINDS", '[{"name": "Person"}]')

    assert [(one.name, one.description) for one in of_file] == [("Place", "somewhere")]
    assert [(one.name, one.description) for one in read_settings().entity_kinds] == [("Person", "")]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ('[{"name": "a person"}]', "should match pattern"),
        ('[{"name": "Person"}, {"name": "PERSON"}]', "names Person twice"),
        ('[{"kind": "Person"}]', "not a setting|field required"),
        (json.dumps([{"name": f"K{number}"} for number in range(21)]), "at most 20"),
        ("Person", "must be JSON, like"),
    ],
)
def test_kinds_that_can_not_be_told_apart_stop_the_start(monkeypatch, value, said):
    monkeypatch.setenv("MIND_MEMORY_ENTITY_KINDS", value)

    with pytest.raises(ConfigurationFault, match=said):
        read_settings()


def test_an_address_is_shown_without_its_key(monkeypatch):
    monkeypatch.setenv("MIND_MEMORY_API_BASE", "https://u:p@host/v1?key=canary")

    assert [one.shown for one in origins(read_settings())] == ["https://host/v1"]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("ENTITY_KINDS", "Person", 'MIND_MEMORY_ENTITY_KINDS must be JSON, like [{"name": "…"}]'),
        ("WEBHOOKS__ENDPOINTS", "x", 'MIND_MEMORY_WEBHOOKS__ENDPOINTS must be JSON, like [{"name": "…", "url": '),
        ("OFF_THE_RECORD_MARKERS", "x", 'must be JSON, like ["#offtherecord"]'),
        ("MODELS__CHAT__FALLBACKS", "x", 'must be JSON, like ["openai/gpt-4o"]'),
        ("ACCESS__ALLOWED_HOSTS", "x", 'must be JSON, like ["memory.local"]'),
        ("WEBHOOKS__ENDPOINTS", '[{"name": "a"}]', "MIND_MEMORY_WEBHOOKS__ENDPOINTS: entry 1 url: field required"),
        ("WEBHOOKS__ENDPOINTS", '[{"name": "a", "uri": "x"}]', "entry 1 uri is not a field; did you mean url?"),
        ("ENTITY_KINDS", '[{"name": "Person"}, {}]', "MIND_MEMORY_ENTITY_KINDS: entry 2 name: field required"),
        (
            "OFF_THE_RECORD_MARKERS",
            "[3]",
            "MIND_MEMORY_OFF_THE_RECORD_MARKERS: entry 1: input should be a valid string",
        ),
    ],
)
def test_a_mistake_in_a_list_names_the_entry_and_the_field(monkeypatch, name, value, said):
    """Broken: every example was a list of models, and of an entry neither its number nor its field was named."""
    monkeypatch.setenv(f"MIND_MEMORY_{name}", value)

    with pytest.raises(ConfigurationFault) as fault:
        read_settings()

    assert said in str(fault.value)
