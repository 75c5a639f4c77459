"""Browser sessions: begun by a ticket or a key, worth what the key is, ended by all that ends a key, and by more."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from consolidation.kernel.clock import FixedClock
from service.access.keyring import Keyring
from service.access.sessions import TICKET_LIFE, Sessions
from service.adapters.random_ids import fresh_key_id, fresh_secret
from tests.support.api_keys import LONG_AGO, id_of, make_key
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)
SESSION, TICKETS = "/v1/session", "/v1/session/tickets"


@pytest.fixture
async def service(tmp_path):
    """With a key for all minds, and a clock that moves when it is told to."""
    clock = FixedClock(NOON)
    key = make_key(tmp_path)
    async with running(tmp_path, clock=clock) as found:
        found.home, found.key, found.passing = tmp_path, key, clock
        yield found


async def ask(service, method, path, *, token=None, address="127.0.0.1", **more):
    async with service.client(key=token, address=address) as http:
        return await http.request(method, path, **more)


async def ticket_of(service, token=None):
    made = await ask(
        service, "POST", TICKETS, token=token or service.memory.authenticator.owner_token.get_secret_value()
    )
    assert made.status_code == 201, made.text
    return made.json()["ticket"]


async def begun(service, **proof):
    answer = await ask(service, "POST", SESSION, json=proof)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def status_of(service, token, path="/v1/minds"):
    return (await ask(service, "GET", path, token=token)).status_code


async def test_the_owners_ticket_becomes_a_session_that_opens_everything(service):
    session = await begun(service, ticket=await ticket_of(service))

    told = (await ask(service, "GET", SESSION, token=session["token"])).json()
    expected = {"name": "owner", "key_id": None, "scopes": ["minds", "administration"], "minds": None}
    expected |= {"expires_at": "2026-01-29T00:00:00Z"}
    assert {name: session[name] for name in expected} == expected
    assert told == expected | {"access": "session"}
    assert await status_of(service, session["token"], "/v1/keys") == 200


async def test_a_key_for_some_minds_becomes_a_session_for_these_minds(service):
    own = make_key(service.home, minds=("bob",), name="Bob's bot")
    session = await begun(service, key=own)

    assert (session["name"], session["key_id"], session["minds"]) == ("Bob's bot", id_of(own), ["bob"])
    assert session["scopes"] == ["minds"]
    assert await status_of(service, session["token"], "/v1/minds/ada") == 404
    for path in ("/v1/keys", "/v1/audit", "/v1/settings"):
        assert await status_of(service, session["token"], path) == 404


async def test_a_key_tells_whose_it_is_without_a_session(service):
    told = (await ask(service, "GET", SESSION, token=service.key)).json()

    assert (told["name"], told["key_id"], told["access"]) == ("a bot", id_of(service.key), "key")


async def test_without_keys_nobody_signs_in(tmp_path):
    async with running(tmp_path) as service:
        told = (await service.http.get(SESSION)).json()
        link = (await service.http.post(TICKETS)).json()
        refused = await service.http.post(SESSION, json={"key": "mm_" + "0" * 8 + "_" + "0" * 64})

    assert (told["name"], told["access"], told["expires_at"]) == ("local", "open", None)
    assert link == {"ticket": None, "url": "http://localhost/console/", "expires_at": None}
    assert refused.status_code == 401


async def test_a_link_carries_its_ticket_in_the_fragment_and_no_answer_is_stored(service):
    made = await ask(service, "POST", TICKETS, token=service.key)
    session = await ask(service, "POST", SESSION, json={"ticket": made.json()["ticket"]})

    assert made.json()["url"] == f"http://localhost/console/#t={made.json()['ticket']}"
    assert made.json()["expires_at"] == "2026-01-28T12:10:00Z"
    assert (made.headers["cache-control"], session.headers["cache-control"]) == ("no-store", "no-store")


async def test_a_ticket_is_good_once(service):
    ticket = await ticket_of(service)
    await begun(service, ticket=ticket)

    again = await ask(service, "POST", SESSION, json={"ticket": ticket})

    assert (again.status_code, again.json()["type"]) == (401, "/problems/unauthenticated")
    assert "`mind-memory console` makes a new one" in again.json()["detail"]
    assert ticket not in again.text


async def test_a_ticket_is_good_for_ten_minutes(service):
    early, late = await ticket_of(service), await ticket_of(service)
    service.passing.advance(timedelta(minutes=9, seconds=59))
    await begun(service, ticket=early)
    service.passing.advance(timedelta(seconds=1))

    assert (await ask(service, "POST", SESSION, json={"ticket": late})).status_code == 401


@pytest.mark.parametrize("proof", ["ticket", "key"])
async def test_a_ticket_or_session_of_a_revoked_key_opens_nothing(service, proof):
    ticket = await ticket_of(service, service.key)
    session = await begun(service, **({"ticket": ticket} if proof == "ticket" else {"key": service.key}))
    later = await ticket_of(service, service.key)
    Keyring(service.home).revoke(id_of(service.key), now=NOON)

    assert await status_of(service, session["token"]) == 401
    assert (await ask(service, "POST", SESSION, json={"ticket": later})).status_code == 401


async def test_a_session_ends_with_its_key_or_after_its_time(service):
    short = make_key(service.home, expires_at=NOON + timedelta(hours=1))
    brief, long = await begun(service, key=short), await begun(service, key=service.key)

    assert brief["expires_at"] == "2026-01-28T13:00:00Z"
    service.passing.advance(timedelta(hours=1))
    assert [await status_of(service, one["token"]) for one in (brief, long)] == [401, 200]
    service.passing.advance(timedelta(hours=11))
    assert await status_of(service, long["token"]) == 401


async def test_signing_out_ends_one_session_and_no_other(service):
    one, other = await begun(service, key=service.key), await begun(service, key=service.key)

    ended = await ask(service, "DELETE", SESSION, token=one["token"])

    assert (ended.status_code, ended.content) == (204, b"")
    assert [await status_of(service, each["token"]) for each in (one, other)] == [401, 200]
    assert (await ask(service, "DELETE", SESSION, token=service.key)).status_code == 204
    assert await status_of(service, service.key) == 200


async def test_no_session_outlives_the_service(tmp_path):
    key = make_key(tmp_path)
    async with running(tmp_path) as service:
        session = await begun(service, key=key)
    async with running(tmp_path) as service:
        assert await status_of(service, session["token"]) == 401


async def test_a_session_makes_no_ticket_so_it_can_not_go_on_for_ever(service):
    session = await begun(service, key=service.key)

    refused = await ask(service, "POST", TICKETS, token=session["token"])

    assert (refused.status_code, refused.json()["type"]) == (403, "/problems/access-refused")


async def test_guesses_of_tickets_and_keys_count_together_and_a_right_one_still_opens(service):
    for n in range(5):
        assert (await ask(service, "POST", SESSION, json={"ticket": "0" * 64})).status_code == 401, n
        assert (await ask(service, "POST", SESSION, json={"key": "mm_"})).status_code == 401, n

    assert (await ask(service, "POST", SESSION, json={"ticket": "0" * 64})).status_code == 429
    assert await status_of(service, f"mms_{'0' * 8}_{'0' * 64}") == 429
    assert (await ask(service, "POST", SESSION, json={"key": service.key})).status_code == 201


async def test_a_session_has_the_rate_of_its_key(tmp_path):
    key = make_key(tmp_path)
    async with running(tmp_path, settings=settings_of(tmp_path, access={"key_requests_per_minute": 3})) as service:
        session = await begun(service, key=key)
        statuses = [await status_of(service, token) for token in (session["token"], key, session["token"], key)]
        again = await ask(service, "POST", SESSION, json={"key": key})

    assert statuses == [200, 200, 429, 429]
    assert again.status_code == 429


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "#"),
        ({"ticket": "a", "key": "b"}, "#"),
        ({"ticket": "x" * 201}, "#/ticket"),
        ({"key": ""}, "#/key"),
        ({"key": 5}, "#/key"),
        ({"token": "a"}, "#/token"),
    ],
)
async def test_what_proves_nothing_is_a_problem_with_its_place_and_does_not_count_as_a_guess(service, body, pointer):
    answers = [await ask(service, "POST", SESSION, json=body) for _ in range(12)]

    assert {answer.status_code for answer in answers} == {422}
    assert answers[0].json()["errors"][0]["pointer"] == pointer


async def test_half_of_a_surrogate_pair_is_a_problem_too(service):
    headers = {"Content-Type": "application/json"}

    answer = await ask(service, "POST", SESSION, content=b'{"ticket": "\\ud800"}', headers=headers)

    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "#/ticket")


async def test_what_a_session_does_is_audited_under_its_key_and_nothing_tells_its_secrets(service):
    with capture_logs() as logged:
        ticket = await ticket_of(service, service.key)
        session = await begun(service, ticket=ticket)
        turn = {"session_id": "s1", "messages": [{"role": "user", "content": "The bakery closes on Mondays."}]}
        assert (await ask(service, "POST", "/v1/minds/ada/turns", token=session["token"], json=turn)).status_code == 202
        headers = {"If-Match": "*"}
        path = "/v1/minds/ada/settings"
        await ask(service, "PATCH", path, token=session["token"], json={"relevance": 0.4}, headers=headers)
        await ask(service, "DELETE", SESSION, token=session["token"])

    written = (service.home / "audit.jsonl").read_text()
    audited = (await ask(service, "GET", "/v1/audit", token=service.key)).json()["items"]
    assert [(one["event"], one["by"]) for one in reversed(audited)] == [
        ("session.begun", id_of(service.key)),
        ("settings.changed", id_of(service.key)),
        ("session.ended", id_of(service.key)),
    ]
    assert audited[0]["session"] == audited[2]["session"] == session["token"].split("_")[1]
    for secret in (ticket, session["token"].rpartition("_")[2]):
        assert secret not in f"{logged}{written}"
        assert secret not in repr(vars(service.memory.sign_in._sessions))


async def test_a_page_of_another_site_can_not_sign_in_where_there_is_no_key(tmp_path):
    async with running(tmp_path) as service:
        answer = await service.http.post(
            SESSION, json={"ticket": "0" * 64}, headers={"Origin": "http://localhost:3000"}
        )

    assert (answer.status_code, answer.json()["type"]) == (403, "/problems/origin-refused")


def sessions(clock):
    return Sessions(clock=clock, life=timedelta(hours=12), fresh_id=fresh_key_id, fresh_secret=fresh_secret)


@given(st.lists(st.sampled_from(["issue", "redeem", "again", "wait"]), max_size=30))
def test_each_ticket_is_redeemed_once_at_most_and_only_while_it_is_young(steps):
    clock = FixedClock(NOON)
    held, issued, redeemed = sessions(clock), [], []

    for step in steps:
        if step == "issue":
            issued.append((held.issue_ticket("owner")[0], clock.now()))
        elif step == "wait":
            clock.advance(timedelta(minutes=4))
        elif issued:
            ticket, made = issued[0] if step == "again" else issued[-1]
            holder = held.redeem(ticket)
            assert (holder == "owner") == (ticket not in redeemed and clock.now() - made < TICKET_LIFE)
            redeemed.append(ticket)


def test_what_is_held_is_bounded_and_one_key_ends_no_session_of_another():
    held = sessions(FixedClock(NOON))
    other, _ = held.begin("other", until=None)

    tokens = [held.begin("busy", until=None)[0] for _ in range(150)]
    tickets = [held.issue_ticket("busy")[0] for _ in range(150)]

    assert [held.find(token) is not None for token in tokens] == [False] * 50 + [True] * 100
    assert held.find(other) is not None
    assert [held.redeem(ticket) for ticket in tickets] == [None] * 50 + ["busy"] * 100


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t[:-1],
        lambda t: f"{t}0",
        lambda t: t.upper(),
        lambda t: t[:-64] + "0" * 64,
        lambda t: t[1:],
        lambda t: "",
    ],
)
def test_a_token_that_is_not_whole_is_none(change):
    held = sessions(FixedClock(LONG_AGO))
    token, session = held.begin("owner", until=None)

    assert held.find(token) == session
    assert held.find(change(token)) is None
