"""`mind-memory observations`: by day, at a terminal and in a pipe."""

import json

import pytest

from tests.support.cli_process import call

FILE = "## 2026-02-12\n\nRED 09:32 Promised Ann\x1b[31m the report\nGRN 09:41 It starts in 14 s\n\n## 2026-02-13\n\nYLW 08:00 Bo reviews\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    (folder / "talk.jsonl").write_text(json.dumps({"session_id": "s1", "role": "user", "content": "Good morning!"}))
    done = call("import", folder / "talk.jsonl", "--no-wait", "--home", folder / "home")
    assert done.exit_code == 0, done.output
    (folder / "home" / "minds" / "global-user-memory" / "observations.md").write_text(FILE)
    return folder / "home"


def test_observations_are_shown_by_day(home):
    said = call("observations", "--home", home)

    assert said.exit_code == 0, said.output
    lines = ["2026-02-12", "RED 09:32 Promised Ann the report", "GRN 09:41 It starts in 14 s", "", "2026-02-13"]
    assert said.stdout.splitlines()[:5] == lines
    assert "\x1b" not in said.stdout


def test_a_level_and_a_day_narrow_it_and_a_pipe_gets_the_answer_of_the_api(home):
    said = call("observations", "--level", "YLW", "--since", "2026-02-13", "--json", "--home", home)

    assert [one["text"] for one in json.loads(said.stdout)["observations"]] == ["Bo reviews"]


def test_a_level_that_there_is_not_is_refused(home):
    said = call("observations", "--level", "BLUE", "--home", home)

    assert said.exit_code != 0
    assert "choose from RED, YLW, GRN" in said.output


def test_a_day_that_there_is_not_is_refused_as_elsewhere(home):
    """Broken: it goes to the API as it is, whose words are those of a request."""
    said = call("observations", "--since", "last week", "--home", home)

    assert said.exit_code == 1
    assert "--since: 'last week' is not a day; write it like 2026-01-09" in said.stderr
