"""
What every home keeps, over HTTP: minds in files on one machine, and minds in a database that any machine may open.

After each of them the service is killed and started again: on the same files, or, where there is a database, in an empty
folder, as another machine would.
"""

from contextlib import contextmanager

import pytest

from tests.support.service_process import serving
from tests.support.waiting import until

HOUSE = "# Ada\n\n## The house\n\nWe bought the house by the harbour.\n"


class Home:
    """Starts services, one after the other."""

    def __init__(self, folder, env, *, is_moving):
        self._folder, self._env, self._is_moving = folder, env, is_moving
        self._starts = 0

    @contextmanager
    def served(self):
        """A service on this home, killed at the end of the block."""
        self._starts += self._is_moving or not self._starts
        with serving(self._folder / str(self._starts), **self._env) as service:
            yield service
            service.kill()


@pytest.fixture(params=["files", "database"])
def home(request, tmp_path):
    if request.param == "files":
        return Home(tmp_path, {}, is_moving=False)
    url, graph = request.getfixturevalue("database_url"), request.getfixturevalue("graph_server")
    prefix = f"{url.rpartition('/')[2]}_"
    env = {"MIND_MEMORY_DATABASE": url, "FALKORDB_URL": graph.url, "MIND_MEMORY_GRAPH_PREFIX": prefix}
    return Home(tmp_path, env, is_moving=True)


def read(service, path):
    return service.http.get(f"/v1/minds/{path}").raise_for_status().json()


def surfaced(service, question, *, session_id):
    body = {"session_id": session_id, "messages": [{"role": "user", "content": question}], "deadline_ms": 5000}
    return service.http.post("/v1/minds/ada/resonance", json=body).raise_for_status().json()


def test_a_turn_that_was_accepted_is_there_once_in_its_place(home):
    with home.served() as service:
        first = service.keep("ada", "My sister Ines moved to Lyon.", turn_id="t1")
        service.keep("ada", "I bought a red bicycle.", turn_id="t2", session_id="s2")

    with home.served() as service:
        again = service.keep("ada", "My sister Ines moved to Lyon.", turn_id="t1")
        other = {"session_id": "s1", "turn_id": "t1", "messages": [{"role": "user", "content": "Else."}]}
        assert service.http.post("/v1/minds/ada/turns", json=other).status_code == 409
        assert service.keep("ada", "The cat is called Juno.")["sequence"] == 3
        assert [one["turn_id"] for one in read(service, "ada/turns")["items"]][1:] == ["t2", "t1"]
    assert again == first | {"duplicate": True, "pending_tokens": again["pending_tokens"]}


def test_a_turn_is_remembered_and_not_shown_twice_in_a_session(home):
    with home.served() as service:
        service.keep("ada", "My sister Ines moved to Lyon in March.")
        assert "Lyon" in surfaced(service, "Where does Ines live?", session_id="later")["block"]

    with home.served() as service:
        assert surfaced(service, "Where does Ines live?", session_id="later")["block"] == ""
        assert "Lyon" in until(lambda: surfaced(service, "Where does Ines live?", session_id="other")["block"])


def test_a_story_that_a_person_wrote_stays_and_is_not_overwritten_unseen(home):
    with home.served() as service:
        service.keep("ada", "Hello there, I am Ada.")
        seen = service.http.get("/v1/minds/ada/story").headers["etag"]
        put = service.http.put("/v1/minds/ada/story", json={"text": HOUSE}, headers={"If-Match": seen})
        late = service.http.put("/v1/minds/ada/story", json={"text": "# Gone"}, headers={"If-Match": seen})
        assert (put.status_code, late.status_code) == (200, 412)

    with home.served() as service:
        kept = service.http.get("/v1/minds/ada/story")
    assert "We bought the house by the harbour." in kept.json()["text"]
    assert kept.headers["etag"] == put.headers["etag"]


def test_a_persons_files_are_kept_byte_for_byte_and_go_when_they_say_so(home):
    with home.served() as service:
        service.keep("ada", "Hello there, I am Ada.")
        for path in ("memory/2026-01-08.md", "memory/2026-01-09.md"):
            made = service.http.put(
                f"/v1/minds/ada/files/{path}", json={"text": f"Of {path}.\r\n"}, headers={"If-None-Match": "*"}
            )
            assert made.is_success, made.text

    with home.served() as service:
        files = {one["path"]: one["etag"] for one in read(service, "ada/files")["files"]}
        gone = service.http.delete(
            "/v1/minds/ada/files/memory/2026-01-08.md", headers={"If-Match": files["memory/2026-01-08.md"]}
        )
        assert gone.is_success, gone.text

    with home.served() as service:
        assert service.http.get("/v1/minds/ada/files/memory/2026-01-08.md").status_code == 404
        whole = service.http.get("/v1/minds/ada/files/memory/2026-01-09.md", headers={"Accept": "text/markdown"})
    assert whole.content == b"Of memory/2026-01-09.md.\r\n"


def test_what_a_person_decided_and_what_became_of_a_memory_hold(home):
    with home.served() as service:
        turn = service.keep("ada", "My sister Ines moved to Lyon in March.", turn_id="t1")
        found = surfaced(service, "Where does Ines live?", session_id="later")
        outcomes = [{"id": found["flashbacks"][0]["id"], "outcome": "acted"}]
        told = {"trace_id": found["trace_id"], "outcomes": outcomes}
        service.http.post("/v1/minds/ada/outcomes", json=told).raise_for_status()
        mute = {"what": "mute", "target": {"kind": "turn", "turn_ids": [turn["turn_id"]]}}
        decision = service.http.post("/v1/minds/ada/corrections", json=mute).raise_for_status().json()

    with home.served() as service:
        assert surfaced(service, "Where does Ines live?", session_id="next")["block"] == ""
        assert [one["id"] for one in read(service, "ada/corrections")["items"]] == [decision["id"]]
        shown = read(service, f"ada/traces/{found['trace_id']}")
    assert shown["shown"][0]["id"] == found["flashbacks"][0]["id"]


def test_settings_of_a_mind_are_kept(home):
    with home.served() as service:
        service.keep("ada", "Hello there, I am Ada.")
        changed = service.http.patch("/v1/minds/ada/settings", json={"max_tokens": 400}, headers={"If-Match": "*"})
        assert changed.is_success, changed.text

    with home.served() as service:
        kept = read(service, "ada/settings")["settings"]["max_tokens"]
    assert kept == {"value": 400, "source": "mind"}


def test_an_erased_turn_is_nowhere_and_its_id_is_spent(home):
    with home.served() as service:
        service.keep("ada", "The secret is Rumpelstilzchen.", turn_id="t1")
        service.keep("ada", "I bought a red bicycle.", turn_id="t2")
        until(lambda: read(service, "ada")["graph"]["lag"] == 0)
        service.http.delete("/v1/minds/ada/turns/t1").raise_for_status()

    with home.served() as service:
        assert read(service, "ada/log?query=Rumpelstilzchen")["items"] == []
        assert surfaced(service, "What is the secret?", session_id="later")["block"] == ""
        again = {"session_id": "s1", "turn_id": "t1", "messages": [{"role": "user", "content": "Once more."}]}
        assert service.http.post("/v1/minds/ada/turns", json=again).status_code == 410
        assert service.keep("ada", "The cat is called Juno.")["sequence"] == 3


def test_an_erased_mind_is_gone_and_begins_anew(home):
    with home.served() as service:
        service.keep("ada", "The secret is Rumpelstilzchen.", turn_id="t1")
        service.keep("bob", "I like tea.")
        service.http.delete("/v1/minds/ada").raise_for_status()

    with home.served() as service:
        assert service.http.get("/v1/minds/ada").status_code == 404
        assert [one["mind_id"] for one in service.http.get("/v1/minds").json()["minds"]] == ["bob"]
        assert service.keep("ada", "A new life.", turn_id="t1")["sequence"] == 1
