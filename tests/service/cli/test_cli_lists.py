"""`mind-memory turns`, `facts` and `entities`: lists, one thing in detail, and the API's answer in a pipe."""

import json
import shutil

import pytest

from consolidation.workspace import DEFAULT_MIND
from service.cli.output.terminal import plain

from tests.support.cli_process import call, serving, until_digested
from tests.support.cli_terminal import at_a_terminal


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    file = folder / "talk.jsonl"
    lines = [
        {"session_id": "s1", "role": "user", "content": "My sister Nora lives in \x1b[31mLyon."},
        {"session_id": "s1", "role": "assistant", "content": "Lovely."},
        {"session_id": "s2", "role": "user", "content": "Nora paints houses."},
    ]
    file.write_text(
        "".join(json.dumps({"timestamp": f"2026-01-0{n}T12:00:00Z"} | one) + "\n" for n, one in enumerate(lines, 1))
    )
    with serving(folder / "home") as (_, url):
        assert call("import", file, "--home", folder / "home").exit_code == 0
        until_digested(url, DEFAULT_MIND)
    return folder / "home"


def test_turns_are_listed_newest_first_and_one_is_shown_whole(home):
    listed = call("turns", "--home", home)
    narrowed = call("turns", "--session", "s1", "--home", home)
    one = call("turns", "episode:1", "--home", home)

    assert listed.exit_code == 0, listed.output
    assert listed.output.index("Nora paints houses.") < listed.output.index("My sister Nora lives in Lyon.")
    assert "\x1b[31m" not in listed.output
    assert "paints" not in narrowed.output
    assert "user: My sister Nora lives in Lyon." in one.output
    assert "assistant: Lovely." in one.output
    assert "digested" in one.output


def test_a_turn_is_shown_by_the_number_that_the_list_has(home):
    """Broken: the list says #1, and only `episode:1` is taken."""
    by_number, as_listed = (call("turns", number, "--home", home) for number in ("1", "#1"))
    as_json = call("turns", "1", "--json", "--home", home)
    none = call("turns", "9999", "--home", home)

    assert "user: My sister Nora lives in Lyon." in by_number.output
    assert as_listed.stdout == by_number.stdout
    assert json.loads(as_json.stdout)["sequence"] == 1
    assert none.exit_code == 1


def test_a_list_that_was_narrowed_to_nothing_does_not_say_that_all_is_empty(home):
    narrowed = call("turns", "--session", "nobody", "--home", home)

    assert narrowed.stdout == "No turn was found.\n"


def test_facts_are_listed_and_one_is_shown_with_the_turns_that_told_it(home):
    listed = call("facts", "--entity", "nora", "--home", home)
    found = json.loads(call("facts", "--limit", "1", "--json", "--home", home).stdout)
    one = call("facts", found["items"][0]["id"], "--home", home)
    none = call("facts", "--query", "xanadu", "--home", home)

    assert listed.exit_code == 0, listed.output
    assert "holding" in listed.output
    assert "told in" in one.output
    assert f"{found['items'][0]['sources'][0]['session_id']} #" in one.output
    assert "No fact was found." in none.output


def test_a_fact_that_was_contradicted_is_listed_and_shown_as_found_wrong_once(home, tmp_path):
    """Broken: a state is shown alone, and no outcome beside it."""
    copied = shutil.copytree(home, tmp_path / "home")
    [fact] = json.loads(call("facts", "--limit", "1", "--json", "--home", copied).stdout)["items"]
    record = {"at": "2026-01-05T12:00:00Z", "trace_id": None, "session_id": None, "id": fact["id"]}
    (copied / "minds" / DEFAULT_MIND / "outcomes.jsonl").write_text(
        json.dumps(record | {"outcome": "contradicted", "newest": 3}) + "\n"
    )

    listed = call("facts", "--home", copied)
    one = call("facts", fact["id"], "--home", copied)

    assert listed.output.count("found wrong once") == 1, listed.output
    assert "holding, found wrong once" in one.output


def test_entities_are_listed_and_one_is_shown_with_what_is_around_it(home):
    listed = call("entities", "--query", "nor", "--home", home)
    found = json.loads(call("entities", "--query", "nora", "--json", "--home", home).stdout)
    [nora] = found["items"]
    one = call("entities", nora["id"], "--home", home)
    as_json = json.loads(call("entities", nora["id"], "--json", "--home", home).stdout)

    assert listed.exit_code == 0, listed.output
    assert nora["id"] in listed.output
    assert "Nora" in one.output
    assert "2026-01" in one.output
    assert as_json["neighbours"]


def test_an_entity_is_shown_by_its_name(home):
    """Broken: only ``correct`` takes a name."""
    by_name = call("entities", "NORA", "--home", home)
    nobody = call("entities", "Xanadu", "--home", home)

    assert by_name.exit_code == 0, by_name.output
    assert "spoken of" in by_name.output
    assert nobody.exit_code == 1
    assert "nobody and nothing that is called Xanadu" in nobody.output


def test_a_name_that_is_only_near_is_shown_with_a_word_on_it(home):
    """Broken: who asked for Nor was shown Nora as if she were meant."""
    near, exact = call("entities", "nor", "--home", home), call("entities", "nora", "--home", home)

    assert "Nobody and nothing is called nor. The only name with such words is Nora." in near.output.replace("\n", " ")
    assert near.exit_code == exact.exit_code == 0 and "Nobody" not in exact.output


@pytest.mark.parametrize("command", ["facts", "entities", "turns", "news"])
def test_a_pipe_gets_a_line_a_row_with_the_whole_id(home, command):
    """Broken: a pipe is as wide as a terminal that nobody sees, and a script finds halves of ids."""
    listed = call(command, "--home", home, COLUMNS="")
    known = json.loads(call(command, "--json", "--home", home).stdout)
    ids = [one["id"] for one in known["items"]] if command in {"facts", "entities"} else []

    lines = listed.stdout.splitlines()
    assert lines == [line.rstrip() for line in lines]
    assert [line.split()[0] for line in lines[1:] if ids] == ids


@pytest.mark.parametrize("columns", [100, 80, 62, 30, 12])
@pytest.mark.parametrize("command", ["facts", "entities"])
def test_a_terminal_shows_ids_whole_in_lines_of_their_own_and_crops_no_word(home, command, columns):
    """Broken: an id is folded or cut in a column of its own, and can not be copied; words are cut with it."""
    _, seen = at_a_terminal(command, "--home", home, COLUMNS=str(columns), NO_COLOR="1")
    known = json.loads(call(command, "--json", "--home", home).stdout)["items"]

    lines = [line.strip() for line in plain(seen).splitlines()]
    assert {one["id"] for one in known} <= set(lines), seen
    told = "".join("".join(line.split()) for line in lines)
    for one in known:
        for word in (one["text"] if command == "facts" else one["called"] or one["name"]).split():
            assert plain(word) in told, seen


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("facts", "--state", "true"), "choose from holding, ended, planned"),
        (("entities", "--sort", "size"), "choose from mentions, recent, name"),
        (("facts", "fact:nothing"), "fact"),
        (("turns", "nothing"), "turn"),
    ],
)
def test_what_can_not_be_done_is_said_in_a_sentence(home, words, said):
    refused = call(*words, "--home", home)

    assert refused.exit_code == 1
    assert said in refused.output
    assert "Traceback" not in refused.output


def test_times_are_shown_and_days_are_meant_in_the_time_zone_of_the_mind(tmp_path):
    """Broken: they are those of the machine, and the days of facts are in UTC."""
    home = ("--mind", "ada", "--home", tmp_path / "home")

    with serving(tmp_path / "home") as (_, url):
        call("save", "My sister Nora lives in Lyon.", "--at", "2026-01-09T02:00Z", *home)
        until_digested(url, "ada")
        assert call("settings", "set", "timezone=Pacific/Honolulu", *home).exit_code == 0
        shown = [call("turns", *where) for where in (home, ("--mind", "ada", "--url", url))]
        facts = call("facts", *home)
        until, since = (call("log", "Nora", option, "2026-01-08", *home) for option in ("--until", "--since"))
        later = call("log", "Nora", "--since", "2026-01-09", *home)

    assert all("2026-01-08 16:00" in done.stdout for done in shown)
    assert "8 Jan 2026" in facts.stdout
    assert all("2026-01-08 16:00" in done.stdout for done in (until, since))
    assert "Nobody used these words." in later.stdout
