"""What the OpenAPI document says about the proxy: the chat body, which the route reads itself, and OpenAI's errors."""

from typing import Any

from consolidation.workspace import LONGEST_MIND_NAME
from service.http.openapi import Answers
from service.http.schemas.chat import ASKED, COMPLETED, REFUSED, ChatIn, RefusedOut
from service.openai_proxy.identity import FRONT_END_CHAT, FRONT_END_USER

_ACCESS = {
    401: "A valid API key is required",
    403: "The request comes from a place that may not ask",
    421: "The Host header is not allowed",
    429: "Too many requests, here or at the upstream",
}
_REFUSALS = {
    **_ACCESS,
    400: "The chat is not valid",
    404: "The model does not exist, or this key may not see the mind",
    413: "The chat is too large",
    415: "The body is compressed",
    500: "The upstream failed",
    502: "The upstream can not be reached, or broke off",
    503: "The upstream is overloaded",
    504: "The upstream did not answer in time",
}


def _schema(model: type[ChatIn | RefusedOut]) -> dict[str, Any]:
    """A schema in one piece. OpenAPI lists by name only the schemas of bodies that FastAPI reads itself."""
    schema = model.model_json_schema()
    parts = schema.pop("$defs", {})
    return {name: _inlined(value, parts) for name, value in schema.items()}


def _inlined(value: Any, parts: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return [_inlined(inner, parts) for inner in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return _inlined(parts[value["$ref"].removeprefix("#/$defs/")], parts)
    return {name: _inlined(inner, parts) for name, inner in value.items()}


def _refusal(description: str) -> dict[str, Any]:
    return {
        "description": description,
        "content": {"application/json": {"schema": _schema(RefusedOut), "example": REFUSED}},
    }


_VISIBLE = {"pattern": r"^[!-~]([ -~]*[!-~])?$", "maxLength": 200}
_HEADERS: dict[str, tuple[dict[str, Any], str]] = {
    "X-Mind-Id": ({"format": "printable-text", "maxLength": LONGEST_MIND_NAME}, "The mind whose memory is used."),
    "X-Session-Id": ({"format": "printable-text", "maxLength": 200}, "Which conversation."),
    FRONT_END_USER: (
        {"format": "printable-text", "maxLength": LONGEST_MIND_NAME},
        "Open WebUI's: the mind, where nothing else names it and the key is not for a single one.",
    ),
    FRONT_END_CHAT: (
        {"format": "printable-text", "maxLength": 200},
        "Open WebUI's: which conversation, where nothing else names it.",
    ),
    "X-Timezone": (
        {"format": "iana-time-zone", "maxLength": 64},
        "The caller's time zone, like Europe/Paris, by which memories are dated.",
    ),
    "X-Memory-Bypass": ({}, "`1`, or anything but `0`, `false` and `no`: memory is neither read nor written."),
    "Idempotency-Key": (_VISIBLE, "The turn's id. A request repeated under it is stored once."),
}
_ANSWERED = {
    "X-Memory": "`surfaced`, `silent`, `bypassed` or `failed`. The chat is answered in each case.",
    "X-Memory-Trace-Id": "Why this surfaced, or nothing did: `GET /v1/minds/{mind_id}/traces/{trace_id}`.",
    "X-Memory-Not-Stored": "Why the chat was not stored: a problem's name. A stream has it in a comment at its end.",
    "X-Mind-Id": "The mind whose memory was used.",
    "X-Session-Id": "The session, percent-encoded.",
}
CHAT: dict[str, Any] = {
    "parameters": [
        {
            "name": name,
            "in": "header",
            "required": False,
            "schema": {"type": "string", **rule},
            "description": description,
        }
        for name, (rule, description) in _HEADERS.items()
    ],
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": _schema(ChatIn), "example": ASKED}},
    },
}
ACCESS_REFUSALS: Answers = {status: _refusal(description) for status, description in _ACCESS.items()}
NAMED_MODEL: dict[str, Any] = {
    "parameters": [
        {
            "name": "model",
            "in": "path",
            "required": True,
            "schema": {"type": "string"},
            "description": "As `GET /v1/models` lists it.",
            "example": "memory",
        }
    ]
}
MODEL_REFUSALS: Answers = {**ACCESS_REFUSALS, 404: _refusal("The model does not exist")}
REFUSALS: Answers = {
    **{status: _refusal(description) for status, description in _REFUSALS.items()},
    200: {
        "headers": {
            name: {"schema": {"type": "string"}, "description": description} for name, description in _ANSWERED.items()
        },
        "content": {
            "application/json": {"example": COMPLETED},
            "text/event-stream": {},
        },
    },
}
