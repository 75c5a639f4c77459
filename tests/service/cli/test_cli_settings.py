"""`mind-memory settings`: shown with their sources, set and taken away; what is wrong with a file is said."""

import json

import pytest

from tests.support.cli_process import call


@pytest.fixture
def home(tmp_path):
    (tmp_path / "talk.jsonl").write_text(json.dumps({"session_id": "s1", "role": "user", "content": "Good morning!"}))
    assert call("import", tmp_path / "talk.jsonl", "--no-wait", "--home", tmp_path / "home").exit_code == 0
    return tmp_path / "home"


def settings(home, *words):
    return call("settings", *words, "--home", home)


def test_settings_are_set_shown_and_taken_away(home):
    file = home / "minds/global-user-memory/settings.toml"
    done = settings(
        home, "set", "relevance=0.25", "language=de", "never_keep=salary, my diagnosis", "entity_kinds=Person"
    )
    written = file.read_text()
    shown = settings(home)
    unset = settings(home, "unset", "relevance", "language", "entity_kinds", "--json")

    assert done.exit_code == 0, done.output
    assert written.splitlines() == [
        "relevance = 0.25",
        'language = "de"',
        'entity_kinds = [{name = "Person", description = ""}]',
        'never_keep = ["salary", "my diagnosis"]',
    ]
    rows = [line.split() for line in shown.stdout.splitlines()]
    assert ["relevance", "0.25", "mind"] in rows and ["max_fragments", "5", "default"] in rows
    assert json.loads(unset.stdout)["settings"]["relevance"]["source"] == "default"
    assert file.read_text() == 'never_keep = ["salary", "my diagnosis"]\n'


def test_words_of_a_list_are_parted_by_the_commas_of_any_script(home):
    """Broken: they were one word, and turns with either were kept."""
    assert settings(home, "set", "never_keep=秘密、内緒，给药;راتب، سر").exit_code == 0

    written = (home / "minds/global-user-memory/settings.toml").read_text()
    assert written == 'never_keep = ["秘密", "内緒", "给药", "راتب", "سر"]\n'


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["change", "relevance=0.1"], "choose from set, unset"),
        (["set"], "say which"),
        (["set", "relevence=0.1"], "is not a setting of a mind"),
        (["set", "relevance"], "settings set relevance=VALUE"),
        (["unset", "relevance=0.1"], "settings unset relevance"),
        (["set", "relevance=high"], "neither a number nor a list"),
        (["set", "relevance=7"], "less than or equal to 1"),
        (["set", "language=klingon"], "language: is not a language tag, like de or pt-BR"),
        (["set", "entity_kinds=a person"], "must be a word of at most 41 letters"),
    ],
)
def test_what_can_not_be_set_is_said(home, words, why):
    said = settings(home, *words)

    assert said.exit_code == 1
    assert why in said.output
    assert not (home / "minds/global-user-memory/settings.toml").exists()


def test_a_fault_is_said_here_and_by_the_doctor(home):
    (home / "minds/global-user-memory/settings.toml").write_text("\nrelevance = 7\n")

    shown, checked = settings(home), call("doctor", "--home", home)

    assert "settings.toml, line 2: `relevance`" in shown.output
    assert "settings.toml, line 2: `relevance`" in " ".join(checked.output.split())
