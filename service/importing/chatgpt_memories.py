"""
ChatGPT's saved memories: each becomes a thought of the bot's own, at the time it was last changed.

Read: `memory.json` of an export, what the page of memories loads (`{"memories": [{"id", "content", …}]}`), and a text
with one memory a line, as it is copied from that page. Skipped: memories that are switched off there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from service.importing.fields import clean, label_of, list_of, mapping_of, text_of
from service.importing.records import Record
from service.importing.results import FoundTurn, ImportItem, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO

    from service.importing.ids import IdAssigner
    from service.importing.times import Times

_SESSION = "chatgpt:memories"
_TIMES = ("updated_at", "created_at", "created_timestamp", "create_time", "timestamp")
_OWN = frozenset({"enabled", *_TIMES})
_FIELDS = _OWN - {"timestamp"} | {"id", "content"}
_MARKS = frozenset({"enabled", "updated_at", "created_timestamp"})  # what a line of a chat does not have
_BULLET = re.compile(r"(?:[-*•–]|\d{1,3}[.)]) +")
_LONGEST_LINE = 4_000
_IN_A_NAME = "memor"  # of a text file: memories.txt, chatgpt-memory.md


def is_chatgpt_memories(value: dict[str, object]) -> bool:
    """
    Whether the object is a saved memory, or a list of them.

    One by itself has no fields but a memory's: a line of any chat has words and a time, and says who spoke.
    """
    listed = list_of(value.get("memories"))
    if listed:
        first = mapping_of(listed[0])
        return isinstance(first.get("content"), str) and "role" not in first and not _OWN.isdisjoint(first)
    return isinstance(value.get("content"), str) and value.keys() <= _FIELDS and not _MARKS.isdisjoint(value)


def is_list_of_memories(name: str) -> bool:
    """Whether a text file's name says that it holds one memory a line."""
    return _IN_A_NAME in name.casefold()


def read_chatgpt_memories(
    records: Iterable[Record], *, ids: IdAssigner, times: Times, only: str | None
) -> Iterator[ImportItem]:
    """A turn for each memory."""
    for record in records:
        value = mapping_of(record.value)
        listed = list_of(value.get("memories"))
        found = [Record(f"{record.where}#/memories/{at}", one) for at, one in enumerate(listed)] or [record]
        for one in found:
            item = _turn(one, ids=ids, times=times)
            if only is None or only == _SESSION or isinstance(item, Skipped):
                yield item


def read_lines(stream: TextIO, *, where: str, ids: IdAssigner, only: str | None) -> Iterator[ImportItem]:
    """A turn for each line with words; marks of a list are taken off."""
    number = 0
    while line := stream.readline(_LONGEST_LINE):
        number += 1
        text = clean(_BULLET.sub("", line.strip(), count=1)).strip()
        if text and not text.startswith("#") and only in {None, _SESSION}:
            message = Message(Speaker.THOUGHT, text)
            yield _found(message, where=f"{where}:{number}", ids=ids)


def _turn(record: Record, *, ids: IdAssigner, times: Times) -> FoundTurn | Skipped:
    value = mapping_of(record.value)
    text = text_of(value.get("content"))
    if value.get("enabled") is False:
        return Skipped(record.where, "a memory that is switched off there")
    if not text:
        return Skipped(record.where, "a memory without words")
    message = Message(Speaker.THOUGHT, text, times.read_first(value, _TIMES), None, label_of(value.get("id")) or None)
    return _found(message, where=record.where, ids=ids)


def _found(message: Message, *, where: str, ids: IdAssigner) -> FoundTurn:
    found = ids.turn_ids(_SESSION, messages=(message,))
    metadata = {"source": "chatgpt_memories"}
    turn = Turn(found.turn_id, _SESSION, (message,), kind=TurnKind.IMPORT, metadata=metadata)
    return FoundTurn(turn, where, found.earlier)
