"""A disk that is full, torn, slow or read-only under a real service: it is said, nothing is lost, it mends itself."""

import json
import os
import shutil
import subprocess
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import psutil
import pytest

from tests.crash.agent_day import action_of, request_of
from tests.crash.served import Served
from tests.support.cli_process import run
from tests.support.free_ports import free_port
from tests.support.scripted_models import Brain, provider_of
from tests.support.service_process import env_of
from tests.support.waiting import until as until_true
from tests.support.waiting import until_answered

LONG = "Bruno and Carla talked about their greenhouse in Lyon. " * 300
READS = ("", "/story", "/story/history", "/remember?query=Bruno", "/traces", "/consolidation")
needs_mounts = pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="only a library in C can slow a disk down")
# Each sync waits while there is a file called $HOLD, and says that it does so by a file called $HOLD.reached.
HOLDING_SYNCS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int held(const char *name, int file) {
    const char *hold = getenv("HOLD");
    char reached[4096];
    snprintf(reached, sizeof reached, "%s.reached", hold);
    while (!access(hold, F_OK)) { close(open(reached, O_CREAT | O_WRONLY, 0600)); usleep(1000); }
    return ((int (*)(int))dlsym(RTLD_NEXT, name))(file);
}
int fsync(int file) { return held("fsync", file); }
int fdatasync(int file) { return held("fdatasync", file); }
"""


@contextmanager
def limited(served, *, most_bytes):
    """No file of the service grows beyond *most_bytes* while this lasts: a write is cut short, the next one refused."""
    process = psutil.Process(served.pid)
    soft, hard = process.rlimit(psutil.RLIMIT_FSIZE)
    process.rlimit(psutil.RLIMIT_FSIZE, (most_bytes, hard))
    try:
        yield
    finally:
        process.rlimit(psutil.RLIMIT_FSIZE, (soft, hard))


def _mount(*words):
    """Mount, or leave the test out: in a container, root may not, either."""
    if subprocess.run(["mount", *words], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("this machine lets nobody mount")


@contextmanager
def small_disk(folder, *, size):
    """A disk of its own at *folder*, that is full soon."""
    folder.mkdir(parents=True)
    _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@contextmanager
def read_only(folder):
    """Nothing in *folder* can be opened for writing while this lasts; what is open stays so."""
    _mount("--bind", folder, folder)
    try:
        _mount("-o", "remount,bind,ro", folder)
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@contextmanager
def slow_disk(folder):
    """The environment of programs whose disk ends no sync while the file that it names as HOLD is there."""
    folder.mkdir()
    (folder / "hold.c").write_text(HOLDING_SYNCS)
    library, hold = folder / "hold.so", folder / "hold"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, folder / "hold.c", "-ldl"], check=True)
    try:
        yield {"LD_PRELOAD": str(library), "HOLD": str(hold)}
    finally:
        hold.unlink(missing_ok=True)


@contextmanager
def serving(folder, nest, *, port=0, **env):
    """A service whose home is *folder*/home; its story is told when it is asked for."""
    served = Served(folder, nest, port=port, MIND_MEMORY_STORY__THRESHOLD_TOKENS="0", **env)
    try:
        served.start()
        yield served
    finally:
        served.close()


def fill(file):
    """Take every byte that is left."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT)
    try:
        for size in (1 << 16, 1 << 12, 1):
            with pytest.raises(OSError, match="No space left"):
                while True:
                    os.write(handle, b"x" * size)
    finally:
        os.close(handle)


def post(served, content, *, mind="ada", turn_id=None):
    body = {"turn_id": turn_id, "session_id": "s1", "messages": [{"role": "user", "content": content}]}
    return served.http.post(f"/v1/minds/{mind}/turns", json=body)


def status(served):
    return served.http.get("/v1/minds/ada").json()


def until(served, is_so):
    return until_answered(lambda: status(served), is_so)


def is_digested(found):
    return found["graph"]["saved"] >= found["last_sequence"] and found["graph"]["lag"] == 0


def assert_refused(answer, slug):
    assert answer.status_code == (507 if slug == "disk-full" else 503) and "retry-after" in answer.headers, answer.text
    assert answer.json()["type"] == f"/problems/{slug}"


def assert_readable(served):
    for path in READS:
        assert served.http.get(f"/v1/minds/ada{path}").status_code == 200, path
    body = {"session_id": "s2", "messages": [{"role": "user", "content": "Where does Bruno live?"}], "deadline_ms": 0}
    assert served.http.post("/v1/minds/ada/resonance", json=body).json()["surfaced"]
    assert served.http.get("/healthz").status_code == 200


def put_story(served, text):
    etag = served.http.get("/v1/minds/ada/story").headers["etag"]
    return served.http.put("/v1/minds/ada/story", json={"text": text}, headers={"If-Match": etag})


def test_a_full_disk_refuses_what_it_can_not_keep_stays_readable_and_mends_itself(tmp_path, nest):
    with serving(tmp_path, nest) as served:
        for number in range(3):
            assert post(served, f"Bruno number {number} lives in Lyon.", turn_id=f"t{number}").status_code == 202
        until(served, is_digested)
        assert put_story(served, "# Mine\n").status_code == 200
        served.http.post("/v1/minds/ada/resonance", json={"session_id": "s", "messages": []})

        with limited(served, most_bytes=10):
            for _ in range(3):
                assert_refused(post(served, LONG, turn_id="long"), "disk-full")
            assert_refused(post(served, LONG, mind="bo"), "disk-full")
            assert_refused(put_story(served, f"# Mine\n\n{LONG}"), "disk-full")
            told = served.http.post("/v1/minds/ada/consolidation", json={"wait": True}).json()
            assert "can not be written" in told["last_run"]["error"] and told["pending_turns"] == 3
            assert_readable(served)
        [log] = (tmp_path / "home/minds/ada/transcript").glob("*.jsonl")
        assert log.read_bytes().count(b"\n") == 3 and log.read_bytes().endswith(b"}\n")
        assert served.http.get("/v1/minds/ada/story").json()["text"].startswith("# Mine\n")

        assert post(served, LONG, turn_id="long").json()["duplicate"] is False
        assert post(served, LONG, mind="bo").status_code == 202
        assert put_story(served, f"# Mine\n\n{LONG}").status_code == 200
        found = until(served, is_digested)
        assert (found["turns"], found["graph"]["episodes"], found["damaged"]) == (4, 4, [])
    assert (tmp_path / "home/minds/bo/SOUL.md").read_text() == (tmp_path / "home/minds/ada/SOUL.md").read_text()


def act(served, first, *, most=12):
    """Post what an agent did in the actions from *first* on."""
    actions = [action_of(number, day=date(2026, 2, 12)) for number in range(first, first + most)]
    return served.http.post("/v1/minds/ada/sessions/life/actions", json={"actions": actions})


def let_sleep(served):
    return served.http.post("/v1/minds/ada/sleep", json={"seconds": 60})


def sleep_of(served):
    return served.http.get("/v1/minds/ada/sleep").json()


def files_in(folder):
    """The files of a mind, without the one that is derived as turns come."""
    found = (file for file in folder.iterdir() if file.is_file() and file.name != "pending-episodes.log")
    return {file.name: file.read_bytes() for file in found}


def test_an_agent_on_a_full_disk_is_refused_what_it_does_and_its_sleep_and_sleeps_afterwards(tmp_path, nest):
    folder = tmp_path / "home/minds/ada"
    with serving(tmp_path, nest) as served:
        assert act(served, 0).status_code == 202
        before = files_in(folder)

        with limited(served, most_bytes=10):
            assert_refused(act(served, 12), "disk-full")
            assert_refused(let_sleep(served), "disk-full")
            assert sleep_of(served)["state"] == "awake"
        assert files_in(folder) == before

        kept = act(served, 12).json()["kept"]
        assert let_sleep(served).json()["kind"] == "dream"
        assert until_answered(lambda: sleep_of(served), lambda found: found["dreams"])["actions"] == 0
    [line] = (folder / "dreams.jsonl").read_text().splitlines()
    assert (json.loads(line)["first_sequence"], json.loads(line)["last_sequence"]) == (1, kept[-1]["sequence"])


@pytest.mark.parametrize("is_drafted", [False, True], ids=["before its draft", "behind its draft"])
def test_a_dream_that_the_disk_has_no_room_for_is_owed_and_dreamt_afterwards(tmp_path, nest, is_drafted):
    folder, draft = tmp_path / "home/minds/ada", tmp_path / "home/minds/ada/.dream.json"
    theirs = "# Ann's notes\n\n" + "Bruno waters on Sundays.\n" * 1000
    with serving(tmp_path, nest, MIND_MEMORY_SLEEP__RETRY_SECONDS="0.2") as served:
        act(served, 0, most=24)
        (folder / "observations.md").write_text(theirs)

        with limited(served, most_bytes=15_000 if is_drafted else 1_000):
            assert let_sleep(served).status_code == 202
            told = until_answered(lambda: sleep_of(served), lambda found: found["waiting_for"])
            assert "DreamUnwritable" in told["waiting_for"] and told["dreams"] == 0
            assert draft.exists() is is_drafted
        assert (folder / "observations.md").read_text().startswith(theirs)

        until_answered(lambda: sleep_of(served), lambda found: found["dreams"] and found["state"] != "dreaming")
        assert sleep_of(served)["waiting_for"] is None
    [line] = (folder / "dreams.jsonl").read_text().splitlines()
    text = (folder / "observations.md").read_text()
    assert (json.loads(line)["dream"], json.loads(line)["last_sequence"], draft.exists()) == (1, 24, False)
    assert text.startswith(theirs) and text.count(request_of(7)) == 1


def test_full_text_that_can_not_be_written_is_told_of_and_written_later(tmp_path, nest):
    with serving(tmp_path, nest) as served:
        post(served, "Bruno number 1 lives in Lyon.")
        until(served, is_digested)
        [log] = (tmp_path / "home/minds/ada/transcript").glob("*.jsonl")
        words = tmp_path / "home/minds/ada/derived/text.sqlite3-wal"

        with limited(served, most_bytes=words.stat().st_size):  # the transcript is far smaller than that
            assert log.stat().st_size + 2000 < words.stat().st_size
            assert post(served, "Carla moved to Ghent.").status_code == 202
            waiting = until(served, lambda found: found["graph"]["waiting_for"])
            assert waiting["graph"]["waiting_for"].startswith("IndexUnusable")
            assert_readable(served)
        found = until(served, is_digested)
    assert (found["graph"]["waiting_for"], found["graph"]["parked"], found["graph"]["episodes"]) == (None, [], 2)


@needs_compiler
def test_a_turn_that_a_person_had_read_again_stays_read_though_the_disk_was_slow_and_the_service_died(tmp_path, nest):
    with provider_of(Brain(extraction=lambda _: "I would rather not say.")) as provider:
        with serving(tmp_path, nest, **env_of(provider)) as served:
            post(served, "Bruno lives in Lyon.")
            until(served, lambda found: found["graph"]["parked"])
    with slow_disk(tmp_path / "disk") as slow, serving(tmp_path, nest, **slow) as served:
        served.start({"step": "event turn.read", "hit": 2, "deed": "service"})
        Path(slow["HOLD"]).touch()
        post(served, "Carla lives in Ghent.", mind="bo")  # the first that is read
        until_true(Path(slow["HOLD"] + ".reached").exists)

        served.http.post("/v1/minds/ada/parked/retry", json={})
        until_true(lambda: not served.is_alive)

    with serving(tmp_path, nest) as served:
        assert until(served, is_digested)["graph"]["parked"] == []


@needs_mounts
def test_a_graph_whose_disk_is_full_delays_and_parks_nothing(tmp_path, nest):
    with small_disk(tmp_path / "home/graph", size="6m"), serving(tmp_path, nest) as served:
        post(served, "Bruno number 1 lives in Lyon.")
        until(served, is_digested)
        fill(tmp_path / "home/graph/ballast")

        for number in range(60):  # more than is left of the last page
            assert post(served, f"Carla {LONG[:2000]} said {number}.").status_code == 202
        waiting = until(served, lambda found: found["graph"]["waiting_for"])
        assert "disk" in waiting["graph"]["waiting_for"]
        assert_readable(served)
        assert put_story(served, "# Mine\n").status_code == 200

        (tmp_path / "home/graph/ballast").unlink()
        found = until(served, is_digested)
    assert (found["graph"]["parked"], found["graph"]["episodes"]) == ([], 61)


@needs_mounts
def test_a_disk_that_is_full_from_the_start_serves_what_there_is(tmp_path, nest):
    home = tmp_path / "home"
    with small_disk(home, size="12m"):
        with serving(tmp_path, nest) as served:
            post(served, "Bruno number 1 lives in Lyon.", turn_id="t1")
            until(served, is_digested)
            served.kill()
        fill(home / "ballast")
        with serving(tmp_path, nest, port=free_port()) as served:  # it can not write where it listens
            assert_refused(post(served, LONG), "disk-full")
            assert_refused(post(served, LONG, mind="bo"), "disk-full")
            assert post(served, "Bruno number 1 lives in Lyon.", turn_id="t1").json()["duplicate"]
            assert_readable(served)
            (home / "ballast").unlink()
            assert post(served, LONG).status_code == 202
            assert until(served, is_digested)["graph"]["episodes"] == 2


@needs_mounts
def test_a_home_that_becomes_read_only_is_read_and_one_that_is_so_is_refused_in_a_sentence(tmp_path, nest):
    home = tmp_path / "home"
    with serving(tmp_path, nest) as served:
        post(served, "Bruno number 1 lives in Lyon.")
        until(served, is_digested)
        with read_only(home):
            assert_refused(post(served, LONG, mind="bo"), "transcript-unwritable")
            assert_refused(put_story(served, "# Mine\n"), "story-unwritable")
            assert_readable(served)
        assert post(served, LONG, mind="bo").status_code == 202
    with read_only(home):
        ended = run("serve", "--home", home, "--port", "0")
    assert ended.returncode == 1 and "Traceback" not in ended.stderr
    assert "can not be written" in ended.stderr


@pytest.mark.parametrize("tail", [b'{"sequence":9,"turn_id":"torn","session', b"\x00" * 700, b'{"sequence":3}'])
def test_a_torn_end_takes_nothing_with_it_and_its_turn_is_kept_once(tmp_path, nest, tail):
    with serving(tmp_path, nest) as served:
        for number in range(2):
            post(served, f"Bruno number {number} lives in Lyon.", turn_id=f"t{number}")
        until(served, is_digested)
        served.kill()
    [log] = (tmp_path / "home/minds/ada/transcript").glob("*.jsonl")
    with log.open("ab") as handle:
        handle.write(tail)

    with serving(tmp_path, nest) as served:
        answers = [post(served, "Carla moved to Ghent.", turn_id="torn").json() for _ in range(2)]
        assert [answer["duplicate"] for answer in answers] == [False, True]
        assert post(served, "Bruno number 1 lives in Lyon.", turn_id="t1").json()["duplicate"]
        found = until(served, is_digested)
        assert (found["turns"], found["graph"]["episodes"], len(found["damaged"])) == (3, 3, 1)
        assert_readable(served)
