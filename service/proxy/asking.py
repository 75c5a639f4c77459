"""A request as it is understood: its body, whose memory and which conversation it is of, and what its headers say."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from consolidation.kernel.errors import InvalidRequest
from service.proxy.deriving import forwarded, mind_of, session_of
from service.proxy.rewriting import without_memory
from service.upstream import ChatTooLarge
from service.wire.chat import ChatIn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.datastructures import Headers
    from starlette.requests import Request

    from service.access.caller import Caller

_VISIBLE = re.compile(r"[!-~]([ -~]{0,198}[!-~])?")  # as of the Idempotency-Key of a posted turn
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_NO = frozenset({"", "0", "false", "no"})
_MOST_DRAINED = 16 << 20  # bytes let go, so that the client hears the refusal instead of a reset


@dataclass(frozen=True, slots=True)
class Chat:
    """What a client asked: ``body`` as it goes on, without what an earlier turn of ours put into its messages."""

    body: Mapping[str, Any]
    mind_id: str
    session_id: str
    is_bypassed: bool
    is_retried: bool
    key: str | None

    @property
    def messages(self) -> list[Mapping[str, Any]]:
        """What was said so far."""
        messages: list[Mapping[str, Any]] = self.body["messages"]
        return messages

    @property
    def goes_on(self) -> bool:
        """Whether no person spoke last: a tool has answered, or an answer is to be gone on with."""
        return bool(self.messages[-1]["role"] != "user")

    @property
    def is_streamed(self) -> bool:
        """Whether the answer is to come in chunks."""
        return bool(self.body.get("stream"))

    @property
    def counts(self) -> bool:
        """Whether the last chunk is to tell the tokens."""
        options = self.body.get("stream_options")
        return isinstance(options, dict) and options.get("include_usage") is True


async def asked(request: Request, *, caller: Caller, most_bytes: int) -> Chat:
    """Read *request*. Raises InvalidRequest, ChatTooLarge, MindNotFound."""
    body = _checked(_parsed(await _read(request, most_bytes=most_bytes)))
    headers = request.headers
    mind_id = mind_of(_text(headers, "x-mind-id"), body, caller=caller)
    session_id = session_of(_text(headers, "x-session-id"), body)
    clean = without_memory(body["messages"]) or body["messages"]
    return Chat(
        body={**forwarded(body), "messages": clean},
        mind_id=mind_id,
        session_id=session_id,
        is_bypassed=headers.get("x-memory-bypass", "").strip().lower() not in _NO,
        is_retried=headers.get("x-stainless-retry-count", "0") != "0",
        key=_key(headers),
    )


async def _read(request: Request, *, most_bytes: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most_bytes + _MOST_DRAINED:
            break
        if size <= most_bytes:
            parts.append(part)
    if size > most_bytes:
        raise ChatTooLarge(f"a chat may have {most_bytes} bytes")
    return b"".join(parts)


def _parsed(body: bytes) -> object:
    try:
        found = json.loads(body.decode(), parse_constant=_no_constant)
        if _SURROGATE.search(body):
            json.dumps(found, ensure_ascii=False).encode()  # half of a pair is no text, and can not be sent on
    except (ValueError, RecursionError) as error:
        raise InvalidRequest("the body must be JSON in UTF-8") from error
    return found


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _checked(body: object) -> dict[str, Any]:
    """*body*, all of it, if it is a chat; what we do not know of is the upstream's to judge."""
    try:
        known = ChatIn.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        pointer = "#/" + "/".join(str(step) for step in first["loc"])
        raise InvalidRequest(f"{first['msg']}", pointer=pointer) from error
    assert isinstance(body, dict)  # noqa: S101 - it was valid
    return {**body, "model": known.model}


def _key(headers: Headers) -> str | None:
    key = headers.get("idempotency-key")
    if key is not None and _VISIBLE.fullmatch(key) is None:
        raise InvalidRequest("must be printable ASCII text, 200 characters at most", pointer="header/Idempotency-Key")
    return key


def _text(headers: Headers, name: str) -> str | None:
    """A header's value; what is no ASCII is meant as UTF-8."""
    value = headers.get(name)
    return value.encode("latin-1", "replace").decode("utf-8", "replace").strip() if value is not None else None
