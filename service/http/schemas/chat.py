"""The parts of OpenAI's chat API that the proxy reads. Everything else is passed on unchanged."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, FailFast, Field, StrictBool, StrictStr

from consolidation.workspace import LONGEST_MIND_NAME
from service.http.schemas.fields import Answered, ShortText, addressable
from service.index.salience import Outcome

_MOST_MESSAGES = 20_000  # of a chat: more than the window of a model takes

ASKED: dict[str, Any] = {
    "model": "memory",
    "messages": [{"role": "user", "content": "Good morning!"}],
    "metadata": {"mind_id": "ada", "session_id": "telegram:44"},
}
_SAID = "I heard “Good morning!”. Nothing from the past came to mind."
COMPLETED: dict[str, Any] = {
    "id": "chatcmpl-123a9221c574418e9e73e0d4b95b30b0",
    "object": "chat.completion",
    "created": 1768208406,
    "model": "mind-memory-echo",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": _SAID, "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 6, "completion_tokens": 18, "total_tokens": 24},
}
MODEL: dict[str, Any] = {"id": "memory", "object": "model", "created": 0, "owned_by": "mind-memory"}
MODELS: dict[str, Any] = {
    "object": "list",
    "data": [
        MODEL,
        {"id": "mind-memory-echo", "object": "model", "created": 0, "owned_by": "mind-memory"},
    ],
}
REFUSED: dict[str, Any] = {
    "error": {
        "message": "the model 'gpt-9' may not be asked for; these may: memory, openai/gpt-4o-mini",
        "type": "invalid_request_error",
        "param": None,
        "code": "model_not_found",
    }
}


class _AsItIs(BaseModel):
    """Unknown fields are passed on instead of refused."""

    model_config = ConfigDict(frozen=True, extra="allow")


def _printable(text: str) -> str:
    if text and not (text.isprintable() and text.strip()):
        raise ValueError("must be printable text")
    return text


type _Parts = Annotated[list[dict[str, Any]], FailFast()]


class ChatMessageIn(_AsItIs):
    """One message. Its content is text, a list of parts, or absent beside tool calls."""

    role: StrictStr
    content: StrictStr | _Parts | None = None


# Checked where the mind is chosen, since only the first one that is given counts.
_Mind = Annotated[StrictStr, Field(json_schema_extra={"format": "printable-text", "maxLength": LONGEST_MIND_NAME})]
_Session = Annotated[
    StrictStr,
    Field(max_length=200, json_schema_extra={"format": "printable-text"}),
    AfterValidator(_printable),
    AfterValidator(addressable),
]


def _as_object(value: object) -> object:
    """OpenAI's metadata holds texts alone: an object comes as JSON."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError) as error:
        raise ValueError('must be a JSON object like {"episode:1": "acted"}') from error


_Outcomes = Annotated[dict[ShortText, Outcome], Field(max_length=100), BeforeValidator(_as_object)]


class ChatMetadataIn(_AsItIs):
    """OpenAI's metadata, and four fields of ours that are not passed on."""

    mind_id: _Mind | None = Field(None, description="The mind whose memory is used.")
    session_id: _Session | None = Field(None, description="The conversation.")
    outcomes: _Outcomes | None = Field(
        None,
        description="What became of the flashbacks of the last answer, by id: an object, or one as JSON text.",
    )
    trace_id: StrictStr | None = Field(
        None, description="The trace that showed them, as `X-Memory-Trace-Id` named it; else the conversation's last."
    )


def _id_of_user(value: object) -> object:
    return value["id"] if isinstance(value, dict) and "id" in value else value


class ChatIn(_AsItIs):
    """OpenAI's request body. `metadata` may name the mind (`mind_id`) and the conversation (`session_id`)."""

    model: StrictStr = Field("memory", description="`memory`, or a name that `GET /v1/models` lists.")
    messages: Annotated[list[ChatMessageIn], Field(min_length=1, max_length=_MOST_MESSAGES), FailFast()]
    stream: StrictBool | None = None
    user: Annotated[_Mind | None, BeforeValidator(_id_of_user)] = Field(
        None, description="The mind, if nothing else names it. Of an object, as Open WebUI sends, its `id`."
    )
    metadata: ChatMetadataIn | None = None


class CompletionOut(Answered):
    """The model's answer, unchanged; with `stream`, as server-sent events."""

    id: str
    object: str
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: dict[str, Any] | None = None

    model_config = ConfigDict(frozen=True, extra="allow")


class ModelOut(Answered):
    """A model that clients may request."""

    id: str
    object: str
    created: int
    owned_by: str


class ModelsOut(Answered):
    """The models that clients may request."""

    object: str
    data: list[ModelOut]


class _Refusal(Answered):
    message: str
    type: str
    param: str | None
    code: str | int | None


class RefusedOut(Answered):
    """An error in OpenAI's format. A provider's own error is passed on unchanged."""

    error: _Refusal

    model_config = ConfigDict(frozen=True, extra="allow")
