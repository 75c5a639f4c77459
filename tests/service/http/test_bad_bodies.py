"""A hostile caller whose body is no JSON, compressed, of another type or too large: it is refused, nothing is stored."""

import gzip
import json

import pytest

from tests.support.bad_input import (
    JSON,
    MIND,
    RESONANCE,
    SECRET,
    TURNS,
    nothing_kept,
    post,
    problem_of,
    said,
    service_of_one_turn,
    turn,
)
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def service(anyio_backend, tmp_path_factory):
    async with service_of_one_turn(tmp_path_factory.mktemp("home")) as found:
        yield found


@pytest.fixture
async def untouched(service):
    async with nothing_kept(service):
        yield


@pytest.mark.parametrize("raw", [b'"a\xed\xa0\x80b"', b'"a\x00b"', b'"a\xffb"'])
async def test_bytes_that_are_no_text_are_refused(service, untouched, raw):
    body = b'{"session_id": "s1", "messages": [{"role": "user", "content": %s}]}' % raw

    problem_of(await post(service, TURNS, body), 400)


NO_JSON = {
    "100,000 brackets": b"[" * 100_000,
    "100,000 objects": b'{"a":' * 100_000,
    "deep metadata": b'{"metadata":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "5,000 digits": b'{"session_id": ' + b"7" * 5000 + b"}",
    "torn": b'{"session_id": "s1", "messa',
    "words": b"hello",
    "single quotes": b"{'session_id': 's1'}",
    "trailing comma": b'{"session_id": "s1",}',
    "empty": b"",
    "white space": b"  \n ",
    "UTF-16": json.dumps(turn()).encode("utf-16"),
    "UTF-16 without a mark": json.dumps(turn()).encode("utf-16-le"),
    "UTF-32": json.dumps(turn()).encode("utf-32"),
    "gzip": gzip.compress(json.dumps(turn()).encode()),
}


@pytest.mark.parametrize("path", [TURNS, RESONANCE])
@pytest.mark.parametrize("body", NO_JSON.values(), ids=NO_JSON)
async def test_what_is_no_json_is_refused(service, untouched, body, path):
    answer = await post(service, path, body)

    assert answer.status_code in {400, 422}
    problem_of(answer, answer.status_code)


@pytest.mark.parametrize(
    ("name", "words"), [("deep metadata", "nested too deep"), ("5,000 digits", "a number that is too large")]
)
async def test_json_that_can_not_be_read_is_told_why(service, untouched, name, words):
    """Broken: 400 "There was an error parsing the body", as if it were not JSON."""
    answer = await post(service, TURNS, NO_JSON[name])

    assert words in problem_of(answer, 422, pointer="#")["detail"]


async def test_a_text_that_is_too_long_is_counted_in_characters(service, untouched):
    """Broken: it has "4001 items"."""
    answer = await post(service, f"/v1/minds/{MIND}/memories", {"memories": [{"text": "x" * 4001}]})

    assert problem_of(answer, 422, pointer="#/memories/0/text")["detail"] == (
        "#/memories/0/text: Value should have at most 4000 characters, not 4001"
    )


BRANCHES = {
    "null": (None, "", "Input should be a valid string, a valid boolean, a valid integer, a valid number or a valid list"),
    "an object within a list": ([1, {"b": 1}], "/1", "Input should be a valid string, a valid boolean, a valid integer or a valid number"),
}  # fmt: skip


@pytest.mark.parametrize(("value", "step", "words"), BRANCHES.values(), ids=BRANCHES)
async def test_a_wrong_value_is_pointed_at_once_where_it_was_sent(service, untouched, value, step, words):
    """Broken: `#/filter/metadata/project/constrained-str`, and one more for each type that would be taken."""
    body = {"session_id": "s1", "messages": turn()["messages"], "filter": {"metadata": {"project": value}}}
    answer = await post(service, RESONANCE, body)

    found = problem_of(answer, 422, pointer=f"#/filter/metadata/project{step}")["errors"]
    assert found == [{"pointer": f"#/filter/metadata/project{step}", "detail": words}]


FILES = ("story", "observations", "journal/file?path=MEMORY.md", "files/MEMORY.md")  # their routes read their own body


@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize("body", [*NO_JSON.values(), b'{"text": "\\ud83d"}'], ids=[*NO_JSON, "half a surrogate"])
async def test_a_file_that_is_no_json_is_refused(service, untouched, body, path):
    """Broken: 500 for each of these, since the place of the fault was looked for where FastAPI's own reader puts it."""
    answer = await service.http.put(f"/v1/minds/{MIND}/{path}", content=body, headers={**JSON, "if-match": "*"})

    assert answer.status_code in {400, 422}
    problem_of(answer, answer.status_code)


@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json-patch+json", "x"]
)
async def test_a_file_of_another_content_type_is_refused(service, untouched, path, kind):
    """Broken: a form, its boundaries and all, becomes the story."""
    answer = await service.http.put(
        f"/v1/minds/{MIND}/{path}", content=b"a=b", headers={"content-type": kind, "if-match": "*"}
    )

    assert "Content-Type: text/markdown" in problem_of(answer, 422, pointer="#")["detail"]


@pytest.mark.parametrize("path", ["import", "import/conversations", "import/conversations?dry_run=true"])
async def test_a_form_with_a_file_is_not_taken_for_the_file(service, untouched, path):
    """Broken: its boundaries are lines of the file, and the first message is lost with them."""
    said = json.dumps({"role": "user", "content": "I live in Lyon."}).encode()
    answer = await service.http.post(f"/v1/minds/form/{path}", files={"file": ("own.jsonl", said)})

    assert "--data-binary" in problem_of(answer, 422, pointer="#")["detail"]


@pytest.mark.parametrize(
    "kind", ["Application/JSON", "application/json ; charset=utf-8", "text/plain", "TEXT/Markdown"]
)
async def test_a_content_type_means_the_same_in_any_letters(service, kind):
    body = b'{"text": "I live."}' if "json" in kind.lower() else b"I live."
    answer = await service.http.put(
        f"/v1/minds/{MIND}/files/MEMORY.md", content=body, headers={"content-type": kind, "if-match": "*"}
    )

    assert answer.json()["text"] == "I live."


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (
            b"{'session_id': 's1'}",
            "application/json",
            "is not JSON: Expecting property name enclosed in double quotes at",
        ),
        (b'["session_id"]', "application/json", "the body must be a JSON object"),
        (b'{"session_id": "s1"}', "application/x-www-form-urlencoded", "sent as Content-Type: application/json"),
    ],
    ids=["single quotes", "a list", "curl -d"],
)
async def test_a_body_that_can_not_be_read_is_told_what_it_lacks(service, untouched, body, kind, words):
    """Broken: "JSON decode error" without a place, or words about dictionaries for a header that is missing."""
    answer = await post(service, TURNS, body, **{"content-type": kind})

    assert words in problem_of(answer, 422, pointer="#")["detail"]


async def test_a_call_without_a_body_is_told_to_send_one(service, untouched):
    """Broken: "Field required", and no word of which field."""
    answer = await service.http.post("/v1/minds/ada/wake")

    assert "send a JSON object" in problem_of(answer, 422, pointer="#")["detail"]


async def test_a_wrong_path_and_a_wrong_method_are_told_what_there_is(service, untouched):
    missing = await service.http.get("/v1/mind")
    wrong = await service.http.put("/v1/minds/ada/turns")

    assert problem_of(missing, 404)["detail"] == "there is no route /v1/mind: /docs lists all"
    assert problem_of(wrong, 405)["detail"] == "/v1/minds/ada/turns is not called with PUT, but with: GET, POST"


async def test_who_calls_a_websocket_otherwise_is_told_what_it_is(service, untouched):
    """Broken: behind a proxy that does not pass `Upgrade` on, one is told to call the address with DELETE."""
    wrong = await service.http.get("/v1/minds/ada/sessions/call-1/audio")

    assert "is a WebSocket: connect with ws:// or wss://" in problem_of(wrong, 405)["detail"]


async def test_a_refusal_of_ours_names_the_field_in_its_first_words_too(service, untouched):
    """Broken: ``detail`` is half a sentence, whose subject stands in ``errors`` alone."""
    body = {"what": "edit", "target": {"kind": "turn", "id": "episode:1"}}
    answer = await post(service, "/v1/minds/ada/corrections", body)

    assert problem_of(answer, 422, pointer="#/to")["detail"].startswith("#/to: is needed for edit")


async def test_a_compressed_body_is_refused(service, untouched):
    answer = await post(service, TURNS, gzip.compress(json.dumps(turn()).encode()), **{"content-encoding": "gzip"})

    assert problem_of(answer, 415)["type"] == "/problems/body-compressed"


async def test_a_body_that_says_it_is_not_compressed_is_taken(service):
    answer = await post(service, "/v1/minds/plain/turns", turn(), **{"content-encoding": "identity"})

    assert answer.status_code == 202


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "nonsense"])
async def test_another_content_type_is_refused(service, untouched, kind):
    answer = await post(service, TURNS, turn(), **{"content-type": kind})

    problem_of(answer, 422, pointer="#")


@pytest.mark.parametrize("is_announced", [True, False], ids=["with its length", "in chunks"])
async def test_a_body_of_two_mebibytes_is_too_large(service, untouched, is_announced):
    body = json.dumps(said(content="x" * 2 * 1024 * 1024)).encode()

    async def chunks():
        for start in range(0, len(body), 65_536):
            yield body[start : start + 65_536]

    answer = await service.http.post(TURNS, content=body if is_announced else chunks(), headers=JSON)

    assert ("content-length" in answer.request.headers) == is_announced
    assert problem_of(answer, 413)["type"] == "/problems/body-too-large"


TYPES = {"archive": "application/zip", "conversations": "application/octet-stream", "chat": "application/json"}
DOORS = {
    "archive": ("/v1/minds/cy/import", "archive", "max_bytes", "archive-too-large"),
    "conversations": ("/v1/minds/cy/import/conversations", "imports", "max_bytes", "archive-too-large"),
    "chat": ("/v1/chat/completions", "proxy", "max_body_bytes", "chat_too_large"),
}


@pytest.mark.parametrize("small", DOORS)
async def test_each_door_for_large_bodies_has_a_limit_of_its_own(tmp_path, small):
    _, section, limit, _ = DOORS[small]
    async with running(tmp_path, settings=settings_of(tmp_path, **{section: {limit: 100}})) as service:
        for door, (path, _, _, problem) in DOORS.items():
            answer = await service.http.post(path, content=b"x" * 101, headers={"content-type": TYPES[door]})

            assert (answer.status_code == 413) == (door == small), answer.text
            assert (problem in answer.text) == (door == small)


async def test_a_body_that_is_announced_far_above_its_doors_limit_is_refused_unread(tmp_path):
    """Broken: whoever announces a chat of 4 GiB is read to the end."""
    path, section, limit, _ = DOORS["conversations"]
    async with running(tmp_path, settings=settings_of(tmp_path, **{section: {limit: 100}})) as service:
        headers = {"content-type": TYPES["conversations"], "content-length": str(4 << 30)}
        answer = await service.http.post(path, content=b"x", headers=headers)

    assert problem_of(answer, 413)["detail"] == "a request may have 100 bytes"


async def test_a_length_that_lies_does_not_let_a_large_body_in(service, untouched):
    async def chunks():
        for _ in range(32):
            yield b"x" * 65_536

    answer = await service.http.post(TURNS, content=chunks(), headers={**JSON, "content-length": "10"})

    problem_of(answer, 413)


async def test_a_thousand_faults_are_told_in_a_short_answer(service, untouched):
    answer = await post(service, TURNS, turn(**{f"{SECRET[:3]}{n}": n for n in range(5000)}))

    assert len(problem_of(answer, 422)["errors"]) <= 20


async def test_a_long_unknown_name_is_not_sent_back_whole(service, untouched):
    answer = await post(service, TURNS, turn(**{"x" * 100_000: 1}))

    problem_of(answer, 422)
    assert len(answer.content) < 2000
