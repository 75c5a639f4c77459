"""
ChatGPT's export: of each conversation's tree, the branch that the person last saw, as turns.

Read: what user and assistant said, and calls and outputs of tools. Skipped: system and hidden messages, the model's
private reasoning, web pages and documents that were read (nobody said them), and marks of citations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from service.importing.citations import without_citations
from service.importing.exchanges import exchanges, with_times
from service.importing.fields import label_of, list_of, mapping_of, text_of
from service.importing.ids import digest_of, identifier
from service.importing.results import FoundTurn, ImportItem, Skipped
from service.importing.times import Times

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.importing.ids import IdAssigner
    from service.importing.records import Record

_SPEECH_TYPES = frozenset({"text", "multimodal_text"})
_TOOL_TYPES = frozenset({"code", "execution_output"})
_READING_TOOLS = ("browser", "web", "myfiles_browser", "file_search")
_TO_EVERYONE = frozenset({"", "all"})
_IMAGE = "image_asset_pointer"
_HIDDEN = "is_visually_hidden_from_conversation"


@dataclass(frozen=True, slots=True)
class _Node:
    """A message that counts, and its node."""

    node: str
    message: Message


def is_chatgpt(value: dict[str, object]) -> bool:
    """Whether the object is a ChatGPT conversation."""
    return "mapping" in value


def read_chatgpt(records: Iterable[Record], *, ids: IdAssigner, times: Times, only: str | None) -> Iterator[ImportItem]:
    """The turns of every conversation, or of the one with the id ``only``."""
    for record in records:
        value = mapping_of(record.value)
        conversation_id = label_of(value.get("conversation_id")) or label_of(value.get("id"))
        if only is None or only in {conversation_id, identifier(f"chatgpt:{conversation_id}")}:
            yield from _conversation(value, conversation_id=conversation_id, where=record.where, ids=ids, times=times)


def _conversation(
    value: dict[str, object], *, conversation_id: str, where: str, ids: IdAssigner, times: Times
) -> Iterator[ImportItem]:
    found = _branch(value, times)
    timed = with_times([each.message for each in found], fallback=times.read(value.get("create_time")))
    nodes = [_Node(each.node, message) for each, message in zip(found, timed, strict=True)]
    if not nodes:
        yield Skipped(where, "a conversation without any message on its current branch")
        return
    session = identifier(f"chatgpt:{conversation_id or digest_of(nodes[0].node, nodes[0].message.content)}")
    title = text_of(value.get("title"))
    metadata = {"title": title, "source": "chatgpt"} if title else {"source": "chatgpt"}
    for exchange in exchanges(nodes, opens=lambda _, now: now.message.role is Speaker.USER):
        messages = tuple(each.message for each in exchange)
        node = exchange[0].node
        found_ids = ids.turn_ids(session, own=f"{session}:{node}", messages=messages)
        turn = Turn(found_ids.turn_id, session, messages, kind=TurnKind.IMPORT, metadata=metadata)
        yield FoundTurn(turn, f"{where} {identifier(node)}", found_ids.earlier)


def _branch(value: dict[str, object], times: Times) -> list[_Node]:
    """The messages that count on the way from the root to the current node."""
    mapping = mapping_of(value.get("mapping"))
    nodes = [
        _node(text_of(key), mapping_of(mapping[key]), times)
        for key in reversed(_path_to_root(mapping, _leaf(value, mapping)))
    ]
    return [each for each in nodes if each is not None]


def _path_to_root(mapping: dict[str, object], leaf: object) -> list[str]:
    """The keys from the leaf to the root. A cycle ends where it closes."""
    path: dict[str, None] = {}
    while isinstance(leaf, str) and leaf in mapping and leaf not in path:
        path[leaf] = None
        leaf = mapping_of(mapping[leaf]).get("parent")
    return list(path)


def _leaf(value: dict[str, object], mapping: dict[str, object]) -> object:
    """The current node; if the export lost it, the leaf with the latest message."""
    current = value.get("current_node")
    if isinstance(current, str) and current in mapping:
        return current
    leaves = [key for key, node in mapping.items() if not list_of(mapping_of(node).get("children"))]
    return max(leaves or mapping, key=lambda key: _epoch(mapping_of(mapping[key])), default=None)


def _epoch(node: dict[str, object]) -> float:
    sent_at = Times().read(mapping_of(node.get("message")).get("create_time"))
    return sent_at.timestamp() if sent_at else 0.0


def _node(key: str, node: dict[str, object], times: Times) -> _Node | None:
    message = mapping_of(node.get("message"))
    content, author = mapping_of(message.get("content")), mapping_of(message.get("author"))
    own_name = text_of(author.get("name"))
    tool = own_name if author.get("role") == "tool" else text_of(message.get("recipient"))
    role, text = _role(author.get("role"), kind=content.get("content_type"), tool=tool), _text(content)
    if role is not Speaker.USER:
        text = text_of(without_citations(text))
    if role is None or not text or mapping_of(message.get("metadata")).get(_HIDDEN):
        return None
    name = (tool if role is Speaker.TOOL and tool not in _TO_EVERYONE else own_name) or None
    sent_at = times.read(message.get("create_time"))
    return _Node(key, Message(role, text, sent_at, name, label_of(message.get("id")) or None))


def _role(author: object, *, kind: object, tool: str) -> Speaker | None:
    """
    The speaker's role; None for messages that are skipped. What an assistant writes to a tool counts as the
    tool's.
    """
    if not isinstance(kind, str) or kind not in _SPEECH_TYPES | _TOOL_TYPES or tool.startswith(_READING_TOOLS):
        return None
    match author:
        case "user" if kind in _SPEECH_TYPES:
            return Speaker.USER
        case "assistant" if kind in _SPEECH_TYPES and tool in _TO_EVERYONE:
            return Speaker.ASSISTANT
        case "assistant" | "tool":
            return Speaker.TOOL
        case _:
            return None


def _text(content: dict[str, object]) -> str:
    parts = [_part(part) for part in list_of(content.get("parts"))]
    return "\n".join(part for part in parts if part) or text_of(content.get("text"))


def _part(part: object) -> str:
    """A part's text: a string, a placeholder for an image, or the transcription of speech."""
    inner = mapping_of(part)
    return "[image]" if inner.get("content_type") == _IMAGE else text_of(part) or text_of(inner.get("text"))
