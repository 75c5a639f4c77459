"""`mind-memory doctor`: nothing configured, things broken, a service that runs."""

import json
from shutil import copytree

import httpx2
import pytest

from service.cli.commands.doctor import dependency_finding
from service.cli.connection import still_loads
from service.cli.output.findings import BROKEN, NOTED, SOUND
from tests.support.cli_process import call, said_by_service, serving
from tests.support.exports import jsonl
from tests.support.mcp_hosts import LYON
from tests.support.permissions import without_rights_of_root
from tests.support.waiting import until
from tests.twins.provider import Fails, ScriptedProvider


def test_with_nothing_configured_all_is_well_and_nothing_is_left_behind(tmp_path):
    done = call("doctor", "--home", tmp_path / "home")

    assert done.exit_code == 0, done.stdout
    for words in ("embedded FalkorDB: redis-server", "weights verified, 384 dimensions"):
        assert words in done.stdout
    assert "none: memories are quoted as they were said" in done.stdout
    assert "nothing leaves this machine" in done.stdout
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(("home", "is_said"), [((), True), (("--home", "home"), False)])
def test_that_another_service_is_not_looked_at_is_said(tmp_path, monkeypatch, home, is_said):
    """Broken: with the address of a service elsewhere, the home of this machine is called sound, and nobody says whose."""
    monkeypatch.chdir(tmp_path)
    done = call("doctor", *home, MIND_MEMORY_URL="https://memory.example.org", HOME=str(tmp_path))

    assert ("what follows is of the home on this machine" in done.stdout) is is_said


def test_folders_that_settings_name_and_that_are_not_there_are_said(tmp_path):
    """Broken: a mistyped folder of sessions was never reported, and nothing was read from it."""
    missing = tmp_path / "nowhere"
    asked = {"MIND_MEMORY_STORY__SESSIONS_FOLDER": str(missing), "MIND_MEMORY_STORY__LINKED_FOLDERS": f'["{tmp_path}"]'}
    done = call("doctor", "--home", tmp_path / "home", **asked)
    with serving(tmp_path / "home", **asked):
        started = said_by_service(tmp_path / "home")

    words = " ".join(done.stdout.split())
    assert "is not a folder" in words and "MIND_MEMORY_STORY__SESSIONS_FOLDER" in words
    assert "LINKED_FOLDERS; until" not in words and done.exit_code == 0
    assert "nowhere is not there yet" in " ".join(started.split())


def test_the_multilingual_embedder_is_checked_when_it_is_chosen(tmp_path):
    done = call("doctor", "--home", tmp_path / "home", MIND_MEMORY_EMBEDDER__MODEL="multilingual")

    assert "multilingual-e5-small, weights verified, 384 dimensions" in done.stdout
    assert "nothing leaves this machine" in done.stdout


def test_a_hosted_embedder_without_its_key_is_broken_before_anybody_calls_it(tmp_path):
    """Broken: doctor calls nothing broken, and the first turn finds out."""
    done = call("doctor", "--home", tmp_path / "home", MIND_MEMORY_EMBEDDER__MODEL="voyage/voyage-3", VOYAGE_API_KEY="")

    assert done.exit_code == 1
    assert "voyage/voyage-3 has no key: set VOYAGE_API_KEY" in done.stdout
    assert "1 thing to mend: embedder." in done.stdout


def test_what_is_broken_is_named_with_how_to_mend_it_and_secrets_are_not(tmp_path):
    with ScriptedProvider(respond=lambda _: Fails(401, "that key is wrong")) as provider:
        done = call(
            "doctor",
            "--call-models",
            "--home",
            tmp_path,
            FALKORDB_URL="redis://me:hushhush@127.0.0.1:1",
            MIND_MEMORY_MODEL="openai/scripted",
            MIND_MEMORY_API_BASE=provider.url,
            MIND_MEMORY_API_KEY="sk-hushhush",
        )

    assert done.exit_code == 1
    assert "✗ graph" in done.stdout
    assert "✗ chat" in done.stdout
    assert "correct FALKORDB_URL" in done.stdout
    assert "redis://127.0.0.1:1 (FALKORDB_URL)" in done.stdout
    assert "set, not shown (MIND_MEMORY_API_KEY)" in done.stdout
    assert "hushhush" not in done.output


def test_a_program_gets_each_finding_with_its_state_and_what_to_do(tmp_path):
    sound = call("doctor", "--json", "--home", tmp_path / "home")
    wrong = call("doctor", "--json", "--home", tmp_path / "home", MIND_MEMORY_MODEL="llama3.2")

    told = json.loads(sound.stdout)
    titles = [one["title"] for one in told["sections"]]
    assert (sound.exit_code, told["is_sound"]) == (0, True)
    assert titles == ["Configuration", "This machine", "Access", "Models", "Memory"]
    told = json.loads(wrong.stdout)
    broken = [one for section in told["sections"] for one in section["findings"] if one["state"] == "broken"]
    assert (wrong.exit_code, told["is_sound"]) == (1, False)
    assert all(one["mend"] for one in broken)
    assert any("llama3.2 names no provider" in one["words"] for one in broken)


def test_models_are_not_called_unless_that_is_asked_for(tmp_path):
    with ScriptedProvider() as provider:
        settings = {"MIND_MEMORY_MODEL": "openai/scripted", "MIND_MEMORY_API_BASE": provider.url}
        done = call("doctor", "--home", tmp_path / "home", MIND_MEMORY_API_KEY="k", **settings)

    assert "openai/scripted: not called (--call-models does)" in done.stdout
    assert not provider.asked


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("llama3.2", "llama3.2 names no provider that litellm knows: write it in front, as openai/llama3.2 or ollama/"),
        ("openai/gpt-4o-mini", "openai/gpt-4o-mini has no key: set OPENAI_API_KEY, or api_key where the model is set"),
    ],
)
def test_a_model_that_can_not_be_asked_is_named_with_what_to_do_although_no_model_is_called(tmp_path, model, said):
    """Broken: ``_models`` does not look at ``problems_of``."""
    done = call("doctor", "--home", tmp_path / "home", MIND_MEMORY_MODEL=model, OPENAI_API_KEY=None)

    assert done.exit_code == 1
    assert said in done.stdout
    assert "narrative" in done.stdout
    assert "Traceback" not in done.output


def test_a_running_service_is_asked_and_damage_is_told(tmp_path):
    call("import", jsonl(tmp_path / "own.jsonl"), "--home", tmp_path / "home", "--mind", "ada")
    [transcript] = (tmp_path / "home/minds/ada/transcript").glob("*.jsonl")
    transcript.write_bytes(transcript.read_bytes().replace(b"Mondays", b"Sundays"))

    with serving(tmp_path / "home") as (process, url):
        done = call("doctor", "--home", tmp_path / "home")

    assert f"answers at {url}, process {process.pid}" in done.stdout
    assert "1 damaged line" in done.stdout
    assert done.exit_code == 1


def test_not_all_of_many_minds_are_opened_and_those_in_trouble_come_first(tmp_path):
    """Broken: a home of thousands of minds was opened whole."""
    call("import", jsonl(tmp_path / "own.jsonl"), "--home", tmp_path / "home", "--mind", "ada")
    assert (
        "Nothing is broken in what was looked into."
        in call("doctor", "--minds", "0", "--home", tmp_path / "home").stdout
    )
    for mind in ("ben", "cy"):
        copytree(tmp_path / "home/minds/ada", tmp_path / "home/minds" / mind)
    (tmp_path / "home/minds/cy/transcript").rename(tmp_path / "home/minds/cy/elsewhere")
    (tmp_path / "home/minds/cy/transcript").symlink_to(tmp_path / "home/minds/cy/elsewhere")

    with serving(tmp_path / "home"):
        some = call("doctor", "--minds", "1", "--home", tmp_path / "home").stdout
        every = call("doctor", "--home", tmp_path / "home").stdout

    assert "2 are not looked into, but those in trouble come first. --minds 3 looks into all" in " ".join(some.split())
    assert "cy" in some and "ada" not in some and "ben" not in some
    assert "ada" in every and "ben" in every and "not looked into" not in every


@pytest.mark.parametrize("name", ["transcript", "transcript/2026-01.jsonl", "derived/text.sqlite3"])
def test_what_the_service_may_not_write_in_a_mind_is_named(tmp_path, name):
    """Broken: of a mind that was copied back as another user's, all is well, and its turns are refused with 503."""
    call("import", jsonl(tmp_path / "own.jsonl"), "--home", tmp_path / "home", "--mind", "ada")
    mind = tmp_path / "home/minds/ada"
    [transcript] = (mind / "transcript").glob("*.jsonl")
    transcript.rename(mind / "transcript/2026-01.jsonl")
    place = mind / name
    mode = place.stat().st_mode
    place.chmod(mode & ~0o222)
    with without_rights_of_root():
        done = call("doctor", "--home", tmp_path / "home")
    place.chmod(mode)

    assert done.exit_code == 1 and f"minds/ada/{name} can not be written" in " ".join(done.stdout.split())


def test_models_of_a_service_that_this_terminal_does_not_know_are_told(tmp_path):
    """Broken: "Models: none", though the service was started with one in the terminal beside."""
    with ScriptedProvider() as provider:
        settings = {
            "MIND_MEMORY_MODEL": "openai/scripted",
            "MIND_MEMORY_API_BASE": provider.url,
            "MIND_MEMORY_API_KEY": "k",
        }
        with serving(tmp_path / "home", **settings):
            done = call("doctor", "--home", tmp_path / "home")
            same = call("doctor", "--home", tmp_path / "home", **settings)

    assert "the service has models, unlike the settings of this terminal" in " ".join(done.stdout.split())
    assert "unlike the settings" not in same.stdout


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("port = [", "mind-memory.toml is not TOML"),
        ("prot = 1", "prot in mind-memory.toml is not a setting; did you mean port?"),
        ("[resonance]\nrelevance = 7", "resonance.relevance in mind-memory.toml: input should be less than or equal"),
        ("[models.chatt]\nmodel = 'x'", "models.chatt in mind-memory.toml is not a setting; did you mean models.chat?"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path, toml, said):
    (tmp_path / "mind-memory.toml").write_text(toml)

    done = call("doctor", "--home", tmp_path / "home")

    assert done.exit_code == 1
    assert said in done.stdout


def test_a_section_is_not_proposed_for_a_setting_that_it_does_not_have(tmp_path):
    done = call("doctor", "--home", tmp_path / "home", MIND_MEMORY_RESONANCE__FOO="1")

    assert "MIND_MEMORY_RESONANCE__FOO is not a setting" in done.stdout
    assert "did you mean MIND_MEMORY_RESONANCE?" not in done.stdout


def test_a_model_that_can_not_be_asked_is_one_thing_to_mend_for_all_roles(tmp_path):
    """Broken: the same two lines stand there for each role, and once more as what the service says of itself."""
    done = call("doctor", "--home", tmp_path / "home", MIND_MEMORY_MODEL="llama3.2")

    assert done.exit_code == 1
    assert done.stdout.count("llama3.2 names no provider") == 1
    assert "1 thing to mend: chat, subconscious, narrative, extraction." in done.stdout


@pytest.mark.parametrize(
    ("part", "state", "mark"),
    [
        ("graph", "ready", SOUND),
        ("warm-up", "ready", SOUND),
        ("warm-up", "loading what the first pre-turn call needs", NOTED),
        ("disk", "No space left on device", BROKEN),
        ("model_chat", "openai/gpt-4o has no key", BROKEN),
        ("graph", "FalkorDB refuses us", BROKEN),
    ],
)
def test_a_part_that_still_loads_is_not_broken(part, state, mark):
    finding = dependency_finding(part, state, is_embedded=False)

    assert finding.mark == mark
    assert bool(finding.mend) == (mark == BROKEN)
    assert "redis.log" not in finding.mend


def test_an_embedder_of_the_service_alone_is_not_looked_for_in_this_terminals_settings(tmp_path):
    """Broken: it refers to what stands above, where this terminal's own embedder is sound."""
    hosted = {"MODEL": "openai/vectors", "API_BASE": "http://127.0.0.1:9/v1", "API_KEY": "none", "DIMENSION": "8"}
    home, started_with = tmp_path / "home", {f"MIND_MEMORY_EMBEDDER__{name}": value for name, value in hosted.items()}
    with serving(home, **started_with) as (_, url):
        httpx2.post(f"{url}/v1/minds/ada/turns", json={"session_id": "s", "messages": LYON}, timeout=60)
        until(lambda: httpx2.get(f"{url}/readyz", timeout=60).json()["parts"]["embedder"] != "ready")
        done = call("doctor", "--home", home)

    shown = " ".join(done.stdout.split())
    assert "openai/vectors can not be reached" in shown
    assert "MIND_MEMORY_EMBEDDER__… where the service was started" in shown


@pytest.mark.parametrize(
    ("parts", "is_waited_for"),
    [
        ({"graph": "ready", "warm-up": "ready"}, False),
        ({"graph": "it does not answer", "warm-up": "ready"}, True),
        ({"graph": "ready", "warm-up": "loading"}, True),
        ({"graph": "ready", "warm-up": "ready", "model_chat": "openai/gpt-4o-mini has no key"}, False),
    ],
)
def test_only_what_still_loads_is_waited_for(parts, is_waited_for):
    assert still_loads(parts) == is_waited_for


def test_a_transcription_model_is_named_with_where_audio_goes_and_what_is_wrong(tmp_path):
    section = "MIND_MEMORY_MODELS__TRANSCRIPTION__"
    home = ("doctor", "--home", tmp_path / "home")
    right = call(*home, **{f"{section}MODEL": "openai/whisper-1", f"{section}API_KEY": "k"})
    wrong = call(*home, **{f"{section}MODEL": "whisper-of-nobody"})

    assert "openai/whisper-1: configured; no audio was sent to it" in right.stdout
    assert "only to the provider of openai/whisper-1" in right.stdout
    assert "whisper-of-nobody names no provider that litellm knows" in wrong.stdout
    assert (right.exit_code, wrong.exit_code) == (0, 1)
