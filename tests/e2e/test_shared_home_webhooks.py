"""Webhooks of a home that several services share: each event reaches its receiver, whichever service dies when."""

import json
import socket
import threading
from collections import defaultdict
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException

import psycopg
import pytest

from tests.support.postgres import name_for
from tests.support.punctuality import timed
from tests.support.service_process import serving
from tests.support.waiting import until
from tests.twins.webhook_receiver import SECRET, receiving

TAKEN_OVER = 30  # seconds: a lease of six, a look each second, and a busy machine
QUICK = {
    "MIND_MEMORY_DIGESTION__SWEEP_SECONDS": "0.5",
    "MIND_MEMORY_WEBHOOKS__FIRST_RETRY_SECONDS": "0.05",
    "MIND_MEMORY_WEBHOOKS__MOST_RETRY_SECONDS": "0.2",
}
JSON = "application/json"
MINDS = ("ada", "bo", "cy", "dee")


@pytest.fixture
def receiver():
    with receiving() as found:
        yield found


def env_of(database_url, graph_url, receiver, **more):
    endpoint = {"name": "crm", "url": receiver.url, "secret": SECRET, **more}
    prefix = f"{database_url.rpartition('/')[2].partition('?')[0]}_"
    return {
        "MIND_MEMORY_DATABASE": database_url,
        "FALKORDB_URL": graph_url,
        "MIND_MEMORY_GRAPH_PREFIX": prefix,
        "MIND_MEMORY_WEBHOOKS__ENDPOINTS": json.dumps([endpoint]),
        **QUICK,
    }


@pytest.fixture
def env(database_url, graph_server, receiver):
    return env_of(database_url, graph_server.url, receiver)


@pytest.fixture
def two(env, tmp_path):
    with serving(tmp_path / "one", **env) as one, serving(tmp_path / "two", **env) as two:
        yield one, two


def state(service):
    [endpoint] = service.http.get("/v1/webhooks").raise_for_status().json()["endpoints"]
    return endpoint


def asked(service, question, *, mind_id="ada", session_id="s2"):
    body = {"session_id": session_id, "messages": [{"role": "user", "content": question}], "deadline_ms": 5000}
    return service.http.post(f"/v1/minds/{mind_id}/resonance", json=body).raise_for_status().json()


def events(receiver):
    """What the receiver was sent, each id once: an id that comes twice tells of the same."""
    by_id = {}
    for delivery_id, body in tuple(receiver.all):
        assert by_id.setdefault(delivery_id, body)["data"] == body["data"]
    return list(by_id.values())


def turns_told(receiver, kind="turn.kept"):
    return [(one["data"]["mind_id"], one["data"]["turn_id"]) for one in events(receiver) if one["type"] == kind]


def kept_and_read(receiver, *turns):
    """Whether both were told of each turn; which is told first is not promised."""
    return all(set(turns) <= set(turns_told(receiver, kind)) for kind in ("turn.kept", "turn.read"))


def test_every_kind_of_event_is_told_once_wherever_it_happens_and_each_service_says_so(two, receiver, database_url):
    one, other = two
    one.keep("ada", "My mother lives in Lyon.", turn_id="t1")
    until(lambda: "turn.read" in receiver.kinds(), seconds=TAKEN_OVER)
    other.keep("ada", "My sister lives in Turin.", turn_id="t2")
    for service in two:
        asked(service, "Where does my mother live?", session_id=f"session {id(service)}")
    say = {"what": "say", "target": {"kind": "fact"}, "to": "Her mother is called Anne."}
    for service in two:
        service.http.post("/v1/minds/ada/corrections", json=say | {"to": f"Ada {id(service)}."}).raise_for_status()
    other.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True}).raise_for_status()
    until(lambda: len(receiver.taken) >= 9, seconds=TAKEN_OVER)
    until(lambda: state(one)["delivered"] == 9)

    counts = defaultdict(int)
    for event in events(receiver):
        counts[event["type"]] += 1
    assert counts == {
        "turn.kept": 2,
        "turn.read": 2,
        "resonance.answered": 2,
        "correction.made": 2,
        "story.told": 1,
    }
    assert turns_told(receiver) == [("ada", "t1"), ("ada", "t2")]
    assert state(one) == state(other)
    assert len(receiver.all) == len(events(receiver)) and receiver.unsigned == 0
    with psycopg.connect(database_url, autocommit=True) as database:  # everything was read: nobody works on it any more
        until(lambda: not database.execute("SELECT FROM minds WHERE has_work").fetchall(), seconds=TAKEN_OVER)


def test_a_retry_that_one_service_is_asked_for_is_made_by_the_one_that_sends(env, tmp_path, receiver):
    receiver.script = [(503, {})]
    slow = env | {"MIND_MEMORY_WEBHOOKS__FIRST_RETRY_SECONDS": "600", "MIND_MEMORY_WEBHOOKS__MOST_RETRY_SECONDS": "600"}
    with serving(tmp_path / "one", **slow) as one, serving(tmp_path / "two", **slow) as other:
        one.keep("ada", "My mother lives in Lyon.", turn_id="t1")
        until(lambda: state(one)["error"], seconds=TAKEN_OVER)
        for service in (one, other):
            assert (state(service)["waiting"] > 0, state(service)["error"]) == (True, "answered 503")
        for service in (one, other):  # one of them is not the one that sends
            assert service.http.post("/v1/webhooks/crm/retry").raise_for_status().json()["retrying"] >= 0

        until(lambda: turns_told(receiver) and state(other)["waiting"] == 0, seconds=TAKEN_OVER)


class Caller(threading.Thread):
    """Tells one mind turn after turn, at whichever service answers, until it is stopped."""

    def __init__(self, sockets, mind_id):
        super().__init__()
        self._sockets, self._mind_id = sockets, mind_id
        self.accepted = []
        self.is_stopped = threading.Event()

    def run(self):
        number = 0
        while not self.is_stopped.wait(0.03):
            turn_id = f"t{number}"
            body = {
                "session_id": "s1",
                "turn_id": turn_id,
                "messages": [{"role": "user", "content": f"Shelf {number}."}],
            }
            if self._posted(body):
                self.accepted.append((self._mind_id, turn_id))
                number += 1

    def _posted(self, body):
        for path in self._sockets:
            with suppress(OSError, HTTPException), closing(UnixConnection(path)) as connection:
                content = json.dumps(body)
                connection.request("POST", f"/v1/minds/{self._mind_id}/turns", content, {"Content-Type": JSON})
                if connection.getresponse().status == 202:
                    return True
        return False


class UnixConnection(HTTPConnection):
    """A connection to a service that may be dead; a refusal leaves nothing open."""

    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        try:
            self.sock.connect(self._path)
        except OSError:
            self.sock.close()
            raise


@pytest.mark.parametrize("killed", [0, 1], ids=["the one that sends", "the other one"])
def test_a_service_that_is_killed_under_load_loses_no_event_and_none_has_two_ids(env, tmp_path, receiver, killed):
    with serving(tmp_path / "one", **env) as one:
        one.keep("zoe", "The first turn of all.", turn_id="t0")
        until(lambda: receiver.taken, seconds=TAKEN_OVER)  # so that the first service sends
        with serving(tmp_path / "two", **env) as other:
            services = (one, other)
            callers = [
                Caller([services[at % 2].socket, services[1 - at % 2].socket], mind) for at, mind in enumerate(MINDS)
            ]
            for caller in callers:
                caller.start()
            until(lambda: all(len(caller.accepted) >= 5 for caller in callers))
            services[killed].kill()
            before = [len(caller.accepted) for caller in callers]
            until(lambda: all(len(one.accepted) >= at + 5 for one, at in zip(callers, before, strict=True)))
            for caller in callers:
                caller.is_stopped.set()
                caller.join()
            accepted = {turn for caller in callers for turn in caller.accepted} | {("zoe", "t0")}
            left = services[1 - killed]

            until(lambda: accepted <= set(turns_told(receiver)), seconds=2 * TAKEN_OVER)
            until(lambda: accepted <= set(turns_told(receiver, "turn.read")), seconds=4 * TAKEN_OVER)
            until(lambda: state(left)["waiting"] == 0, seconds=TAKEN_OVER)

    for kind in ("turn.kept", "turn.read"):
        told = turns_told(receiver, kind)
        assert sorted(told) == sorted(accepted)  # as often as it came, it has one id
        for mind_id in MINDS:
            numbers = [int(turn_id[1:]) for mind, turn_id in told if mind == mind_id]
            assert numbers == sorted(numbers)


def test_what_was_erased_at_one_service_is_told_by_no_other(env, tmp_path, receiver):
    receiver.script = [(503, {})] * 1_000
    slow = env | {"MIND_MEMORY_WEBHOOKS__FIRST_RETRY_SECONDS": "600", "MIND_MEMORY_WEBHOOKS__MOST_RETRY_SECONDS": "600"}
    with serving(tmp_path / "one", **slow) as one, serving(tmp_path / "two", **slow) as other:
        one.keep("ada", "My sister Ines lives in Lyon.", turn_id="a1")
        one.keep("ada", "The cat is called Juno.", turn_id="a2")
        one.keep("ada", "A word in private.", session_id="private", turn_id="a3")
        one.keep("gone", "My brother lives in Porto.", turn_id="g1")
        asked(one, "Where does Ines live?", session_id="private")
        until(lambda: state(one)["waiting"] >= 9, seconds=TAKEN_OVER)
        other.http.delete("/v1/minds/ada/turns/a1").raise_for_status()
        other.http.delete("/v1/minds/ada/sessions/private").raise_for_status()
        other.http.delete("/v1/minds/gone").raise_for_status()
        receiver.script, receiver.all = [], []
        one.http.post("/v1/webhooks/crm/retry").raise_for_status()
        other.keep("ada", "I like tea.", turn_id="a4")
        until(lambda: kept_and_read(receiver, ("ada", "a4")), seconds=TAKEN_OVER)
        until(lambda: state(one)["waiting"] == 0, seconds=TAKEN_OVER)

    assert {turn for turn in turns_told(receiver)} == {("ada", "a2"), ("ada", "a4")}
    assert not {"a1", "a3", "g1"} & {event["data"].get("turn_id") for event in events(receiver)}
    assert "private" not in json.dumps(receiver.all)


def test_while_the_database_is_away_calls_are_answered_in_time_and_events_are_told_afterwards(
    pair, graph_server, receiver, tmp_path, request
):
    name = name_for(request.node.nodeid)
    pair.primary.create_database(name)
    env = env_of(pair.url(name), graph_server.url, receiver, kinds=["turn.kept"])
    receiver.script = [(503, {})] * 3
    with serving(tmp_path / "one", **env) as one:
        one.keep("ada", "My sister Ines moved to Lyon.", turn_id="t1")
        until(lambda: "Lyon" in asked(one, "Where does Ines live?", session_id="before")["block"])
        pair.primary.freeze()
        try:
            for number in range(3):
                _, took, is_in_time = timed(
                    lambda number=number: asked(one, "Where does Ines live?", session_id=f"away {number}"), within=5
                )
                assert is_in_time, took
            assert one.http.get("/v1/webhooks").status_code == 503
        finally:
            pair.primary.thaw()
        until(lambda: one.http.get("/readyz").status_code == 200)
        one.keep("ada", "The cat is called Juno.", turn_id="t2")

        until(lambda: {("ada", "t1"), ("ada", "t2")} <= set(turns_told(receiver)), seconds=TAKEN_OVER)
        until(lambda: one.http.get("/v1/webhooks").status_code == 200)

    assert turns_told(receiver) == [("ada", "t1"), ("ada", "t2")]
    pair.mend()
    pair.primary.drop_database(name)


def test_a_mind_that_moves_in_is_told_of_under_the_ids_that_it_had(tmp_path, env, receiver, graph_server):
    """The services of the database are started first, so that they tell what the old home was told of since."""
    on_files = {
        "FALKORDB_URL": graph_server.url,
        "MIND_MEMORY_GRAPH_PREFIX": "moving_",
        "MIND_MEMORY_WEBHOOKS__ENDPOINTS": env["MIND_MEMORY_WEBHOOKS__ENDPOINTS"],
        **QUICK,
    }
    archive = tmp_path / "ada.zip"
    with serving(tmp_path / "files", **on_files) as old:
        old.keep("ada", "Before anybody moved.", turn_id="t1")
        until(lambda: kept_and_read(receiver, ("ada", "t1")))
        with serving(tmp_path / "one", **env) as new:
            new.keep("bo", "The first one here.", turn_id="t1")
            old.keep("ada", "While both served.", turn_id="t2")
            until(lambda: kept_and_read(receiver, ("bo", "t1"), ("ada", "t2")))
            told = set(turns_told(receiver))
            before = [delivery_id for delivery_id, body in receiver.all if body["data"].get("turn_id") == "t2"]
            archive.write_bytes(old.http.get("/v1/minds/ada/export").raise_for_status().content)
            new.http.post("/v1/minds/ada/import", content=archive.read_bytes()).raise_for_status()
            new.keep("ada", "After the move.", turn_id="t3")
            until(lambda: kept_and_read(receiver, ("ada", "t3")), seconds=TAKEN_OVER)

    assert set(turns_told(receiver)) == told | {("ada", "t3")}
    after = [delivery_id for delivery_id, body in receiver.all if body["data"].get("turn_id") == "t2"]
    assert set(after) == set(before)
    assert len([one for one in turns_told(receiver) if one == ("ada", "t1")]) == 1
