"""`mind-memory correct`: put a memory right at a terminal, see what was put right, and take it back."""

import json
import re

import pytest

from tests.support.cli_process import call

LYON = "My mother Ingrid lives in Lyon."


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    file = folder / "talk.jsonl"
    lines = [
        {"session_id": "s1", "role": "user", "content": LYON, "timestamp": "2026-01-09T12:00:00Z"},
        {
            "session_id": "s2",
            "role": "user",
            "content": "We painted the fence green.",
            "timestamp": "2026-01-10T12:00:00Z",
        },
    ]
    file.write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    assert call("import", file, "--home", folder / "home").exit_code == 0
    return folder / "home"


def correct(home, *words):
    return call("correct", *words, "--home", home)


def test_a_fact_is_put_right_by_its_words_listed_and_taken_back(home):
    made = correct(home, "edit", LYON, "--to", "Ingrid lives in Porto.", "--reason", "she moved")
    remembered = call("remember", "Where does my mother Ingrid live?", "--home", home)
    listed = correct(home, "list")
    key = re.search(r"correct undo (\w+)", made.output)[1]
    undone = correct(home, "undo", key)
    after = correct(home, "list", "--json")

    assert made.exit_code == 0, made.output
    assert "It is told otherwise from now on" in made.output
    assert remembered.output.index("Porto") < remembered.output.index("Lyon")
    assert "a person: it is" in " ".join(remembered.output.split())
    assert all(words in listed.output for words in (LYON, "→ Ingrid lives in Porto.", "reason: she moved", "by owner"))
    assert undone.exit_code == 0, undone.output
    assert [one["state"] for one in json.loads(after.stdout)["items"] if one["id"] == key] == ["undone"]


def test_what_is_remembered_is_put_right_by_the_id_beside_it(home):
    """Broken: a list of what is remembered names the turn in a way that ``correct`` refuses."""
    remembered = call("remember", "Where does my mother Ingrid live?", "--home", home)
    [key, *_] = re.findall(r"\b(?:fact|episode):\S+?(?=›)", "".join(remembered.output.split()))
    pinned = correct(home, "pin", key)
    correct(home, "undo", re.search(r"correct undo (\w+)", pinned.output)[1])

    assert pinned.exit_code == 0, pinned.output


def test_something_new_is_said_without_naming_a_memory(home):
    said = correct(home, "say", "Ada has a boat.")

    assert said.exit_code == 0, said.output
    assert "It is known from now on" in said.output


def test_somebody_is_named_by_the_name_and_the_way_back_names_the_mind(home):
    """Broken: words always mean a fact; or the hint is without ``--mind``, and fails as it is typed."""
    call("save", "My aunt Zoe collects stamps.", "--mind", "other", "--home", home)

    muted = correct(home, "mute", "Zoe", "--mind", "other")
    back = re.search(r"`mind-memory (correct undo \w+ --mind other --home \S+)`", muted.output)
    undone = call(*back[1].split())

    assert muted.exit_code == 0, muted.output
    assert undone.exit_code == 0, undone.output


def test_words_of_others_do_not_steer_the_terminal(home):
    """Broken: the target's words are printed as they came."""
    correct(home, "say", "Ada \x1b[31msails\x1b[2J.")

    listed = correct(home, "list")

    assert "sails" in listed.output
    assert "\x1b" not in listed.output


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("forget", LYON), "forget: choose from edit, wrong"),
        (("wrong",), "say which memory"),
        (("undo",), "say which correction to take back"),
        (("edit", LYON), "edit needs --to"),
        (("merge", "Ingrid", "--to", "Nobody"), "to: the mind knows no such entity"),
        (("wrong", "Nobody said this."), "`mind-memory facts --query 'Nobody said this.' --home "),
        (("undo", "nope"), "no correction has this id"),
        (("wrong", "observation:1"), "an observation is put right in observations.md"),
    ],
)
def test_what_can_not_be_put_right_is_said_in_a_sentence(home, words, answer):
    said = correct(home, *words)

    assert said.exit_code != 0
    assert answer in " ".join(said.output.split())
    assert "Traceback" not in said.output
