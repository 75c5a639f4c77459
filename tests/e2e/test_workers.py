"""A home that several processes serve: every door as with one, whoever is killed, and with another number next time."""

import json
import os
import re
import signal
import threading
import time
from pathlib import Path

import httpx2
import pytest

from service.workers.share import owner_of
from tests.support.api_keys import make_key
from tests.support.cli_process import log_of_ended, logged, run, serving, until_digested
from tests.support.mcp_hosts import over_http
from tests.support.speech import call, frames
from tests.support.voice import calling
from tests.support.waiting import GIVE_UP, until
from tests.twins.provider import ScriptedProvider
from tests.twins.webhook_receiver import SECRET, receiving

WORKERS = 2
MINDS = tuple(f"mind-{number}" for number in range(8))
QUICK = {"MIND_MEMORY_DIGESTION__SWEEP_SECONDS": "0.5"}
LYON, ASKS = "My mother lives in Lyon.", "Where does my mother live?"


def of_worker(number):
    return [mind_id for mind_id in MINDS if owner_of(mind_id, of=WORKERS) == number]


def of_new(number):
    """Ids that no test uses, of one worker."""
    return [one for one in (f"new-{number}-{at}" for at in range(20)) if owner_of(one, of=WORKERS) == number][:2]


def programs(pid, name):
    """The process ids of the children of a process that run a program of this name."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(one) for one in found if name in Path(f"/proc/{one}/cmdline").read_text()]


def workers_of(process):
    return programs(process.pid, "service.serving.worker")


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def served(home, *words, workers=WORKERS, **more):
    return serving(home, "--workers", str(workers), *words, **QUICK, **more)


def keep(http, mind_id, content, **more):
    body = {"session_id": "s1", "messages": [{"role": "user", "content": content}], **more}
    return http.post(f"/v1/minds/{mind_id}/turns", json=body)


def told(http, mind_id):
    """The words of all turns of a mind, in order."""
    found = http.get(f"/v1/minds/{mind_id}/turns", params={"limit": 200}).raise_for_status().json()
    return [message["content"] for turn in reversed(found["items"]) for message in turn["messages"]]


def surfaced(http, mind_id, *, session_id="later", **more):
    body = {"session_id": session_id, "messages": [{"role": "user", "content": ASKS}], "deadline_ms": 0, **more}
    return http.post(f"/v1/minds/{mind_id}/resonance", json=body).raise_for_status().json()


def until_ready(http):
    until(lambda: http.get("/readyz").status_code == 200, said=lambda: http.get("/readyz").text)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """One home that two workers serve, which hear speech and post events, with a turn in each mind."""
    home = tmp_path_factory.mktemp("workers") / "home"
    with receiving() as receiver, ScriptedProvider(hears=lambda _: LYON) as provider:
        endpoint = {"name": "crm", "url": receiver.url, "secret": SECRET, "kinds": ["turn.kept"]}
        section = "MIND_MEMORY_MODELS__TRANSCRIPTION__"
        env = {
            "MIND_MEMORY_WEBHOOKS__ENDPOINTS": json.dumps([endpoint]),
            **{f"{section}MODEL": "openai/whisper-1", f"{section}API_BASE": provider.url, f"{section}API_KEY": "k"},
        }
        with served(home, **env) as (process, url), httpx2.Client(base_url=url, timeout=GIVE_UP) as http:
            http.home, http.process, http.receiver = home, process, receiver
            for mind_id in MINDS:
                assert keep(http, mind_id, f"{LYON} I am {mind_id}.").status_code == 202
            for mind_id in MINDS:
                until_digested(url, mind_id)
            until_ready(http)
            yield http


def test_each_mind_is_in_one_process_and_surfaces_there(service):
    assert len(workers_of(service.process)) == WORKERS
    assert of_worker(0)
    assert of_worker(1)

    for mind_id in MINDS:
        found = surfaced(service, mind_id)

        assert mind_id in found["block"]
        assert service.get(f"/v1/minds/{mind_id}/traces/{found['trace_id']}").status_code == 200


def test_lists_and_figures_are_of_all_minds(service):
    first = service.get("/v1/minds", params={"limit": 5}).json()
    rest = service.get("/v1/minds", params={"limit": 500, "cursor": first["next_cursor"]}).json()
    listed = [*first["minds"], *rest["minds"]]
    standing = service.get("/v1/status", params={"limit": 500}).json()
    metrics = service.get("/metrics").text

    assert {one["mind_id"] for one in listed} >= set(MINDS)
    assert all(one["turns"] >= 1 for one in listed)
    assert [one["mind_id"] for one in standing["minds"]] == [one["mind_id"] for one in listed]
    assert {one["name"]: one["trouble"] for one in standing["dependencies"]} == {
        "graph": None, "embedder": None, "disk": None, "model_transcription": None,
    }  # fmt: skip
    assert value_of(metrics, 'turns_total{outcome="accepted"}') >= len(MINDS)
    assert value_of(metrics, "minds") == len(listed)
    assert value_of(metrics, 'breaker{dependency="graph",state="closed"}') == 1
    kept = 'http_requests_total{method="POST",route="/v1/minds/{mind_id}/turns",status="2xx"}'
    assert value_of(metrics, kept) >= len(MINDS)


def value_of(metrics, name):
    return float(re.search(rf"^mind_memory_{re.escape(name)} (.+)$", metrics, re.MULTILINE)[1])


def test_a_chat_reaches_the_worker_of_the_mind_that_its_body_or_header_names(service):
    for mind_id in MINDS:
        chat = {"model": "memory", "messages": [{"role": "user", "content": ASKS}]}

        by_body = service.post("/v1/chat/completions", json={**chat, "user": mind_id})
        by_header = service.post("/v1/chat/completions", json=chat, headers={"X-Mind-Id": mind_id})

        assert by_body.headers["x-mind-id"] == by_header.headers["x-mind-id"] == mind_id
        assert by_body.headers["x-memory"] == "surfaced"
        assert mind_id in by_body.json()["choices"][0]["message"]["content"]


def test_a_chat_streams_through_the_process_in_front(service):
    for mind_id in (of_worker(0)[0], of_worker(1)[0]):
        chat = {"model": "memory", "user": mind_id, "stream": True, "messages": [{"role": "user", "content": ASKS}]}
        with service.stream("POST", "/v1/chat/completions", json=chat) as answer:
            lines = [line for line in answer.iter_lines() if line]

        words = "".join(
            json.loads(line.removeprefix("data: "))["choices"][0]["delta"].get("content") or ""
            for line in lines[:-1]
            if line.startswith("data: {") and json.loads(line.removeprefix("data: "))["choices"]
        )
        assert lines[-1] == "data: [DONE]"
        assert mind_id in words


def test_events_come_as_they_happen_and_a_listener_that_leaves_is_let_go(service):
    for mind_id in (of_worker(0)[0], of_worker(1)[0]):
        for number in range(3):
            with service.stream("GET", f"/v1/minds/{mind_id}/events") as events:
                lines = events.iter_lines()
                next(lines)
                turn_id = f"tea-{mind_id}-{number}"
                keep(service, mind_id, f"I like tea number {number}.", turn_id=turn_id)

                assert next(line for line in lines if f'"{turn_id}"' in line)


def test_what_another_workers_mind_knows_surfaces_where_it_is_also_read(service):
    asking, other = of_worker(0)[0], of_worker(1)[0]
    keep(service, other, "The spare key of the summer house lies under the blue pot.")
    until_digested(str(service.base_url).rstrip("/"), other)
    question = "Where does the spare key of the summer house lie?"
    body = {"messages": [{"role": "user", "content": question}], "deadline_ms": 0}
    path = f"/v1/minds/{asking}/resonance"

    alone = service.post(path, json={**body, "session_id": "a"}).json()
    both = service.post(path, json={**body, "session_id": "b", "also_read": [other, "nobody"]}).json()
    recalled = service.get(f"/v1/minds/{asking}/remember", params={"query": question, "also_read": other}).json()

    assert "blue pot" not in alone["block"]
    assert "blue pot" in both["block"]
    assert both["degraded"] == alone["degraded"] == []
    assert {source["mind_id"] for one in both["flashbacks"] for source in one["sources"]} >= {other}
    assert recalled["memories"][0]["id"].startswith(f"{other}/")
    assert recalled["degraded"] == []


@pytest.mark.anyio
async def test_tools_reach_the_minds_of_every_worker(service):
    for mind_id in MINDS[:4]:
        async with over_http(str(service.base_url).rstrip("/"), query=f"?mind={mind_id}") as host:
            found = await host.call_tool("remember", {"query": ASKS})

        assert mind_id in found.content[0].text


def test_an_archive_goes_out_of_one_worker_and_into_another(service):
    source = of_worker(0)[0]
    target = next(name for name in (f"copy-{n}" for n in range(50)) if owner_of(name, of=WORKERS) == 1)

    archive = service.get(f"/v1/minds/{source}/export").raise_for_status().content
    imported = service.post(f"/v1/minds/{target}/import", content=archive)

    assert imported.status_code == 201 or imported.status_code == 200, imported.text
    assert told(service, target) == told(service, source)


def test_changes_of_all_workers_are_one_audit_log_and_one_list_of_receipts(service):
    doomed = [*of_new(0), *of_new(1)]
    for mind_id in doomed:
        keep(service, mind_id, "I collect stamps.")
    erasers = [threading.Thread(target=service.delete, args=(f"/v1/minds/{one}",)) for one in doomed]
    for eraser in erasers:
        eraser.start()
    for eraser in erasers:
        eraser.join()
    until(lambda: len(service.get("/v1/erasures").json()["items"]) >= len(doomed))
    audit = service.get("/v1/audit").json()
    receipts = service.get("/v1/erasures").json()["items"]

    assert audit["is_intact"]
    assert {one["mind_id"] for one in audit["items"] if one["event"] == "mind.erased"} >= set(doomed)
    assert {one["mind_id"] for one in receipts} >= set(doomed)
    assert all(service.get(f"/v1/minds/{one}").status_code == 404 for one in doomed)


def test_commands_find_the_service_as_before(service):
    assert run("remember", ASKS, "--mind", MINDS[0], "--home", service.home).stdout.count("Lyon")
    assert run("status", "--home", service.home).returncode == 0


def test_a_body_that_is_wrong_is_refused_as_by_one_process(service):
    refused = service.post(f"/v1/minds/{MINDS[0]}/turns", json={"session_id": "s1"})
    chat = service.post("/v1/chat/completions", json={"model": "memory", "user": MINDS[0], "messages": []})

    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "#/messages")
    assert refused.headers["x-content-type-options"] == "nosniff"
    assert (chat.status_code, set(chat.json())) == (400, {"error"})
    assert service.get("/v1/minds/nobody").json()["type"] == "/problems/mind-not-found"
    assert service.get("/v1/minds/a%2Fb/nothing").status_code == 404


def test_keys_and_limits_hold_for_all_workers_together(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    mine, all_minds = make_key(home, minds=(of_worker(0)[0], of_worker(1)[0])), make_key(home)
    env = {"MIND_MEMORY_ACCESS__NEW_MINDS_PER_MINUTE": "4"}
    with served(home, **env) as (_, url), httpx2.Client(base_url=url, timeout=GIVE_UP) as http:
        http.headers["Authorization"] = f"Bearer {mine}"
        own = [keep(http, mind_id, LYON).status_code for mind_id in (of_worker(0)[0], of_worker(1)[0])]
        hidden = keep(http, of_worker(1)[1], LYON).status_code
        listed = [one["mind_id"] for one in http.get("/v1/minds").json()["minds"]]
        http.headers["Authorization"] = f"Bearer {all_minds}"
        begun = [keep(http, f"new-{number}", LYON).status_code for number in range(8)]
        http.headers["Authorization"] = "Bearer wrong"
        wrong = keep(http, MINDS[0], LYON).status_code

    assert own == [202, 202]
    assert hidden == 404
    assert listed == sorted([of_worker(0)[0], of_worker(1)[0]])
    assert begun == [202] * 4 + [429] * 4
    assert wrong == 401


def test_events_of_all_workers_are_posted_once_each(service):
    minds = [f"posted-{number}" for number in range(8)]
    # By the event's id: an answer that comes too late on a busy machine has the same event posted again.
    taken = lambda: [event["data"]["mind_id"] for event in dict(service.receiver.taken).values()]
    for mind_id in minds:
        keep(service, mind_id, LYON)
    until(lambda: set(minds) <= set(taken()))
    endpoint = lambda: service.get("/v1/webhooks").json()["endpoints"][0]
    # What was taken, answered too late, and erased by another test before it was posted again, is never delivered.
    until(lambda: endpoint()["waiting"] == 0 and endpoint()["delivered"] >= len(minds))

    assert {owner_of(one, of=WORKERS) for one in minds} == set(range(WORKERS))
    assert sorted(one for one in taken() if one in minds) == minds


@pytest.mark.anyio
async def test_a_telephone_stream_is_heard_by_the_worker_of_its_mind(service):
    heard = [f"heard-{number}" for number in range(20)]
    for worker in range(WORKERS):
        mind_id = next(one for one in heard if owner_of(one, of=WORKERS) == worker)
        async with calling(str(service.base_url).rstrip("/"), mind_id) as caller:
            await caller.send(*frames(call(2.0)))
            events = await caller.rest()

        assert [one["text"] for one in events if one["type"] == "turn"] == [LYON]
        assert events[-1]["type"] == "ended"
        assert told(service, mind_id) == [LYON]


def test_a_worker_that_is_killed_under_load_loses_nothing_and_the_other_notices_nothing(tmp_path):
    home, victims = tmp_path / "home", set()
    with served(home) as (process, url):
        pauses = (0.02, 0.2)  # seconds: the worker that is killed has calls in flight
        callers = [Caller(url, mind_id, pause=pauses[owner_of(mind_id, of=WORKERS)]) for mind_id in MINDS]
        for caller in callers:
            caller.start()
        until(lambda: all(len(caller.accepted) >= 3 for caller in callers))
        for at in (0, 0):
            before = {caller.mind_id: len(caller.accepted) for caller in callers}
            killed = next(pid for pid in workers_of(process) if number_of(pid, home) == at)
            victims.add(number_of(killed, home))
            os.kill(killed, signal.SIGKILL)
            until(lambda: logged(home).count(f" worker={at}\n") > logged(home).count("worker.died"))
            until(lambda: all(len(caller.accepted) >= before[caller.mind_id] + 3 for caller in callers))
        for caller in callers:
            caller.stop()
        with httpx2.Client(base_url=url, timeout=GIVE_UP) as http:
            found = {caller.mind_id: told(http, caller.mind_id) for caller in callers}
            for caller in callers:
                until_digested(url, caller.mind_id)
            states = {caller.mind_id: http.get(f"/v1/minds/{caller.mind_id}").json() for caller in callers}

    assert victims == {0}
    for caller in callers:
        assert found[caller.mind_id] == caller.accepted, caller.mind_id
        assert states[caller.mind_id]["graph"]["episodes"] == len(caller.accepted)
        if owner_of(caller.mind_id, of=WORKERS) not in victims:
            assert caller.refused == []


def number_of(pid, home):
    """The number of the worker with this process id, as the log has it."""
    return int(re.search(rf"worker\.started +pid={pid} worker=(\d+)", logged(home))[1])


class Caller(threading.Thread):
    """Tells a mind one thing after the other, each until it is accepted, and notes what was refused meanwhile."""

    def __init__(self, url, mind_id, *, pause):
        super().__init__(daemon=True)
        self.mind_id = mind_id
        self.accepted = []
        self.refused = []
        self._url = url
        self._pause = pause
        self._is_over = threading.Event()

    def run(self):
        with httpx2.Client(base_url=self._url, timeout=GIVE_UP) as http:
            number = 0
            while not self._is_over.is_set() and number < 150:
                words = f"I saw film number {number}."
                while not self._is_kept(http, words, turn_id=f"{self.mind_id}-{number}"):
                    time.sleep(0.05)
                self.accepted.append(words)
                number += 1
                time.sleep(self._pause)

    def stop(self):
        self._is_over.set()
        self.join()

    def _is_kept(self, http, words, *, turn_id):
        try:
            answer = keep(http, self.mind_id, words, turn_id=turn_id)
        except httpx2.TransportError as error:
            self.refused.append(repr(error))
            return False
        if answer.status_code != 202:
            self.refused.append(answer.text)
        return answer.status_code == 202


def test_nothing_outlives_the_process_in_front_and_the_next_start_finds_everything(tmp_path):
    home = tmp_path / "home"
    with served(home, workers=2) as (process, url):
        with httpx2.Client(base_url=url, timeout=GIVE_UP) as http:
            for mind_id in MINDS:
                assert keep(http, mind_id, f"{LYON} I am {mind_id}.").status_code == 202
        others = [*workers_of(process), *programs(process.pid, "redis-server")]
        process.kill()
        process.wait()
        until(lambda: not any(map(is_alive, others)))

    assert len(others) == WORKERS + 1
    (home / "service.json").unlink()  # a kill leaves it, and the next start is waited for by it
    for workers in (1, 2):
        with served(home, workers=workers) as (process, url), httpx2.Client(base_url=url, timeout=GIVE_UP) as http:
            assert len(workers_of(process)) == (workers if workers > 1 else 0)
            for mind_id in MINDS:
                assert told(http, mind_id)[0] == f"{LYON} I am {mind_id}."
                assert keep(http, mind_id, f"Now we are {workers}.").status_code == 202
            for mind_id in MINDS:
                until_digested(url, mind_id)
                assert mind_id in surfaced(http, mind_id, session_id=f"later-{workers}")["block"]


def test_sigterm_ends_all_processes_in_order(tmp_path):
    home = tmp_path / "home"
    with served(home) as (process, url):
        with httpx2.Client(base_url=url, timeout=GIVE_UP) as http:
            keep(http, MINDS[0], LYON)
            others = [*workers_of(process), *programs(process.pid, "redis-server")]
            with http.stream("GET", f"/v1/minds/{MINDS[0]}/events") as events:
                lines = events.iter_lines()
                next(lines)
                process.terminate()
                list(lines)  # to its end
        said = log_of_ended(process, home)

    assert process.returncode == 0
    assert len(others) == WORKERS + 1
    assert not any(map(is_alive, others))
    assert "Traceback" not in said
    assert not (home / "service.json").exists()


def test_why_a_worker_can_not_start_is_said_in_a_sentence(tmp_path):
    home = tmp_path / "home"
    with served(home, workers=1) as (_, url), httpx2.Client(base_url=url, timeout=GIVE_UP) as http:
        keep(http, MINDS[0], LYON)
        until_digested(url, MINDS[0])

    env = {"MIND_MEMORY_EMBEDDER__MODEL": "minilm"}
    refused = run("serve", "--home", home, "--port", "0", "--workers", "2", **env)

    assert refused.returncode == 1
    assert "reindex" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_while_a_worker_is_away_lists_do_not_say_that_its_minds_have_no_turns(tmp_path):
    home = tmp_path / "home"
    with served(home) as (process, url), httpx2.Client(base_url=url, timeout=GIVE_UP) as http:
        for mind_id in MINDS:
            assert keep(http, mind_id, LYON).status_code == 202
        theirs = {mind_id for mind_id in MINDS if owner_of(mind_id, of=WORKERS) == 0}

        def listed(path):
            found = http.get(path, params={"limit": 500}).raise_for_status().json()
            return {one["mind_id"]: one for one in found["minds"]}

        def unknown(path):
            found = listed(path)
            return {mind_id for mind_id, one in found.items() if one["turns"] is None}, found

        def away():
            """Both lists, once they were answered without what the worker knows."""
            (of_minds, minds), (of_status, standing) = unknown("/v1/minds"), unknown("/v1/status")
            return of_minds == of_status == theirs and (minds, standing)

        os.kill(next(pid for pid in workers_of(process) if number_of(pid, home) == 0), signal.SIGKILL)
        minds, standing = until(away)

        for mind_id in theirs:
            assert minds[mind_id]["sessions"] is None and "Worker" in minds[mind_id]["waiting_for"]
            known = {name for name, value in standing[mind_id].items() if value is not None}
            assert known == {"mind_id", "waiting_for"}
        assert all(minds[mind_id]["turns"] == 1 for mind_id in set(MINDS) - theirs)
        until(lambda: unknown("/v1/minds")[0] == set())
        assert {one["turns"] for one in listed("/v1/status").values()} == {1}
