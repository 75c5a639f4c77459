"""`mind-memory status`: at a glance, as JSON, and as it goes on, at a terminal and where nobody looks."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import time
from contextlib import closing, suppress

import httpx2
import pytest

from tests.support.cli_process import call, environment, run, serving, until_digested
from tests.support.exports import jsonl
from tests.support.forked_process import MIND_MEMORY, ForkedProcess
from tests.support.permissions import without_rights_of_root
from tests.support.waiting import end, until
from tests.twins.provider import Fails, ScriptedProvider

SAID, ASKED = "My aunt Xenia lives in Trondheim.", "Where does my aunt Xenia live?"


def message(content):
    return {"session_id": "s1", "messages": [{"role": "user", "content": content}]}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("status") / "home"


@pytest.fixture(scope="module")
def service(home):
    """A service with a mind that was told something and asked something: its address."""
    with serving(home) as (_, url):
        httpx2.post(f"{url}/v1/minds/ada/turns", json=message(SAID), timeout=20).raise_for_status()
        until_digested(url, "ada")
        asked = {**message(ASKED), "session_id": "s2", "deadline_ms": 0}
        httpx2.post(f"{url}/v1/minds/ada/resonance", json=asked, timeout=20).raise_for_status()
        yield url


class Watching:
    """`status --watch`, with what it printed so far; at a terminal where it *is_seen*."""

    def __init__(self, *words, is_seen):
        ours, theirs = pty.openpty() if is_seen else os.pipe()
        self._ours = ours
        env = environment(TERM="xterm-256color", COLUMNS="140", LINES="30")
        said = [MIND_MEMORY, "status", "--watch", "--every", "0.1", *words]
        self.process = ForkedProcess(said, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=env)
        os.close(theirs)
        self.printed = ""

    def until(self, *words, seconds=60):
        """Wait until all *words* stand in what was printed since the last time."""
        start, until = len(self.plain), time.monotonic() + seconds
        while not all(word in self.plain[start:] for word in words):
            assert time.monotonic() < until, self.plain[-3000:]
            with suppress(OSError):
                piece = os.read(self._ours, 65536)
                assert piece, self.plain[-3000:]
                self.printed += piece.decode()

    @property
    def plain(self):
        """Without colours and movements."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.printed)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._ours)


def turns_of_ada(service):
    """How many there are by now: another test may have told it something, all of it is digested."""
    until_digested(service, "ada")
    return httpx2.get(f"{service}/v1/minds/ada", timeout=20).json()["turns"]


def test_status_says_what_is_stood_on_and_what_each_mind_holds(service, home):
    turns = turns_of_ada(service)
    done = call("status", "--home", home)

    assert done.exit_code == 0
    for words in (
        "● graph",
        "● embedder",
        "● disk",
        "ada",
        f"{turns} turn{'s' * (turns > 1)} of 1 session",
        "everything",
    ):
        assert words in done.stdout


def test_the_days_of_each_mind_are_in_its_own_time_zone(tmp_path):
    """Broken: with one mind named they are, and in the list of all they are those of this machine."""
    home = ("--home", tmp_path / "home")
    days = {"ada": ("Pacific/Honolulu", "up to 8 Jan 2026"), "bo": ("Asia/Tokyo", "up to 9 Jan 2026")}

    with serving(tmp_path / "home") as (_, url):
        for mind, (zone, _) in days.items():
            call("save", SAID, "--at", "2026-01-09T02:00Z", "--mind", mind, *home)
            until_digested(url, mind)
            assert call("consolidate", "--mind", mind, *home).exit_code == 0
            assert call("settings", "set", f"timezone={zone}", "--mind", mind, *home).exit_code == 0
        shown = [call("status", *where, TZ="UTC").stdout for where in (home, ("--url", url))]

    for ada, _, bo in (one.partition("\nada\n")[2].partition("\nbo\n") for one in shown):
        assert days["ada"][1] in ada
        assert days["bo"][1] in bo


def test_status_is_told_as_json(service, home):
    turns = turns_of_ada(service)
    told = json.loads(call("status", "--home", home, "--json").stdout)
    [ada] = told["minds"]

    assert {one["name"]: one["trouble"] for one in told["dependencies"]}["graph"] is None
    assert (ada["mind_id"], ada["turns"], ada["graph"]["episodes"]) == ("ada", turns, turns)
    assert ada["lag"] == {"indexing": 0, "saving": 0, "extracting": 0}
    assert (ada["resonance"]["calls"], ada["resonance"]["surfaced"]) == (1, 1)


@pytest.mark.parametrize("is_seen", [True, False], ids=["terminal", "pipe"])
def test_status_goes_on_looking_until_it_is_interrupted(service, home, is_seen):
    before = httpx2.get(f"{service}/v1/minds/ada", timeout=20).json()["turns"]
    with closing(Watching("--home", home, is_seen=is_seen)) as watching:
        watching.until("● graph", "ada", "100% of 1")
        httpx2.post(f"{service}/v1/minds/ada/turns", json=message(f"News for {is_seen}."), timeout=20)
        watching.until(f"{before + 1} +1" if is_seen else f" {before + 1} ")
        watching.process.send_signal(signal.SIGINT)
        code = watching.process.wait(20)

    assert code == 0
    assert "Traceback" not in watching.plain
    assert ("\x1b[" in watching.printed) == is_seen


def test_status_goes_on_as_json_one_object_a_line(service, home):
    with closing(Watching("--json", "--mind", "ada", "--home", home, is_seen=False)) as watching:
        watching.until("\n")
        first = watching.printed.splitlines()[0]

    assert [one["mind_id"] for one in json.loads(first)["minds"]] == ["ada"]


def test_a_service_that_goes_is_waited_for_and_its_home_is_left_to_it(tmp_path):
    home = tmp_path / "home"
    with serving(home) as (process, _):
        watching = Watching("--home", home, is_seen=True)
        with closing(watching):
            watching.until("No minds yet")
            end(process)
            watching.until("does not answer")
            with serving(home):
                watching.until("No minds yet", "up")
                assert watching.process.poll() is None


def test_a_mind_that_waits_stands_first_and_says_why(tmp_path):
    home = tmp_path / "home"
    section = "MIND_MEMORY_MODELS__EXTRACTION__"
    nowhere = {f"{section}MODEL": "openai/x", f"{section}API_BASE": "http://127.0.0.1:1/v1", f"{section}API_KEY": "k"}
    nowhere |= {f"MIND_MEMORY_DIGESTION__{name}_RETRY_SECONDS": "0.2" for name in ("FIRST", "MOST")}
    with serving(home, **nowhere) as (_, url):
        httpx2.post(f"{url}/v1/minds/zoe/turns", json=message(SAID), timeout=20).raise_for_status()
        with closing(Watching("--home", home, is_seen=True)) as watching:
            watching.until("zoe waits: Model", "○ model_extraction")


def test_a_mind_behind_the_first_page_is_seen(tmp_path):
    """Broken: only the first 50 minds are looked at, and "Nothing is broken" is said of all."""
    home = tmp_path / "home"
    call("import", jsonl(tmp_path / "own.jsonl"), "--home", home, "--mind", "ada")
    for name in (*(f"bot-{number:02}" for number in range(50)), "zoe"):
        shutil.copytree(home / "minds/ada/transcript", home / f"minds/{name}/transcript")
    [transcript] = (home / "minds/zoe/transcript").glob("*.jsonl")
    transcript.write_bytes(transcript.read_bytes().replace(b"Mondays", b"Sundays"))

    doctor = call("doctor", "--home", home)
    shown = call("status", "--home", home)
    told = json.loads(call("status", "--json", "--home", home).stdout)

    assert doctor.exit_code == 1
    assert "1 thing to mend: zoe." in doctor.stdout
    assert "2 more that wait for nothing" in shown.stdout
    assert (len(told["minds"]), told["next_cursor"]) == (52, None)


def test_a_mind_that_can_not_be_opened_hides_no_other(tmp_path):
    """Broken: "transcript is a link", or "Permission denied", is all that is said, and of which mind nobody knows."""
    home = tmp_path / "home"
    for mind in ("ada", "bob", "eve"):
        call("import", jsonl(tmp_path / "own.jsonl"), "--home", home, "--mind", mind, "--no-wait")
    (home / "minds/ada/transcript").rename(tmp_path / "elsewhere")
    (home / "minds/ada/transcript").symlink_to(tmp_path / "elsewhere")
    (home / "minds/eve").chmod(0)

    with without_rights_of_root():
        shown, doctor = call("status", "--home", home), call("doctor", "--home", home)
        told = json.loads(call("status", "--json", "--home", home).stdout)
        alone = call("status", "--mind", "ada", "--home", home)
    (home / "minds/eve").chmod(0o700)

    assert shown.exit_code == 0
    for printed in (shown.stdout, doctor.stdout):
        assert "ada/transcript: transcript is a link" in printed
        assert "minds/eve/transcript: Permission denied" in printed
        assert re.search(r"bob\s+.*2 turns", printed)
    assert "3 things to mend: disk, ada, eve." in doctor.stdout
    assert ["unavailable" in one for one in told["minds"]] == [True, False, True]
    assert (alone.exit_code, "transcript is a link" in alone.stderr) == (1, True)


@pytest.mark.parametrize(
    ("name", "said"), [("audit.key", "audit"), ("graph/.lock", "memory"), ("keys.json", "keys"), ("minds", "memory")]
)
def test_doctor_names_a_file_that_it_may_not_read_and_goes_on(tmp_path, name, said):
    home = tmp_path / "home"
    call("import", jsonl(tmp_path / "own.jsonl"), "--home", home, "--no-wait")
    (home / name).touch()
    (home / name).chmod(0)

    with without_rights_of_root():
        done = call("doctor", "--json", "--home", home)
    (home / name).chmod(0o700)

    sections = json.loads(done.stdout)["sections"]
    broken = {one["what"]: one["words"] for section in sections for one in section["findings"] if one["mend"]}
    assert done.exit_code == 1
    assert len(sections) == 5
    assert name in broken[said]


def test_to_watch_a_mind_that_there_is_not_is_refused(service, home):
    """Broken: "No minds yet", where there are two."""
    done = call("status", "--watch", "--mind", "nobody", "--home", home)

    assert done.exit_code == 1
    assert "no mind is called 'nobody'" in done.stderr


def test_without_a_service_the_home_is_looked_at_all_the_same(tmp_path):
    (tmp_path / "home").mkdir()

    done = run("status", "--home", tmp_path / "home", "--json")

    assert json.loads(done.stdout)["minds"] == []


def test_the_last_model_calls_are_shown_and_where_there_was_none_it_says_so(service, home, tmp_path):
    assert run("status", "--calls", "--home", home).stdout.strip() == "No model was called since the service started."

    with ScriptedProvider(respond=lambda _: Fails(401, "no such key")) as provider:
        told = {"MODEL": "openai/scripted", "API_BASE": provider.url, "API_KEY": "k"}
        with serving(tmp_path / "home", **{f"MIND_MEMORY_{name}": value for name, value in told.items()}) as (_, url):
            httpx2.post(f"{url}/v1/minds/ada/turns", json=message(SAID), timeout=20).raise_for_status()
            until(lambda: httpx2.get(f"{url}/v1/status", timeout=20).json()["model_calls"])
            shown = run("status", "--calls", "--home", tmp_path / "home", COLUMNS="200").stdout
            listed = json.loads(run("status", "--calls", "--json", "--home", tmp_path / "home").stdout)

    assert "extraction" in shown
    assert "127.0.0.1" in shown
    assert "failed: openai/scripted refused the key" in " ".join(shown.split())
    assert listed[-1]["model"] == "openai/scripted"
