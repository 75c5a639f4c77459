"""Which mind and which session a chat belongs to, since OpenAI's API has no field for either."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import InvalidRequest
from consolidation.kernel.turns import has_dot_step
from consolidation.text.content import text_of
from consolidation.workspace import mind_id_of, mind_of_others

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from service.access.principal import Principal

OURS = frozenset({"mind_id", "session_id", "outcomes", "trace_id"})  # fields of the metadata
# Open WebUI's, which sends them where ENABLE_FORWARD_USER_INFO_HEADERS is set.
FRONT_END_USER, FRONT_END_CHAT = "X-OpenWebUI-User-Id", "X-OpenWebUI-Chat-Id"
_LONGEST_SESSION = 200


def mind_of(header: str | None, body: Mapping[str, Any], *, caller: Principal, front_end: str | None = None) -> str:
    """
    The mind from the header, the metadata, the `user` field, *front_end*, or the default, in this order.

    *front_end* is the user as a front end names them in a header of its own. A key for a single mind needs no name, and
    *front_end* is not read with one. Raises InvalidMindId, and MindNotFound for a mind that *caller* may not see.
    """
    mind_id = _named_mind(header, body, front_end=front_end if caller.only_mind is None else None)
    mind_id = mind_id or caller.default_mind
    if not caller.sees(mind_id):
        raise mind_of_others(mind_id)
    return mind_id


def session_of(header: str | None, body: Mapping[str, Any], *, front_end: str | None = None) -> str:
    """
    The session from the header, the metadata, *front_end*, or derived from how the conversation begins.

    Each later request repeats that beginning. The system message is left out: many contain the time of day.
    *front_end* is the chat as a front end names it in a header of its own. Raises InvalidRequest.
    """
    for name, value in (("X-Session-Id", header), (FRONT_END_CHAT, front_end)):
        if value and not (value.isprintable() and len(value) <= _LONGEST_SESSION):
            raise InvalidRequest("must be printable text of at most 200 characters", pointer=f"header/{name}")
        if value and has_dot_step(value):
            raise InvalidRequest('must have no step "." or ".." between slashes', pointer=f"header/{name}")
    return header or _metadata(body, "session_id") or front_end or _session_from(_first_user_text(body["messages"]))


def forwarded(body: Mapping[str, Any]) -> dict[str, Any]:
    """*body* without the fields meant for us: OpenAI refuses metadata in a chat that is not stored."""
    if not isinstance(body.get("metadata"), dict):
        return dict(body)
    rest = {name: value for name, value in body["metadata"].items() if name not in OURS}
    others = {name: value for name, value in body.items() if name != "metadata"}
    return {**others, "metadata": rest} if rest else others


def _named_mind(header: str | None, body: Mapping[str, Any], *, front_end: str | None) -> str | None:
    user = body.get("user")
    named = (
        ("header/X-Mind-Id", header),
        ("#/metadata/mind_id", _metadata(body, "mind_id")),
        ("#/user", user.get("id") if isinstance(user, dict) else user),
        (f"header/{FRONT_END_USER}", front_end),
    )
    return next((mind_id_of(name, pointer=pointer) for pointer, name in named if name), None)


def _metadata(body: Mapping[str, Any], name: str) -> str | None:
    value: str | None = (body.get("metadata") or {}).get(name)
    return value


def _first_user_text(messages: Sequence[Mapping[str, Any]]) -> str:
    first = next((one for one in messages if one["role"] == "user"), messages[0])
    content = first.get("content")
    return "\n".join((text_of(content), *(_audio(content) if isinstance(content, list) else ())))


def _audio(content: Sequence[object]) -> Iterator[str]:
    """What was spoken, as it was sent: all recordings have the same text, a mark."""
    for part in content:
        audio = part.get("input_audio") if isinstance(part, dict) else None
        if isinstance(audio, dict):
            yield str(audio.get("data"))


def _session_from(text: str) -> str:
    return f"chat-{hashlib.blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=12).hexdigest()}"
