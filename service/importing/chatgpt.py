"""
ChatGPT's export: of each conversation's tree, the branch the person last saw, as turns.

Kept: what user and assistant said, and calls and outputs of tools. Dropped: system and hidden messages, the
model's private reasoning, and web pages and documents that were read (nobody said them).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Kind, Message, Speaker, Turn
from service.importing.exchanges import exchanges
from service.importing.fields import instant_of, label_of, list_of, mapping_of, text_of
from service.importing.found import Found, FoundTurn, Skipped
from service.importing.naming import digest_of, identifier

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from service.importing.naming import Naming
    from service.importing.records import Record

_SAID = frozenset({"text", "multimodal_text"})
_RUN = frozenset({"code", "execution_output"})
_READERS = ("browser", "web", "myfiles_browser", "file_search")
_EVERYONE = frozenset({"", "all"})
_IMAGE = "image_asset_pointer"
_HIDDEN = "is_visually_hidden_from_conversation"


@dataclass(frozen=True, slots=True)
class _Said:
    """A message that counts, and the node that held it."""

    node: str
    message: Message


def is_chatgpt(value: dict[str, object]) -> bool:
    """Whether the object is a conversation of ChatGPT's."""
    return "mapping" in value


def read_chatgpt(records: Iterable[Record], *, naming: Naming, only: str | None) -> Iterator[Found]:
    """The turns of every conversation, or of the one whose id is ``only``."""
    for record in records:
        value = mapping_of(record.value)
        given = label_of(value.get("conversation_id")) or label_of(value.get("id"))
        if only is None or only == given:
            yield from _conversation(value, given=given, where=record.where, naming=naming)


def _conversation(value: dict[str, object], *, given: str, where: str, naming: Naming) -> Iterator[Found]:
    said = _timed(_branch(value), fallback=instant_of(value.get("create_time")))
    if not said:
        yield Skipped(where, "a conversation without anything said on its current branch")
        return
    session = identifier(f"chatgpt:{given or digest_of(said[0].node, said[0].message.content)}")
    title = text_of(value.get("title"))
    metadata = {"title": title, "source": "chatgpt"} if title else {"source": "chatgpt"}
    for exchange in exchanges(said, opens=lambda _, now: now.message.role is Speaker.USER):
        messages = tuple(each.message for each in exchange)
        node = exchange[0].node
        turn_id = naming.turn(session, own=f"{session}:{node}", messages=messages)
        turn = Turn(turn_id, session, messages, kind=Kind.IMPORT, metadata=metadata)
        yield FoundTurn(turn, f"{where} {identifier(node)}")


def _branch(value: dict[str, object]) -> list[_Said]:
    """What counts on the way from the root to the current node."""
    mapping = mapping_of(value.get("mapping"))
    said = [_said(text_of(key), mapping_of(mapping[key])) for key in reversed(_way_up(mapping, _tip(value, mapping)))]
    return [each for each in said if each is not None]


def _way_up(mapping: dict[str, object], tip: object) -> list[str]:
    """The keys from the tip to the root; a cycle ends where it closes."""
    way: dict[str, None] = {}
    while isinstance(tip, str) and tip in mapping and tip not in way:
        way[tip] = None
        tip = mapping_of(mapping[tip]).get("parent")
    return list(way)


def _tip(value: dict[str, object], mapping: dict[str, object]) -> object:
    """The current node; where the export lost it, the leaf that was said last."""
    current = value.get("current_node")
    if isinstance(current, str) and current in mapping:
        return current
    leaves = [key for key, node in mapping.items() if not list_of(mapping_of(node).get("children"))]
    return max(leaves or mapping, key=lambda key: _epoch(mapping_of(mapping[key])), default=None)


def _epoch(node: dict[str, object]) -> float:
    said_at = instant_of(mapping_of(node.get("message")).get("create_time"))
    return said_at.timestamp() if said_at else 0.0


def _said(key: str, node: dict[str, object]) -> _Said | None:
    message = mapping_of(node.get("message"))
    content, author = mapping_of(message.get("content")), mapping_of(message.get("author"))
    own_name = text_of(author.get("name"))
    tool = own_name if author.get("role") == "tool" else text_of(message.get("recipient"))
    role, text = _role(author.get("role"), kind=content.get("content_type"), tool=tool), _text(content)
    if role is None or not text or mapping_of(message.get("metadata")).get(_HIDDEN):
        return None
    name = (tool if role is Speaker.TOOL and tool not in _EVERYONE else own_name) or None
    said_at = instant_of(message.get("create_time"))
    return _Said(key, Message(role, text, said_at, name, label_of(message.get("id")) or None))


def _role(author: object, *, kind: object, tool: str) -> Speaker | None:
    """Who speaks; None for whom we do not listen to. What an assistant writes to a tool is the tool's."""
    if not isinstance(kind, str) or kind not in _SAID | _RUN or tool.startswith(_READERS):
        return None
    match author:
        case "user" if kind in _SAID:
            return Speaker.USER
        case "assistant" if kind in _SAID and tool in _EVERYONE:
            return Speaker.ASSISTANT
        case "assistant" | "tool":
            return Speaker.TOOL
        case _:
            return None


def _text(content: dict[str, object]) -> str:
    parts = [_part(part) for part in list_of(content.get("parts"))]
    return "\n".join(part for part in parts if part) or text_of(content.get("text"))


def _part(part: object) -> str:
    """A part's text: a string, an image's stand-in, or the transcription of what was spoken."""
    inner = mapping_of(part)
    return "[image]" if inner.get("content_type") == _IMAGE else text_of(part) or text_of(inner.get("text"))


def _timed(said: list[_Said], *, fallback: datetime | None) -> list[_Said]:
    """The same, each with a time: its own, else the one before it's, else the first known, else the conversation's."""
    known = [each.message.timestamp for each in said if each.message.timestamp]
    latest = known[0] if known else fallback
    timed: list[_Said] = []
    for each in said:
        latest = each.message.timestamp or latest
        timed.append(_Said(each.node, replace(each.message, timestamp=latest)))
    return timed
