"""JSON-RPC messages that the SDK does not read: halves of surrogate pairs are repaired, the rest is answered."""

from __future__ import annotations

import json
from contextlib import suppress

from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from consolidation.text.surrogates import without_lone_surrogates

_ESCAPES = (b"\\ud", b"\\uD")  # of surrogates, which are D800 to DFFF
_OF_A_MESSAGE = frozenset({"id", "jsonrpc", "method", "params"})
_OF_AN_ANSWER = frozenset({"result", "error"})
_MUST_BE = 'a message is one object, {"jsonrpc": "2.0", "id": 1, "method": "…", "params": {…}}, with an id of its own'


def repaired(raw: bytes) -> bytes:
    """Return JSON without halves of surrogate pairs, of which models and hosts cut off some; anything else as it is."""
    if any(escape in raw for escape in _ESCAPES):
        with suppress(ValueError, RecursionError):
            return without_lone_surrogates(json.dumps(json.loads(raw), ensure_ascii=False)).encode()
    return raw


def refusal_of(raw: bytes) -> JSONRPCError | None:
    """Return the error to answer where *raw* is not a message of the protocol, with the request's id if it has one."""
    try:
        jsonrpc_message_adapter.validate_json(raw, by_name=False)
    except ValidationError as error:
        return _refusal_of(error)
    return None


def read_again(error: Exception) -> JSONRPCMessage | JSONRPCError | None:
    """
    Return what the SDK did not read with *error*: repaired, else the error to answer, with the request's id if it has
    one.

    None for an answer, to which nobody waits for another.
    """
    line = next(iter(_inputs(error)), None)
    if isinstance(line, str) and (whole := repaired(line.encode())) != line.encode():
        try:
            return jsonrpc_message_adapter.validate_json(whole, by_name=False)
        except ValidationError as again:
            return _refusal_of(again)
    return _refusal_of(error)


def _refusal_of(error: Exception) -> JSONRPCError | None:
    if isinstance(error, ValidationError) and error.errors()[0]["type"] == "json_invalid":
        return JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=PARSE_ERROR, message="this is not JSON"))
    known = next((one for one in _inputs(error) if isinstance(one, dict) and one.keys() & _OF_A_MESSAGE), {})
    if "method" not in known and known.keys() & _OF_AN_ANSWER:
        return None
    own_id = known.get("id") if type(known.get("id")) in {int, str} else None
    return JSONRPCError(jsonrpc="2.0", id=own_id, error=ErrorData(code=INVALID_REQUEST, message=_MUST_BE))


def _inputs(error: Exception) -> list[object]:
    """What the parts of *error* are about: the line where it is not JSON, else the message and fields of it."""
    return [one["input"] for one in error.errors()] if isinstance(error, ValidationError) else []
