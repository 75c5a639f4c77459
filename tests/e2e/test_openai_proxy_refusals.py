"""What no chat may be is refused in OpenAI's words, before a provider is asked: models, bodies, headers."""

import json

import openai
import pytest

from tests.support.openai_proxy import of, proxied
from tests.twins.provider import ScriptedProvider


@pytest.fixture(scope="module")
def provider():
    with ScriptedProvider(models=()) as found:
        yield found


@pytest.fixture(scope="module")
def service(tmp_path_factory, provider):
    with proxied(tmp_path_factory.mktemp("proxy") / "home", provider) as found:
        yield found


def test_only_the_models_of_the_settings_can_be_asked_for(service, provider):
    client = service.client()
    provider.then("one", "two", "three")

    for name in ("memory", "scripted", "other"):
        client.chat.completions.create(
            model=name, messages=[{"role": "user", "content": "hi"}], extra_headers=of("models")
        )
    with pytest.raises(openai.NotFoundError) as raised:
        client.chat.completions.create(model="gpt-9", messages=[{"role": "user", "content": "hi"}])

    assert [one.body["model"] for one in provider.chats[-3:]] == ["scripted", "scripted", "other"]
    assert [one.id for one in client.models.list()] == ["memory", "openai/scripted", "openai/other"]
    assert raised.value.code == "model_not_found"


@pytest.mark.parametrize(
    ("body", "headers", "param"),
    [
        ({"messages": []}, {}, "messages"),
        ({"messages": [{"content": "hi"}]}, {}, "messages/0/role"),
        ({"messages": [{"role": "user", "content": 7}]}, {}, "messages/0/content"),
        ({"messages": [{"role": "user", "content": "hi"}], "stream": "yes"}, {}, "stream"),
        ({"messages": [{"role": "user", "content": "hi"}], "metadata": {"mind_id": "x\n"}}, {}, "metadata/mind_id"),
        ({"messages": [{"role": "user", "content": "hi"}]}, {"X-Mind-Id": "a" * 201}, "header/X-Mind-Id"),
        ({"messages": [{"role": "user", "content": "hi"}]}, {"X-Session-Id": "x" * 201}, "header/X-Session-Id"),
        ({"messages": [{"role": "user", "content": "hi"}]}, {"X-Session-Id": "a/.."}, "header/X-Session-Id"),
        (
            {"messages": [{"role": "user", "content": "hi"}]},
            {"Idempotency-Key": "ö".encode()},
            "header/Idempotency-Key",
        ),
        (
            {"messages": [{"role": "user", "content": "hi"}]},
            {"Idempotency-Key": "chat/./7"},
            "header/Idempotency-Key",
        ),
        ([1], {}, None),
    ],
    ids=[
        "no messages",
        "no role",
        "a number",
        "no flag",
        "a path",
        "no mind",
        "a long session",
        "a session of dots",
        "a key",
        "a key of dots",
        "a list",
    ],
)
def test_what_is_no_chat_is_refused_in_openais_words(service, body, headers, param):
    answer = service.http.post(
        "/v1/chat/completions", content=json.dumps(body), headers={"Content-Type": "application/json", **headers}
    )

    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == param
    assert answer.json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
def test_a_number_that_json_has_not_is_refused_here(service, provider, number):
    """Broken: one that is too large was the provider's failure, 502."""
    asked = len(provider.asked)
    body = f'{{"messages": [{{"role": "user", "content": "hi"}}], "temperature": {number}}}'
    answer = service.http.post("/v1/chat/completions", content=body, headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error")
    assert len(provider.asked) == asked


@pytest.mark.parametrize("key", ["..", "a/../b"])
def test_a_key_that_clients_would_take_out_of_an_address_is_refused_at_both_doors_alike(service, key):
    """Broken: the chat was stored, and could be neither read nor erased by its id."""
    sent = {"json": {"messages": [{"role": "user", "content": "hi"}]}, "headers": {"Idempotency-Key": key}}
    asked = service.http.post("/v1/chat/completions", **sent)
    sent["json"]["session_id"] = "s1"
    stored = service.http.post("/v1/minds/dots/turns", **sent)

    assert (asked.status_code, stored.status_code) == (400, 422)
    assert asked.json()["error"]["message"] == stored.json()["errors"][0]["detail"]
    assert service.kept("dots") == []
