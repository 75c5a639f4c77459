"""The calls of Graphiti's sample server, with its bodies and its answers, over HTTP."""

from __future__ import annotations

from contextlib import contextmanager

import httpx2
import pytest

from tests.support.api_keys import make_key
from tests.support.openai_proxy import knowing, proxied

MESSAGE = {
    "content": "My sister Ann moved to Lyon in March.",
    "uuid": "0f8b7a7e-5e4c-4c62-8f0e-0b7c8f2f1a01",
    "name": "message 1",
    "role_type": "user",
    "role": "Tom",
    "timestamp": "2026-01-09T18:30:00Z",
    "source_description": "telegram",
}
EPISODE = {"uuid", "name", "group_id", "labels", "created_at", "source", "source_description", "content", "valid_at"}
FACT = {"uuid", "name", "fact", "valid_at", "invalid_at", "created_at", "expired_at"}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with proxied(tmp_path_factory.mktemp("home"), facades={"graphiti": True}) as found:
        yield found


@pytest.fixture(scope="module")
def graphiti(service):
    with calling(service) as http:
        yield http


@contextmanager
def calling(service, key=None):
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with httpx2.Client(base_url=service.url.removesuffix("/v1") + "/graphiti", headers=headers) as http:
        yield http


def says(content, **more):
    return {"content": content, "role_type": "user", "role": None, **more}


def add(graphiti, group_id, *messages):
    answer = graphiti.post("/messages", json={"group_id": group_id, "messages": list(messages)})
    assert answer.status_code == 202, answer.text
    assert answer.json()["success"] is True
    return answer.json()


def facts(graphiti, query, **more):
    answer = graphiti.post("/search", json={"query": query, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()["facts"]


def episodes(graphiti, group_id, last_n=100):
    return graphiti.get(f"/episodes/{group_id}", params={"last_n": last_n}).json()


def test_messages_come_back_as_episodes_and_as_facts(service, graphiti):
    add(graphiti, "tom", MESSAGE, says("How nice!", role_type="assistant"))
    service.digested("tom")
    first, second = episodes(graphiti, "tom")
    assert first.keys() >= EPISODE
    assert {name: first[name] for name in ("uuid", "name", "source_description", "group_id", "valid_at")} == {
        "uuid": MESSAGE["uuid"],
        "name": "message 1",
        "source_description": "telegram",
        "group_id": "tom",
        "valid_at": "2026-01-09T18:30:00+00:00",
    }
    assert first["content"] == "Tom(user): My sister Ann moved to Lyon in March."
    assert second["content"] == "(assistant): How nice!"

    (found, *_) = facts(graphiti, "Where does Ann live?", group_ids=["tom"], max_facts=5)
    assert found.keys() == FACT
    assert "Lyon" in found["fact"]
    assert found["valid_at"] == "2026-01-09T18:30:00+00:00"
    assert graphiti.get(f"/entity-edge/{found['uuid']}").json()["fact"] == found["fact"]
    asked = {"group_id": "tom", "messages": [says("Where does Ann live now?")], "center_node_uuid": None}
    assert [one["uuid"] for one in graphiti.post("/get-memory", json=asked).json()["facts"]] == [found["uuid"]]


def test_a_group_of_any_name_is_a_mind_and_its_name_comes_back(service, graphiti):
    add(graphiti, "chat 42/Ünïcode", says("I keep bees.", uuid="bees-1"))
    (found,) = episodes(graphiti, "chat 42/Ünïcode")
    assert (found["group_id"], found["uuid"]) == ("chat 42/Ünïcode", "bees-1")
    assert graphiti.delete("/group/chat 42/Ünïcode").json() == {"message": "Group deleted", "success": True}
    assert episodes(graphiti, "chat 42/Ünïcode") == []


def test_a_group_whose_name_looks_like_a_secret_keeps_it(graphiti):
    """Broken: `[redacted: card number]` came back."""
    add(graphiti, "4539578763621486", says("I keep bees."))
    assert episodes(graphiti, "4539578763621486")[0]["group_id"] == "4539578763621486"


def test_the_same_messages_again_are_kept_once(graphiti):
    for _ in range(2):
        add(graphiti, "twice", MESSAGE)
    assert len(episodes(graphiti, "twice")) == 1
    other = MESSAGE | {"content": "My sister Ann moved to Nantes."}
    answer = graphiti.post("/messages", json={"group_id": "twice", "messages": [says("New."), other]})
    assert answer.status_code == 409
    assert len(episodes(graphiti, "twice")) == 1  # all messages of a call are kept, or none


def test_the_answer_to_what_is_off_the_record_is_not_kept_either(service, graphiti):
    """Broken: each message is a turn of its own, and in that of the answer nothing said that it is off the record."""
    add(
        graphiti,
        "discreet",
        says("My boat is green."),
        says("A green boat.", role_type="assistant"),
        says("#offtherecord My affair with Bob started in May."),
        says("Your affair with Bob began in May.", role_type="assistant"),
        says("My kiln is hot."),
    )
    service.digested("discreet")

    kept = [one["messages"][0]["content"] for one in service.kept("discreet")]
    assert kept == ["My boat is green.", "A green boat.", "", "", "My kiln is hot."]
    assert "Bob" not in str(facts(graphiti, "affair with Bob", group_ids=["discreet"]))


def test_a_role_that_is_not_a_speakers_name_here_is_kept_all_the_same(graphiti):
    add(graphiti, "roles", says("I am told to be brief.", role="system"), says("Hi.", role="x" * 300))
    first, second = episodes(graphiti, "roles")
    assert first["content"] == "system(user): I am told to be brief."
    assert second["content"].startswith("x" * 300)


def test_the_newest_episodes_come_oldest_first(graphiti):
    add(graphiti, "many", *(says(f"Note {at}") for at in range(5)), says("   "))
    assert [one["content"][-6:] for one in episodes(graphiti, "many", last_n=2)] == ["Note 3", "Note 4"]
    assert episodes(graphiti, "nobody heard of") == []


def test_an_entity_can_be_told(service, graphiti):
    sent = {"uuid": "node-1", "group_id": "node", "name": "Ann", "summary": "a marine biologist in Brest"}
    answer = graphiti.post("/entity-node", json=sent)
    assert answer.status_code == 201
    assert answer.json().items() >= sent.items()
    service.digested("node")
    assert "Brest" in facts(graphiti, "What does Ann do?", group_ids=["node"])[0]["fact"]


def test_an_entity_off_the_record_is_not_kept(service, graphiti):
    """Broken: it was stored as it was told."""
    sent = {"uuid": "x", "group_id": "hush", "name": "Bob", "summary": "He is ill. #offtherecord"}
    graphiti.post("/entity-node", json=sent).raise_for_status()

    assert [one["content"] for one in episodes(graphiti, "hush")] == ["(thought): "]
    assert [one["messages"][0]["content"] for one in service.kept("hush")] == [""]


def test_a_search_goes_through_groups(service, graphiti):
    add(graphiti, "left", says("The red bicycle has a flat tyre."))
    add(graphiti, "right", says("The blue bicycle has new brakes."))
    for group in ("left", "right"):
        service.digested(group)

    def found(**more):
        return {one["fact"].split()[1] for one in facts(graphiti, "bicycle", **more)}

    assert found(group_ids=["left"]) == {"red"}
    assert found(group_ids=["left", "right"]) == {"red", "blue"}
    assert found(max_facts=100) >= {"red", "blue"}  # every group, also those of other tests
    assert len(facts(graphiti, "bicycle", group_ids=["left", "right"], max_facts=1)) == 1
    assert found(group_ids=["nobody heard of"]) == set()


def test_an_episode_is_erased_by_its_uuid_alone(service, graphiti):
    add(graphiti, "forgetful", says("My code is red.", uuid="secret-1"), says("I like figs.", uuid="figs-1"))
    assert graphiti.delete("/episode/secret-1").json()["success"] is True
    assert [one["uuid"] for one in episodes(graphiti, "forgetful")] == ["figs-1"]
    assert "red" not in str(service.kept("forgetful"))
    assert graphiti.delete("/episode/secret-1").status_code == 410
    assert graphiti.delete("/episode/never").status_code == 404
    assert graphiti.delete("/episode/figs-1", params={"group_id": "forgetful"}).status_code == 200


def test_a_fact_that_is_deleted_does_not_come_up(tmp_path):
    with knowing(tmp_path, facades={"graphiti": True}) as service, calling(service) as graphiti:
        a_fact_is_deleted(graphiti, service.http.get("/v1/minds/ada/facts").json()["items"][0]["text"])


def a_fact_is_deleted(graphiti, text):
    (found, *_) = [one for one in facts(graphiti, text, group_ids=["ada"], max_facts=50) if one["name"] == "FACT"]
    graphiti.delete(f"/entity-edge/{found['uuid']}").raise_for_status()
    assert found["uuid"] not in {one["uuid"] for one in facts(graphiti, text, group_ids=["ada"], max_facts=50)}
    gone = graphiti.get(f"/entity-edge/{found['uuid']}")
    assert (gone.status_code, gone.json()["detail"]) == (404, "this memory was deleted")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "word"),
    [
        ("POST", "/messages", {"group_id": "x"}, 422, "messages"),
        ("POST", "/messages", {"group_id": "x", "messages": []}, 422, "messages"),
        ("POST", "/messages", {"group_id": "", "messages": [says("Hi.")]}, 422, "printable"),
        ("POST", "/messages", {"group_id": "x", "messages": [says("Hi.", role_type="robot")]}, 422, "role_type"),
        ("POST", "/messages", {"group_id": "x", "messages": [says("Hi.", timestamp="soon")]}, 422, "timestamp"),
        ("POST", "/messages", {"group_id": "x", "messages": [says("A", uuid="1"), says("B", uuid="1")]}, 422, "uuid"),
        ("POST", "/search", {"query": ""}, 422, "query"),
        ("POST", "/search", {"query": "x", "max_facts": 0}, 422, "max_facts"),
        ("GET", "/episodes/x", None, 422, "last_n"),
        ("GET", "/entity-edge/7f2c", None, 404, "memory"),
        ("DELETE", "/entity-edge/x:fact:none", None, 404, ""),
        ("GET", "/triplets", None, 501, "not served"),
    ],
)
def test_what_can_not_be_done_is_answered_with_the_reason(graphiti, method, path, body, status, word):
    answer = graphiti.request(method, path, json=body)
    assert answer.status_code == status
    assert word in answer.json()["detail"]


def test_a_time_without_an_offset_is_in_utc(graphiti):
    add(graphiti, "naive", says("Hi.", timestamp="2026-01-09T18:30:00"))
    assert episodes(graphiti, "naive")[0]["valid_at"] == "2026-01-09T18:30:00+00:00"


def test_clear_erases_the_groups_of_this_door_and_no_other_mind(tmp_path):
    with proxied(tmp_path, facades={"graphiti": True}) as service, calling(service) as graphiti:
        service.tell("ours", "I sail.")
        add(graphiti, "theirs", says("I climb."))
        assert graphiti.post("/clear").json() == {
            "message": "Graph cleared: 1 groups of this door erased",
            "success": True,
        }
        assert [one["mind_id"] for one in service.http.get("/v1/minds").json()["minds"]] == ["ours"]


def test_it_is_off_until_it_is_switched_on(tmp_path):
    with proxied(tmp_path) as service:
        assert service.http.get("/graphiti/healthcheck").status_code == 404


def test_a_key_opens_its_own_groups_only(tmp_path):
    key, other = make_key(tmp_path, minds=("mine",)), make_key(tmp_path)
    with proxied(tmp_path, facades={"graphiti": True}) as service:
        with calling(service) as stranger:
            assert stranger.get("/healthcheck").json() == {"status": "healthy"}
            assert stranger.post("/search", json={"query": "x"}).status_code == 401
        with calling(service, other) as theirs:
            add(theirs, "theirs", says("I climb.", uuid="climb"))
        with calling(service, key) as mine:
            add(mine, "mine", says("I sail.", uuid="sail"))
            body = {"group_id": "theirs", "messages": [says("I climb.")]}
            assert mine.post("/messages", json=body).status_code == 404
            assert mine.post("/search", json={"query": "x", "group_ids": ["theirs"]}).status_code == 404
            assert mine.get("/episodes/theirs", params={"last_n": 1}).status_code == 404
            assert mine.delete("/episode/climb").status_code == 404
            assert mine.delete("/group/theirs").status_code == 404
            assert facts(mine, "climb") == []
            mine.post("/clear").raise_for_status()
        with calling(service, other) as theirs:
            assert len(episodes(theirs, "theirs")) == 1
            assert episodes(theirs, "mine") == []
