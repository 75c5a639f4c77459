"""A careless caller of other memories' APIs: what no id can be is refused in that API's own words."""

import json

import pytest

from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

HALF = "\ud83d"


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
async def service(anyio_backend, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    async with running(home, settings=settings_of(home, facades={"mem0": True, "zep": True})) as found:
        yield found


async def refusal(service, path, body):
    answer = await service.http.post(
        path, content=json.dumps(body).encode(), headers={"content-type": "application/json"}
    )
    assert 400 <= answer.status_code < 500, answer.text
    return answer.json()


async def test_half_a_letter_in_an_id_of_zep_s_is_pointed_at(service):
    """Broken: 500, since the id is looked for by its bytes."""
    searched = await refusal(service, "/zep/api/v2/sessions/search", {"text": "oboe", "session_ids": [HALF]})
    looked_up = await refusal(service, "/zep/api/v4/threads/lookup", {"thread_id": HALF})
    of_user = await refusal(service, "/zep/api/v4/users/lookup", {"thread_id": HALF})

    assert "session_ids/0" in searched["message"]
    assert {looked_up["error"]["param"], of_user["error"]["param"]} == {"thread_id"}


@pytest.mark.parametrize(
    ("path", "query"), [("/mem0/search", {"query": "oboe"}), ("/mem0/v3/memories/", {})], ids=["search", "list"]
)
async def test_an_unknown_filter_of_mem0_s_is_pointed_at_whatever_it_is_called(service, path, query):
    """Before, half a surrogate pair was answered with 500, and the pointer of the error was not a JSON pointer."""
    for name, pointer in ((HALF, "?"), ("a/b", "a~1b"), ("x" * 5_000, f"{'x' * 100}…")):
        told = await refusal(service, path, {**query, "filters": {name: 1}})

        assert told["errors"][0]["pointer"] == f"#/filters/{pointer}"


@pytest.mark.parametrize(
    ("filters", "pointer"),
    [
        ({"OR": [{"user_id": "mm"}]}, "#/filters/OR"),
        ({"AND": [{"user_id": "mm"}, {"created_at": {"zap": "x"}}]}, "#/filters/AND/1/created_at"),
        ({"AND": [{"user_id": "mm"}, {"AND": [{"user_id": "nn"}]}]}, "#/filters/AND/1/AND/0/user_id"),
        ({"user_id": "x" * 300}, "#/filters/user_id"),
        ({"AND": [{"run_id": "x" * 300}]}, "#/filters/AND/0/run_id"),
    ],
    ids=["another word", "a time", "two values", "a name too long", "a run too long"],
)
async def test_a_wrong_filter_of_mem0_s_is_pointed_at_where_it_was_sent(service, filters, pointer):
    told = await refusal(service, "/mem0/v3/memories/search/", {"query": "oboe", "filters": filters})

    assert [one["pointer"] for one in told["errors"]] == [pointer]


async def test_two_users_in_one_query_of_mem0_s_erase_neither(service):
    """Broken: the last one counts."""
    await service.keep("amy", "My boat is green.")
    unknown = await service.http.get("/mem0/memories?user_id=amy&foo=1")
    torn = await service.http.delete("/mem0/memories?user_id=amy&user_id=bob")
    again = await service.http.delete("/mem0/memories?user_id=bob&user_id=amy")

    pointers = [answer.json()["errors"][0]["pointer"] for answer in (unknown, torn, again)]
    assert pointers == ["query/foo", "query/user_id", "query/user_id"]
    assert (await service.status("amy"))["turns"] == 1


@pytest.mark.parametrize("key", ["..", "chat/./7"])
async def test_a_key_that_clients_would_take_out_of_an_address_is_refused(service, key):
    """Broken: Zep's thread was refused for a field that nobody had sent, and mem0's memory was stored."""
    for path, body in (
        ("/zep/api/v4/users", {"user_id": "keyed"}),
        ("/zep/api/v4/threads", {"user_uuid": "keyed"}),
        ("/zep/api/v4/graphs/keyed/episodes", {"data": "I play the oboe."}),
        ("/mem0/v3/memories/add/", {"messages": "I play the oboe.", "user_id": "keyed"}),
    ):
        answer = await service.http.post(path, json=body, headers={"Idempotency-Key": key})

        told = json.dumps(answer.json())
        assert answer.status_code in {400, 422}, (path, answer.text)
        assert "no step" in told and "dempotency" in told, (path, told)


async def test_a_run_of_mem0_s_with_such_a_step_is_refused_with_the_reason(service):
    told = await refusal(service, "/mem0/v3/memories/add/", {"messages": "Hi.", "user_id": "mm", "run_id": "a/../b"})

    assert "no step" in told["errors"][0]["detail"]
