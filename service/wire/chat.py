"""OpenAI's chat API, as far as we look into it: everything else goes through as it is."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StrictStr

from consolidation.workspace import MIND_ID
from service.wire.fields import Answered

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
MODELS: dict[str, Any] = {
    "object": "list",
    "data": [{"id": "mind-memory-echo", "object": "model", "created": 0, "owned_by": "mind-memory"}],
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
    """What we do not know of is not refused, but passed on."""

    model_config = ConfigDict(frozen=True, extra="allow")


def _printable(text: str) -> str:
    if text and not (text.isprintable() and text.strip()):
        raise ValueError("must be printable text")
    return text


class ChatMessageIn(_AsItIs):
    """One message; its content is text, parts, or nothing beside tool calls."""

    role: StrictStr
    content: StrictStr | list[dict[str, Any]] | None = None


_Mind = Annotated[StrictStr, Field(pattern=f"^({MIND_ID})?$")]
_Session = Annotated[
    StrictStr, Field(max_length=200, json_schema_extra={"format": "printable-text"}), AfterValidator(_printable)
]


class ChatMetadataIn(_AsItIs):
    """OpenAI's own, and two of ours, which are not passed on."""

    mind_id: _Mind | None = Field(None, description="Whose memory it is.")
    session_id: _Session | None = Field(None, description="Which conversation.")


class ChatIn(_AsItIs):
    """OpenAI's body; `metadata` may say whose memory it is (`mind_id`) and which conversation (`session_id`)."""

    model: StrictStr = Field("memory", description="`memory`, or a name that `GET /v1/models` lists.")
    messages: Annotated[list[ChatMessageIn], Field(min_length=1)]
    stream: StrictBool | None = None
    user: StrictStr | None = Field(None, description="Whose memory it is, where nothing else says so.")
    metadata: ChatMetadataIn | None = None


class CompletionOut(Answered):
    """What the upstream answered, as it is; with `stream`, as server-sent events."""

    id: str
    object: str
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: dict[str, Any] | None = None

    model_config = ConfigDict(frozen=True, extra="allow")


class ModelOut(Answered):
    """A model that may be asked for."""

    id: str
    object: str
    created: int
    owned_by: str


class ModelsOut(Answered):
    """The models that may be asked for."""

    object: str
    data: list[ModelOut]


class _Refusal(Answered):
    message: str
    type: str
    param: str | None
    code: str | int | None


class RefusedOut(Answered):
    """An error as OpenAI words it; an upstream's own goes through as it is."""

    error: _Refusal

    model_config = ConfigDict(frozen=True, extra="allow")
