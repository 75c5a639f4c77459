"""`mind-memory wake`: what an agent is handed when it wakes, at a terminal and for programs."""

import json

import pytest

from tests.support.cli_process import call


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    file = folder / "talk.jsonl"
    file.write_text(json.dumps({"session_id": "s1", "role": "user", "content": "Where is \x1b[31mthe report?"}) + "\n")
    assert call("import", file, "--mind", "ada", "--no-wait", "--home", folder / "home").exit_code == 0
    lines = "".join(f"RED 09:{minute} Promised Ann part {minute} of the long report\n" for minute in range(10, 60))
    (folder / "home/minds/ada/observations.md").write_text(f"## 2026-02-12\n\n{lines}")
    return folder / "home"


def test_the_text_is_shown_as_a_model_reads_it(home):
    """Broken: colours of what people said reach the terminal."""
    said = call("wake", "--mind", "ada", "--home", home)

    assert said.exit_code == 0, said.output
    assert said.stdout.startswith("[MY WAKING]\nYou have not slept yet.")
    assert said.stdout.rstrip().endswith("[END OF MY WAKING]")
    assert "RED Thu 2026-02-12 09:59 Promised Ann part 59" in said.stdout
    assert "the report?" in said.stdout
    assert "\x1b" not in said.stdout


def test_a_program_gets_the_answer_of_the_api_within_its_budget(home):
    """Broken: ``--max-tokens`` is not passed on."""
    small, large = (
        json.loads(call("wake", "--mind", "ada", "--json", "--max-tokens", most, "--home", home).stdout)
        for most in ("200", "4000")
    )

    assert small["left_out"] > large["left_out"] == 0
    assert large["pointers"]["log"] == "/v1/minds/ada/log"


def test_a_mind_that_is_not_there_is_said(home):
    said = call("wake", "--mind", "nobody", "--home", home)

    assert said.exit_code == 1
    assert "no mind is called 'nobody'" in said.output
