"""Commands that a command proposes go to the memory that it was called on, wherever that is."""

import json
import re
import shlex

import pytest

from tests.support.cli_process import call


def proposed(said):
    """The commands in what was printed, as words."""
    found = re.findall(r"`[^`]*mind-memory ([^`]+)`|^ +(?:Ask it something: )?\S*mind-memory (.+)$", said, re.MULTILINE)
    return [shlex.split(quoted or bare) for quoted, bare in found]


@pytest.fixture
def home(tmp_path):
    return tmp_path / "a home"


@pytest.fixture
def imported(home, tmp_path):
    talk = tmp_path / "talk.jsonl"
    talk.write_text(json.dumps({"session_id": "s1", "role": "user", "content": "Good morning!"}))
    return call("import", talk, "--no-wait", "--mind", "ada", "--home", home)


def test_what_was_imported_is_asked_where_it_is(home, imported):
    assert ["chat", "--mind", "ada", "--home", str(home)] in proposed(imported.output)


def test_an_empty_home_is_talked_to_where_it_is(home):
    home.mkdir()

    assert proposed(call("status", "--home", home).stdout) == [["chat", "--home", str(home)]]
    assert proposed(call("status", MIND_MEMORY_HOME=str(home)).stdout) == [["chat", "--home", str(home)]]


def test_the_usual_home_needs_no_name(tmp_path):
    assert proposed(call("status", HOME=str(tmp_path)).stdout) == [["chat"]]


def test_a_key_is_made_where_the_last_one_was_revoked(home):
    call("keys", "create", "--name", "bot", "--home", home)
    [key] = json.loads(call("keys", "list", "--json", "--home", home).stdout)["keys"]

    revoked, again = (call("keys", "revoke", name, "--home", home) for name in (key["id"], "none"))

    assert proposed(revoked.output) == [["keys", "create", "--home", str(home)]]
    assert proposed(again.output) == [["keys", "list", "--home", str(home)]]


def test_the_story_of_a_home_is_written_in_it(home, imported):
    shown = call("story", "show", "--mind", "ada", "--home", home)

    assert imported.exit_code == 0
    assert ["consolidate", "--mind", "ada", "--home", str(home)] in proposed(shown.output)
