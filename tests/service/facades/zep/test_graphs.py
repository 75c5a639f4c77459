"""Graphs of Zep: those without a user, and data in batches, by its published client and as its third client writes them."""

from __future__ import annotations

import httpx
import httpx2
import pytest
from zep_cloud import NotFoundError, Zep
from zep_cloud.errors import BadRequestError

from tests.support.openai_proxy import SECONDS, proxied


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with proxied(tmp_path_factory.mktemp("home"), facades={"zep": True}) as found:
        yield found


@pytest.fixture(scope="module")
def zep(service):
    with httpx.Client(timeout=SECONDS) as http:
        yield Zep(api_key="any", base_url=address(service, "v4"), httpx_client=http)


@pytest.fixture(scope="module")
def cloud(service):
    """The calls of Zep Cloud's third client, as it writes them."""
    headers = {"Authorization": "Api-Key any"}
    with httpx2.Client(base_url=address(service, "v2"), headers=headers, timeout=SECONDS) as http:
        yield http


def address(service, version):
    return f"{service.url.removesuffix('/v1')}/zep/api/{version}"


def test_a_graph_without_a_user_is_made_searched_changed_and_erased(zep, service):
    """Broken: 400, so that a program which begins with a graph ended there."""
    made = zep.graph.create(name="Office", description="What holds there.", time_zone="Europe/Paris")
    again = zep.graph.create(name="Office", idempotency_key="once")
    same = zep.graph.create(name="Office", idempotency_key="once")
    assert len({made.uuid_, again.uuid_}) == 2
    assert same.uuid_ == again.uuid_

    zep.graph.episode.add(made.uuid_, data="The office closes on Fridays at noon.", type="text")
    service.digested(made.uuid_)
    (found,) = zep.graph.search_edges(made.uuid_, query="When does the office close?")
    assert "Fridays" in found.fact

    changed = zep.graph.update(made.uuid_, description="Closed.")
    read = zep.graph.get(made.uuid_)
    assert (changed.name, read.description, read.time_zone) == ("Office", "Closed.", "Europe/Paris")
    assert [one["kind"] for one in service.kept(made.uuid_)].count("turn") == 1
    zep.graph.delete(made.uuid_)
    with pytest.raises(NotFoundError):
        zep.graph.get(made.uuid_)


def test_a_graph_is_made_changed_and_erased_by_its_own_id(cloud, service):
    """Broken: 400 for each call but the search and the data."""
    made = cloud.post("/graph/create", json={"graph_id": "Shop", "name": "The shop", "description": None})
    assert (made.status_code, made.json()["graph_id"], made.json()["name"]) == (201, "Shop", "The shop")
    assert cloud.post("/graph/create", json={"graph_id": "Shop"}).status_code == 400
    assert cloud.patch("/graph/Shop", json={"description": "It sells tea."}).json()["name"] == "The shop"
    assert cloud.get("/graph/Shop").json()["description"] == "It sells tea."
    cloud.post("/graph", json={"graph_id": "Shop", "type": "text", "data": "It opens at nine."}).raise_for_status()
    listed = cloud.get("/graph/episodes/graph/Shop", params={"lastn": 5}).json()["episodes"]
    assert [one["content"] for one in listed] == ["It opens at nine."]
    assert cloud.delete("/graph/Shop").json() == {"message": "ok"}
    assert cloud.get("/graph/Shop").status_code == 404
    assert cloud.get("/graph/list-all").status_code == 400


def test_data_in_a_batch_is_kept_in_its_order(cloud, service):
    """Broken: 400, so that nothing could be brought in at once."""
    cloud.post("/users", json={"user_id": "emma"}).raise_for_status()
    sent = [
        {"data": "Emma moved to Nice.", "type": "text", "created_at": "2026-01-09T18:30:00Z"},
        {"data": '{"plan": "pro"}', "type": "json", "metadata": {"a": 1}},
        {"data": "Emma: I sail.", "type": "message"},
    ]
    kept = cloud.post("/graph-batch", json={"user_id": "emma", "episodes": sent, "strict_ontology": None}).json()

    assert [(one["content"], one["source"]) for one in kept] == [(one["data"], one["type"]) for one in sent]
    assert (kept[0]["created_at"], kept[1]["metadata"]) == ("2026-01-09T18:30:00+00:00", {"a": 1})
    listed = cloud.get("/graph/episodes/user/emma").json()["episodes"]
    assert [one["uuid"] for one in listed] == [one["uuid"] for one in reversed(kept)]
    off = {"data": "Emma: my pin, #offtherecord", "type": "message"}
    beside = [off, {"data": "The office opens at nine.", "type": "text"}]
    cloud.post("/graph-batch", json={"user_id": "emma", "episodes": beside}).raise_for_status()
    assert cloud.get("/graph/episodes/user/emma").json()["episodes"][0]["content"] == "The office opens at nine."
    torn = cloud.post("/graph-batch", json={"user_id": "emma", "episodes": [sent[0], {"data": ""}]})
    assert torn.status_code == 400
    assert len(cloud.get("/graph/episodes/user/emma").json()["episodes"]) == len(sent) + 1


def test_data_off_the_record_is_not_kept_of_whichever_type(cloud, service):
    """Broken: a marker was looked for in what a user said alone."""
    cloud.post("/users", json={"user_id": "mia"}).raise_for_status()
    for sent in (
        {"data": "#offtherecord Mia is ill.", "type": "text"},
        {"data": '{"a": "[off the record]"}', "type": "json"},
    ):
        cloud.post("/graph", json={"user_id": "mia", **sent}).raise_for_status()

    assert cloud.get("/graph/episodes/user/mia").json()["episodes"] == []
    assert [one["messages"][0]["content"] for one in service.kept("mia") if one["kind"] == "off_the_record"] == ["", ""]


def test_data_of_a_graph_is_no_thread_of_its_user(cloud):
    """Broken: it was counted among the threads."""
    cloud.post("/users", json={"user_id": "tom"}).raise_for_status()
    cloud.post("/threads", json={"thread_id": "of-tom", "user_id": "tom"}).raise_for_status()
    cloud.post("/graph", json={"user_id": "tom", "data": "Tom sails."}).raise_for_status()
    assert cloud.get("/users/tom").json()["session_count"] == 1


def test_a_graph_of_a_user_is_not_begun_again(zep):
    user = zep.user.create(user_id="nora")
    assert zep.graph.get(user.graph_uuid).uuid_ == user.uuid_
    with pytest.raises(BadRequestError):
        zep.user.create(user_id="nora")
