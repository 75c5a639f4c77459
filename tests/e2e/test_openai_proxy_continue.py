"""A chat that ends with the beginning of an answer, which the model is to continue: what of it is kept."""

import pytest

from tests.support.openai_proxy import contents, of, proxied
from tests.twins.provider import Says, ScriptedProvider

ASKED = "Tell me about the lighthouse keeper Anselm."
LIGHT, BREAD, DOG = "Anselm kept the light", ", and his wife Berthe baked bread.", " They had a dog named Fog."


@pytest.fixture(scope="module")
def provider():
    with ScriptedProvider(models=()) as found:
        yield found


@pytest.fixture(scope="module")
def service(tmp_path_factory, provider):
    with proxied(tmp_path_factory.mktemp("proxy") / "home", provider) as found:
        yield found


@pytest.fixture(autouse=True)
def _nothing_left_of_another_test(provider):
    provider.forget()


@pytest.fixture
def mind(request):
    return f"m{abs(hash(request.node.name)) % 10**9}"


@pytest.fixture
def ask(service, mind):
    """One chat: a person's words and the bot's by turns; the last may be the bot's."""

    def asked(*texts, **headers):
        messages = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)]
        body = {"model": "memory", "messages": messages}
        answer = service.http.post("/v1/chat/completions", json=body, headers={**of(mind, "s1"), **headers})
        answer.raise_for_status()
        service.at_rest()

    return asked


def kept(service, mind):
    return [contents(one) for one in service.kept(mind)]


def test_what_the_model_adds_is_a_turn_of_the_bot_s_alone_from_the_beginning_of_its_sentence(
    service, provider, mind, ask
):
    """Broken: the person's words are kept with each continuation, whose beginning is missing."""
    provider.then(LIGHT, BREAD, DOG, "Fog.")

    ask(ASKED)
    ask(ASKED, LIGHT)
    ask(ASKED, LIGHT + BREAD)
    ask(ASKED, LIGHT + BREAD + DOG, "What was the dog called?")

    assert kept(service, mind) == [
        [("user", ASKED), ("assistant", LIGHT)],
        [("assistant", LIGHT + BREAD)],
        [("assistant", DOG.strip())],
        [("user", "What was the dog called?"), ("assistant", "Fog.")],
    ]


@pytest.mark.parametrize("shown", ["Anselm kept the light.", "Anselm kept the lamp."], ids=["cut", "changed"])
def test_an_answer_that_a_person_cut_or_changed_is_continued_too(service, provider, mind, ask, shown):
    provider.then("Anselm kept the light. They had a", " They had a dog.")

    ask(ASKED)
    ask(ASKED, shown)

    assert kept(service, mind)[1:] == [[("assistant", "They had a dog.")]]


def test_words_that_a_client_puts_into_the_model_s_mouth_are_kept_with_its_answer(service, provider, mind, ask):
    provider.then(" kept the light.", " tended the lamp for years.")

    ask(ASKED, "Anselm")
    ask(ASKED, "Anselm")

    assert kept(service, mind) == [
        [("user", ASKED), ("assistant", "Anselm kept the light.")],
        [("user", ASKED), ("assistant", "Anselm tended the lamp for years.")],
    ]


def test_what_was_erased_is_not_kept_again_when_it_is_continued(service, provider, mind, ask):
    provider.then(LIGHT, BREAD)
    ask(ASKED)
    [turn] = service.kept(mind)
    service.http.delete(f"/v1/minds/{mind}/turns/{turn['turn_id']}").raise_for_status()

    ask(ASKED, LIGHT)

    assert len(service.kept(mind)) == 1
    assert "Anselm" not in str(service.kept(mind))


def test_an_answer_off_the_record_is_continued_off_the_record(service, provider, mind, ask):
    provider.then(LIGHT, BREAD)

    ask(f"#offtherecord {ASKED}")
    ask(f"#offtherecord {ASKED}", LIGHT)

    assert kept(service, mind) == [[("user", ""), ("assistant", "")], [("assistant", "")]]


@pytest.mark.parametrize(
    "repeat", [{"Idempotency-Key": "k-1"}, {"x-stainless-retry-count": "1"}], ids=["a key", "a retry"]
)
def test_a_continuation_that_is_asked_for_again_by_the_client_is_kept_once(service, provider, mind, ask, repeat):
    provider.then(LIGHT, BREAD, " day and night.")
    ask(ASKED)

    for _ in range(2):
        ask(ASKED, LIGHT, **repeat)

    assert kept(service, mind)[1:] == [[("assistant", LIGHT + BREAD)]]


def test_a_continuation_without_a_word_is_not_kept(service, provider, mind, ask):
    provider.then(LIGHT, Says(""))

    ask(ASKED)
    ask(ASKED, LIGHT)

    assert len(service.kept(mind)) == 1


def test_what_is_said_below_a_continued_answer_is_kept_though_it_was_said_before(service, provider, mind, ask):
    """Broken: the answer that is known has no end, and "yes" is taken for the one above it."""
    provider.then("Shall I book", " it?", "Booked.")
    ask("yes")
    ask("yes", "Shall I book")

    messages = [
        {"role": "user", "content": "yes"},
        {"role": "assistant", "content": "Shall I book it?"},
        {"role": "user", "content": "yes"},
        {"role": "user", "content": "On Friday."},
    ]
    service.http.post("/v1/chat/completions", json={"messages": messages}, headers=of(mind, "s1")).raise_for_status()
    service.at_rest()

    assert kept(service, mind)[-1] == [("user", "yes"), ("user", "On Friday."), ("assistant", "Booked.")]
