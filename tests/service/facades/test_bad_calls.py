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
    for name, pointer in ((HALF, "#/?"), ("a/b", "#/a~1b"), ("x" * 5_000, f"#/{'x' * 100}…")):
        told = await refusal(service, path, {**query, "filters": {name: 1}})

        assert told["errors"][0]["pointer"].replace("/AND", "") == pointer
