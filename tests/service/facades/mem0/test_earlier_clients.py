"""What mem0's clients before version 2 call, and its client for TypeScript, as they send it."""

from __future__ import annotations

from contextlib import contextmanager

import httpx2
import pytest

from tests.support.openai_proxy import SECONDS, proxied

PROJECT = {"org_id": "mind-memory", "project_id": "mind-memory"}  # they send what the ping answered
SAID = [{"role": "user", "content": "I'm a vegetarian and I'm allergic to nuts."}]
EARLIER = {"version": "v2", "output_format": "v1.1", "async_mode": True, "enable_graph": True}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with proxied(tmp_path_factory.mktemp("home"), facades={"mem0": True}) as found:
        yield found


@pytest.fixture(scope="module")
def http(service):
    with calling(service) as found:
        yield found


@contextmanager
def calling(service):
    at = service.url.removesuffix("/v1") + "/mem0"
    headers = {"Authorization": "Token any"}
    with httpx2.Client(base_url=at, headers=headers, timeout=SECONDS) as found:
        yield found


def told(http, user_id, **more):
    """The ids of the memories of what a user said."""
    return [one["id"] for one in post(http, "/v1/memories/", messages=SAID, user_id=user_id, **more)]


def post(http, path, **body):
    answer = http.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_what_they_add_comes_back_as_a_list_or_as_results(http):
    """Broken: 501 for every one of these calls."""
    listed = post(http, "/v1/memories/", messages=SAID, user_id="alex", **PROJECT)
    wrapped = post(http, "/v1/memories/", messages=SAID, user_id="alex", metadata={"a": 1}, **EARLIER, **PROJECT)

    for one in (*listed, *wrapped["results"]):
        assert (one["event"], one["memory"], one["data"]) == ("ADD", SAID[0]["content"], {"memory": SAID[0]["content"]})


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_what_they_search_comes_back_as_a_list_or_as_results(http, service, version):
    (added,) = told(http, f"searching-{version}")
    service.digested(f"searching-{version}")
    path, asked = f"/{version}/memories/search/", {"query": "Which nuts may I eat?", "version": version, **PROJECT}
    filters = {"AND": [{"user_id": f"searching-{version}"}]}

    listed = post(http, path, **asked, user_id=f"searching-{version}", top_k=3, filter_memories=True)
    wrapped = post(http, path, **asked, filters=filters, output_format="v1.1", rerank=True)

    assert [one["id"] for one in listed] == [added]
    assert [one["id"] for one in wrapped["results"]] == [added]
    assert post(http, path, query="nuts", user_id="nobody") == []


def test_what_they_list_comes_back_as_a_list_as_results_or_in_pages(http):
    first, second = (told(http, "listing", timestamp=1_767_225_600 + at)[0] for at in range(2))
    asked = {"user_id": "listing", **PROJECT}
    ids = lambda found: [one["id"] for one in found]

    assert ids(http.get("/v1/memories/", params=asked).json()) == [second, first]
    assert ids(http.get("/v1/memories/", params={**asked, "output_format": "v1.1"}).json()["results"]) == [
        second,
        first,
    ]
    assert ids(post(http, "/v2/memories/", filters={"AND": [{"user_id": "listing"}]}, **PROJECT)) == [second, first]

    page = http.get("/v1/memories/", params={**asked, "page": 2, "page_size": 1}).json()
    assert (page["count"], ids(page["results"])) == (2, [first])
    page = http.post("/v2/memories/?page=1&page_size=1", json={"filters": {"user_id": "listing"}}).json()
    assert ids(page["results"]) == [second]
    assert ids(http.post(page["next"], json={"filters": {"user_id": "listing"}}).json()["results"]) == [first]


def test_an_empty_id_does_not_mean_everything(http):
    told(http, "whole")
    for asked in ({"user_id": "whole", "run_id": ""}, {"user_id": "", "run_id": "1"}):
        assert http.post("/v1/memories/search/", json={"query": "nuts", **asked}).status_code == 422
        assert http.delete("/v1/memories/", params=asked).status_code == 422
    assert post(http, "/v1/memories/search/", query="nuts", user_id="whole", metadata={})


def test_a_list_may_be_of_certain_days(http):
    (old,) = told(http, "days", timestamp=1_767_225_600)  # the first second of 2026
    told(http, "days")
    filters = {"AND": [{"user_id": "days"}, {"created_at": {"gte": "2026-01-01", "lte": "2026-01-01"}}]}
    of_that_day = {"start_date": "2026-01-01", "end_date": "2026-01-01"}

    searched = post(http, "/v3/memories/search/", query="nuts", filters=filters)["results"]
    listed = post(http, "/v3/memories/", filters={"user_id": "days"}, **of_that_day)["results"]
    of_v1 = http.get("/v1/memories/", params={"user_id": "days", **of_that_day}).json()

    assert [[one["id"] for one in found] for found in (searched, listed, of_v1)] == [[old]] * 3


def test_their_project_in_a_query_is_no_filter(http):
    """Broken: 422, so that nothing could be erased."""
    told(http, "leaving")
    assert http.delete("/v1/memories/", params={"user_id": "leaving", **PROJECT}).status_code == 200
    assert http.get("/v1/memories/", params={"user_id": "leaving", **PROJECT}).json() == []


def test_nothing_to_erase_is_erased(http):
    """Broken: 404, where a program begins with a clean slate."""
    for asked in ({"user_id": "never-seen"}, {"user_id": "never-seen", "run_id": "1"}, {"run_id": "never-seen"}):
        assert http.delete("/v1/memories/", params=asked).status_code == 200
    assert http.delete("/v2/entities/user/never-seen/").status_code == 404


def test_a_search_of_the_client_for_typescript(http, service):
    """Broken: 422, since it sends an output_format with every search."""
    (added,) = told(http, "typed")
    service.digested("typed")
    found = post(http, "/v3/memories/search/", query="nuts", output_format="v1.1", filters={"user_id": "typed"})
    assert [one["id"] for one in found["results"]] == [added]


def test_its_pages_of_users_end(http):
    """Broken: each page held all of them, so that who reads until a page is empty never ended."""
    for name in ("u-1", "u-2", "u-3"):
        told(http, name)
    everyone = [one["name"] for one in http.get("/v1/entities/").json()["results"]]
    asked, found = "/v1/entities/?page=1&page_size=2", []
    while asked is not None:
        page = http.get(asked).json()
        assert (page["count"], len(page["results"]) <= 2) == (len(everyone), True)
        found += [one["name"] for one in page["results"]]
        asked = page["next"]
    assert found == everyone
    assert {"u-1", "u-2", "u-3"} <= set(found)


def test_its_earlier_way_to_erase_a_user(http):
    told(http, "gone")
    assert http.delete("/v1/entities/user/gone/").status_code == 200
    assert http.get("/v1/memories/?user_id=gone").json() == []


@pytest.mark.parametrize(
    ("path", "body", "word"),
    [
        ("/v1/memories/search/", {"query": "x", "user_id": "y", "enable_graph": True}, "without relations"),
        ("/v2/memories/", {"filters": {"user_id": "y"}, "metadata": {"a": 1}}, "put it into filters"),
        ("/v1/memories/", {"messages": "x", "user_id": "y", "immutable": True}, "put right"),
        ("/v1/memories/", {"messages": "x", "user_id": "y", "includes": "sport"}, "directs an extraction"),
    ],
)
def test_what_would_change_nothing_is_refused_with_the_reason(http, path, body, word):
    answer = http.post(path, json=body)
    assert answer.status_code == 422
    assert word in answer.json()["detail"]
    assert http.post(path, json={**body, next(reversed(body)): None}).status_code == 200


def test_a_chat_as_openai_s_library_has_it_is_kept(http, service):
    """Broken: 422 for a message that has no words, or a field more than role and content."""
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Lyon"}'}}
    more = {"refusal": None, "annotations": [], "audio": None, "function_call": None}
    chat = [
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "Is it warm at my mother's in Lyon?"}]},
        {"role": "assistant", "content": None, "tool_calls": [call], **more},
        {"role": "tool", "tool_call_id": "call_1", "content": "31 degrees"},
        {"role": "assistant", "content": "It is.", "tool_calls": None, **more},
        {"role": "assistant", "content": None, **more},
        {"role": "assistant", "content": None, "function_call": call["function"]},
        {"role": "assistant", "content": None, "refusal": "I can not help with that."},
    ]

    added = post(http, "/v3/memories/add/", messages=chat, user_id="sender")

    (kept,) = service.kept("sender")
    assert [(one["role"], one["content"]) for one in kept["messages"]] == [
        ("system", "Be kind."),
        ("user", "Is it warm at my mother's in Lyon?"),
        ("assistant", '[calls weather({"city": "Lyon"})]'),
        ("tool", "31 degrees"),
        ("assistant", "It is."),
        ("assistant", '[calls weather({"city": "Lyon"})]'),
        ("assistant", "I can not help with that."),
    ]
    assert added["dropped"] == [{"index": 5, "reason": "empty"}]
    assert http.post("/v3/memories/add/", json={"messages": [{"role": "user"}], "user_id": "x"}).status_code == 422
    assert http.post("/v3/memories/add/", json={"messages": [{"content": 3}], "user_id": "x"}).status_code == 422
