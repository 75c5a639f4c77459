"""A key for some minds opens those alone, whatever a chat says: header, metadata or user."""

import openai
import pytest
from keyed import make_key
from proxied import proxied

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
