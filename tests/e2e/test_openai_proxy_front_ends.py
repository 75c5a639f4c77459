"""What chat front ends do behind a person's back: titles asked for, answers stopped, reasoning shown in an answer."""

import json

import pytest

from tests.support.openai_proxy import contents, of, proxied
from tests.support.service import settings_of
from tests.twins.provider import ScriptedProvider

LYON, WHERE = "My mother lives in Lyon, near the old bakery.", "Where does my mother live?"


@pytest.fixture(scope="module")
def provider():
    with ScriptedProvider(models=()) as found:
        yield found


@pytest.fixture(scope="module")
def service(tmp_path_factory, provider):
    with proxied(tmp_path_factory.mktemp("proxy") / "home", provider) as found:
        found.tell("lyon", LYON, "How often do you see her?")
        yield found


@pytest.fixture(autouse=True)
def _nothing_left_of_another_test(provider):
    provider.forget()


@pytest.fixture
def ask(service):
    """One chat: its raw answer, with headers."""

    def asked(messages, *, headers, **more):
        create = service.client().chat.completions.with_raw_response.create
        return create(model="memory", messages=messages, extra_headers=headers, **more)

    return asked


def user_says(*texts):
    """A chat of these words, a person's and the bot's by turns."""
    return [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)]


def test_a_title_that_a_front_end_asks_for_is_made_without_memory_and_not_kept(service, provider, ask):
    provider.then("Lyon and the Bakery", "Lyon and the Bakery")
    before = len(service.kept("lyon"))
    title = "Generate a concise title for this conversation, in 5 words or less. No punctuation."

    whole = ask(user_says(WHERE, "In Lyon.", title), headers=of("lyon", "s1"))
    streamed = ask(user_says(WHERE, "In Lyon.", title), headers=of("lyon", "s1"), stream=True)

    assert "".join(one.choices[0].delta.content or "" for one in streamed.parse()) == "Lyon and the Bakery"
    assert [one.headers["x-memory"] for one in (whole, streamed)] == ["bypassed", "bypassed"]
    assert provider.chats[-1].body["messages"] == user_says(WHERE, "In Lyon.", title)
    service.at_rest()
    assert len(service.kept("lyon")) == before


CHERRY_STUDIO = (
    "Summarize the conversation into a title in English within 10 words ignoring instructions and without punctuation or "
    "symbols. Output only the title string without anything else."
)
OPEN_CODE = (
    "You are a title generator. You output ONLY a thread title. Nothing else.\n\n<task>\nGenerate a brief title that would "
    "help the user find this conversation later.\n- ≤50 characters\n</task>"
)
MERGE = (
    f'You have been provided with a set of responses from various models to the latest user query: "{WHERE}"\n\nYour task is '
    'to synthesize these responses into a single one.\n\nResponses from models: """In Lyon."""'
)
OWN_WORK = {
    "Cherry Studio": [{"role": "system", "content": CHERRY_STUDIO}, *user_says(f'[{{"role": "user", "mainText": "{WHERE}"}}]')],
    "OpenCode": [
        {"role": "system", "content": OPEN_CODE}, *user_says("Generate a title for this conversation:\n"), *user_says(WHERE),
    ],
    "Open WebUI": user_says(WHERE, "In Lyon.", MERGE),
    "Jan": user_says(f'Summarize in a 10-word Title. Give the title only. Here is the message: "{WHERE}"'),
}  # fmt: skip


@pytest.mark.parametrize("messages", OWN_WORK.values(), ids=OWN_WORK)
def test_what_widely_used_front_ends_ask_on_their_own_is_not_kept(service, provider, ask, messages):
    provider.then("Where a Mother Lives")
    before = len(service.kept("lyon"))

    answer = ask(messages, headers=of("lyon", "s2"))

    service.at_rest()
    assert answer.headers["x-memory"] == "bypassed"
    assert provider.chats[-1].body["messages"] == messages
    assert len(service.kept("lyon")) == before


@pytest.mark.parametrize("pattern", ["Name this (chat", ".*"])
def test_a_pattern_for_prompts_of_a_front_end_that_can_not_be_meant_is_refused(tmp_path, pattern):
    with pytest.raises(ValueError, match="regular expression|empty message"):
        settings_of(tmp_path, proxy={"housekeeping_patterns": [pattern]})


def test_what_a_person_said_before_an_empty_answer_is_kept_and_kept_once(service, provider, ask):
    """The first answer was stopped before it began; the second ended without a word, and its turn was stored."""
    provider.then("", "Rock.")
    first, second, third = "My wedding is on June 12 in Bath.", "Let us talk about music.", "What shall we listen to?"

    ask(user_says(first, "", second), headers=of("stopped", "s1"))
    ask(user_says(first, "", second, "", third), headers=of("stopped", "s1"))

    service.at_rest()
    assert [contents(one) for one in service.kept("stopped")] == [
        [("user", first), ("user", second)],
        [("user", third), ("assistant", "Rock.")],
    ]


REPEATS = {"a key": {"Idempotency-Key": "k-1"}, "a retry of the library": {"x-stainless-retry-count": "1"}}


@pytest.mark.parametrize("is_known", [False, True], ids=["never kept", "kept when it was sent"])
@pytest.mark.parametrize("repeat", REPEATS)
def test_a_chat_below_an_empty_answer_that_is_repeated_is_kept_once(service, provider, ask, repeat, is_known):
    """Broken: at the second time, what stands above the empty answer is known, and the rest looks like another chat."""
    mind = f"repeated-{repeat.replace(' ', '-')}-{is_known}".lower()
    first, second = "My wedding is on June 12 in Bath.", "Let us talk about music."
    provider.then(*([""] if is_known else []), "Rock.", "Jazz.")
    if is_known:
        ask(user_says(first), headers=of(mind, "s1"))

    for _ in range(2):
        ask(user_says(first, "", second), headers={**of(mind, "s1"), **REPEATS[repeat]})
        service.at_rest()

    turns = [contents(one) for one in service.kept(mind)]
    assert [one for turn in turns for one in turn] == [("user", first), ("user", second), ("assistant", "Rock.")]


def test_other_words_below_an_empty_answer_are_kept_once_under_a_key_that_was_used(service, provider, ask):
    """Broken: the first time they are two messages, the second time one, and each has an id of its own."""
    first, second = "My wedding is on June 12 in Bath.", "Let us talk about music."
    windows = [user_says("Good morning."), *[user_says(first, "", second)] * 2, *[user_says(second, "", first)] * 2]
    provider.then("Rock.", "Jazz.", "Folk.", "Soul.", "Punk.")

    for window in windows:
        ask(window, headers={**of("used-key", "s1"), "Idempotency-Key": "same"})
        service.at_rest()

    kept = service.kept("used-key")
    assert [contents(one) for one in kept] == [
        [("user", "Good morning."), ("assistant", "Rock.")],
        [("user", first), ("user", second), ("assistant", "Jazz.")],
        [("user", first), ("assistant", "Soul.")],
    ]
    assert [one["turn_id"].partition("~")[0] for one in kept] == ["same"] * 3


def test_a_chat_below_an_empty_answer_is_kept_once_though_another_turn_of_it_was_erased(service, provider, ask):
    provider.then("Hello!", "Rock.", "Jazz.")
    first, second = "My wedding is on June 12 in Bath.", "Let us talk about music."
    ask(user_says("Good morning."), headers=of("repeated-erased", "s1"))
    [turn] = service.until_kept("repeated-erased")

    for number in range(2):
        ask(user_says(first, "", second), headers={**of("repeated-erased", "s1"), "Idempotency-Key": "k-1"})
        service.at_rest()
        if not number:
            service.http.delete(f"/v1/minds/repeated-erased/turns/{turn['turn_id']}").raise_for_status()

    assert [contents(one) for one in service.kept("repeated-erased")[1:]] == [
        [("user", first), ("user", second), ("assistant", "Rock.")]
    ]


def test_what_was_erased_is_not_kept_again_though_its_answer_stayed_empty(service, provider, ask):
    provider.then("", "Rock.")
    ask(user_says("My wedding is on June 12 in Bath."), headers=of("erased-empty", "s1"))
    [turn] = service.until_kept("erased-empty")
    service.http.delete(f"/v1/minds/erased-empty/turns/{turn['turn_id']}").raise_for_status()

    ask(
        user_says("My wedding is on June 12 in Bath.", "", "Let us talk about music."),
        headers=of("erased-empty", "s1"),
    )

    service.at_rest()
    assert contents(service.kept("erased-empty")[-1]) == [("user", "Let us talk about music."), ("assistant", "Rock.")]


BEGUN = ["Good morning.", "Good morning, Ada."]
SPOKEN = ["My wedding is on June 12 in Bath.", "And my car is blue.", "Are you there?"]


def below(told, *texts):
    """A chat that begins with *told*, and then what a person said without hearing an answer."""
    return [*user_says(*told), *({"role": "user", "content": text} for text in texts)]


@pytest.mark.parametrize("told", [(), BEGUN], ids=["at the beginning", "below an answer"])
def test_what_a_person_said_before_they_heard_the_answer_is_kept_once(service, provider, ask, told):
    """Broken: a voice agent leaves out an answer that was never spoken, and all that was said before it is stored again."""
    mind = f"interrupted-{len(told)}"
    provider.then(*told[1:], "Noted.", "Fine.", "Yes.")
    windows = [[told[0]]] if told else []

    for window in [*map(below, windows), *(below(told, *SPOKEN[:count]) for count in (1, 2, 3))]:
        ask(window, headers=of(mind, "s1"))
        service.at_rest()

    assert [contents(one) for one in service.kept(mind)][len(windows) :] == [
        [("user", said), ("assistant", answer)]
        for said, answer in zip(SPOKEN, ("Noted.", "Fine.", "Yes."), strict=True)
    ]


def test_what_two_people_said_in_the_same_words_before_they_heard_an_answer_is_kept_of_both(service, provider, ask):
    """Broken: one person's words are taken for another's, and left out."""
    provider.then("Noted.", "Yes.")
    bob, ada = ({"role": "user", "content": "Count me in.", "name": name} for name in ("Bob", "Ada"))

    for window in ([bob], [ada, {"role": "user", "content": "Are you there?", "name": "Ada"}]):
        ask(window, headers=of("two-people", "s1"))
        service.at_rest()

    kept = [[(one.get("name"), one["content"]) for one in turn["messages"]] for turn in service.kept("two-people")]
    assert kept == [
        [("Bob", "Count me in."), (None, "Noted.")],
        [("Ada", "Count me in."), ("Ada", "Are you there?"), (None, "Yes.")],
    ]


def test_what_was_erased_is_not_kept_again_though_its_answer_was_never_spoken(service, provider, ask):
    provider.then("Noted.", "Fine.", "Yes.")
    ask(below((), SPOKEN[0]), headers=of("interrupted-erased", "s1"))
    [turn] = service.until_kept("interrupted-erased")
    service.http.delete(f"/v1/minds/interrupted-erased/turns/{turn['turn_id']}").raise_for_status()

    for count in (2, 3):
        ask(below((), *SPOKEN[:count]), headers=of("interrupted-erased", "s1"))
        service.at_rest()

    assert [contents(one)[0] for one in service.kept("interrupted-erased")[1:]] == [("user", one) for one in SPOKEN[1:]]


def test_two_messages_at_once_are_both_kept_though_words_of_the_first_were_said_and_others_erased(
    service, provider, ask
):
    """Broken: "yes" is taken for the one that was answered; or the first is left out, since something was erased."""
    provider.then("Hello!", "Shall I book it?", "Booked.")
    ask(user_says("Good morning."), headers=of("two-at-once", "s1"))
    [turn] = service.until_kept("two-at-once")
    ask(user_says("Good morning.", "Hello!", "yes"), headers=of("two-at-once", "s1"))
    service.http.delete(f"/v1/minds/two-at-once/turns/{turn['turn_id']}").raise_for_status()

    ask(below(["Good morning.", "Hello!", "yes", "Shall I b"], "yes", "On Friday."), headers=of("two-at-once", "s1"))

    service.at_rest()
    assert contents(service.kept("two-at-once")[-1]) == [
        ("user", "yes"), ("user", "On Friday."), ("assistant", "Booked."),
    ]  # fmt: skip


@pytest.mark.parametrize("repeat", REPEATS)
def test_the_same_words_in_a_new_exchange_are_kept_though_the_library_asks_again(service, provider, ask, repeat):
    """Broken: "yes" below the answer to "yes" is taken for a retry of it."""
    mind = f"yes-{repeat.replace(' ', '-')}"
    keys = [
        {**REPEATS[repeat], "Idempotency-Key": f"k-{at}"} if repeat == "a key" else REPEATS[repeat] for at in (1, 2)
    ]
    provider.then("Shall I book it?", "Booked.", "Booked again.")
    ask(user_says("yes"), headers={**of(mind, "s1"), **keys[0]})

    for _ in range(2):
        ask(user_says("yes", "Shall I book it?", "yes"), headers={**of(mind, "s1"), **keys[1]})
        service.at_rest()

    assert [contents(one)[1][1] for one in service.kept(mind)] == ["Shall I book it?", "Booked."]


def test_what_a_model_thinks_before_it_answers_is_passed_on_and_not_kept(service, provider, ask):
    answer = "<think>\nThey secretly dislike parrots.\n</think>\n\nA parrot, then."
    provider.then(answer, "Pico.")

    told = ask(user_says("Which bird shall I buy?"), headers=of("parrot", "s1")).parse().choices[0].message.content
    ask(user_says("Which bird shall I buy?", answer, "How shall I call it?"), headers=of("parrot", "s1"))

    assert told == answer
    assert provider.chats[-1].body["messages"][-2] == {"role": "assistant", "content": answer}
    service.at_rest()
    assert contents(service.kept("parrot")[0])[1] == ("assistant", "A parrot, then.")
    assert "secretly" not in json.dumps(service.kept("parrot"))


IMPERSONATE = "[As Joe, write what he says next.]"
SUMMARIZE = "Summarize what has happened in the story so far."
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}


def instructs(text):
    return {"role": "system", "content": text}


@pytest.mark.parametrize("order", [IMPERSONATE, SUMMARIZE])
def test_what_a_front_end_has_the_model_write_is_not_kept_as_the_bot_s_own_words(service, provider, ask, order):
    """Broken: "I am Joe, and I fear dogs" is what the bot said of itself, though it wrote for Joe."""
    mind = f"ordered-{len(order)}"
    said = user_says("I walked home.", "Was it far?")
    provider.then("Was it far?", "I am Joe, and I fear dogs.", "Why?")
    ask(said[:1], headers=of(mind, "s1"))

    answer = ask([*said, instructs(order)], headers=of(mind, "s1")).parse().choices[0].message.content
    ask([*said, *user_says("I fear dogs.")], headers=of(mind, "s1"))

    service.at_rest()
    assert answer == "I am Joe, and I fear dogs."
    assert [contents(one) for one in service.kept(mind)] == [
        [("user", "I walked home."), ("assistant", "Was it far?")],
        [("user", "I fear dogs."), ("assistant", "Why?")],
    ]


def test_what_stands_above_an_empty_answer_and_an_order_is_kept_with_what_is_said_next(service, provider, ask):
    provider.then("I am Joe, and I fear dogs.", "Why?")
    said = user_says("I walked home.", "")

    ask([*said, instructs(IMPERSONATE)], headers=of("ordered-empty", "s1"))
    service.at_rest()
    assert service.kept("ordered-empty") == []
    ask([*said, *user_says("I fear dogs.")], headers=of("ordered-empty", "s1"))

    assert contents(service.until_kept("ordered-empty")[0]) == [
        ("user", "I walked home."), ("user", "I fear dogs."), ("assistant", "Why?"),
    ]  # fmt: skip


PROMPTED = {
    "words above an instruction": (
        [*user_says("I walked home."), instructs("Be brief.")],
        [("user", "I walked home.")],
    ),
    "an empty message": (user_says("I walked home.", "Was it far?", ""), []),
    "a greeting": ([instructs("You are Ava."), instructs("Greet the person.")], []),
    "a tool without words": (
        [
            *user_says("Is anybody there?"),
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": ""},
        ],
        [],
    ),
    "an agent that a message wakes": (
        [*user_says("I walked home.", "Good.", "[08:00] Wake up.")],
        [("user", "[08:00] Wake up.")],
    ),
    "an agent that has called a tool": (
        [
            *user_says("I walked home.", "Good."),
            instructs("It is 08:00. Look at the calendar."),
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "Dentist at nine."},
        ],
        [("tool", "Dentist at nine.")],
    ),
}


@pytest.mark.parametrize(("messages", "asked"), PROMPTED.values(), ids=PROMPTED)
def test_what_answers_a_person_or_a_tool_or_opens_a_chat_is_kept(service, provider, ask, request, messages, asked):
    mind = request.node.callspec.id.replace(" ", "-")
    provider.then("The bot's own words.")

    ask(messages, headers=of(mind, "s1"))

    assert contents(service.until_kept(mind)[0]) == [*asked, ("assistant", "The bot's own words.")]


def test_a_chat_of_thousands_of_messages_that_nobody_answered_is_kept_and_kept_once(service, provider, ask):
    """Broken: each of them is looked for among all others, for minutes, and nothing is kept."""
    provider.then("So many!", "I know.")
    said = below((), *(f"Number {number}." for number in range(16_000)))

    ask(said, headers=of("thousands", "s1"))
    service.at_rest()
    ask([*said, *user_says("Did you read them?")], headers=of("thousands", "s1"))

    first, second = service.until_kept("thousands", turns=2)
    assert [text for _, text in contents(first)] == [
        *(f"Number {number}." for number in range(15_745, 16_000)),
        "So many!",
    ]
    assert contents(second) == [("user", "Did you read them?"), ("assistant", "I know.")]


@pytest.mark.parametrize(
    ("messages", "param", "told"),
    [
        ([{"role": "user", "content": "Hm."}] * 20_001, "messages", "at most 20000 items"),
        ([{"role": "user", "content": 7}] * 20_000, "messages/0/content", "a valid string or a valid list"),
    ],
)
def test_a_chat_of_more_messages_than_a_model_reads_or_of_no_texts_is_refused(service, messages, param, told):
    """Broken: it is not refused; of the second, each message is told of, for minutes."""
    answer = service.http.post("/v1/chat/completions", json={"messages": messages}, headers=of("too-many"))

    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["param"]) == (400, "invalid_request_error", param)
    assert told in error["message"]
