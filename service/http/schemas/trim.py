"""A context window to trim: the body and its answer, in which each message is as it was sent."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ModelWrapValidatorHandler, PrivateAttr, model_validator

from consolidation.dreams.trim import KEEP, MAX_CHARACTERS
from service.http.schemas.fields import WHOLE, Answered, Body

if TYPE_CHECKING:
    from service.story.context_window import TrimmedWindow

_DEEPEST = 100
_CONTENT: dict[str, JsonValue] = {"anyOf": [{"type": "string"}, {"type": "array", "items": {}}, {"type": "null"}]}

_CALL: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "call_7Hk2pQ", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Lyon"}'}}
    ],
}
_RESULT: dict[str, Any] = {"role": "tool", "tool_call_id": "call_7Hk2pQ", "content": "22 degrees"}
TRIMS: dict[str, Any] = {
    "messages": [
        {"role": "system", "content": "You are Ada."},
        {"role": "user", "content": "What is the weather in Lyon?"},
        _CALL,
        _RESULT,
    ],
    "keep": 2,
}
TRIMMED: dict[str, Any] = {
    "messages": [{"role": "system", "content": "You are Ada."}, _CALL, _RESULT],
    "dropped": 1,
    "digest": "[SESSION CONTEXT]\n- user: What is the weather in Lyon?\n[END OF SESSION CONTEXT]",
}


class WindowMessage(BaseModel):
    """A message of OpenAI's or Anthropic's API. Fields that are not named here are allowed, and come back."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function", "thought"]
    content: Annotated[Any, Field(json_schema_extra=_CONTENT)] = None

    model_config = ConfigDict(extra="allow", frozen=True)
    _given: dict[str, Any] = PrivateAttr(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _as_given(cls, given: object, handler: ModelWrapValidatorHandler[WindowMessage]) -> WindowMessage:
        found = handler(given)
        if not isinstance(given, dict):
            raise TypeError("must be an object")
        if not isinstance(found.content, str | list | None):
            raise ValueError("its content must be text, a list or null")  # noqa: TRY004 - pydantic reports no other
        _check(given)
        found._given.update(given)  # noqa: SLF001 - of its own class
        return found

    @property
    def given(self) -> dict[str, Any]:
        """The message as it was sent."""
        return self._given


class TrimIn(Body):
    """A context window, oldest message first, and how much of it stays."""

    messages: Annotated[list[WindowMessage], Field(max_length=20_000)]
    keep: Annotated[int, Field(ge=0, le=10_000, strict=True), WHOLE] = Field(
        KEEP,
        description="How many of the newest messages stay, besides the system messages at the beginning. "
        "With 0, none does but a call that waits for its result.",
    )
    max_characters: Annotated[int, Field(ge=1, le=1_000_000_000, strict=True), WHOLE] = Field(
        MAX_CHARACTERS, description="Fewer stay where they have more characters than this."
    )

    model_config = Body.model_config | {"json_schema_extra": {"examples": [TRIMS]}}

    def as_given(self) -> list[dict[str, Any]]:
        """The messages as they were sent."""
        return [one.given for one in self.messages]


class Trimmed(Answered):
    """The trimmed window."""

    messages: list[dict[str, Any]] = Field(description="The messages that stay, as they were sent.")
    dropped: int = Field(description="How many left. All of them are in the transcript.")
    digest: str = Field(
        description="What they held, a line for each, in at most 80 lines; empty if none left. Put it after the system "
        "messages, as a system message of its own: the next trim takes its lines over, and it is never stored."
    )


def window_response(found: TrimmedWindow) -> Response:
    """The answer, in ASCII: a message may hold half of a surrogate pair, which no UTF-8 can."""
    whole = {"messages": found.messages, "dropped": found.dropped, "digest": found.digest}
    return Response(json.dumps(whole, allow_nan=False), media_type="application/json")


def _check(message: dict[str, Any]) -> None:
    """Refuse numbers and depths that could not be sent back. Raises ValueError."""
    level: list[Any] = [message]
    for _ in range(_DEEPEST):
        if any(isinstance(one, float) and not math.isfinite(one) for one in level):
            raise ValueError("holds a number that JSON can not hold")
        inside = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list))
        level = [inner for found in inside for inner in found]
        if not level:
            return
    raise ValueError(f"is nested more than {_DEEPEST} levels deep")
