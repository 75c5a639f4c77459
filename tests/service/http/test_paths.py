"""No id in an address leaves the home: every route, every part of its path, filled with what has broken others."""

import json
from urllib.parse import quote, unquote

import pytest

from tests.support.openapi import shipped_document
from tests.support.service import running

pytestmark = pytest.mark.anyio

GOOD = {
    "mind_id": "ada",
    "session_id": "s1",
    "turn_id": "t1",
    "trace_id": "t1",
    "correction_id": "c1",
    "key_id": "1a2b3c4d",
    "fact_id": "fact:1",
    "entity_id": "entity:1",
    "import_id": "i1",
    "dream": "1",
    "name": "crm",
    "version": "2026-01-09T18-31-00-000000Z",
    "path": "SOUL.md",
    "model": "memory",
}
DOCUMENT = shipped_document()
PLACES = sorted(
    (method.upper(), path, name)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    for name in (one["name"] for one in operation.get("parameters", ()) if one["in"] == "path")
)
NASTY = {  # as they stand in the address; what is not encoded is meant to be so
    "parent": "..",
    "here": ".",
    "encoded parent": "%2e%2e",
    "encoded twice": "%252e%252e",
    "climbing": "../../etc/passwd",
    "climbing, encoded": "..%2f..%2f..%2fetc%2fpasswd",
    "climbing after a start": "ada%2f..%2f..%2fout",
    "climbing, backwards": "..%5c..%5cout",
    "absolute": "%2fetc%2fpasswd",
    "absolute, plain": "/etc/passwd",
    "drive": "C:%5cwindows",
    "home": "~root",
    "NUL": "a%00b",
    "NUL before an end": "ada%00.md",
    "newline": "a%0ab",
    "newline at the end": "ada%0a",
    "carriage return": "ada%0d%0aX-Injected:%201",
    "full-width dots": quote("．．"),
    "full-width slash": quote("..／..／out"),
    "dot leaders": quote("‥"),
    "division slash": quote("a∕b"),
    "overlong slash": "..%c0%af..",
    "half a surrogate": "%ed%a0%80",
    "no UTF-8": "%ff%fe",
    "full-width letters": quote("ａｄａ"),
    "cyrillic a": quote("аda"),
    "long s": quote("ſ"),
    "dotless i": quote("ıd"),
    "combining": quote("a\u0301da"),
    "right to left": quote("\u202eada"),
    "no width": quote("ada\u200b"),
    "space": "%20",
    "dot at the end": "ada.",
    "hidden": ".git",
    "device": "CON",
    "glob": "*",
    "variable": "$HOME",
    "substitution": "%24(touch%20out)",
    "query": "'%3B%20MATCH%20(n)%20DETACH%20DELETE%20n%20--",
    "template": "%7B%7B7*7%7D%7D",
    "64 KiB": "a" * 65_536,
    "64 KiB of dots": "../" * 21_845,
}
OWN = set(
    """SOUL.md PURPOSE.md MEMORY.md memory transcript derived STORY.md STORY.md.lock story-history pending-episodes.log
    """.split()
)  # what a mind's folder may hold


@pytest.fixture(scope="module")
async def service(anyio_backend, tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    async with running(root / "home") as found:
        found.root = root
        assert (await found.keep("ada", "My mother lives in Lyon.")).status_code == 202
        await found.digested("ada")
        yield found


async def ask(service, method, target):
    """What is answered to *target*, sent as it is: no client resolves its dots."""
    path, body = unquote(target), json.dumps({}).encode()
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": target.encode(),
        "query_string": b"query=x&from=x",
        "root_path": "",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"if-match", b'"x"')],
        "client": ("127.0.0.1", 5),
        "server": ("localhost", 80),
    }
    sent = []

    async def receive():
        return {"type": "http.request", "body": body if method in {"POST", "PUT"} else b"", "more_body": False}

    async def send(message):
        sent.append(message)

    await service.app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def standing(root):
    """Every name below *root* but those of the graph's server, the minds' own files and the audit log."""
    return {
        file.relative_to(root).as_posix()
        for file in root.rglob("*")
        if not any(
            file.is_relative_to(root / "home" / own)
            for own in ("graph", "minds/ada", "audit.jsonl", "audit.jsonl.lock", "audit.key")
        )
    }


@pytest.mark.parametrize("value", NASTY.values(), ids=NASTY)
async def test_no_id_in_an_address_reaches_beyond_its_mind(service, value):
    before = standing(service.root)

    for method, path, name in PLACES:
        status, body = await ask(service, method, path.format(**{**GOOD, name: value}))

        is_session = method == "DELETE" and name == "session_id" and status == 200  # one may be called so
        assert is_session or 400 <= status < 500, (method, path, name, status, body[:300])
        assert b"root:" not in body

    assert standing(service.root) == before
    assert {
        file.name.removeprefix(".").removesuffix(".new") for file in (service.root / "home/minds/ada").iterdir()
    } <= OWN


SESSIONS = ("...", "a..b", "/etc/passwd", "C:\\out", "．．／out", "a\u0301", "~", "$HOME", "CON", "x" * 200)


@pytest.mark.parametrize("session_id", SESSIONS)
async def test_a_session_may_be_called_anything_printable_and_is_no_path(service, session_id):
    before = standing(service.root)
    said = {"role": "user", "content": f"Something about {session_id[:20]}."}

    kept = await service.keep("ada", said, session_id=session_id)
    window = await service.http.post(
        f"/v1/minds/ada/sessions/{quote(session_id, safe='')}/compaction", json={"messages": [said]}
    )

    assert kept.status_code == 202
    assert window.status_code == 202
    assert window.json()["session_id"] == session_id
    assert standing(service.root) == before


DOTS = (".", "..", "../../out", "a/..", "a/./b")


@pytest.mark.parametrize("name", DOTS)
@pytest.mark.parametrize("field", ["session_id", "turn_id"])
async def test_a_name_that_clients_take_out_of_an_address_is_refused(service, field, name):
    """httpx asks for `/v1/minds/ada` where the address ends in `/sessions/..`: a DELETE would erase the mind."""
    before = (await service.status("ada"))["turns"]
    turn = {"session_id": "s", "messages": [{"role": "user", "content": "Something."}], field: name}

    answer = await service.http.post("/v1/minds/ada/turns", json=turn)

    assert answer.status_code == 422
    assert [one["pointer"] for one in answer.json()["errors"]] == [f"#/{field}"]
    assert (await service.status("ada"))["turns"] == before


async def test_a_name_of_dots_that_a_client_resolves_does_not_erase_the_mind(service):
    """Broken: fetch, browsers and curl send `…/ada/` for `…/ada/sessions/..`, and follow the redirect to `…/ada`."""
    answer = await service.http.delete("/v1/minds/ada/", follow_redirects=True)

    assert (answer.status_code, answer.json()["type"]) == (404, "/problems/not-found")
    assert (await service.status("ada"))["turns"] > 0


@pytest.mark.parametrize("path", ["", "/turns", "/story", "/files", "/sessions", "/corrections"])
async def test_an_address_with_a_slash_at_its_end_leads_to_the_one_without_it(service, path):
    """Broken: 405 that names the method of another address, 422 for an empty id, or 307, as it happened to be."""
    address = f"/v1/minds/ada{path}"
    for method in ("GET", "POST", "PUT"):
        answer = await service.http.request(method, f"{address}/?limit=1")
        assert (answer.status_code, answer.headers["location"]) == (307, f"{address}?limit=1"), method
    erased = await service.http.delete(f"{address}/")

    assert (erased.status_code, erased.json()["type"]) == (404, "/problems/not-found")
    assert (await service.http.get("/v1/nothing/")).status_code == 404


async def test_a_slash_at_the_end_of_an_id_belongs_to_the_id(service):
    kept = await service.keep("ada", "I have a canoe.", turn_id="canoe/")
    read = await service.http.get("/v1/minds/ada/turns/canoe/")
    erased = await service.http.delete("/v1/minds/ada/turns/canoe/")

    assert (kept.status_code, read.status_code, erased.status_code) == (202, 200, 200)
    assert erased.json()["turn_id"] == "canoe/"


async def test_every_part_of_every_path_is_tried():
    assert {name for _, _, name in PLACES} <= GOOD.keys(), "say what a good one of the new part looks like"
    assert len(PLACES) > 15
