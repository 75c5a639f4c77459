"""`mind-memory log`: words in everything that was said, at a terminal and in a pipe."""

import json

import pytest

from tests.support.cli_process import call


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    file = folder / "talk.jsonl"
    lines = [
        {"session_id": "s1", "role": "user", "content": "The build broke with \x1b[31mstatus 429."},
        {"session_id": "s1", "role": "assistant", "content": "Wait a minute, then try again."},
        {"session_id": "s1", "role": "user", "content": "Status 429 once more."},
    ]
    file.write_text(
        "".join(json.dumps({"timestamp": f"2026-01-0{n}T12:00:00Z"} | one) + "\n" for n, one in enumerate(lines, 1))
    )
    assert call("import", file, "--no-wait", "--home", folder / "home").exit_code == 0
    return folder / "home"


def test_what_was_said_is_shown_newest_first_with_its_age_and_neighbours(home):
    said = call("log", "STATUS 429", "--home", home)

    assert said.exit_code == 0, said.output
    assert said.output.index("user: Status 429 once more.") < said.output.index(
        "user: The build broke with status 429."
    )
    assert "assistant: Wait a minute, then try again." in said.output
    assert "ago — 2026-01-03" in said.output
    assert "\x1b[31m" not in said.output


def test_a_pipe_gets_the_answer_of_the_api(home):
    said = call("log", "429", "--limit", "1", "--context", "0", "--json", "--home", home)
    found = json.loads(said.stdout)

    assert [item["text"] for item in found["items"]] == ["Status 429 once more."]
    assert found["next_cursor"] is not None
    older = call("log", "429", "--until", "2026-01-02", "--json", "--home", home)
    assert ["build broke" in item["text"] for item in json.loads(older.stdout)["items"]] == [True]


def test_nothing_found_is_said(home):
    said = call("log", "zebra", "--until", "2026-01-02", "--home", home)

    assert said.exit_code == 0
    assert "Nobody used these words." in said.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("  ",), "the query is empty"),
        (("x", "--since", "yesterday"), "--since: 'yesterday' is not a day"),
    ],
)
def test_a_wrong_option_is_named(home, options, words):
    said = call("log", *options, "--home", home)

    assert said.exit_code == 1
    assert words in said.output


def test_what_is_saved_at_a_terminal_is_in_the_log(home):
    saved = call("save", "Ada prefers trains.", "--importance", "0.8", "--at", "2026-01-05", "--home", home)
    said = call("log", "prefers trains", "--home", home)
    as_json = call("save", "Ada prefers night trains.", "--json", "--home", home)
    lowly = call("save", "Hello.", "--importance", "0.01", "--home", home)

    assert saved.exit_code == 0, saved.output
    assert "Saved as turn " in saved.output
    assert "thought: Ada prefers trains." in said.output
    assert json.loads(as_json.stdout)["memories"][0]["turn_id"]
    assert "2026-01-05 12:00" in said.output
    assert lowly.exit_code == 2
