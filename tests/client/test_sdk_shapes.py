"""What SDKs give goes into a turn as it is: messages of a loop of tools, events of a stream, answers of any shape."""

import json
from types import SimpleNamespace

import pytest

from tests.client.conftest import ASKS, MOTHER, stored_turns, user_says

EVENTS = (
    ("response.reasoning_summary_text.delta", "The user may live in Rome. "),
    ("response.function_call_arguments.delta", '{"city": "Lyon"}'),
    ("response.audio.delta", "UklGRg=="),
    ("response.output_text.delta", "It is "),
    ("response.output_text.delta", "sunny."),
    ("response.refusal.delta", " I say no more."),
)


@pytest.fixture(scope="module")
def openai():
    """The types of OpenAI's SDK, imported for the first test and not for every worker that collects it."""
    from openai.types.chat import ChatCompletion, ChatCompletionMessage
    from openai.types.responses import Response

    return SimpleNamespace(
        ChatCompletion=ChatCompletion, ChatCompletionMessage=ChatCompletionMessage, Response=Response
    )


def calls(openai, text=None):
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    return openai.ChatCompletionMessage.model_validate({"role": "assistant", "content": text, "tool_calls": [call]})


def response(openai, *output):
    return openai.Response.model_validate({
        "id": "r1", "created_at": 0, "model": "scripted", "object": "response", "output": output,
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    })  # fmt: skip


def says(text):
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [part]}


@pytest.mark.parametrize("placement", ["tail", "user", "system"])
def test_openais_loop_of_tools_is_a_turn_with_its_own_objects(openai, memory, told_mind, home, placement):
    call, result = calls(openai, "Let me look."), {"role": "tool", "tool_call_id": "c1", "content": "sunny"}
    said = openai.ChatCompletionMessage.model_validate({"role": "assistant", "content": "It is sunny."})

    with memory.turn(told_mind, "later", [user_says(ASKS), call, result], deadline_ms=0, placement=placement) as turn:
        turn.answer(said)

    assert MOTHER in turn.block
    assert any(one is call for one in turn.messages)
    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS), ("assistant", "It is sunny.")])]


def test_items_of_the_responses_api_are_messages_and_its_output_is_an_answer(openai, memory, mind, home):
    reasoning = {"type": "reasoning", "id": "x", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]}
    call = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "weather", "arguments": "{}"}
    first = response(openai, reasoning, says("Let me look."), call)
    items = [user_says(MOTHER), *first.output, {"type": "function_call_output", "call_id": "c1", "output": "sunny"}]

    with memory.turn(mind, "s", items) as turn:
        turn.answer(response(openai, says("It is sunny.")).output)
    with memory.turn(mind, "s", ASKS) as turn:
        turn.answer(response(openai, says("In Lyon.")))

    assert stored_turns(home, mind) == [
        ("s", [("user", MOTHER), ("assistant", "It is sunny.")]),
        ("s", [("user", ASKS), ("assistant", "In Lyon.")]),
    ]


def test_the_memory_of_an_earlier_turn_is_taken_out_of_an_object_too(openai, memory, mind):
    block = "---\n[SUBCONSCIOUS RESONANCE]\n- Yesterday, user: I like tea.\n---\n\nHello."
    said = openai.ChatCompletionMessage.model_validate({"role": "assistant", "content": block})

    with memory.turn(mind, "s", [user_says("Hi."), said, user_says(ASKS)]) as turn:
        memory.store_turn(mind, "other", MOTHER)
    with memory.turn(mind, "s", [user_says("Hi."), said, user_says("Bye.")]) as turn:
        pass

    assert "I like tea" not in str(turn.messages)
    assert {"role": "assistant", "content": "Hello."} in turn.messages


def test_messages_that_it_can_not_read_are_refused_before_the_model_is_asked(memory, mind):
    from langchain_core.messages import HumanMessage

    for one in (HumanMessage(MOTHER), SimpleNamespace(role="user", content=MOTHER), ("user", MOTHER)):
        with pytest.raises(TypeError, match="a message is a dict such as"), memory.turn(mind, "s", [one]):
            raise AssertionError("the model is asked")


@pytest.mark.parametrize("kind", [dict, SimpleNamespace])
def test_of_a_stream_of_events_what_is_said_is_stored_and_no_reasoning(memory, mind, home, kind):
    with memory.turn(mind, "s", ASKS) as turn:
        for name, delta in EVENTS:
            turn.add(kind(type=name, delta=delta))

    assert stored_turns(home, mind) == [("s", [("user", ASKS), ("assistant", "It is sunny. I say no more.")])]


MESSAGE = {"role": "assistant", "content": "In Lyon."}


def as_object(value):
    return json.loads(json.dumps(value), object_hook=lambda found: SimpleNamespace(**found))


@pytest.mark.parametrize("shape", [dict, as_object])
@pytest.mark.parametrize(
    "answer",
    [{"choices": [{"message": MESSAGE}]}, {"choices": [{"text": "In Lyon."}]}, {"model": "m", "message": MESSAGE}],
    ids=["chat", "completion", "ollama"],
)
def test_an_answer_is_read_as_json_and_as_an_object(memory, mind, home, answer, shape):
    with memory.turn(mind, "s", ASKS) as turn:
        turn.answer(shape(answer))

    assert stored_turns(home, mind) == [("s", [("user", ASKS), ("assistant", "In Lyon.")])]


def test_pieces_of_ollama_are_read(memory, mind, home):
    with memory.turn(mind, "s", ASKS) as turn:
        for text in ("In ", "Lyon."):
            turn.add(SimpleNamespace(message=SimpleNamespace(content=text)))

    assert stored_turns(home, mind) == [("s", [("user", ASKS), ("assistant", "In Lyon.")])]


def test_an_answer_of_an_unknown_shape_is_refused_and_one_without_words_is_not(openai, memory, mind, home):
    choice = {"index": 0, "finish_reason": "tool_calls", "message": calls(openai).model_dump()}
    completion = openai.ChatCompletion.model_validate(
        {"id": "1", "created": 0, "model": "m", "object": "chat.completion", "choices": [choice]}
    )
    chunk = {"choices": [{"delta": {"content": "In"}}]}
    with memory.turn(mind, "s", ASKS) as turn:
        for nothing in (None, "", [], {"role": "assistant", "content": None}, completion, calls(openai)):
            turn.answer(nothing)
        for one in (7, b"In Lyon.", {"reply": "In Lyon."}, SimpleNamespace(reply="In Lyon."), [MESSAGE], chunk):
            with pytest.raises(TypeError, match="an answer is a text"):
                turn.answer(one)

    assert stored_turns(home, mind) == [("s", [("user", ASKS)])]
