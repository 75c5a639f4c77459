"""Other memories' APIs on a home that several processes serve: calls about one mind, and calls about many."""

from __future__ import annotations

import httpx2
import pytest

from service.workers.share import owner_of
from tests.support.cli_process import logged, serving, until_digested
from tests.support.waiting import GIVE_UP, until

WORKERS = 2
FACADES = {f"MIND_MEMORY_FACADES__{name}": "true" for name in ("MEM0", "GRAPHITI", "ZEP")}


def people(name):
    """An id of a user of each worker, which begins with *name*."""
    ids = [f"{name}-{number}" for number in range(20)]
    return [next(one for one in ids if owner_of(one, of=WORKERS) == worker) for worker in range(WORKERS)]


@pytest.fixture(scope="module")
def http(tmp_path_factory):
    home = tmp_path_factory.mktemp("workers") / "home"
    more = {"MIND_MEMORY_DIGESTION__SWEEP_SECONDS": "0.5", **FACADES}
    with serving(home, "--workers", str(WORKERS), **more) as (_, url):
        with httpx2.Client(base_url=url, timeout=GIVE_UP) as found:
            until(lambda: found.get("/readyz").status_code == 200, said=lambda: found.get("/readyz").text)
            yield found
        assert "Traceback" not in logged(home)


def digested(http, *minds):
    for mind_id in minds:
        until_digested(str(http.base_url).rstrip("/"), mind_id)


def answer(found, status=200):
    assert found.status_code == status, found.text
    return found.json()


def add_to_mem0(http, user_id, content):
    body = {"messages": [{"role": "user", "content": content}], "user_id": user_id}
    return answer(http.post("/mem0/v3/memories/add/", json=body))["results"][0]["id"]


def in_mem0(http, user_id):
    found = answer(http.post("/mem0/v3/memories/", json={"filters": {"user_id": user_id}}))
    return [one["memory"] for one in found["results"]]


def test_a_user_of_mem0_is_found_whichever_process_has_its_mind(http):
    for user_id in people("ann"):
        kept = add_to_mem0(http, user_id, f"I am {user_id} and keep bees.")
        digested(http, user_id)

        asked = {"query": "Who keeps bees?", "filters": {"user_id": user_id}}
        found = answer(http.post("/mem0/v3/memories/search/", json=asked))["results"]

        assert user_id in found[0]["memory"]
        assert answer(http.get(f"/mem0/v1/memories/{kept}/"))["id"] == kept
        assert [one["event"] for one in answer(http.get(f"/mem0/v1/memories/{kept}/history/"))] == ["ADD"]
        assert user_id in {one["id"] for one in answer(http.get("/mem0/v1/entities/"))["results"]}
        answer(http.delete(f"/mem0/v2/entities/user/{user_id}/"))
        assert in_mem0(http, user_id) == []


def test_a_call_of_mem0_changes_and_deletes_memories_of_several_processes(http):
    users = people("ben")
    kept = [add_to_mem0(http, one, "I live in Lyon.") for one in users]
    other = [add_to_mem0(http, one, "I like tea.") for one in users]
    digested(http, *users)

    answer(
        http.put("/mem0/v1/batch/", json={"memories": [{"memory_id": one, "text": "I live in Nice."} for one in kept]})
    )
    answer(http.request("DELETE", "/mem0/v1/batch/", json={"memories": [{"memory_id": one} for one in other]}))

    assert [in_mem0(http, one) for one in users] == [["I live in Nice."]] * WORKERS


def test_what_a_worker_refuses_is_answered_as_with_one_process(http):
    kept = {user_id: add_to_mem0(http, user_id, "I live in Lyon.") for user_id in people("cleo")}
    for user_id in kept:
        change = {"memories": [{"memory_id": f"{user_id}:episode:999", "text": "I live in Nice."}]}

        refused = answer(http.put("/mem0/v1/batch/", json=change), 404)

        assert refused["title"]
        assert "Traceback" not in refused["detail"]
        assert "I live in Lyon." in in_mem0(http, user_id)[0]


def test_a_search_of_graphiti_goes_through_groups_of_several_processes(http):
    groups = people("dora")
    for group_id in groups:
        messages = [{"content": f"The ferry of {group_id} leaves at nine.", "role_type": "user", "role": None}]
        answer(http.post("/graphiti/messages", json={"group_id": group_id, "messages": messages}), 202)
    digested(http, *groups)

    asked = {"query": "When does the ferry leave?", "group_ids": groups}
    found = answer(http.post("/graphiti/search", json=asked))["facts"]

    assert {group_id for group_id in groups if any(group_id in one["fact"] for one in found)} == set(groups)


def test_an_episode_of_graphiti_is_found_without_its_group_and_clearing_reaches_all(http):
    groups = people("emil")
    for group_id in groups:
        said = {"role_type": "user", "role": None}
        messages = [{**said, "content": "I own a boat."}, {**said, "content": "It sank.", "uuid": f"of-{group_id}"}]
        answer(http.post("/graphiti/messages", json={"group_id": group_id, "messages": messages}), 202)

    for group_id in groups:
        answer(http.delete(f"/graphiti/episode/of-{group_id}"))
        answer(http.delete(f"/graphiti/episode/of-{group_id}"), 410)
        left = answer(http.get(f"/graphiti/episodes/{group_id}", params={"last_n": 5}))
        assert [one["content"] for one in left] == ["(user): I own a boat."]
    answer(http.post("/graphiti/clear"))

    for group_id in groups:
        assert http.get(f"/v1/minds/{group_id}").status_code == 404


def test_a_thread_of_zep_is_found_whichever_process_has_its_user(http):
    users = people("finn")
    for user_id in users:
        answer(http.post("/zep/api/v2/users", json={"user_id": user_id, "first_name": user_id}), 201)
        answer(http.post("/zep/api/v2/threads", json={"thread_id": f"t-{user_id}", "user_id": user_id}), 201)
        messages = [{"role": "user", "content": f"I am {user_id} and own a kiln."}]
        answer(http.post(f"/zep/api/v2/threads/t-{user_id}/messages", json={"messages": messages}))
    digested(http, *users)

    for user_id in users:
        said = answer(http.get(f"/zep/api/v2/threads/t-{user_id}/messages"))
        assert [one["content"] for one in said["messages"]] == [f"I am {user_id} and own a kiln."]
        assert said["user_id"] == user_id
        assert answer(http.get(f"/zep/api/v2/users/{user_id}"))["first_name"] == user_id
    asked = {"text": "Who owns a kiln?", "session_ids": [f"t-{one}" for one in users]}
    found = answer(http.post("/zep/api/v2/sessions/search", json=asked))["results"]
    assert {one["session_id"] for one in found} == {f"t-{one}" for one in users}
    listed = answer(http.get("/zep/api/v2/threads"))["threads"]
    assert {f"t-{one}" for one in users} <= {one["thread_id"] for one in listed}
    named = answer(http.get("/zep/api/v2/users-ordered"))["users"]
    assert set(users) <= {one["user_id"] for one in named}

    taken = answer(http.post("/zep/api/v2/threads", json={"thread_id": f"t-{users[1]}", "user_id": users[0]}), 400)
    assert "exists already" in taken["message"]
    for user_id in users:
        answer(http.delete(f"/zep/api/v2/threads/t-{user_id}"))
        answer(http.get(f"/zep/api/v2/threads/t-{user_id}/messages"), 404)
        answer(http.delete(f"/zep/api/v2/users/{user_id}"))
        answer(http.get(f"/zep/api/v2/users/{user_id}"), 404)
