"""What memory reads of a chat: words, marks for what is none, and only what is new."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.kernel.turns import Message, Speaker
from consolidation.secrets.privacy_filter import PrivacyFilter
from service.openai_proxy.messages import (
    added_sentences,
    begun_answer,
    is_opened_by_bot,
    new_parts,
    read,
    storable,
    text_of,
    without_reasoning,
)
from service.openai_proxy.reply_accumulator import ReplyAccumulator
from tests.support.growth import assert_linear

USER, ANSWER = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello!"}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
TOOL = {"role": "tool", "tool_call_id": "c1", "content": "seen"}
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["index", "delta", "message", "content", "tool_calls", "function", "name", "usage"]), inner
        )
    ),
    max_leaves=12,
)


def new_in(messages):
    return [[one.content for one in part.messages] for part in new_parts(messages, privacy=PrivacyFilter())]


def off_in(messages):
    return [part.is_off_the_record for part in new_parts(messages, privacy=PrivacyFilter())]


@pytest.mark.parametrize(
    ("messages", "new"),
    [
        ([{"role": "system", "content": "x"}, USER], ["hi"]),
        ([USER, CALLING, TOOL], ["seen"]),
        ([USER, ANSWER], ["hi"]),
        ([USER, ANSWER, USER, {"role": "assistant", "content": "I"}], ["hi"]),
        ([ANSWER], []),
    ],
    ids=["the first", "a tool's", "an answer to go on with", "the same, later", "nothing"],
)
def test_what_came_after_the_last_answer_is_new(messages, new):
    assert new_in(messages) == [new]


@pytest.mark.parametrize(
    "content", ["", None, " \u200b\n", [], "<think>Hm.", '<details type="reasoning" done="true">\n> Hm.\n</details>\n']
)
def test_an_answer_that_stayed_empty_answers_nothing(content):
    empty = {"role": "assistant", "content": content}
    messages = [{"role": "user", "content": "before"}, ANSWER, USER, empty, {"role": "user", "content": "and now?"}]

    assert new_in(messages) == [["hi"], ["and now?"]]


@pytest.mark.parametrize("between", [[], [{"role": "system", "content": "It is noon."}]])
def test_what_a_person_said_before_they_heard_an_answer_is_a_part_of_its_own(between):
    one, two = ({"role": "user", "content": text} for text in ("one", "two"))

    assert new_in([USER, ANSWER, one, *between, two]) == [["one"], ["two"]]
    assert new_in([USER, CALLING, TOOL, one]) == [["seen", "one"]]


@pytest.mark.parametrize("more", [{"tool_calls": [CALL]}, {"refusal": "I will not."}, {"audio": {"id": "a1"}}])
def test_a_call_a_refusal_and_speech_are_answers_without_words(more):
    messages = [USER, {"role": "assistant", "content": None, **more}, {"role": "user", "content": "and now?"}]

    assert new_in(messages) == [["and now?"]]


OFF, EMPTY = {"role": "user", "content": "#offtherecord"}, {"role": "assistant", "content": ""}


@pytest.mark.parametrize(
    ("messages", "off"),
    [
        ([OFF, CALLING, TOOL], [True]),
        ([ANSWER, OFF, USER, CALLING, TOOL, CALLING, TOOL, TOOL], [True]),
        ([OFF, EMPTY, USER, CALLING, TOOL], [True]),
        ([OFF, CALLING, TOOL, EMPTY, USER], [True, False]),
        ([OFF, {"role": "assistant", "content": "Let me"}], [True]),
        ([OFF, CALLING, TOOL, ANSWER, USER], [False]),
        ([OFF, ANSWER, USER, CALLING, TOOL], [False]),
        ([{**OFF, "role": "system"}, USER, CALLING, {**TOOL, "content": "#offtherecord"}], [False]),
    ],
    ids=[
        "a tool's answer", "tools after two messages", "asked again", "the part before", "an answer to go on with",
        "the next exchange", "a tool of the next exchange", "not a person's",
    ],
)  # fmt: skip
def test_what_is_new_is_off_the_record_with_the_whole_exchange(messages, off):
    assert off_in(messages) == off


ORDER = {"role": "system", "content": "[Write your next reply from the point of view of Joe.]"}


@pytest.mark.parametrize(
    ("messages", "prompted"),
    [
        ([USER, ANSWER, ORDER], [False]),
        ([USER, ANSWER, {**ORDER, "role": "developer"}], [False]),
        ([USER, EMPTY, ORDER], [True, False]),
        ([USER, ORDER], [True]),
        ([USER, ANSWER, USER, ORDER], [True]),
        ([USER, ANSWER, {"role": "user", "content": ""}, ORDER], [True]),
        ([USER, CALLING, {**TOOL, "content": ""}], [True]),
        ([USER, ANSWER, {"role": "ipython", "content": "seen"}], [True]),
    ],
    ids=["impersonate", "a developer's", "below an empty answer", "below a person's words", "the same, later",
         "below an empty message", "a tool without words", "a role that nobody knows"],
)  # fmt: skip
def test_who_only_instructs_the_model_is_not_answered(messages, prompted):
    assert [part.is_prompted for part in new_parts(messages, privacy=PrivacyFilter())] == prompted


@pytest.mark.parametrize(
    ("messages", "is_opened"),
    [
        ([ORDER], True), ([ORDER, ANSWER], True), ([ORDER, ORDER], True),
        ([ORDER, ANSWER, ORDER], False), ([ORDER, USER], False), ([ORDER, USER, ANSWER], False),
    ],
)  # fmt: skip
def test_a_bot_opens_a_chat_that_has_nothing_but_instructions(messages, is_opened):
    assert is_opened_by_bot(messages) is is_opened


def says(content):
    return {"role": "assistant", "content": content}


@pytest.mark.parametrize(
    ("messages", "begun"),
    [
        ([USER], ""), ([USER, says("I")], "I"), ([USER, says("I"), says(" am")], "I am"), ([USER, says(" \n")], ""),
        ([USER, ANSWER, USER], ""), ([USER, says("<think>Hm.</think>I")], "I"), ([USER, says("<think>")], ""),
    ],
)  # fmt: skip
def test_an_answer_at_the_end_of_a_chat_is_the_beginning_of_one(messages, begun):
    assert begun_answer(messages) == begun


@pytest.mark.parametrize(
    ("begun", "answer", "added"),
    [
        ("Anselm kept the light", ", and Berthe baked.", "Anselm kept the light, and Berthe baked."),
        ("He kept it. For thir", "ty years.", "For thirty years."),
        ("He kept it for ", "thirty years.", "He kept it for thirty years."),
        ("He kept it.", " They had a dog.", "They had a dog."),
        ("He kept it.\n", "- and a dog", "- and a dog"),
        ("He met Dr.", " Smith.", "He met Dr. Smith."),
        ("He kept it.", "He kept it. They had a dog.", "They had a dog."),
        ("He kept it. For thir", "He kept it. For thirty years.", "For thirty years."),
        ("他守着灯", "，她烤面包。", "他守着灯，她烤面包。"),
        ("He kept it.", "  ", ""),
    ],
)
def test_what_is_added_to_an_answer_begins_with_its_sentence(begun, answer, added):
    assert added_sentences(begun, answer) == added


MANY = {
    "a person alone": [USER],
    "answers that stayed empty": [USER, EMPTY],
    "answers": [USER, ANSWER],
    "tools": [CALLING, TOOL],
    "a person beside instructions": [{"role": "system", "content": "x"}, USER],
}


@pytest.mark.parametrize("shape", MANY)
def test_the_cost_of_a_chat_grows_with_its_messages(shape):
    """Broken: every part looks for the names of tools in the whole chat."""

    def chat_of(length):
        return [*MANY[shape] * length, USER]

    assert_linear(new_in, chat_of, length=250, longest=16_000, name=shape)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<think>\nShe dislikes parrots.\n</think>\n\nHello!", "Hello!"),
        ("<Thinking>Hm.</Thinking><reasoning>So.</reasoning> Hello!", "Hello!"),
        (
            '<details type="reasoning" done="true" duration="3">\n<summary>Thought</summary>\n> Hm.\n</details>\nHello!',
            "Hello!",
        ),
        ("<think>She dislikes", ""),
        ("  <think></think>", ""),
        ("<details><summary>Hello!</summary>It is long.</details>", "<details><summary>Hello!</summary>It is long.</details>"),
        ("Write <think>Hm.</think> before it.", "Write <think>Hm.</think> before it."),
        ("<thinker>Hello!</thinker>", "<thinker>Hello!</thinker>"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_reasoning_before_an_answer_is_not_said(text, said):
    assert without_reasoning(text) == said
    heard = ReplyAccumulator()
    for letter in text:
        heard.add({"choices": [{"delta": {"content": letter}}]})
    assert (heard.text, heard.said) == (text, said)
    assert heard.message == (Message(Speaker.ASSISTANT, said) if said else None)
    assert [one.content for one in read([{"role": "assistant", "content": text}])] == ([said] if said else [])
    assert [one.content for one in read([{"role": "user", "content": text}])] == ([text] if text else [])


def test_a_tool_is_named_and_what_is_no_text_is_marked():
    parts = [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA"}},
        {"type": "file", "file": {"file_data": "AAAA"}},
        {"type": "odd"},
    ]

    assert text_of(parts) == "look\n[image]\n[audio]\n[file]\n[odd]"
    assert read([USER, CALLING, TOOL])[1:] == (
        Message(Speaker.ASSISTANT, '[calls look({"at": 1})]'),
        Message(Speaker.TOOL, "seen", name="look"),
    )


@pytest.mark.parametrize(
    ("text", "kept"),
    [("a\0b", "ab"), ("\ud83d\ude00", "😀"), ("a\ud83d", "a�"), ("é\n", "é\n")],
    ids=["NUL", "two halves", "one half", "anything else"],
)
def test_what_can_not_be_kept_as_it_is_is_mended(text, kept):
    assert storable(text) == kept


@given(st.lists(anything.filter(lambda one: isinstance(one, dict))), st.lists(anything, max_size=3))
def test_whatever_a_provider_says_hearing_it_never_fails(chunks, choices):
    heard = ReplyAccumulator()
    for chunk in (*chunks, {"choices": choices}, {"choices": [{"delta": one} for one in choices]}):
        heard.add(chunk)

    assert heard.message is None or heard.message.content


def test_the_first_choice_is_heard_and_its_calls_are_put_together():
    heard = ReplyAccumulator()
    for delta, index in (
        ({"content": "Let me "}, 0),
        ({"content": "other"}, 1),
        ({"content": "see."}, 0),
        ({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "look", "arguments": ""}}]}, 0),
        ({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}, {"index": 1, "function": {"name": "go"}}]}, 0),
    ):
        heard.add({"model": "m", "choices": [{"index": index, "delta": delta}]})
    heard.add({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    heard.add({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}})

    assert heard.text == "Let me see.\n[calls look({})]\n[calls go()]"
    assert (heard.model, heard.finish, heard.prompt_tokens, heard.completion_tokens) == ("m", "tool_calls", 3, 4)


@pytest.mark.parametrize("place", [{"index": 0}, {"index": None}, {}])
def test_calls_with_ids_of_their_own_are_two_though_a_server_gives_them_one_index(place):
    """Broken: their names and arguments run together, and the bot seems to have called what does not exist."""
    heard = ReplyAccumulator()
    for own_id, name in (("c1", "weather"), ("c2", "clock")):
        for part in ({"name": name, "arguments": '{"in":'}, {"name": "", "arguments": '"Porto"}'}):
            call = {**place, "id": own_id, "function": part}
            heard.add({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})

    assert heard.text == '[calls weather({"in":"Porto"})]\n[calls clock({"in":"Porto"})]'


def test_a_choice_without_an_index_is_the_first():
    heard = ReplyAccumulator()
    heard.add({"choices": [{"index": None, "delta": {"content": "Hello."}, "finish_reason": "stop"}]})

    assert (heard.text, heard.finish) == ("Hello.", "stop")
