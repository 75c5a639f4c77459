"""A key for some minds opens those alone, whatever a chat says: header, metadata or user."""

import openai
import pytest

from tests.support.api_keys import make_key
from tests.support.openai_proxy import proxied
from tests.twins.provider import ScriptedProvider

SAID = [{"role": "user", "content": "Where does my mother live?"}]
PLACES = {
    "header": {"extra_headers": {"X-Mind-Id": "bob"}},
    "metadata": {"extra_body": {"metadata": {"mind_id": "bob"}}},
    "user": {"user": "bob"},
}


@pytest.fixture(scope="module")
def provider():
    with ScriptedProvider(respond=lambda _: "Hello!") as found:
        yield found


@pytest.fixture(scope="module")
def service(tmp_path_factory, provider):
    home = tmp_path_factory.mktemp("proxy") / "home"
    keys = {"all": make_key(home), "ada": make_key(home, minds=("ada",)), "two": make_key(home, minds=("ada", "eve"))}
    with proxied(home, provider) as found:
        found.keys = keys
        client = found.client(key=keys["all"])
        client.chat.completions.create(
            model="memory", messages=[{"role": "user", "content": "My mother lives in Lyon."}], **PLACES["header"]
        )
        found.until_kept("bob")
        yield found


@pytest.mark.parametrize("place", PLACES)
def test_another_mind_is_not_there(service, provider, place):
    asked = len(provider.chats)

    with pytest.raises(openai.NotFoundError) as raised:
        service.client(key=service.keys["ada"]).chat.completions.create(model="memory", messages=SAID, **PLACES[place])

    assert raised.value.code == "mind_not_found"
    assert len(provider.chats) == asked
    assert len(service.kept("bob")) == 1


def test_a_key_for_one_mind_needs_no_name_for_it_and_one_for_two_does(service):
    client = service.client(key=service.keys["ada"])
    answer = client.chat.completions.with_raw_response.create(model="memory", messages=SAID)

    assert answer.headers["x-mind-id"] == "ada"
    assert service.until_kept("ada")
    with pytest.raises(openai.NotFoundError):
        service.client(key=service.keys["two"]).chat.completions.create(model="memory", messages=SAID)
    assert not service.kept("global-user-memory")


def test_a_key_of_somebody_else_opens_nothing(service):
    with pytest.raises(openai.AuthenticationError):
        service.client().chat.completions.create(model="memory", messages=SAID)
    with pytest.raises(openai.AuthenticationError):
        service.client().models.list()

    assert service.client(key=service.keys["ada"]).models.list().data[0].id == "memory"


DOOR = "/v1/chat/completions"
REFUSALS = {
    "no key": ({}, "GET", "/v1/models", {}, (401, "unauthenticated")),
    "a wrong key": (
        {"Authorization": "Bearer mm_x"},
        "POST",
        DOOR,
        {"json": {"messages": SAID}},
        (401, "unauthenticated"),
    ),
    "a compressed body": ({"Content-Encoding": "gzip"}, "POST", DOOR, {"content": b"x"}, (415, "body_compressed")),
    "another method": ({}, "GET", DOOR, {}, (405, "method_not_allowed")),
    "no such route": ({}, "POST", "/v1/responses", {"json": {}}, (404, "not_found")),
    "no such model": ({}, "GET", "/v1/models/gpt-9", {}, (404, "model_not_found")),
    "no chat": ({}, "POST", DOOR, {"content": b"["}, (400, "invalid_request")),
}


KEYLESS = {"no key", "a wrong key"}


@pytest.mark.parametrize("case", REFUSALS)
def test_every_refusal_at_the_door_is_in_openai_s_format(service, case):
    headers, method, path, body, (status, code) = REFUSALS[case]
    headers = {"Authorization": f"Bearer {service.keys['all']}", **headers} if case not in KEYLESS else headers

    answer = service.http.request(method, path, headers=headers, **body)

    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert list(answer.json()) == ["error"]
    assert answer.json()["error"].keys() == {"message", "type", "param", "code"}
    assert (answer.json()["error"]["type"], answer.json()["error"]["code"]) == ("invalid_request_error", code)


def test_beside_the_door_a_refusal_is_a_problem_document(service):
    answer = service.http.get("/v1/minds")

    assert (answer.status_code, answer.headers["content-type"]) == (401, "application/problem+json")


def test_users_of_open_webui_have_minds_of_their_own(service):
    """Broken: all of them were one mind, and each was told what the others had said."""
    client = service.client(key=service.keys["all"])

    def mind_of(headers, **more):
        answer = client.chat.completions.with_raw_response.create(
            model="memory", messages=SAID, extra_headers=headers, **more
        )
        return answer.headers["x-mind-id"], answer.headers["x-session-id"]

    sent = {"X-OpenWebUI-User-Id": "u-1", "X-OpenWebUI-Chat-Id": "c1"}
    assert mind_of(sent) == ("u-1", "c1")
    assert mind_of({**sent, "X-OpenWebUI-User-Id": "u-2"}) == ("u-2", "c1")
    assert mind_of({**sent, "X-Mind-Id": "eve", "X-Session-Id": "s9"}) == ("eve", "s9")
    assert mind_of(sent, user="ada")[0] == "ada"
    assert mind_of({}, extra_body={"user": {"id": "u-3", "name": "Greta"}})[0] == "u-3"


def test_a_header_of_open_webui_opens_no_other_mind(service):
    answer = service.client(key=service.keys["ada"]).chat.completions.with_raw_response.create(
        model="memory", messages=SAID, extra_headers={"X-OpenWebUI-User-Id": "bob"}
    )

    assert answer.headers["x-mind-id"] == "ada"
    with pytest.raises(openai.NotFoundError):
        service.client(key=service.keys["two"]).chat.completions.create(
            model="memory", messages=SAID, extra_headers={"X-OpenWebUI-User-Id": "bob"}
        )


@pytest.mark.parametrize("key", ["all", "ada", "two"])
def test_one_model_can_be_asked_for(service, key):
    client = service.client(key=service.keys[key])

    assert client.models.retrieve("memory").id == "memory"
    assert client.models.retrieve("openai/scripted").id == "openai/scripted"
    with pytest.raises(openai.NotFoundError) as raised:
        client.models.retrieve("gpt-9")
    assert raised.value.code == "model_not_found"
