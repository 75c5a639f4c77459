"""Models whose chat template takes one system message at most: memory goes into the person's message, and chats go on."""

import pytest

from tests.support.openai_proxy import contents, of, proxied
from tests.twins.provider import Fails, ScriptedProvider

LYON, WHERE = "My mother lives in Lyon, near the old bakery.", "Where does my mother live?"
TEMPLATES = {  # what a template refuses, given the roles of a chat, and its words
    "one at the beginning": (
        lambda roles: "system" in roles[1:],
        Fails(400, "System message must be at the beginning."),
    ),
    "one at the beginning, by llama.cpp": (
        lambda roles: "system" in roles[1:],
        Fails(500, "Jinja Exception: System message must be at the beginning."),
    ),
    "people and bot in turn": (
        lambda roles: any(one == other for one, other in zip(roles, roles[1:], strict=False)) or "system" in roles,
        Fails(400, "Conversation roles must alternate user/assistant/user/assistant/..."),
    ),
    "none": (lambda roles: "system" in roles, Fails(422, "System role not supported")),
}


@pytest.fixture(params=TEMPLATES.values(), ids=TEMPLATES)
def provider(request):
    refuses, refusal = request.param
    with ScriptedProvider(
        models=(), respond=lambda body: refusal if refuses([one["role"] for one in body["messages"]]) else "In Lyon."
    ) as found:
        yield found


@pytest.fixture
def service(tmp_path, provider):
    with proxied(tmp_path / "home", provider) as found:
        found.tell("lyon", LYON, "How often do you see her?")
        yield found


def asked(service, *, stream=False):
    chat = service.client().chat.completions
    messages = [{"role": "user", "content": WHERE}]
    return chat.create(model="memory", messages=messages, extra_headers=of("lyon"), stream=stream)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_template_that_takes_no_second_system_message_gets_memory_in_the_persons(service, provider, stream):
    answer = asked(service, stream=stream)

    said = (
        "".join(one.choices[0].delta.content or "" for one in answer) if stream else answer.choices[0].message.content
    )
    assert said == "In Lyon."
    refused, sent = provider.asked
    assert [one["role"] for one in refused.body["messages"]] == ["system", "system", "user"]
    assert [one["role"] for one in sent.body["messages"]] == ["user"]
    assert LYON in sent.words and sent.words.endswith(WHERE)

    service.at_rest()
    assert contents(service.kept("lyon")[-1]) == [("user", WHERE), ("assistant", "In Lyon.")]

    asked(service)  # what is known of a model is not asked a second time

    assert len(provider.asked) == 3


def test_a_chat_that_is_refused_without_memory_too_is_refused_in_its_own_words(tmp_path):
    with (
        ScriptedProvider(models=(), respond=lambda _: Fails(400, "the role of message 0 is odd")) as provider,
        proxied(tmp_path / "home", provider) as service,
    ):
        service.tell("lyon", LYON)
        with pytest.raises(Exception, match="the role of message 0 is odd"):
            asked(service)
        assert len(provider.asked) == 2
