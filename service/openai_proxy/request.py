"""A parsed chat request: its body, its mind and session, and what its headers say."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from consolidation.kernel.errors import ChatTooLarge, InvalidRequest
from consolidation.text.surrogates import without_lone_surrogates
from service.http.dependencies import text_of_header
from service.http.middleware.body_limit import MOST_DRAINED
from service.http.problems import invalid_fields, unread
from service.http.schemas.chat import ChatIn
from service.http.schemas.fields import addressable
from service.openai_proxy.housekeeping import is_housekeeping
from service.openai_proxy.identity import FRONT_END_CHAT, FRONT_END_USER, forwarded, mind_of, session_of
from service.openai_proxy.rewrite import without_memory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.datastructures import Headers
    from starlette.requests import Request

    from service.access.principal import Principal
    from service.index.salience import Outcome

_VISIBLE = re.compile(r"[!-~]([ -~]{0,198}[!-~])?")  # as for the Idempotency-Key of a posted turn
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_FALSE = frozenset({"", "0", "false", "no"})


@dataclass(frozen=True, slots=True)
class Chat:
    """
    What a client sent. ``body`` is what is passed on, without our blocks from earlier chats.

    ``is_bypassed``: memory is not part of it, as the client wished, or since a front end asks for a title or the like.

    ``is_retried``: the client's library says so. ``may_be_repeated``: it would say so, or the chat has a ``key``.

    ``outcomes`` are those of an earlier answer's flashbacks, by id; of the session's last one, if its trace is None.
    """

    body: Mapping[str, Any]
    mind_id: str
    session_id: str
    is_bypassed: bool
    is_retried: bool
    key: str | None
    may_be_repeated: bool = False
    timezone: ZoneInfo | None = None
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    outcomes_trace_id: str | None = None

    @property
    def messages(self) -> list[Mapping[str, Any]]:
        """The messages so far."""
        messages: list[Mapping[str, Any]] = self.body["messages"]
        return messages

    @property
    def is_continuation(self) -> bool:
        """Whether no person spoke last: a tool has answered, or an answer is to be continued."""
        return bool(self.messages[-1]["role"] != "user")


async def parse_chat(request: Request, *, caller: Principal, most_bytes: int, housekeeping: Sequence[str] = ()) -> Chat:
    """Parse *request*. Raises InvalidRequest, ChatTooLarge, MindNotFound."""
    body, known = _checked(_decoded(await _read(request, most_bytes=most_bytes)))
    headers = request.headers
    retries, key = headers.get("x-stainless-retry-count"), _key(headers)
    mind_id = mind_of(_text(headers, "x-mind-id"), body, caller=caller, front_end=_text(headers, FRONT_END_USER))
    session_id = session_of(_text(headers, "x-session-id"), body, front_end=_text(headers, FRONT_END_CHAT))
    clean = without_memory(body["messages"]) or body["messages"]
    return Chat(
        body={**forwarded(body), "messages": clean},
        mind_id=mind_id,
        session_id=session_id,
        is_bypassed=_is_bypassed(headers) or is_housekeeping(clean, patterns=housekeeping),
        is_retried=retries not in {None, "0"},
        key=key,
        may_be_repeated=retries is not None or key is not None,
        timezone=_timezone(headers),
        outcomes=(known.metadata.outcomes if known.metadata else None) or {},
        outcomes_trace_id=known.metadata.trace_id if known.metadata else None,
    )


async def _read(request: Request, *, most_bytes: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most_bytes + MOST_DRAINED:
            break
        if size <= most_bytes:
            parts.append(part)
    if size > most_bytes:
        raise ChatTooLarge(f"a chat may have {most_bytes} bytes")
    return b"".join(parts)


def _decoded(body: bytes) -> object:
    try:
        found = json.loads(body.decode(), parse_constant=_refuse_constant, parse_float=_finite)
        if _SURROGATE.search(body):  # half of a pair is not text, and can not be sent on
            found = json.loads(without_lone_surrogates(json.dumps(found, ensure_ascii=False)))
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(unread(error)) from error
    return found


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _finite(number: str) -> float:
    found = float(number)
    if not math.isfinite(found):
        raise ValueError(f"{number[:20]} is too large for a number")
    return found


def _checked(body: object) -> tuple[dict[str, Any], ChatIn]:
    """*body* unchanged, if it is a chat, and what we read of it. Fields we do not know are the upstream's to judge."""
    try:
        known = ChatIn.model_validate(body)
    except ValidationError as error:
        found = [{**one, "loc": ("body", *one["loc"])} for one in error.errors(include_url=False)]
        pointer, detail = next(iter(invalid_fields(found, body=body).items()))
        raise InvalidRequest(detail, pointer=pointer) from error
    assert isinstance(body, dict)  # noqa: S101 - it was valid
    return {**body, "model": known.model}, known


def _is_bypassed(headers: Headers) -> bool:
    return headers.get("x-memory-bypass", "").strip().lower() not in _FALSE


def _key(headers: Headers) -> str | None:
    key, pointer = headers.get("idempotency-key"), "header/Idempotency-Key"
    if key is not None and _VISIBLE.fullmatch(key) is None:
        raise InvalidRequest("must be printable ASCII text of at most 200 characters", pointer=pointer)
    try:
        return addressable(key) if key is not None else None
    except ValueError as error:
        raise InvalidRequest(str(error), pointer=pointer) from error


def _timezone(headers: Headers) -> ZoneInfo | None:
    name = headers.get("x-timezone")
    try:
        return ZoneInfo(name) if name else None
    except (ValueError, OSError, KeyError) as error:
        detail = "is not a time zone of the IANA list, like Europe/Paris"
        raise InvalidRequest(detail, pointer="header/X-Timezone") from error


def _text(headers: Headers, name: str) -> str | None:
    value = headers.get(name)
    return text_of_header(value) if value is not None else None
