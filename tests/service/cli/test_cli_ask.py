"""`mind-memory ask`: the answer with its sources at a terminal, and as the API gives it in a pipe."""

import json

import pytest

from tests.support.cli_process import call
from tests.support.scripted_models import Brain, provider_of


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    said = {"session_id": "s1", "role": "user", "content": "My mother Ines \x1b[31mlives in Lyon."}
    (folder / "talk.jsonl").write_text(json.dumps({"timestamp": "2026-01-09T12:00:00Z"} | said) + "\n")
    assert call("import", folder / "talk.jsonl", "--home", folder / "home").exit_code == 0
    return folder / "home"


def test_without_a_model_the_evidence_is_shown_by_how_it_stands(home):
    said = call("ask", "Does my mother Ines know Bertrand?", "--home", home)

    assert said.exit_code == 0, said.output
    assert "Not in memory: Bertrand" in said.output
    assert (
        "What holds\n  [1] they told me: My mother Ines lives in Lyon. ‹fact, holding, told 9 Jan 2026" in said.output
    )
    assert "s1 #1›" in said.output
    assert "\x1b[31m" not in said.output and "Sources" not in said.output


def test_with_a_model_lines_have_the_numbers_of_their_sources(home):
    answer = {"answer": [{"text": "Ines lives in Lyon.", "evidence": [1]}, {"text": "With Pierre.", "evidence": [1]}]}
    with provider_of(Brain(ask=answer)) as model:
        section = {
            "MIND_MEMORY_MODELS__CHAT__MODEL": "openai/scripted",
            "MIND_MEMORY_MODELS__CHAT__API_BASE": model.url,
        }
        said = call("ask", "Where does Ines live?", "--home", home, **section, MIND_MEMORY_MODELS__CHAT__API_KEY="k")

    assert said.exit_code == 0, said.output
    assert "Ines lives in Lyon. [1]" in said.output
    assert "Sources\n  [1] they told me: My mother Ines lives in Lyon." in said.output
    assert "left out, as memory does not bear it out:" in said.output and "'Pierre'" in said.output


def test_a_pipe_gets_the_answer_of_the_api(home):
    found = json.loads(call("ask", "Where does Ines live?", "--json", "--home", home).stdout)

    assert (found["by_model"], found["evidence"][0]["state"]) == (False, "holding")


def test_only_what_was_said_between_two_days_is_answered(home):
    def found(*days):
        return json.loads(call("ask", "Where does Ines live?", *days, "--json", "--home", home).stdout)["evidence"]

    assert found("--since", "2026-01-09", "--until", "2026-01-09")
    assert not found("--since", "2026-01-10") and not found("--until", "2026-01-08")


def test_what_is_muted_is_marked(home):
    words = "I promised Ann the quarterly report."
    said = {"session_id": "s1", "role": "user", "content": words, "timestamp": "2026-01-09T12:00:00Z"}
    (home.parent / "other.jsonl").write_text(json.dumps(said) + "\n")
    call("import", home.parent / "other.jsonl", "--mind", "other", "--home", home)
    muted = call("correct", "mute", words, "--mind", "other", "--home", home)
    said = call("ask", "What did I promise Ann?", "--mind", "other", "--home", home)

    assert muted.exit_code == 0, muted.output
    assert words in said.output and ", muted›" in said.output


def test_recall_shows_and_filters_kinds_of_entities(tmp_path):
    said = {"session_id": "s1", "role": "user", "content": "Ines lives in Lyon.", "timestamp": "2026-01-09T12:00:00Z"}
    (tmp_path / "talk.jsonl").write_text(json.dumps(said) + "\n")
    entities = [{"name": "Ines", "kind": "Person"}, {"name": "Lyon", "kind": "Place"}]
    with provider_of(Brain(extraction={"entities": entities, "facts": []})) as model:
        section = {
            "MIND_MEMORY_MODELS__EXTRACTION__MODEL": "openai/scripted",
            "MIND_MEMORY_MODELS__EXTRACTION__API_KEY": "k",
        }
        section["MIND_MEMORY_MODELS__EXTRACTION__API_BASE"] = model.url
        kinds = {"MIND_MEMORY_ENTITY_KINDS": '[{"name": "Person"}, {"name": "Place"}]'}
        call("import", tmp_path / "talk.jsonl", "--home", tmp_path / "home", **section, **kinds)
    said = call("remember", "Ines Lyon", "--entity-kind", "Place", "--home", tmp_path / "home")

    assert said.exit_code == 0, said.output
    assert "Lyon ‹entity Place" in said.output and "Ines ‹" not in said.output


def test_nothing_to_ask_is_refused(home):
    said = call("ask", "  ", "--home", home)

    assert (said.exit_code, "the question is empty" in said.output) == (1, True)


def test_who_asks_is_named_to_both_searches(tmp_path):
    """Broken: the option is read by nobody."""
    said = [
        {"role": "user", "name": name, "content": f"I live in {place}."}
        for name, place in (("Ann", "Lyon"), ("Ben", "Graz"))
    ]
    lines = [
        {"session_id": "s1", "timestamp": f"2026-01-0{day}T12:00:00Z", **one} for day, one in enumerate(said, start=1)
    ]
    (tmp_path / "talk.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert call("import", tmp_path / "talk.jsonl", "--home", tmp_path / "home").exit_code == 0

    for command in ("remember", "ask"):
        for name, own, other in (("Ann", "Lyon", "Graz"), ("Ben", "Graz", "Lyon")):
            found = call(command, "Where do I live?", "--asker", name, "--home", tmp_path / "home", "--json").output
            assert found.index(own) < found.index(other), (command, name)
