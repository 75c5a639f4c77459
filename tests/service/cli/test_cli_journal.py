"""`mind-memory journal`: what was written down is found and shown, at a terminal and in a pipe."""

import json

import pytest

from tests.support.cli_process import call
from tests.support.exports import jsonl

NOTE = "# Lyon\n\nMy mother moved into a flat in the Croix-Rousse.\n\x1b[31mShe likes the view.\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    home = folder / "home"
    assert call("import", jsonl(folder / "a.jsonl"), "--no-wait", "--home", home).exit_code == 0
    (home / "minds/global-user-memory/memory/2026-01-09.md").write_text(NOTE)
    return home


def test_what_was_found_is_shown_with_its_place(home):
    said = call("journal", "search", "Where did my mother move to?", "--home", home)

    assert said.exit_code == 0, said.output
    assert "memory/2026-01-09.md:1-4" in said.output
    assert "Croix-Rousse" in said.output
    assert "\x1b[31m" not in said.output


def test_a_pipe_gets_the_answer_of_the_api(home):
    said = call("journal", "search", "mother", "--limit", "1", "--json", "--home", home)
    [found] = json.loads(said.stdout)["results"]

    assert found["path"] == "memory/2026-01-09.md"


def test_nothing_found_is_said(home):
    said = call("journal", "search", "quantum chromodynamics", "--min-score", "1", "--home", home)

    assert (said.exit_code, said.stdout) == (0, "Nothing is written down about that.\n")


def test_the_notes_are_listed_with_who_writes_them(home):
    said = call("journal", "list", "--home", home)
    files = json.loads(call("journal", "list", "--json", "--home", home).stdout)["files"]

    assert said.exit_code == 0, said.output
    [line] = [line for line in said.stdout.splitlines() if "memory/2026-01-09.md" in line]
    assert "by people" in line and f"{len(NOTE.encode())} " in line
    assert "memory/2026-01-09.md" in [one["path"] for one in files]


def test_what_dreams_write_is_not_listed_as_peoples(home):
    own = ("briefing.md", "diary.md", "observations.md", "priorities.md", "rules.md")
    for name in own:
        (home / "minds/global-user-memory" / name).write_text("Ann waits.\n")
    lines = call("journal", "list", "--home", home).stdout.splitlines()
    said = call("journal", "search", "mother", "--json", "--home", home)

    for name in own:
        [line] = [line for line in lines if line.startswith(name)]
        assert line.endswith("by the agent")
    assert json.loads(said.stdout)["results"][0]["path"] == "memory/2026-01-09.md"  # older, and about it


def test_the_briefing_is_shown_and_not_searched(home):
    (home / "minds/global-user-memory/briefing.md").write_text("The import is half done.\n")
    shown = call("journal", "show", "briefing.md", "--home", home)
    found = call("journal", "search", "The import is half done.", "--json", "--home", home)

    assert shown.stdout == "The import is half done.\n"
    assert "briefing.md" not in {one["path"] for one in json.loads(found.stdout)["results"]}


def test_lines_of_a_note_are_shown(home):
    whole = call("journal", "show", "memory/2026-01-09.md", "--home", home)
    some = call("journal", "show", "memory/2026-01-09.md", "--from", "3", "--lines", "1", "--home", home)

    assert whole.stdout == NOTE.replace("\x1b[31m", "")
    assert some.stdout == "My mother moved into a flat in the Croix-Rousse.\n"
    assert "lines 3 to 3 of 4" in some.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("show", "../STORY.md"), "the path is not a plain path"),
        (("show", "memory/nothing.md"), "the journal has no such file"),
        (("search", "  "), "the query is empty"),
        (("search", "x", "--mind", "nobody"), "no mind is called"),
    ],
)
def test_what_can_not_be_shown_is_said_in_a_sentence(home, words, reason):
    said = call("journal", *words, "--home", home)

    assert said.exit_code == 1
    assert reason in said.stderr


def test_a_file_that_is_not_of_the_journal_is_refused_in_words_of_the_command(home):
    """Broken: `query/path:`, which is of the request, stands before them."""
    refused = call("journal", "show", "x.md", "--home", home)

    assert refused.exit_code == 1
    assert refused.stderr.splitlines()[-1].startswith("path: the path is not in the journal")
