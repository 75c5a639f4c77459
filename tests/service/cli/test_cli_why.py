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
    told = call("why", found.trace_id, "--outcome", f"{memory}=contradicted", "--mind", "ada", "--home", home)
    strange = call("why", "--outcome", "episode:99=acted", "--mind", "ada", "--home", home)
    wrong = call("why", "--outcome", f"{memory}=liked", "--mind", "ada", "--home", home)
    seen = json.loads(call("why", found.trace_id, "--json", "--mind", "ada", "--home", home).stdout)

    assert told.exit_code == 0, told.output
    assert "1 outcome applied to ada." in told.output
    assert (strange.exit_code, wrong.exit_code) == (1, 1)
    assert "episode:99" in strange.output
    assert "write it like episode:12=contradicted" in wrong.output
    assert [(one["id"], one["outcome"]) for one in seen["outcomes"]] == [(memory, "contradicted")]


def test_a_mind_that_was_never_asked_says_so(asked):
    home, _ = asked
    said = call("why", "--mind", "nobody", "--home", home)

    assert said.exit_code == 1
    assert "nobody" in said.output
