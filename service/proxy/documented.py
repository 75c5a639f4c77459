"""What OpenAPI tells of the proxy: a chat's body, which its route reads itself, and refusals in OpenAI's words."""

from typing import Any

from consolidation.workspace import MIND_ID
from service.api.documented import Answers
from service.wire.chat import ASKED, COMPLETED, REFUSED, ChatIn, RefusedOut

_REFUSALS = {
    400: "The chat does not fit",
    404: "No such model, or no such mind for this key",
    413: "The chat is too large",
    429: "The upstream is at its limit",
    500: "The upstream failed",
    502: "The upstream can not be reached, or broke off",
    503: "The upstream is overloaded",
    504: "The upstream did not answer in time",
}


def _schema(model: type[ChatIn | RefusedOut]) -> dict[str, Any]:
    """A schema in one piece: OpenAPI lists those of bodies that FastAPI reads alone."""
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


def _refusal(told: str) -> dict[str, Any]:
    return {"description": told, "content": {"application/json": {"schema": _schema(RefusedOut), "example": REFUSED}}}


_VISIBLE = {"pattern": r"^[!-~]([ -~]*[!-~])?$", "maxLength": 200}
_HEADERS: dict[str, tuple[dict[str, Any], str]] = {
    "X-Mind-Id": ({"pattern": f"^({MIND_ID})?$"}, "Whose memory it is."),
    "X-Session-Id": ({"format": "printable-text", "maxLength": 200}, "Which conversation."),
    "X-Memory-Bypass": ({}, "`1`, or anything but `0`, `false` and `no`: nothing is read from memory, nothing kept."),
    "Idempotency-Key": (_VISIBLE, "The turn's id: what is sent again under it is kept once."),
}
_ANSWERED = {
    "X-Memory": "`surfaced`, `silent`, `bypassed` or `failed`; the chat is answered all the same.",
    "X-Memory-Trace-Id": "Why this surfaced, or nothing did: `GET /v1/minds/{mind_id}/traces/{trace_id}`.",
    "X-Mind-Id": "Whose memory it was.",
    "X-Session-Id": "Which conversation, percent-encoded.",
}
CHAT: dict[str, Any] = {
    "parameters": [
        {"name": name, "in": "header", "required": False, "schema": {"type": "string", **rule}, "description": told}
        for name, (rule, told) in _HEADERS.items()
    ],
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": _schema(ChatIn), "example": ASKED}},
    },
}
REFUSALS: Answers = {
    **{status: _refusal(told) for status, told in _REFUSALS.items()},
    200: {
        "headers": {name: {"schema": {"type": "string"}, "description": told} for name, told in _ANSWERED.items()},
        "content": {
            "application/json": {"example": COMPLETED},
            "text/event-stream": {},
        },
    },
}
