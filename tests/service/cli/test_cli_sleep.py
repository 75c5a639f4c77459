"""`mind-memory sleep` and `dream`: an agent's day ends at a terminal, on a home without a service."""

import json

import httpx2
import pytest

from consolidation.dreams.sleep_state import SleepState
from tests.support.agents import call as tool_call
from tests.support.agents import thought
from tests.support.cli_process import call, serving

ZONE = {"TZ": "UTC"}


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def lived(home):
    """A home whose agent `ada` called six tools; nothing runs on it any more."""
    with serving(home) as (_, url):
        actions = [thought("I count the invoices."), *(tool_call(n, ok=n != 3) for n in range(1, 7))]
        path = f"{url}/v1/minds/ada/sessions/cycle-1/actions"
        httpx2.post(path, json={"actions": actions}, timeout=60).raise_for_status()
    return home


def test_a_sleep_says_what_it_is_and_then_what_was_dreamt(lived):
    said = call("sleep", "60", "--mind", "ada", "--home", lived, **ZONE)

    assert said.exit_code == 0, said.output
    assert "ada sleeps until 20" in said.output
    assert "(60 s): dream." in said.output
    assert "Dream 1" in said.output
    assert "6 tool calls, 1 of which failed" in said.output
    assert "I count the invoices." in said.output
    assert "quoted from the log" in said.output


def test_a_dream_is_dreamt_at_once_and_a_deep_one_after_it(lived):
    first = call("dream", "--mind", "ada", "--home", lived)
    again = call("dream", "--mind", "ada", "--home", lived)
    deep = call("dream", "--deep", "--mind", "ada", "--home", lived)

    assert "Dream 1" in first.output, first.output
    assert "ada did nothing since its last dream." in again.output
    assert "Deep sleep 1" in deep.output
    assert (lived / "minds" / "ada" / "diary.md").read_text()


def test_an_agents_own_time_zone_is_not_overwritten_by_that_of_the_terminal(lived):
    state = lived / "minds" / "ada" / "sleep.json"
    state.write_text(SleepState(timezone="Asia/Tokyo").model_dump_json())

    for words in (("dream",), ("sleep", "60"), ("wake",)):
        said = call(*words, "--mind", "ada", "--home", lived, **ZONE)
        assert said.exit_code == 0, said.output
        assert json.loads(state.read_text())["timezone"] == "Asia/Tokyo"

    assert "+09:00" in said.output


def test_a_pipe_gets_the_answers_of_the_api(lived):
    dreamt = json.loads(call("dream", "--mind", "ada", "--json", "--home", lived).stdout)
    slept = json.loads(call("sleep", "5", "--mind", "ada", "--json", "--home", lived).stdout)

    assert [one["actions"] for one in dreamt["dreams"]] == [6]
    assert dreamt["status"]["state"] == "awake"
    assert (slept["kind"], slept["pause_seconds"], slept["dream_id"]) == ("nap", 5, None)


def test_a_sleep_of_no_length_and_a_mind_that_is_not_there_are_refused(home):
    assert call("sleep", "1", "--home", home).exit_code == 2
    assert call("sleep", "60", "--mind", "nobody", "--home", home).exit_code == 1
    assert call("dream", "--mind", "nobody", "--home", home).exit_code == 1


def test_how_an_agent_does_is_shown_and_a_proposal_accepted(lived):
    call("dream", "--deep", "--mind", "ada", "--home", lived)
    file = lived / "minds" / "ada" / "evaluation.jsonl"
    proposal = {"setting": "relevance", "value": 0.5, "proposed": 0.6, "reason": "most were of no use"}
    file.write_text(json.dumps(json.loads(file.read_text()) | {"proposal": proposal}) + "\n")

    shown = call("evaluations", "--mind", "ada", "--home", lived, **ZONE)
    accepted = call("evaluations", "--accept", "1", "--mind", "ada", "--home", lived, **ZONE)
    as_json = json.loads(call("evaluations", "--mind", "ada", "--json", "--home", lived).stdout)

    assert "Deep sleep 1" in shown.stdout, shown.output
    assert "6 tool calls, 17% failed" in shown.stdout
    assert "relevance from 0.5 to 0.6: most were of no use" in shown.stdout
    assert f"`mind-memory evaluations --accept 1 --mind ada --home {lived}`" in shown.stdout
    assert "accepted on" in accepted.stdout
    assert (lived / "minds" / "ada" / "settings.toml").read_text() == "relevance = 0.6\n"
    assert as_json["items"][0]["accepted_by"] is not None


def test_before_the_first_deep_sleep_nothing_was_measured(lived):
    said = call("evaluations", "--mind", "ada", "--home", lived)

    assert (said.exit_code, said.stdout) == (0, "")
    assert "its first deep sleep does" in said.output
