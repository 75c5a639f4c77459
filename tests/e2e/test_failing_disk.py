"""The disk is full, or does not give back what it holds: refused by name, readable, made good by itself."""

import resource
from contextlib import contextmanager

import anyio.to_thread
import pytest
from prometheus_client.parser import text_string_to_metric_families
from structlog.testing import capture_logs

from tests.support.outages import ASKS_FOR_AUNT, AUNT, FRIENDS, in_time, keeps, told
from tests.support.service import running, settings_of
from tests.support.service_process import serving
from tests.support.waiting import eventually, until_answered

pytestmark = pytest.mark.anyio

QUICK = {
    "MIND_MEMORY_DIGESTION__FIRST_RETRY_SECONDS": "0.05",
    "MIND_MEMORY_DIGESTION__MOST_RETRY_SECONDS": "0.2",
    "MIND_MEMORY_DIGESTION__SWEEP_SECONDS": "0.5",
}


@contextmanager
def no_file_above(served, size):
    """No file of the service's process grows beyond *size* bytes while this lasts: its disk is full."""
    pid, limit = served.process.pid, resource.RLIMIT_FSIZE
    soft, hard = resource.prlimit(pid, limit)
    resource.prlimit(pid, limit, (size, hard))
    try:
        yield
    finally:
        resource.prlimit(pid, limit, (soft, hard))


def status(served, mind_id):
    return served.http.get(f"/v1/minds/{mind_id}").json()


def is_digested(found):
    return found["graph"]["lag"] == 0 and found["graph"]["saved"] == found["last_sequence"] > 0


def figure(served, name, **labels):
    families = text_string_to_metric_families(served.http.get("/metrics").text)
    [value] = [
        one.value
        for family in families
        for one in family.samples
        if (one.name, one.labels) == (f"mind_memory_{name}", labels)
    ]
    return value


def post(served, mind_id, said, turn_id):
    body = {"session_id": "s1", "turn_id": turn_id, "messages": [{"role": "user", "content": said}]}
    return served.http.post(f"/v1/minds/{mind_id}/turns", json=body)


def resonate(served, mind_id, session_id):
    messages = [{"role": "user", "content": ASKS_FOR_AUNT}]
    body = {"session_id": session_id, "messages": messages, "deadline_ms": 20_000, "relevance": 0}
    return served.http.post(f"/v1/minds/{mind_id}/resonance", json=body).json()


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def served(home):
    with serving(home, **QUICK) as found:
        yield found


def test_a_full_disk_refuses_turns_by_name_and_lets_everything_be_read(served, home):
    assert post(served, "ada", AUNT, "t0").status_code == 202
    until_answered(lambda: status(served, "ada"), is_digested)
    resonate(served, "ada", "s0")
    with no_file_above(served, 1):
        for _ in range(2):
            refused = post(served, "ada", FRIENDS[0], "t1")
            assert (refused.status_code, refused.json()["type"]) == (507, "/problems/disk-full")
            assert refused.headers["content-type"] == "application/problem+json"
            assert int(refused.headers["retry-after"]) > 0
        found = resonate(served, "ada", "s1")
        assert "Lyon" in found["block"]
        assert found["degraded"] == []
        assert served.http.get("/healthz").status_code == 200
        ready = served.http.get("/readyz")
        assert (ready.status_code, ready.json()["parts"]["graph"]) == (503, "ready")
        assert str(home) not in ready.text
        assert status(served, "ada")["turns"] == 1
        assert figure(served, "turns_total", outcome="refused") == 2
        assert figure(served, "dependency_up", dependency="disk") == 0
        etag = served.http.get("/v1/minds/ada/story").json()["etag"]
        put = served.http.put("/v1/minds/ada/story", json={"text": "Mine."}, headers={"If-Match": etag})
        assert (put.status_code, put.json()["type"]) == (507, "/problems/disk-full")
        assert str(home) not in put.text
        run = served.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True}).json()
        assert run["last_run"]["error"]
        assert status(served, "ada")["story"]["waiting_for"]

    assert post(served, "ada", FRIENDS[0], "t1").json()["duplicate"] is False
    assert until_answered(lambda: status(served, "ada"), is_digested)["turns"] == 2
    run = served.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True}).json()
    assert (run["last_run"]["error"], run["last_run"]["told"]) == (None, 2)
    resonate(served, "ada", "s2")
    until_answered(lambda: served.http.get("/readyz"), lambda answer: answer.status_code == 200)
    kept = served.http.get("/v1/minds/ada/traces").json()["traces"]
    assert {one["session_id"] for one in kept} == {"s0", "s1", "s2"}


def test_full_text_that_can_not_be_written_waits_is_told_and_catches_up(served):
    for number in range(2):  # so that the index is larger than what a turn takes
        said = f"{AUNT} {' '.join(f'word{number}x{n}' for n in range(300))}"
        assert post(served, "bo", said, f"a{number}").status_code == 202
    until_answered(lambda: status(served, "bo"), is_digested)
    with no_file_above(served, 40_000):
        assert post(served, "bo", "Zebulon sails to Ithaca.", "t1").status_code == 202
        waiting = until_answered(lambda: status(served, "bo"), lambda found: found["graph"]["waiting_for"])
        until_answered(lambda: served.http.get("/readyz"), lambda answer: answer.json()["parts"]["disk"] != "ready")
        assert "Lyon" in resonate(served, "bo", "s1")["block"]
        assert figure(served, "waiting_minds", lane="indexing") == 1
        assert figure(served, "lag_turns", lane="indexing") == 1
    assert waiting["graph"]["waiting_for"].startswith("IndexUnusable: full text: ")
    found = until_answered(
        lambda: status(served, "bo"), lambda now: is_digested(now) and not now["graph"]["waiting_for"]
    )
    until_answered(lambda: served.http.get("/readyz"), lambda answer: answer.status_code == 200)
    query = {"query": "Zebulon Ithaca"}
    memories = served.http.get("/v1/minds/bo/remember", params=query).json()["memories"]
    assert found["graph"]["parked"] == []
    assert "Zebulon" in memories[0]["text"]


async def test_a_transcript_that_is_not_given_back_costs_its_rung_and_is_told_once(tmp_path):
    with told() as heard:
        async with running(tmp_path) as service:
            await keeps(service, [AUNT])
            await service.digested("ada")
            [file] = (tmp_path / "minds/ada/transcript").glob("*.jsonl")
            aside = await anyio.to_thread.run_sync(file.rename, tmp_path / "aside")
            for number in range(3):
                answer = await service.resonate("ada", ASKS_FOR_AUNT, session_id=f"r{number}", relevance=0)
                found = answer.json()
                assert (answer.status_code, found["degraded"], found["surfaced"]) == (200, ["disk_failed"], False)
            code, parts = await service.ready()
            assert (code, parts["graph"]) == (503, "ready")
            aside.rename(file)
            await in_time(service, deadline_ms=5000, degraded=[])
            await eventually(service.ready, lambda ready: ready[0] == 200)
    assert heard == [("disk", "failed"), ("disk", "recovered")]


async def test_a_lane_outlives_what_nobody_foresaw_and_says_that_it_waits(tmp_path):
    async with running(tmp_path) as service:
        await keeps(service, [AUNT])
        await service.digested("ada")
        [mind] = service.memory.minds.opened()
        with mind.text._file.changed() as database:
            database.execute("ALTER TABLE cursors RENAME TO aside")
        await keeps(service, FRIENDS)
        status = await service.until("ada", lambda found: found["graph"]["waiting_for"])
        with mind.text._file.changed() as database:
            database.execute("ALTER TABLE aside RENAME TO cursors")
        await service.digested("ada")
    assert status["graph"]["waiting_for"] == "OperationalError: an unforeseen error; it is logged"


async def test_dated_files_are_told_also_after_a_time_in_which_the_home_could_not_be_read(tmp_path):
    """Broken: nobody looked for such files any more until the service was started again."""
    minds, away = tmp_path / "minds", tmp_path / "away"

    async def failures():
        return [one for one in logs if one["event"] == "job.failed"]

    with capture_logs() as logs:
        async with running(tmp_path, settings=settings_of(tmp_path, story={"auto_bootstrap": True})) as service:
            await service.keep("ada", AUNT)
            await service.digested("ada")
            minds.rename(away)
            minds.touch()
            await eventually(failures, bool)
            minds.unlink()
            away.rename(minds)
            (minds / "bob" / "memory").mkdir(parents=True)
            (minds / "bob" / "memory" / "2025-03-04.md").write_text("I bought a boat in Lyon.\n")
            await service.keep("bob", AUNT)
            found = await service.until("bob", lambda known: known["turns"] > 1)

    assert found["turns"] == 2
