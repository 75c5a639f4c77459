"""`mind-memory consolidate`: beside a running service and alone, at its best and when the narrator fails."""

import json
import re
import signal
import subprocess

import httpx2
import pytest

from tests.support.cli_process import call, environment, run, serving
from tests.support.forked_process import MIND_MEMORY, ForkedProcess
from tests.support.cli_terminal import at_a_terminal
from tests.support.exports import jsonl
from tests.support.waiting import GIVE_UP, until
from tests.twins.provider import Fails, Hangs, Says, ScriptedProvider

NEVER = {"MIND_MEMORY_STORY__THRESHOLD_TOKENS": "0"}
UP_TO_DATE = "Nothing waits: the story is up to date."


def ada(home, *words):
    return (*words, "--mind", "ada", "--home", home)


def keep(home, file, **more):
    done = call(*ada(home, "import", file, "--no-wait"), **NEVER, **more)
    assert done.exit_code == 0, done.output


def one_more(file):
    said = {"role": "user", "content": "We adopted a dog today.", "timestamp": "2026-01-11T08:00:00Z"}
    file.write_text(json.dumps({"turn_id": "t3", "session_id": "s1", "messages": [said]}) + "\n")
    return file


def narrated_by(provider):
    return {
        f"MIND_MEMORY_MODELS__{role}__{name}": value
        for role in ("NARRATIVE", "CHAT")
        for name, value in (("MODEL", "openai/scripted"), ("API_BASE", provider.url), ("API_KEY", "none"))
    }


def test_the_api_says_what_was_told_as_json(tmp_path):
    """Broken: there is no ``--json``."""
    home = tmp_path / "home"
    keep(home, jsonl(tmp_path / "own.jsonl"))
    done = call(*ada(home, "consolidate", "--json"), **NEVER)
    state = json.loads(done.stdout)

    assert done.exit_code == 0, done.stderr
    assert (state["mind_id"], state["pending_turns"], state["last_run"]["told"]) == ("ada", 0, 2)


def test_beside_a_running_service_what_waits_is_told_once_and_reported(tmp_path):
    home, story = tmp_path / "home", tmp_path / "home/minds/ada/STORY.md"
    with serving(home, **NEVER) as (_, url):
        keep(home, jsonl(tmp_path / "own.jsonl"))
        first = call(*ada(home, "consolidate"))
        again = call(*ada(home, "consolidate"))
        (home / ".copies").touch()  # as a service with a database has it
        copied = call(*ada(home, "consolidate"))
        keep(home, one_more(tmp_path / "more.jsonl"))
        more = call("consolidate", "--mind", "ada", "--url", url)
        status = call(*ada(home, "status"))

    assert (first.exit_code, first.stderr) == (0, "")
    assert first.stdout.startswith("Wrote 2 turns of ada into the story, in 2 new chapters.\n")
    assert f"story  {story}" in first.stdout
    assert (again.exit_code, again.stdout.splitlines()[0]) == (0, UP_TO_DATE)
    assert f"story  {story}" in again.stdout
    assert copied.exit_code == 0 and "STORY.md" not in copied.stdout  # nobody is sent to a copy
    assert more.stdout.startswith("Wrote 1 turn of ada into the story, in 1 new chapter.\n")
    assert "STORY.md" not in more.stdout  # it lies where the service runs
    assert story.read_text().count("closes on Mondays.") == 1
    assert "3 chapters, " in status.stdout
    assert "up to 11 Jan 2026; nothing waits" in status.stdout


def test_what_was_only_small_talk_is_said_to_be_read_and_not_written(tmp_path):
    """Broken: it said that a turn was written into the story, and then that there was none, with what begins one."""
    home = ("--mind", "ada", "--home", tmp_path / "home")
    with serving(tmp_path / "home", **NEVER):
        talk = tmp_path / "talk.jsonl"
        talk.write_text('{"role": "user", "content": "Thanks a lot!"}\n{"role": "assistant", "content": "Sure."}\n')
        call("import", talk, *home)
        waits = call("story", "show", *home)
        done = call("consolidate", *home)
        shown, sources = call("story", "show", *home), call("story", "sources", *home)
        call("save", "Ada is allergic to nuts.", "--importance", "0.9", *home)
        more, told = call("consolidate", *home), call("story", "show", *home)

    assert "it begins when enough was said, or with" in waits.stderr
    assert done.stdout.startswith("Read 1 turn of ada: nothing in it was worth a new chapter.\n")
    for one in (shown, sources):
        assert "nothing waits to be told, and nothing that was said so far was worth a chapter" in one.stderr
    assert "in 1 new chapter." in more.stdout and "Ada is allergic to nuts." in told.stdout


def test_alone_the_home_is_opened_and_the_story_told(tmp_path):
    home = tmp_path / "home"
    keep(home, jsonl(tmp_path / "own.jsonl"))

    before = call(*ada(home, "status"), **NEVER)
    done = run(*ada(home, "consolidate"), **NEVER)

    assert re.search(r"not begun, \d+ tokens not in it yet", before.stdout)
    assert done.returncode == 0, done.stderr
    assert "it is open in this command alone" in done.stderr
    assert "Wrote 2 turns of ada" in done.stdout
    assert "My train to Lyon leaves at nine" in (home / "minds/ada/STORY.md").read_text()


def test_at_a_terminal_a_bar_shows_how_far_it_is(tmp_path):
    home = tmp_path / "home"
    keep(home, jsonl(tmp_path / "own.jsonl"))

    story = {"append": [{"at": "2026-01-10 08:00", "title": "The bakery", "text": "I heard when the bakery closes."}]}
    with ScriptedProvider(respond=lambda _: Says(json.dumps(story), delay=1.5)) as provider:  # what is quick has no bar
        code, printed = at_a_terminal(*ada(home, "consolidate"), **NEVER, **narrated_by(provider))

    assert code == 0, printed
    assert "writing" in printed
    assert "2/2" in printed


def test_what_the_model_can_not_tell_is_quoted_at_the_third_command(tmp_path):
    home = tmp_path / "home"
    with ScriptedProvider(respond=lambda _: "Once upon a time.") as provider:
        settings = {**NEVER, **narrated_by(provider)}
        keep(home, jsonl(tmp_path / "own.jsonl"), **narrated_by(provider))
        *refused, quoted = (call(*ada(home, "consolidate"), **settings) for _ in range(3))

    assert [one.exit_code for one in refused] == [1, 1]
    assert quoted.exit_code == 0, quoted.output
    assert "Wrote 2 turns of ada" in quoted.stdout
    assert "2 turns, since no answer of the model could be used" in " ".join(quoted.stdout.split())


@pytest.mark.parametrize("is_served", [True, False])
def test_a_narrator_that_fails_costs_nothing_and_is_named(tmp_path, is_served):
    home = tmp_path / "home"
    with ScriptedProvider(respond=lambda _: Fails(401, "that key is wrong")) as provider:
        settings = {**NEVER, **narrated_by(provider)}
        keep(home, jsonl(tmp_path / "own.jsonl"), **narrated_by(provider))
        if is_served:
            with serving(home, **settings):
                failed = call(*ada(home, "consolidate"))
                status = call(*ada(home, "status"))
            assert "it waits: Model" in status.stdout
        else:
            failed = call(*ada(home, "consolidate"), **settings)
    done = call(*ada(home, "consolidate"), **NEVER)

    assert failed.exit_code == 1
    assert "Nothing of ada was written." in failed.stdout
    assert "that key is wrong" in failed.stderr
    assert "Nothing is lost: 2 turns still wait to enter the story; the same command tries again." in failed.stderr
    assert "Wrote 2 turns of ada" in done.stdout


def watching(home):
    words = [MIND_MEMORY, *ada(home, "consolidate")]
    return ForkedProcess(words, stderr=subprocess.PIPE, text=True, env=environment())


def is_running(url):
    return httpx2.get(f"{url}/v1/minds/ada/consolidation", timeout=GIVE_UP).json()["is_running"]


def test_ctrl_c_stops_only_the_watching_and_a_service_that_goes_away_loses_nothing(tmp_path):
    home = tmp_path / "home"
    with (
        ScriptedProvider(respond=lambda _: Hangs()) as provider,
        serving(home, **NEVER, **narrated_by(provider)) as (service, url),
    ):
        keep(home, jsonl(tmp_path / "own.jsonl"))
        first = watching(home)
        until(lambda: is_running(url) or first.poll() is not None)  # the graph asks the same model, earlier
        first.send_signal(signal.SIGINT)
        _, stopped = first.communicate(timeout=GIVE_UP)
        second = watching(home)
        while "follows" not in (said := second.stderr.readline()) and said:
            pass
        service.kill()
        _, abandoned = second.communicate(timeout=GIVE_UP)
    done = call(*ada(home, "consolidate"), **NEVER)

    assert (first.returncode, stopped.strip().count("\n")) == (130, 0)
    assert stopped.startswith("Stopped watching. What is in the story stays;")
    assert said == "The story is being written already; this run follows.\n"
    assert second.returncode == 1
    assert "does not answer" in abandoned
    assert "Nothing is lost: 2 turns still wait" in abandoned
    assert "Wrote 2 turns of ada" in done.stdout


def test_dated_files_are_gathered_first_and_those_that_can_not_be_are_named(tmp_path):
    home, days = tmp_path / "home", tmp_path / "home/minds/ada/memory"
    days.mkdir(parents=True)
    (days / "2025-03-04.md").write_text("We moved to Lyon today.\n")
    (days / "2025-03-05.md").write_text("Madame Perrin brought us bread.\n")
    for second in range(7):
        (days / f"2099-01-0{second + 1}.md").write_text("Not yet.\n")

    first = call(*ada(home, "consolidate", "--bootstrap"), **NEVER)
    again = call(*ada(home, "consolidate", "--bootstrap"), **NEVER)

    assert first.exit_code == 0, first.output
    assert first.stdout.startswith("Wrote 2 turns of ada into the story, in 2 new chapters.")
    assert "2 new turns from 2 files" in first.stdout
    assert first.stdout.count("its day is not over") == 5
    assert "and 2 more" in first.stdout
    assert again.stdout.startswith(UP_TO_DATE)
    assert "0 new turns from 2 files, 2 were there already" in again.stdout
    assert "Madame Perrin brought us bread." in (home / "minds/ada/STORY.md").read_text()


def test_session_files_are_gathered_first(tmp_path):
    home, sessions = tmp_path / "home", tmp_path / "sessions"
    keep(home, jsonl(tmp_path / "own.jsonl"))
    sessions.mkdir()
    said = {"role": "user", "content": "We adopted a dog today.", "timestamp": "2026-01-11T08:00:00Z"}
    with serving(
        home, **NEVER, MIND_MEMORY_STORY__SESSIONS_MIND="ada", MIND_MEMORY_STORY__SESSIONS_FOLDER=str(sessions)
    ):
        first = call(*ada(home, "consolidate"))  # what the service itself reads in when it starts is done then
        (sessions / "s7.jsonl").write_text(json.dumps({"session_id": "s7", "messages": [said]}) + "\n")
        done = call(*ada(home, "consolidate", "--sessions"))

    assert (first.exit_code, done.exit_code) == (0, 0), done.output
    assert "Wrote 1 turn of ada" in done.stdout
    assert "1 new turn from 1 file" in done.stdout


def test_what_waits_can_be_skipped(tmp_path):
    home = tmp_path / "home"
    keep(home, jsonl(tmp_path / "own.jsonl"))

    silent = call(*ada(home, "consolidate", "--skip"), **NEVER)
    skipped = call(*ada(home, "consolidate", "--skip", "--yes"), **NEVER)
    nothing = call(*ada(home, "consolidate", "--skip", "--yes"), **NEVER)
    told = call(*ada(home, "consolidate"), **NEVER)

    assert (silent.exit_code, silent.stderr) == (1, "nobody is here to confirm it: add --yes\n")
    assert "2 turns of ada will not enter the story." in skipped.stdout
    assert "Nothing waited." in nothing.stdout
    assert UP_TO_DATE in told.stdout
    assert "Mondays" not in (home / "minds/ada/STORY.md").read_text()


def test_a_person_is_asked_before_anything_is_skipped(tmp_path):
    home = tmp_path / "home"
    keep(home, jsonl(tmp_path / "own.jsonl"))

    code, printed = at_a_terminal(*ada(home, "consolidate", "--skip"), said="n\n", **NEVER)
    stopped, _ = at_a_terminal(*ada(home, "consolidate", "--skip"), interrupted_after="[y/N]", **NEVER)
    told = call(*ada(home, "consolidate"), **NEVER)

    assert (code, stopped) == (1, 130)
    assert "out of the story, for good? [y/N]" in printed
    assert "Wrote 2 turns of ada" in told.stdout


def test_a_foreseeable_fault_is_one_sentence(tmp_path):
    faults = {
        ("--bootstrap", "--sessions"): "exclude each other",
        ("--mind", "nobody"): "no mind is called 'nobody'",
        ("--mind", "No\n"): "a mind is called by printable",
    }
    with serving(tmp_path / "home"):
        done = {words: call("consolidate", *words, "--home", tmp_path / "home") for words in faults}

    for words, said in faults.items():
        assert done[words].exit_code == 1
        assert said in done[words].stderr
        assert done[words].stderr.strip().count("\n") == 0
