"""`mind-memory news`: what happened since a day, group by group."""

import json

import pytest

from mind_memory_client import MemoryClient
from tests.support.cli_process import call, serving, until_digested


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home in which something was learned, surfaced and was put right."""
    home = tmp_path_factory.mktemp("news")
    with serving(home) as (_, url), MemoryClient(url) as memory:
        for content in ("My mother lives in Lyon.", "My sister lives in Ghent.", "My aunt lives in Porto."):
            memory.store_turn("ada", "s0", [{"role": "user", "content": content}])
        until_digested(url, "ada")
        memory.resonance("ada", "s1", [{"role": "user", "content": "Where does my sister live?"}], deadline_ms=0)
        memory.correct("ada", "say", to="Ada plays \x1b[31mchess.")
    return home


def test_each_group_has_its_number_and_its_newest(home):
    said = call("news", "--mind", "ada", "--limit", "1", "--home", home)

    assert said.exit_code == 0, said.output
    assert "3 turns stored." in said.output
    assert "3 facts" in said.output and "and 2 more" in said.output
    assert "Porto" in said.output and "fact:" in said.output
    assert "Where does my sister live? → " in said.output
    assert "say: Ada plays chess." in said.output
    assert "parked" not in said.output


def test_of_a_time_in_which_nothing_happened_that_is_said(home):
    said = call("news", "--since", "2190-01-01", "--mind", "ada", "--home", home)

    assert said.exit_code == 0, said.output
    assert "0 turns stored." in said.output
    assert "Nothing else happened." in said.output


def test_a_pipe_gets_the_answer_of_the_api(home):
    found = json.loads(call("news", "--json", "--since", "2020-01-01", "--mind", "ada", "--home", home).stdout)
    wrong = call("news", "--since", "yesterday", "--mind", "ada", "--home", home)

    assert (found["turns"], found["learned"]["count"], found["surfaced"]["count"]) == (3, 3, 1)
    assert found["since"].startswith(("2019-12-31", "2020-01-01"))
    assert wrong.exit_code == 1 and "'yesterday' is not a day" in wrong.output
