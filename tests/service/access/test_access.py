"""Who is let in: every route of the document, with every kind of key and without one."""

import pytest

from service.access.keyring import FILE, Keyring
from tests.support.api_keys import LONG_AGO, id_of, make_key
from tests.support.openapi import shipped_document
from tests.support.service import Running, running, settings_of

pytestmark = pytest.mark.anyio

OPEN = {"GET /healthz", "GET /readyz"}
SIGN_IN = "POST /v1/session"  # open as well: what it brings is its key
FOR_A_MINDS_KEY = {
    "GET /v1/minds",
    "GET /v1/status",
    "GET /v1/models",
    "GET /v1/models/{model}",
    "GET /v1/session",
    "POST /mcp",
} | OPEN  # what names no mind and is answered to a key for some minds all the same
PAGES = (
    "GET /docs",
    "GET /docs/start.js",
    "GET /redoc",
    "GET /openapi.json",
    "GET /consoles",
    "GET /nothing",
    "POST /v1/minds",
    "DELETE /v1/turns",
    "GET /mcp",
    "DELETE /mcp",
)
FILLED = {
    "session_id": "s1",
    "turn_id": "t1",
    "trace_id": "t1",
    "version": "v1",
    "correction_id": "c1",
    "key_id": "1a2b3c4d",
    "fact_id": "fact:1",
    "entity_id": "entity:1",
    "import_id": "i1",
    "dream": "1",
    "name": "crm",
    "path": "SOUL.md",
    "model": "memory",
}
ROUTES = sorted(
    f"{method.upper()} {path}" for path, methods in shipped_document()["paths"].items() for method in methods
)
GUARDED = [route for route in ROUTES if route not in OPEN | {SIGN_IN}] + list(PAGES)
OF_A_MIND = [route for route in ROUTES if "{mind_id}" in route]
FOREIGN, OWN = "ada", "bob"
NO_KEYS = {
    "no key": lambda keys: None,
    "nonsense": lambda keys: "Bearer nonsense",
    "no token": lambda keys: "Bearer ",
    "another secret": lambda keys: f"Bearer {keys['right'][:-64]}{'0' * 64}",
    "another id": lambda keys: f"Bearer mm_{'0' * 8}_{keys['right'][-64:]}",
    "a part of it": lambda keys: f"Bearer {keys['right'][:-1]}",
    "more than it": lambda keys: f"Bearer {keys['right']}0",
    "in capitals": lambda keys: f"Bearer {keys['right'].upper()}",
    "expired": lambda keys: f"Bearer {keys['expired']}",
    "revoked": lambda keys: f"Bearer {keys['revoked']}",
    "no scheme": lambda keys: keys["right"],
    "another scheme": lambda keys: f"Basic {keys['right']}",
    "not ASCII": lambda keys: "Bearer mm_\u00e4\u00f6",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("access") / "home"


@pytest.fixture(scope="module")
def keys(home):
    return {
        "right": make_key(home),
        "own": make_key(home, minds=(OWN, "ghost")),
        "expired": make_key(home, expires_at=LONG_AGO),
        "revoked": make_key(home, revoked_at=LONG_AGO),
    }


@pytest.fixture(scope="module")
async def service(anyio_backend, home, keys):
    settings = settings_of(home, access={"key_requests_per_minute": 0})
    async with running(home, settings=settings) as found, found.client(key=keys["right"]) as http:
        await found.memory.warmed.wait()  # /readyz is asked as well
        found.http = http
        kept = await found.keep(FOREIGN, "My mother lives in Lyon.", "Nice!")
        assert kept.status_code == 202
        yield found


async def ask(service, route, *, mind_id=FOREIGN, authorization=None, address="127.0.0.1", **more):
    """One call of *route* with an empty object for a body."""
    method, path = route.split(" ")
    path += "?follow=false" * path.endswith("/events")  # else it is answered for minutes
    headers = {"Authorization": authorization.encode("latin-1")} if authorization is not None else {}
    async with service.client(address=address, headers=headers) as http:
        body = {} if method in {"POST", "PUT", "PATCH"} else None
        return await http.request(method, path.format(mind_id=mind_id, **FILLED), json=body, **more)


def told(answer):
    """All of an answer but the path that was asked."""
    document = {name: value for name, value in answer.json().items() if name != "instance"}
    return answer.status_code, document, {name: v for name, v in answer.headers.items() if name != "content-length"}


@pytest.mark.parametrize("kind", NO_KEYS)
@pytest.mark.parametrize("route", GUARDED)
async def test_without_a_valid_key_nothing_is_answered_and_always_in_the_same_words(service, keys, route, kind):
    address = f"10.1.{GUARDED.index(route)}.{list(NO_KEYS).index(kind)}"

    is_proxy = route.endswith(("/v1/models", "/v1/models/{model}", "/v1/chat/completions"))
    answer = await ask(service, route, authorization=NO_KEYS[kind](keys), address=address)
    plain = await ask(service, "GET /v1/models" if is_proxy else "GET /v1/minds", address=address)

    assert answer.status_code == 401
    if is_proxy:
        assert answer.json()["error"]["code"] == "unauthenticated"
    else:
        assert answer.json()["type"] == "/problems/unauthenticated"
    assert answer.headers["www-authenticate"] == 'Bearer realm="mind-memory"'
    assert told(answer) == told(plain)


@pytest.mark.parametrize("path", ["/", "/console", "/console/", "/console/console.js"])
async def test_the_console_is_open_to_all_and_leads_nowhere_else(service, path):
    async with service.client(address="203.0.113.9", headers={"Host": "elsewhere.example"}) as http:
        answer = await http.get(http.base_url.copy_with(raw_path=path.encode()))

    assert answer.status_code in {200, 307, 404}
    assert "minds" not in answer.text


@pytest.mark.parametrize("name", ["key", "token", "access_token", "api_key", "authorization"])
async def test_a_key_in_the_address_is_none(service, keys, name):
    answer = await ask(service, "GET /v1/minds", params={name: keys["right"]}, address="10.2.0.1")

    assert answer.status_code == 401


async def test_a_key_sent_twice_is_none(service, keys):
    headers = [("Authorization", f"Bearer {keys['right']}")] * 2
    async with service.client(address="10.2.0.2") as http:
        answer = await http.get("/v1/minds", headers=headers)

    assert answer.status_code == 401


@pytest.mark.parametrize("mind_id", [FOREIGN, "nobody"])
@pytest.mark.parametrize("route", OF_A_MIND)
async def test_another_mind_is_not_there_for_a_key_for_some_minds(service, keys, route, mind_id):
    before = await service.status(FOREIGN), service.memory.minds.ids()

    answer = await ask(service, route, mind_id=mind_id, authorization=f"Bearer {keys['own']}")
    unknown = await ask(service, "GET /v1/minds/{mind_id}", mind_id="never", authorization=f"Bearer {keys['own']}")

    status, document, headers = told(unknown)
    assert (status, document["type"]) == (404, "/problems/mind-not-found")
    assert document["detail"] == "this key is not for a mind called 'never'"
    document["detail"] = document["detail"].replace("never", mind_id)
    assert told(answer) == (status, document, headers)
    after = await service.status(FOREIGN), service.memory.minds.ids()
    assert before[0]["last_sequence"] == after[0]["last_sequence"]
    assert set(after[1]) - set(before[1]) == set()


@pytest.mark.parametrize("route", OF_A_MIND)
async def test_its_own_mind_is_open_to_a_key_for_some_minds(service, keys, route):
    await service.keep(OWN, "My mother lives in Lyon.", turn_id="first")

    answer = await ask(service, route, mind_id=OWN, authorization=f"Bearer {keys['own']}")

    assert answer.status_code not in {401, 403, 421, 429}
    assert answer.status_code < 500
    if answer.status_code == 404:
        assert answer.json()["type"] != "/problems/mind-not-found"


async def test_a_key_for_some_minds_creates_those_and_no_other(service, keys):
    turn = {"session_id": "s1", "messages": [{"role": "user", "content": "hello"}]}
    async with service.client(key=keys["own"]) as http:
        own = await http.post("/v1/minds/ghost/turns", json=turn)
        other = await http.post("/v1/minds/stranger/turns", json=turn)
        listed = (await http.get("/v1/minds")).json()["minds"]

    assert (own.status_code, other.status_code) == (202, 404)
    assert {one["mind_id"] for one in listed} <= {OWN, "ghost"}
    assert "ghost" in {one["mind_id"] for one in listed}
    assert "stranger" not in service.memory.minds.ids()


@pytest.mark.parametrize("route", [route for route in ROUTES if "{mind_id}" not in route] + list(PAGES))
async def test_what_names_no_mind_is_closed_to_a_key_for_some_minds_but_for_what_is_named(service, keys, route):
    answer = await ask(service, route, authorization=f"Bearer {keys['own']}")

    if route in FOR_A_MINDS_KEY | {"GET /docs", "GET /docs/start.js", "GET /openapi.json"}:
        assert answer.status_code == (400 if route == "POST /mcp" else 200)  # let in, an empty object is no message
    elif route in {SIGN_IN, "DELETE /v1/session"}:
        assert answer.status_code == (422 if route == SIGN_IN else 204)
    elif route == "POST /v1/chat/completions":
        assert answer.status_code == 400  # its mind stands in header or body: tests/e2e/test_openai_proxy_access.py
    else:
        assert answer.status_code in {404, 405}


@pytest.mark.parametrize("route", [*ROUTES, "GET /docs", "GET /openapi.json"])
async def test_a_key_for_all_minds_opens_every_route(service, keys, route):
    await service.keep(OWN, "My mother lives in Lyon.", turn_id="first")

    answer = await ask(service, route, mind_id=OWN, authorization=f"bearer  {keys['right']} ")

    assert answer.status_code not in {401, 403, 421, 429}
    assert answer.status_code < 500


async def test_the_owner_of_the_home_needs_no_key_of_the_ring(service):
    token = service.memory.authenticator.owner_token.get_secret_value()
    async with service.client(address="203.0.113.9", headers={"Host": "elsewhere.example"}, key=token) as http:
        answer = await http.get(f"/v1/minds/{FOREIGN}")

    assert answer.status_code == 200
    assert token not in repr(service.memory.authenticator.owner_token)


async def test_health_is_told_to_all_and_its_parts_to_few(service, keys):
    alive = await ask(service, "GET /healthz", address="203.0.113.9")
    strange = await ask(service, "GET /readyz", address="203.0.113.9")
    own = await ask(service, "GET /readyz", authorization=f"Bearer {keys['own']}")
    right = await ask(service, "GET /readyz", authorization=f"Bearer {keys['right']}")

    assert alive.json() == {"status": "alive"}
    assert [answer.json()["parts"] for answer in (strange, own)] == [{}, {}]
    assert "graph" in right.json()["parts"]


async def test_the_eleventh_failure_of_an_address_is_one_too_many_and_its_right_key_still_opens(service, keys):
    failures = [await ask(service, "GET /v1/minds", address="10.3.0.1") for _ in range(11)]
    right = await ask(service, "GET /v1/minds", address="10.3.0.1", authorization=f"Bearer {keys['right']}")
    neighbour = await ask(service, "GET /v1/minds", address="10.3.0.2")

    assert [answer.status_code for answer in failures] == [401] * 10 + [429]
    assert failures[-1].json()["type"] == "/problems/rate-limited"
    assert 1 <= int(failures[-1].headers["retry-after"]) <= 60
    assert (right.status_code, neighbour.status_code) == (200, 401)


async def test_the_addresses_of_one_ipv6_network_are_one(service):
    answers = [await ask(service, "GET /v1/minds", address=f"2001:db8::{n}") for n in range(1, 12)]

    assert [answer.status_code for answer in answers] == [401] * 10 + [429]


@pytest.mark.parametrize("is_announced", [True, False], ids=["with its length", "in chunks"])
async def test_the_key_is_looked_at_before_a_body_is_measured(service, is_announced):
    async def chunks():
        for _ in range(32):
            yield b"x" * 65_536

    async with service.client(address="10.4.0.1") as http:
        large = await http.post("/v1/minds/ada/turns", content=b"x" * 2**21 if is_announced else chunks())
        packed = await http.post("/v1/minds/ada/turns", content=b"x", headers={"Content-Encoding": "gzip"})

    assert (large.status_code, packed.status_code) == (401, 401)
    assert large.headers["connection"] == "close"  # the rest is not read
    assert "connection" not in packed.headers


@pytest.mark.parametrize("route", ["GET /healthz", "GET /v1/minds", "GET /nothing", "POST /v1/minds"])
async def test_every_answer_tells_browsers_what_not_to_do(service, keys, route):
    for authorization in (None, f"Bearer {keys['right']}"):
        answer = await ask(service, route, authorization=authorization, address="10.5.0.1")

        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["content-security-policy"] == "frame-ancestors 'none'"
        assert "access-control-allow-origin" not in answer.headers


async def test_no_page_of_another_site_is_told_that_it_may_call(service, keys):
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "PUT"}
    async with service.client(key=keys["right"], headers=headers) as http:
        answer = await http.options("/v1/minds/ada/story")

    assert answer.status_code == 405
    assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_a_websocket_is_closed_where_the_server_can_not_answer_it(service):
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "websocket", "path": "/v1/minds", "query_string": b"", "headers": []}
    await service.app(scope, None, send)

    assert [(one["type"], one["code"]) for one in sent] == [("websocket.close", 1008)]


async def test_a_service_below_a_path_of_its_own_looks_at_the_same_minds(service, keys):
    async def below(scope, receive, send):
        await service.app({**scope, "root_path": "/memory", "path": f"/memory{scope['path']}"}, receive, send)

    outside = Running(service.http, service.memory, below)
    own = await ask(outside, "GET /v1/minds/{mind_id}", authorization=f"Bearer {keys['own']}")
    right = await ask(outside, "GET /v1/minds/{mind_id}", authorization=f"Bearer {keys['right']}")
    strange = await ask(outside, "GET /healthz")

    assert (own.status_code, right.status_code, strange.status_code) == (404, 200, 200)


async def test_keys_are_seen_as_soon_as_they_are_made_and_revoked_and_outlive_a_restart(tmp_path):
    home = tmp_path / "home"
    async with running(home) as service, service.client(address="10.6.0.1") as stranger:
        async with service.client() as near:
            assert (await near.get("/v1/minds")).status_code == 200
            old = make_key(home)
            assert (await near.get("/v1/minds")).status_code == 401
        async with service.client(key=old) as http:
            assert (await http.get("/v1/minds")).status_code == 200
            new = make_key(home)
            Keyring(home).revoke(id_of(old), now=LONG_AGO)
            assert (await http.get("/v1/minds")).status_code == 401
        async with service.client(key=new) as http:
            assert (await http.get("/v1/minds")).status_code == 200
        assert (await stranger.get("/v1/minds")).status_code == 401

    async with running(home) as service:
        async with service.client(key=new) as http:
            assert (await http.get("/v1/minds")).status_code == 200
        async with service.client(key=old) as http:
            assert (await http.get("/v1/minds")).status_code == 401


async def test_when_the_last_key_is_revoked_the_door_stays_closed(tmp_path):
    home = tmp_path / "home"
    make_key(home, revoked_at=LONG_AGO)

    async with running(home) as service:
        assert (await service.http.get("/v1/minds")).status_code == 401


async def test_a_ring_that_can_not_be_read_lets_the_owner_in_alone(tmp_path):
    home = tmp_path / "home"
    key = make_key(home)
    async with running(home) as service:
        (home / FILE).write_text('{"version": 1, "keys": [{"key_id"')
        async with service.client(key=key) as http:
            refused, ready = await http.get("/v1/minds"), await http.get("/readyz")
        async with service.client(key=service.memory.authenticator.owner_token.get_secret_value()) as owner:
            let_in = await owner.get("/v1/minds")

    assert (refused.status_code, refused.json()["type"]) == (503, "/problems/keys-unreadable")
    assert ready.json()["parts"] == {}
    assert let_in.status_code == 200


async def test_a_key_that_asks_too_often_is_told_when_to_come_back_and_others_go_on(tmp_path):
    home = tmp_path / "home"
    busy, calm = make_key(home), make_key(home)
    settings = settings_of(home, access={"key_requests_per_minute": 3})
    async with running(home, settings=settings) as service:
        async with service.client(key=busy) as http:
            answers = [await http.get("/v1/minds") for _ in range(4)]
            alive = await http.get("/healthz")
        async with service.client(key=calm) as http:
            other = await http.get("/v1/minds")

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert (alive.status_code, other.status_code) == (200, 200)


async def test_a_key_tells_when_it_was_last_used(tmp_path):
    home = tmp_path / "home"
    key = make_key(home)
    async with running(home) as service, service.client(key=key) as http:
        service.http = http
        await service.keep("ada", "hello")
        await service.until("ada", lambda _: Keyring(home).ring()[id_of(key)].last_used_at is not None)
        written = (home / FILE).read_text()
        await http.get("/v1/minds")

    assert (home / FILE).read_text() == written  # once an hour is exact enough
    assert (home / FILE).stat().st_mode & 0o777 == 0o600
