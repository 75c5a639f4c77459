"""What the tests of all adapters share: a scripted model that knows only what it is shown, and calls of tools."""

import json
import re

from tests.twins.provider import Body, ScriptedProvider

KNOWS, KNOWS_NOT = "She lives in Lyon.", "I do not know."
MARK = "[SUBCONSCIOUS RESONANCE]"


def answering(body):
    """What a model says that has nothing but its prompt."""
    return KNOWS if "mother lives in Lyon" in json.dumps(body["messages"]) else KNOWS_NOT


def bot(*script):
    """A provider that follows *script*, then answers by what it is shown."""
    return ScriptedProvider(*script, respond=answering)


def calls_tool(name="weather", **arguments):
    """A model's answer that calls a tool."""
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return Body({
        "id": "chatcmpl-twin", "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    })  # fmt: skip


def shown(provider, at=-1):
    """The messages that a model was shown, as role and text."""
    return [(one["role"], text(one.get("content"))) for one in provider.chats[at].body["messages"]]


def text(content):
    return content if isinstance(content, str) else " ".join(one.get("text", "") for one in content or ())


def blocks(provider):
    """How many blocks each call of the model was shown."""
    return [holds(asked.body["messages"]) for asked in provider.chats]


def holds(messages):
    """How many blocks there are, whatever holds them; the recall protocol names them, too."""
    return len(re.findall(re.escape(MARK) + r"(?:\n|\\+n)- ", str(messages)))
