"""A hostile caller: whatever is posted, the answer is a problem document that points at the fault; nothing is stored."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.bad_input import (
    MIND,
    RESONANCE,
    SECRET,
    TURNS,
    asked,
    nothing_kept,
    post,
    problem_of,
    refused,
    said,
    service_of_one_turn,
    turn,
)

pytestmark = pytest.mark.anyio

NUL, LONE = "a\x00b", "a\ud83db"
BAD_IDS = {
    "201 characters": "a" * 201,
    "NUL": "a%00b",
    "newline": "a%0a",
    "turned round": "%E2%80%AEada",
    "half a surrogate": "%ED%A0%80",
    "no UTF-8": "%FF",
    "space": "%20",
    "too long, with a slash": "ada%2Fturns" + "a" * 200,
}
NO_ROUTES = ("/v1/minds//turns", "/v1/minds/../x/turns", "/v1/minds/a/b/turns")


@pytest.fixture(scope="module")
async def service(anyio_backend, tmp_path_factory):
    async with service_of_one_turn(tmp_path_factory.mktemp("home")) as found:
        yield found


@pytest.fixture
async def untouched(service):
    async with nothing_kept(service):
        yield


@pytest.mark.parametrize("method_and_rest", ["GET ", "GET /remember?query=x", "GET /traces", "GET /traces/x"])
async def test_reading_an_unknown_mind_is_404_and_creates_nothing(service, untouched, method_and_rest):
    method, rest = method_and_rest.split(" ")

    answer = await service.http.request(method, f"/v1/minds/nobody{rest}")

    assert problem_of(answer, 404)["type"] == "/problems/mind-not-found"
    assert not (service.memory.settings.folder / "minds" / "nobody").exists()


async def test_retrying_for_an_unknown_mind_is_404_and_creates_nothing(service, untouched):
    answer = await post(service, "/v1/minds/nobody/parked/retry", asked())

    problem_of(answer, 404)


async def test_before_its_first_turn_a_mind_is_silent_and_is_not_created(service, untouched):
    answer = await post(service, "/v1/minds/nobody/resonance", asked())

    found = answer.json()
    assert (answer.status_code, found["surfaced"], found["flashbacks"], found["degraded"]) == (200, False, [], [])
    assert found["silence"] == "no mind is called 'nobody'; its first turn creates it"
    assert (found["trace_id"], found["block"], found["stable"]["text"]) == (None, "", "")
    assert [one["content"] for one in found["messages"]] == [one["content"] for one in asked()["messages"]]
    assert not (service.memory.settings.folder / "minds" / "nobody").exists()


@pytest.mark.parametrize("mind_id", BAD_IDS.values(), ids=BAD_IDS)
@pytest.mark.parametrize("rest", ["/turns", "/resonance", ""])
async def test_a_bad_mind_id_is_pointed_at(service, untouched, mind_id, rest):
    path = f"/v1/minds/{mind_id}{rest}"

    answer = await (post(service, path, turn() if rest == "/turns" else asked()) if rest else service.http.get(path))

    assert problem_of(answer, 422, pointer="path/mind_id")["type"] == "/problems/invalid-mind-id"


@pytest.mark.parametrize("path", NO_ROUTES)
async def test_an_id_with_a_slash_or_without_a_letter_is_no_route(service, untouched, path):
    answer = await post(service, path, turn())

    assert problem_of(answer, answer.status_code)["status"] in {404, 422}


WRONG_TURNS = {
    "no messages": (turn(messages=[]), "#/messages"),
    "messages missing": (turn(messages=...), "#/messages"),
    "messages null": (turn(messages=None), "#/messages"),
    "messages an object": (turn(messages={"role": "user"}), "#/messages"),
    "messages text": (turn(messages=SECRET), "#/messages"),
    "message a number": (turn(messages=[7]), "#/messages/0"),
    "10,000 messages": (turn(messages=[{"role": "user", "content": "x"}] * 10_000), "#/messages"),
    "role missing": (said(role=...), "#/messages/0/role"),
    "role unknown": (said(role=SECRET), "#/messages/0/role"),
    "role a list": (said(role=["user"]), "#/messages/0/role"),
    "content missing": (said(content=...), "#/messages/0/content"),
    "content null": (said(content=None), "#/messages/0/content"),
    "content a number": (said(content=5), "#/messages/0/content"),
    "content a picture": (said(content=[{"type": "image_url", "url": SECRET}]), "#/messages/0/content/0/type"),
    "content parts of nothing": (said(content=[]), "#/messages/0/content"),
    "content too long": (said(content="x" * 400_001), "#/messages/0/content"),
    "name a number": (said(name=5), "#/messages/0/name"),
    "name too long": (said(name="x" * 201), "#/messages/0/name"),
    "id a number": (said(id=5), "#/messages/0/id"),
    "id too long": (said(id="x" * 201), "#/messages/0/id"),
    "session missing": (turn(session_id=...), "#/session_id"),
    "session null": (turn(session_id=None), "#/session_id"),
    "session empty": (turn(session_id=""), "#/session_id"),
    "session blank": (turn(session_id="  "), "#/session_id"),
    "session a number": (turn(session_id=7), "#/session_id"),
    "session too long": (turn(session_id="x" * 201), "#/session_id"),
    "session of two lines": (turn(session_id="a\nb"), "#/session_id"),
    "turn id empty": (turn(turn_id=""), "#/turn_id"),
    "turn id a number": (turn(turn_id=7), "#/turn_id"),
    "turn id too long": (turn(turn_id="x" * 201), "#/turn_id"),
    "kind unknown": (turn(kind=SECRET), "#/kind"),
    "metadata a list": (turn(metadata=[1]), "#/metadata"),
    "metadata null": (turn(metadata=None), "#/metadata"),
    "metadata too long": (turn(metadata={"a": "x" * 20_000}), "#/metadata"),
    "metadata too deep": (turn(metadata={"a": json.loads("[" * 500 + "]" * 500)}), "#/metadata"),
    "outcomes text": (turn(outcomes=SECRET), "#/outcomes"),
    "outcome unknown": (turn(outcomes=[{"id": "x", "outcome": SECRET}]), "#/outcomes/0/outcome"),
    "outcome without id": (turn(outcomes=[{"outcome": "used"}]), "#/outcomes/0/id"),
    "trace id a list": (turn(trace_id=[]), "#/trace_id"),
    "unknown field": (turn(nonsense=SECRET), "#/nonsense"),
    "unknown field of a message": (said(nonsense=SECRET), "#/messages/0/nonsense"),
    "unknown field with a slash and a tilde": (turn(**{"a/b~c": 1}), "#/a~1b~0c"),
    "unknown field that is half a surrogate": (turn(**{"\ud83d": 1}), "#"),
    "a list": ([turn()], "#"),
    "text": (SECRET, "#"),
    "a number": (5, "#"),
    "null": (None, "#"),
}


@pytest.mark.parametrize(("body", "pointer"), WRONG_TURNS.values(), ids=WRONG_TURNS)
async def test_a_turn_that_does_not_fit_is_pointed_at(service, untouched, body, pointer):
    await refused(service, body, pointer)


WRONG_ASKS = {
    "no messages": (asked(messages=[]), "#/messages"),
    "10,000 messages": (asked(messages=[{"role": "user", "content": "x"}] * 10_000), "#/messages"),
    "now nonsense": (asked(now=SECRET), "#/now"),
    "now a word": (asked(now="yesterday"), "#/now"),
    "now naive": (asked(now="2026-01-28T13:45:00"), "#/now"),
    "now a number": (asked(now=1_769_600_000), "#/now"),
    "now digits": (asked(now="1769600000"), "#/now"),
    "now far away": (asked(now="9999-12-31T23:59:59-14:00", timezone="Pacific/Kiritimati"), "#/now"),
    "now long ago": (asked(now="0001-01-01T00:00:00+14:00"), "#/now"),
    "zone unknown": (asked(timezone="Mars/Olympus"), "#/timezone"),
    "zone outside": (asked(timezone="../../etc/passwd"), "#/timezone"),
    "zone absolute": (asked(timezone="/etc/passwd"), "#/timezone"),
    "zone a folder": (asked(timezone="America"), "#/timezone"),
    "zone empty": (asked(timezone=""), "#/timezone"),
    "zone NUL": (asked(timezone="UTC\x00"), "#/timezone"),
    "deadline negative": (asked(deadline_ms=-1), "#/deadline_ms"),
    "deadline text": (asked(deadline_ms="1500"), "#/deadline_ms"),
    "deadline true": (asked(deadline_ms=True), "#/deadline_ms"),
    "deadline a fraction": (asked(deadline_ms=1.5), "#/deadline_ms"),
    "deadline huge": (asked(deadline_ms=10**4000), "#/deadline_ms"),
    "fragments 51": (asked(max_fragments=51), "#/max_fragments"),
    "fragments negative": (asked(max_fragments=-1), "#/max_fragments"),
    "fragments a list": (asked(max_fragments=[]), "#/max_fragments"),
    "tokens negative": (asked(max_tokens=-5), "#/max_tokens"),
    "relevance above 1": (asked(relevance=1.1), "#/relevance"),
    "relevance NaN": (asked(relevance=float("nan")), "#/relevance"),
    "relevance infinite": (asked(relevance=float("inf")), "#/relevance"),
    "relevance text": (asked(relevance="0.5"), "#/relevance"),
    "placement unknown": (asked(placement="head"), "#/placement"),
    "etag too long": (asked(known_story_etag="x" * 201), "#/known_story_etag"),
    "unknown field": (asked(nonsense=1), "#/nonsense"),
    "session missing": ({"messages": [{"role": "user", "content": "x"}]}, "#/session_id"),
}


@pytest.mark.parametrize(("body", "pointer"), WRONG_ASKS.values(), ids=WRONG_ASKS)
async def test_a_question_that_does_not_fit_is_pointed_at(service, untouched, body, pointer):
    await refused(service, body, pointer, path=RESONANCE)


@pytest.mark.parametrize("blank", ["", "   ", "\n\t", "\u200b\u200d\ufeff", "\u00ad\u2060", "\u3164\u2800", "\x01\x07"])
async def test_messages_without_anything_to_see_are_refused(service, untouched, blank):
    messages = [{"role": "user", "content": blank}, {"role": "assistant", "content": " "}]

    await refused(service, turn(messages=messages), "#/messages/0/content")


UNSTORABLE = {
    "content": (lambda bad: said(content=bad), "#/messages/0/content"),
    "name": (lambda bad: said(name=bad), "#/messages/0/name"),
    "message id": (lambda bad: said(id=bad), "#/messages/0/id"),
    "session": (lambda bad: turn(session_id=bad), "#/session_id"),
    "turn id": (lambda bad: turn(turn_id=bad), "#/turn_id"),
    "trace id": (lambda bad: turn(trace_id=bad), "#/trace_id"),
    "outcome id": (lambda bad: turn(outcomes=[{"id": bad, "outcome": "used"}]), "#/outcomes/0/id"),
    "metadata key": (lambda bad: turn(metadata={bad: 1}), "#/metadata"),
    "metadata value": (lambda bad: turn(metadata={"a": [{"b": bad}]}), "#/metadata"),
}


@pytest.mark.parametrize("bad", [NUL, LONE], ids=["NUL", "half a surrogate"])
@pytest.mark.parametrize(("build", "pointer"), UNSTORABLE.values(), ids=UNSTORABLE)
async def test_text_that_can_not_be_stored_is_pointed_at(service, untouched, build, pointer, bad):
    await refused(service, build(bad), pointer)


@pytest.mark.parametrize("bad", [NUL, LONE], ids=["NUL", "half a surrogate"])
@pytest.mark.parametrize("name", ["session_id", "known_story_etag", "timezone"])
async def test_a_question_that_can_not_be_spoken_is_pointed_at(service, untouched, name, bad):
    await refused(service, asked(**{name: bad}), f"#/{name}", path=RESONANCE)


async def test_a_backslash_and_u0000_as_plain_letters_are_no_nul(service):
    answer = await post(service, "/v1/minds/letters/turns", turn(metadata={"path": "C:\\u0000"}))

    assert answer.status_code == 202


@pytest.mark.parametrize(
    "key",
    [b"", b" ", b"a\x00b", b"a\x1bb", b"\xed\xa0\x80", "é".encode(), b"x" * 201],
    ids=["empty", "blank", "NUL", "escape", "half", "not ASCII", "long"],
)
async def test_a_bad_idempotency_key_is_pointed_at(service, untouched, key):
    headers = [(b"content-type", b"application/json"), (b"idempotency-key", key)]

    answer = await service.http.post(TURNS, content=json.dumps(turn(turn_id=...)).encode(), headers=headers)

    problem_of(answer, 422)
    assert "dempotency" in answer.json()["errors"][0]["pointer"]


@pytest.mark.parametrize("key", [".", "..", "chat/./7", "a/../b", "../a", "a/.."])
async def test_a_key_that_clients_would_take_out_of_an_address_is_refused_as_the_turn_id_is(service, untouched, key):
    """Broken: the turn was stored, and could be neither read nor erased by its id."""
    as_key = await post(service, TURNS, turn(turn_id=...), **{"Idempotency-Key": key})
    as_id = await post(service, TURNS, turn(turn_id=key))

    problem_of(as_key, 422)
    (error,) = as_key.json()["errors"]
    assert "dempotency" in error["pointer"]
    assert error["detail"] == as_id.json()["errors"][0]["detail"]
    assert 'no step "." or ".."' in error["detail"]


@pytest.mark.parametrize("key", ["a/b", "...", "a.b/..c", "a..b"])
async def test_a_key_with_other_dots_is_a_turns_id(service, key):
    answer = await post(service, "/v1/minds/dots/turns", turn(turn_id=...), **{"Idempotency-Key": key})

    assert (answer.status_code, answer.json()["turn_id"]) == (202, key)


@pytest.mark.parametrize("value", [0, 1, "true", "yes", "off", 0.0, None, []])
@pytest.mark.parametrize(
    ("route", "name"),
    [("consolidation", "wait"), ("consolidation", "skip"), ("sleep", "wait"), ("dreams", "wait"), ("dreams", "deep")],
)
async def test_what_is_no_true_or_false_is_not_taken_for_one(service, untouched, route, name, value):
    fields = {"consolidation": {"trigger": "manual"}, "sleep": {"seconds": 600}, "dreams": {}}[route]

    answer = await post(service, f"/v1/minds/{MIND}/{route}", {**fields, name: value})

    problem_of(answer, 422, pointer=f"#/{name}")


@pytest.mark.parametrize("since", ["0", "1769600000", "2026-1-9", "2026-01-09T00:00:00Z", "2026-02-30", "January", ""])
async def test_what_is_no_day_is_not_taken_for_one(service, untouched, since):
    """Broken: "0" is a day of 1970."""
    answer = await service.http.get(f"/v1/minds/{MIND}/observations", params={"since": since})

    problem_of(answer, 422, pointer="query/since")


@pytest.mark.parametrize("value", ["7", True, 7.5, -1, 10**9])
async def test_what_is_no_whole_number_in_reach_is_not_taken_for_one(service, untouched, value):
    answer = await post(service, RESONANCE, {**asked(), "deadline_ms": value})

    problem_of(answer, 422, pointer="#/deadline_ms")


async def test_a_whole_number_may_be_written_with_a_point(service):
    answer = await post(service, RESONANCE, {**asked(), "max_fragments": 3.0})

    assert answer.status_code == 200


async def test_a_put_of_nothing_is_not_taken_for_an_empty_story(service, untouched):
    answer = await service.http.put(f"/v1/minds/{MIND}/story", headers={"If-Match": '"any"'})

    problem_of(answer, 422, pointer="#")


async def test_a_wrong_method_is_told_every_right_one(service):
    answer = await service.http.request("OPTIONS", f"/v1/minds/{MIND}/story")

    assert problem_of(answer, 405)
    assert answer.headers["allow"] == "GET, PUT"


async def test_a_key_and_a_turn_id_that_differ_are_refused(service, untouched):
    answer = await post(service, TURNS, turn(turn_id="one"), **{"Idempotency-Key": "other"})

    assert problem_of(answer, 422, pointer="#/turn_id")["type"] == "/problems/turn-id-mismatch"


IN_A_WEEK = (datetime.now(UTC) + timedelta(days=7)).isoformat()


@pytest.mark.parametrize(
    "timestamp",
    [
        IN_A_WEEK,
        "2199-01-01T00:00:00Z",
        "9999-12-31T23:59:59-14:00",
        "1970-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "2026-01-28T13:45:00",
        "2026-01-28",
        "13:45",
        1_769_600_000,
        1_769_600_000.5,
        "1769600000",
        "1769600000000",
        -1,
        True,
        [],
        {},
        "",
        SECRET,
        "2026-13-45T99:99:99Z",
        "2026-02-30T00:00:00Z",
        "2026-01-28T13:45:00+99:00",
    ],
    ids=lambda one: "in a week" if one == IN_A_WEEK else repr(one),
)
async def test_a_time_that_can_not_be_is_pointed_at(service, untouched, timestamp):
    await refused(service, said(timestamp=timestamp), "#/messages/0/timestamp")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
async def test_metadata_holds_no_number_that_json_lacks(service, untouched, number):
    body = json.dumps(turn(metadata={"a": {"b": [0]}})).replace("[0]", f"[{number}]").encode()

    await refused(service, body, "#/metadata")


REMEMBER = {
    "query missing": ("", "query/query"),
    "query empty": ("query=", "query/query"),
    "query NUL": ("query=a%00b", "query/query"),
    "query too long": (f"query={'x' * 2001}", "query/query"),
    "kind unknown": (f"query=x&kinds={SECRET}", "query/kinds/0"),
    "since nonsense": (f"query=x&since={SECRET}", "query/since"),
    "since digits": ("query=x&since=1769600000", "query/since"),
    "until 1970": ("query=x&until=1970-01-01T00:00:00Z", "query/until"),
    "at naive": ("query=x&at=2026-01-01T00:00:00", "query/at"),
    "limit 0": ("query=x&limit=0", "query/limit"),
    "limit huge": (f"query=x&limit={'9' * 5000}", "query/limit"),
    "limit text": (f"query=x&limit={SECRET}", "query/limit"),
}


@pytest.mark.parametrize(("query", "pointer"), REMEMBER.values(), ids=REMEMBER)
async def test_a_bad_query_parameter_is_pointed_at(service, untouched, query, pointer):
    problem_of(await service.http.get(f"/v1/minds/{MIND}/remember?{query}"), 422, pointer=pointer)


@pytest.mark.parametrize("limit", ["0", "501", "x", ""])
async def test_a_bad_limit_of_traces_is_pointed_at(service, untouched, limit):
    problem_of(await service.http.get(f"/v1/minds/{MIND}/traces?limit={limit}"), 422, pointer="query/limit")


@pytest.mark.parametrize(
    "query", ["%ED%A0%80", "%FF%FE", "%22)%20OR%20*", "NEAR(%22a%22%2C5)", "%F0%9F%98%80", "-%7C*"]
)
async def test_a_query_of_operators_or_broken_bytes_is_only_text(service, untouched, query):
    answer = await service.http.get(f"/v1/minds/{MIND}/remember?query={query}")

    assert answer.status_code == 200


@pytest.mark.parametrize("trace_id", ["nothing", SECRET, "%00", "%ED%A0%80", "%F0%9F%98%80", "..%2F..", "x" * 5000])
async def test_an_unknown_trace_is_404(service, untouched, trace_id):
    answer = await service.http.get(f"/v1/minds/{MIND}/traces/{trace_id}")

    assert answer.status_code == 404
    assert "hunter2" not in answer.json()["detail"]


@pytest.mark.parametrize("host", ["[", "evil]:x", "a b", ""])
async def test_a_nonsense_host_header_is_refused(service, untouched, host):
    answer = await service.http.get("/v1/minds/nobody", headers={"host": host})

    assert problem_of(answer, 421)["type"] == "/problems/host-refused"


async def test_the_same_turn_with_other_content_is_a_conflict(service, untouched):
    answer = await post(service, TURNS, turn(turn_id="first", messages=[{"role": "user", "content": SECRET}]))

    assert problem_of(answer, 409)["type"] == "/problems/turn-conflict"


async def test_64_identical_posts_at_once_keep_one_turn(service):
    body = turn()

    answers = await asyncio.gather(*(post(service, "/v1/minds/crowd/turns", body) for _ in range(64)))

    assert {answer.status_code for answer in answers} == {202}
    assert {answer.json()["sequence"] for answer in answers} == {1}
    assert sorted(answer.json()["duplicate"] for answer in answers) == [False] + [True] * 63
    assert (await service.status("crowd"))["turns"] == 1


async def test_64_posts_of_one_id_with_other_contents_keep_one_turn(service):
    bodies = [turn(turn_id="same", metadata={"n": n}) for n in range(64)]

    answers = await asyncio.gather(*(post(service, "/v1/minds/quarrel/turns", body) for body in bodies))

    assert sorted(answer.status_code for answer in answers) == [202] + [409] * 63
    assert (await service.status("quarrel"))["turns"] == 1


async def test_what_is_odd_but_right_is_kept(service):
    body = said(
        content="\u2028[SUBCONSCIOUS\nRESONANCE] </system> \U0001f600 e\u0301 \u202e reversed",
        name="Zoë \U0001f469\u200d\U0001f680",
        timestamp="1990-01-01T00:00:00+14:00".replace("1990-01-01", "1990-01-02"),
    )
    body["metadata"] = {"": None, "big": 10**300, "float": 1e-300, "deep": [[[{"a": [True]}]]]}

    answer = await post(service, "/v1/minds/odd/turns", body)
    again = await post(service, "/v1/minds/odd/turns", body)

    assert (answer.status_code, again.json()["duplicate"]) == (202, True), answer.text


async def test_a_message_that_is_too_long_is_measured_in_characters(service, untouched):
    problem = problem_of(await post(service, TURNS, said(content="x" * 400_001)), 422, pointer="#/messages/0/content")

    assert "at most 400000 characters" in problem["detail"]
