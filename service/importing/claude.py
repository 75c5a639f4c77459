"""
Claude.ai's export: of each conversation, the branch that the person last saw, as turns.

Read: what the person and the assistant said, and the names of files that were attached. Skipped: the model's thinking,
its calls of tools with their results, and the contents of files (nobody said them).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from service.importing.exchanges import exchanges, with_times
from service.importing.fields import label_of, list_of, mapping_of, text_of
from service.importing.ids import digest_of, identifier
from service.importing.results import FoundTurn, ImportItem, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.importing.ids import IdAssigner
    from service.importing.records import Record
    from service.importing.times import Times

_SPEAKERS = {"human": Speaker.USER, "user": Speaker.USER, "assistant": Speaker.ASSISTANT}
_UNSHOWN = "This block is not supported on your current device yet."  # in `text`, where a tool was called


def is_claude(value: dict[str, object]) -> bool:
    """Whether the object is a Claude.ai conversation."""
    return "chat_messages" in value


def read_claude(records: Iterable[Record], *, ids: IdAssigner, times: Times, only: str | None) -> Iterator[ImportItem]:
    """The turns of every conversation, or of the one with the id ``only``."""
    for record in records:
        value = mapping_of(record.value)
        conversation_id = label_of(value.get("uuid"))
        if only is None or only in {conversation_id, identifier(f"claude:{conversation_id}")}:
            yield from _conversation(value, conversation_id=conversation_id, where=record.where, ids=ids, times=times)


def _conversation(
    value: dict[str, object], *, conversation_id: str, where: str, ids: IdAssigner, times: Times
) -> Iterator[ImportItem]:
    said = [message for each in _branch(value) if (message := _message(each, times)) is not None]
    messages = with_times(said, fallback=times.read(value.get("created_at")))
    if not messages:
        yield Skipped(where, "a conversation without any message")
        return
    session = identifier(f"claude:{conversation_id or digest_of(messages[0].id, messages[0].content)}")
    title = text_of(value.get("name"))
    metadata = {"title": title, "source": "claude"} if title else {"source": "claude"}
    for exchange in exchanges(messages, opens=lambda _, now: now.role is Speaker.USER):
        own = f"{session}:{exchange[0].id}" if exchange[0].id else ""
        found = ids.turn_ids(session, own=own, messages=exchange)
        turn = Turn(found.turn_id, session, exchange, kind=TurnKind.IMPORT, metadata=metadata)
        yield FoundTurn(turn, f"{where} {identifier(exchange[0].id or '')}".rstrip(), found.earlier)


def _branch(value: dict[str, object]) -> list[dict[str, object]]:
    """
    The messages on the way from the first to the current one, in order.

    Older exports do not name parents; they are one line. Where the current message is not named, it is the last.
    """
    listed = [mapping_of(each) for each in list_of(value.get("chat_messages"))]
    by_id = {label_of(each.get("uuid")): each for each in listed}
    if not any(label_of(each.get("parent_message_uuid")) in by_id for each in listed):
        return listed
    current = label_of(value.get("current_leaf_message_uuid"))
    at = current if current in by_id else label_of(listed[-1].get("uuid"))
    path: dict[str, None] = {}  # a cycle ends where it closes
    while at in by_id and at not in path:
        path[at] = None
        at = label_of(by_id[at].get("parent_message_uuid"))
    return [by_id[each] for each in reversed(path)]


def _message(value: dict[str, object], times: Times) -> Message | None:
    """What was said, with the names of attached files; None for a message of nobody, or without words."""
    sender = value.get("sender")
    role = _SPEAKERS.get(sender) if isinstance(sender, str) else None
    attached = (*list_of(value.get("attachments")), *list_of(value.get("files")))
    names = dict.fromkeys(name for each in attached if (name := text_of(mapping_of(each).get("file_name"))))
    content = "\n".join(filter(None, (_spoken(value), *(f"[file: {name}]" for name in names))))
    if role is None or not content:
        return None
    return Message(role, content, times.read(value.get("created_at")), None, label_of(value.get("uuid")) or None)


def _spoken(value: dict[str, object]) -> str:
    """The text of its blocks of text; where the export has no blocks, the text beside them."""
    blocks = [mapping_of(block) for block in list_of(value.get("content"))]
    if blocks:
        texts = (text_of(block.get("text")) for block in blocks if block.get("type") == "text")
        return "\n".join(text.strip() for text in texts if text)
    return "" if _UNSHOWN in (text := text_of(value.get("text"))) and len(text) < 2 * len(_UNSHOWN) else text.strip()
