"""What people who look after the service read and do over HTTP: keys, the audit log."""

import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.kernel.clock import FixedClock
from service.access.audit_log import FILE, AuditLog
from service.access.keyring import Keyring
from tests.support.api_keys import LONG_AGO, id_of, make_key
from tests.support.service import running

pytestmark = pytest.mark.anyio


@pytest.fixture
async def service(tmp_path):
    """With a key for all minds, which its client sends."""
    key = make_key(tmp_path)
    async with running(tmp_path) as found, found.client(key=key) as http:
        found.home, found.key, found.http = tmp_path, key, http
        yield found


async def status_of(service, key):
    async with service.client(key=key) as http:
        return (await http.get("/v1/minds")).status_code


async def audited(service, **asked):
    answer = await service.http.get("/v1/audit", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_keys_are_listed_without_anything_of_their_secrets(service):
    own = make_key(service.home, minds=("ada",), expires_at=LONG_AGO + timedelta(days=9999), name="Ada's bot")
    make_key(service.home, revoked_at=LONG_AGO)

    listed = await service.http.get("/v1/keys")

    first, second = listed.json()["keys"]
    assert first["id"] == id_of(service.key)
    assert second == {
        "id": id_of(own),
        "name": "Ada's bot",
        "scopes": ["minds"],
        "minds": ["ada"],
        "created_at": "2025-01-01T00:00:00Z",
        "expires_at": "2052-05-18T00:00:00Z",
        "last_used_at": None,
    }
    for key in (service.key, own):
        assert key[-64:] not in listed.text
        assert Keyring(service.home).ring()[id_of(key)].digest not in listed.text


async def test_a_key_that_is_revoked_is_closed_at_once_with_its_sessions_and_leaves_the_list(service):
    other = make_key(service.home)
    token = (await service.http.post("/v1/session", json={"key": other})).json()["token"]
    assert [await status_of(service, one) for one in (other, token)] == [200, 200]

    revoked = await service.http.delete(f"/v1/keys/{id_of(other)}")
    again = await service.http.delete(f"/v1/keys/{id_of(other)}")

    assert (revoked.status_code, revoked.content) == (204, b"")
    assert [await status_of(service, one) for one in (other, token)] == [401, 401]
    assert (again.status_code, again.json()["type"]) == (404, "/problems/key-not-found")
    assert [one["id"] for one in (await service.http.get("/v1/keys")).json()["keys"]] == [id_of(service.key)]
    newest = (await audited(service, limit=1))["items"][0]
    assert (newest["event"], newest["by"], newest["key"]) == ("key.revoked", id_of(service.key), id_of(other))


async def test_a_session_can_revoke_its_own_key_and_ends_with_it(service):
    token = (await service.http.post("/v1/session", json={"key": service.key})).json()["token"]
    async with service.client(key=token) as http:
        revoked = await http.delete(f"/v1/keys/{id_of(service.key)}")
        after = await http.get("/v1/keys")

    assert (revoked.status_code, after.status_code) == (204, 401)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
async def test_no_route_makes_keys(service, method):
    answers = [
        await service.http.request(method, path, json={"name": "x"}) for path in ("/v1/keys", "/v1/keys/1a2b3c4d")
    ]

    assert {answer.status_code for answer in answers} == {405}
    assert len(Keyring(service.home).ring()) == 1


async def test_changes_are_told_newest_first_in_pages_while_more_are_written(service):
    for n in range(5):
        await service.memory.audit_log.note("story.edited", by="owner", mind_id="ada", words=n)
    first = await audited(service, limit=2)
    await service.memory.audit_log.note("story.edited", by="owner", mind_id="ada", words=99)
    second = await audited(service, limit=2, cursor=first["next_cursor"])
    third = await audited(service, limit=2, cursor=second["next_cursor"])

    told = [one["words"] for page in (first, second, third) for one in page["items"]]
    assert told == [4, 3, 2, 1, 0]
    assert third["next_cursor"] is None
    assert first["items"][0].keys() == {"line", "at", "event", "by", "mind_id", "words"}
    assert (first["is_intact"], first["fault"]) == (True, None)


async def test_a_line_that_was_changed_later_is_told_on_every_page(service):
    for n in range(3):
        await service.memory.audit_log.note("story.edited", by="owner", mind_id="ada", words=n)
    assert (await audited(service))["is_intact"]
    file = service.home / FILE
    file.write_text(file.read_text().replace('"words": 1', '"words": 7'))

    page = await audited(service, limit=1)

    assert not page["is_intact"]
    assert page["fault"].startswith("line 2 is not as it was written")
    assert [one["words"] for one in page["items"]] == [2]


async def test_a_line_that_is_no_line_is_left_out_and_the_others_are_told(service):
    await service.memory.audit_log.note("story.edited", by="owner", mind_id=None, words=1)
    with (service.home / FILE).open("a") as file:
        for text in ("{", "[]", '{"after": ""}', '{"after": "", "at": "x", "by": 1, "action": 2, "mind_id": 3}'):
            file.write(f"{text}\n")
        spoof = {"after": "", "at": "2026-01-01T00:00:00+00:00", "by": "x", "action": "y", "mind_id": None, "line": 7}
        file.write(json.dumps(spoof) + "\n")

    page = await audited(service)

    assert [(one["line"], one["event"]) for one in page["items"]] == [(6, "y"), (1, "story.edited")]
    assert not page["is_intact"]


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [({"cursor": "nonsense"}, "query/cursor"), ({"limit": 0}, "query/limit"), ({"limit": 501}, "query/limit")],
)
async def test_a_page_that_can_not_be_is_a_problem_with_its_place(service, asked, pointer):
    answer = await service.http.get("/v1/audit", params=asked)

    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, pointer)


@given(count=st.integers(0, 12), limit=st.integers(1, 6))
def test_pages_repeat_and_miss_nothing(tmp_path_factory, count, limit):
    home = tmp_path_factory.mktemp("audit")
    log = AuditLog(home, clock=FixedClock(LONG_AGO), key=None)
    for n in range(count):
        log._append({"at": LONG_AGO.isoformat(), "by": "x", "action": "y", "mind_id": None, "n": n})

    told, before, has_more = [], None, True
    while has_more:
        page = log.page(before=before, limit=limit)
        told += [entry.details["n"] for entry in page.entries]
        before, has_more = (page.entries[-1].line if page.entries else None), page.has_more

    assert told == list(reversed(range(count)))
    assert page.chain.broken_at is None
