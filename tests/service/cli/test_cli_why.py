"""`mind-memory why`: the newest pre-turn call, and what became of its memories."""

import json

import pytest

from mind_memory_client import MemoryClient
from tests.support.cli_process import call, serving

LYON = "My mother lives in Lyon, near the old bakery."


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A home in which something surfaced once: its folder, and the id of what surfaced."""
    home = tmp_path_factory.mktemp("why")
    with serving(home) as (_, url), MemoryClient(url) as memory:
        memory.store_turn("ada", "s0", [{"role": "user", "content": LYON}])
        found = memory.resonance(
            "ada", "s1", [{"role": "user", "content": "Where does my mother live?"}], deadline_ms=0
        )
        yield home, found


def test_the_newest_call_is_shown_phase_by_phase(asked):
    home, found = asked
    said = call("why", "--mind", "ada", "--home", home)

    assert said.exit_code == 0, said.output
    assert "Where does my mother live?" in said.output
    assert found.flashbacks[0].id in said.output
    assert "surfaced" in said.output


def test_a_person_says_what_became_of_a_memory(asked):
    home, found = asked
    memory = found.flashbacks[0].id
    told = call("why", found.trace_id, "--outcome", f"{memory}=acted", "--mind", "ada", "--home", home)
    strange = call("why", "--outcome", "episode:99=acted", "--mind", "ada", "--home", home)
    wrong = call("why", "--outcome", f"{memory}=liked", "--mind", "ada", "--home", home)
    seen = json.loads(call("why", found.trace_id, "--json", "--mind", "ada", "--home", home).stdout)

    assert told.exit_code == 0, told.output
    assert "1 outcome applied to ada." in told.output
    assert (strange.exit_code, wrong.exit_code) == (1, 1)
    assert "episode:99" in strange.output
    assert "write it like episode:12=contradicted" in wrong.output
    assert [(one["id"], one["outcome"]) for one in seen["outcomes"]] == [(memory, "acted")]


def test_a_program_gets_what_became_of_its_outcomes(asked):
    """Broken: a sentence is printed, and no JSON."""
    home, found = asked
    memory = found.flashbacks[0].id
    said = ("why", found.trace_id, "--json", "--mind", "ada", "--home", home)
    told, strange = (call(*said, "--outcome", f"{one}=acted") for one in (memory, "episode:99"))

    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["unknown"] == []
    assert strange.exit_code == 1
    assert json.loads(strange.stdout)["unknown"] == ["episode:99"]


def test_a_mind_that_was_never_asked_says_so(asked):
    home, _ = asked
    said = call("why", "--mind", "nobody", "--home", home)

    assert said.exit_code == 1
    assert "nobody" in said.output


def test_what_if_shows_a_call_that_nobody_made_and_notes_nothing(asked):
    home, found = asked
    said = call("why", "--what-if", "In which town is the old bakery?", "--mind", "ada", "--home", home)
    newest = json.loads(call("why", "--json", "--mind", "ada", "--home", home).stdout)

    assert said.exit_code == 0, said.output
    assert "In which town is the old bakery?" in said.output
    assert "searched" in said.output
    assert "nothing of it is noted" in said.output
    assert "trace  " not in said.output
    assert newest["trace_id"] == found.trace_id


def test_what_if_goes_back_in_time_and_does_without_a_part(asked):
    home, _ = asked
    question = ("why", "--what-if", "Where does my mother live?", "--json", "--mind", "ada", "--home", home)
    now = json.loads(call(*question, "--without", "model", "--without", "graph").stdout)
    earlier = json.loads(call(*question, "--as-of", "2020-01-01").stdout)

    assert "Lyon" in now["shown"][0]["text"]
    assert not earlier["surfaced"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--as-of", "2026-01-09"), "belong to --what-if"),
        (("--without", "graph"), "belong to --what-if"),
        (("--what-if", "Hello", "--without", "salt"), "choose from model, graph"),
        (("--what-if", "Hello", "--as-of", "yesterday"), "--as-of: 'yesterday' is not a day"),
        (("--what-if", "Hello", "--outcome", "episode:1=used"), "leave the trace and --outcome out"),
        (("123a", "--what-if", "Hello"), "leave the trace and --outcome out"),
    ],
)
def test_options_that_do_not_go_together_are_refused(asked, options, words):
    home, _ = asked
    said = call("why", *options, "--mind", "ada", "--home", home)

    assert said.exit_code == 1
    assert words in said.output


def test_what_if_of_a_mind_that_is_not_there_says_so(asked):
    home, _ = asked
    said = call("why", "--what-if", "Hello", "--mind", "nobody", "--home", home)

    assert said.exit_code == 1
    assert "nobody" in said.output
