"""A user's id of any form is one mind at every door, and a key for that mind opens it and no other."""

from urllib.parse import quote

import httpx2
import pytest

from mind_memory_client import AsyncMemoryClient, MemoryClient
from tests.support.cli_process import call, run, serving
from tests.support.mcp_hosts import called, over_http, over_stdio

pytestmark = pytest.mark.anyio

NAMES = {
    "an address": "Ann Müller <ann@example.org>",
    "capitals": "Grace",
    "slashes": "auth0|ada/story",
    "climbing": "../../ada",
    "dots": "..",
    "percent": "a%2Fb",
    "another script": "母/京都 🏯",
    "the longest": "ü" * 200,
}
REFUSED = {"too long": "a" * 201, "blank": " ", "line end": "ada\n", "NUL": "a\0b", "turned round": "\u202eada"}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("names") / "home"


@pytest.fixture(scope="module")
def url(home):
    with serving(home) as (_, url):
        yield url


def turn(words):
    return {"session_id": "s1", "messages": [{"role": "user", "content": words}]}


def asked(words="hi"):
    return {"model": "memory", "messages": [{"role": "user", "content": words}]}


def at(url, name, rest="", *, method="GET", **more):
    return httpx2.request(
        method, f"{url}/v1/minds/{quote(name, safe='').replace('.', '%2E')}{rest}", timeout=60, **more
    )


def chat(url, *, header=None, **more):
    headers = {b"x-mind-id": header.encode()} if header else {}
    return httpx2.post(f"{url}/v1/chat/completions", json={**asked(), **more}, headers=headers, timeout=60)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
async def test_a_name_is_the_same_mind_at_every_door(url, home, name):
    by_user = chat(url, user=name).headers["x-mind-id"]
    found = {
        "header": chat(url, header=name).headers["x-mind-id"],
        "metadata": chat(url, metadata={"mind_id": name}).headers["x-mind-id"],
        "path": at(url, name).json()["mind_id"],
        "its id": at(url, by_user).json()["mind_id"],
        "turn": at(url, name, "/turns", method="POST", json=turn("The bakery closes on Mondays.")).json()["mind_id"],
    }
    with MemoryClient(url) as memory:
        found["client"] = memory.mind(name).mind_id
    async with AsyncMemoryClient(url) as memory:
        found["awaited client"] = (await memory.mind(name)).mind_id
    async with over_http(url) as host:
        found["MCP argument"] = (await called(host, "remember", query="bakery", mind=name))["mind"]
        [story] = (await host.read_resource(f"story://{quote(name, safe='')}")).contents
    async with over_http(url, query=f"?mind={quote(name, safe='')}") as host:
        found["MCP query"] = (await called(host, "remember", query="bakery"))["mind"]
    cli = run("status", "--mind", name, "--json", "--home", home)

    assert found == dict.fromkeys(found, by_user)
    assert story.uri
    assert f'"mind_id": "{by_user}"' in cli.stdout, cli.stderr
    assert (home / "minds" / by_user / "transcript").is_dir()
    assert at(url, by_user).json()["turns"] == 4


async def test_a_host_started_for_a_name_has_its_mind(url, home):
    name = "Bo Müller <bo@example.org>"
    kept = at(url, name, "/turns", method="POST", json=turn("The ferry leaves at nine.")).json()

    async with over_stdio(home, "--mind", name) as host:
        found = await called(host, "remember", query="ferry", mind=name)

    assert found["mind"] == kept["mind_id"]


def test_an_id_is_itself_and_names_that_look_alike_are_different_minds(url):
    names = ("ada", "Ada", "аda", "a\u0301da", "áda", "ada/", "ada ", "ada/story")

    minds = [at(url, name, "/turns", method="POST", json=turn("Hello there.")).json()["mind_id"] for name in names]

    assert minds[0] == "ada"
    assert len(set(minds)) == len(names)


@pytest.mark.parametrize("name", REFUSED.values(), ids=REFUSED)
def test_a_name_that_no_mind_can_have_is_refused_at_every_door(url, home, name):
    by_path = at(url, name, "/turns", method="POST", json=turn("Hello."))
    by_slash = at(url, f"ada/story{name}")
    by_user, by_metadata = chat(url, user=name), chat(url, metadata={"mind_id": name})
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    mcp = httpx2.post(f"{url}/mcp", params={"mind": name}, json=ping)
    mcp_of_another = httpx2.post(f"{url}/mcp", params={"mind": name}, json=ping, headers={"X-Mind-Id": "ada"})
    cli = call("status", "--mind", name, "--home", home)

    for answer in (by_path, *([by_slash] if name != " " else [])):
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "path/mind_id")
    for answer in (mcp, mcp_of_another):
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "query/mind")
    assert (by_user.status_code, by_user.json()["error"]["param"]) == (400, "user")
    assert (by_metadata.status_code, by_metadata.json()["error"]["param"]) == (400, "metadata/mind_id")
    assert cli.exit_code == 1
    assert "printable" in cli.output


def test_a_header_may_be_in_utf_8_or_as_browsers_send_it(url):
    kinds = [
        httpx2.post(f"{url}/v1/chat/completions", json=asked(), headers={b"x-mind-id": "Zoë".encode(kind)})
        for kind in ("utf-8", "latin-1")
    ]

    assert len({answer.headers["x-mind-id"] for answer in kinds}) == 1


def test_a_header_that_is_too_long_or_unprintable_is_refused(url):
    for header in (b"a" * 201, "\u202eada".encode()):
        chatted = httpx2.post(f"{url}/v1/chat/completions", json=asked(), headers={b"x-mind-id": header})
        spoken = httpx2.post(
            f"{url}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers={b"x-mind-id": header}
        )

        assert (chatted.status_code, chatted.json()["error"]["param"]) == (400, "header/X-Mind-Id")
        assert (spoken.status_code, spoken.json()["errors"][0]["pointer"]) == (422, "header/X-Mind-Id")


@pytest.fixture
def locked(tmp_path):
    """A service with a key that opens the mind of one user: its address, and the key."""
    home = tmp_path / "home"
    key = run("keys", "create", "--name", "a bot", "--mind", NAMES["slashes"], "--home", home).stdout.strip()
    with serving(home) as (_, url):
        yield url, {"Authorization": f"Bearer {key}"}


def test_a_key_for_a_name_opens_that_mind_by_its_name_and_its_id_and_no_other(locked):
    url, headers = locked
    own = at(url, NAMES["slashes"], "/turns", method="POST", json=turn("Mine."), headers=headers)

    by_id = at(url, own.json()["mind_id"], headers=headers)
    ways_round = ("ada", "auth0|ada", "auth0|ada/", "AUTH0|ADA/STORY", "ada/story", "auth0%7Cada%2Fstory", "../ada")
    others = [at(url, name, rest, headers=headers) for name in ways_round for rest in ("", "/story", "/traces")]
    plain = [
        httpx2.get(f"{url}/v1/minds/{raw}", headers=headers) for raw in ("auth0|ada/story", "ada%2fstory", "x%2F..")
    ]

    assert (own.status_code, by_id.json()["turns"]) == (202, 1)
    assert {answer.status_code for answer in (*others, *plain)} == {404}
    assert {answer.json()["type"] for answer in others} == {"/problems/mind-not-found"}
    assert httpx2.get(f"{url}/v1/minds", headers=headers).json()["minds"][0]["mind_id"] == own.json()["mind_id"]
    chatted = httpx2.post(f"{url}/v1/chat/completions", json={**asked(), "user": "Ada"}, headers=headers)
    assert chatted.status_code == 404
    default = httpx2.post(f"{url}/v1/chat/completions", json=asked(), headers=headers)
    assert default.headers["x-mind-id"] == own.json()["mind_id"]
