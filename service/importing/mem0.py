"""
Memories of mem0 and OpenMemory: each sentence becomes a thought of the bot's own, at the time it was last changed.

Read: what mem0's ``get_all`` answers, as a list, as lines or under ``results``, and the ``memories.json`` or
``memories.jsonl`` of an OpenMemory backup. Of one that expires, the words say when, as long as it holds and afterwards.
Skipped: memories that were deleted, archived or paused there, and relations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from service.importing.fields import label_of, list_of, mapping_of, metadata_of, text_of
from service.importing.ids import identifier
from service.importing.records import Record
from service.importing.results import FoundTurn, ImportItem, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.importing.ids import IdAssigner
    from service.importing.times import Times

_LISTS = ("results", "memories")
_ACTIVE = "active"
_OWNERS = ("run_id", "user_id", "agent_id")  # the narrowest first: what the memories of one session have in common


def is_mem0(value: dict[str, object]) -> bool:
    """Whether the object is a memory of mem0 or OpenMemory, or a list of them."""
    if "role" in value or "messages" in value:
        return False
    return _is_memory(value) or any(
        (listed := list_of(value.get(name))) and _is_memory(mapping_of(listed[0])) for name in _LISTS
    )


def read_mem0(records: Iterable[Record], *, ids: IdAssigner, times: Times, only: str | None) -> Iterator[ImportItem]:
    """A turn for each memory, or for each of the session ``only``."""
    for record in records:
        yield from _relations(record)
        for memory in _memories(record):
            found = _turn(memory, ids=ids, times=times)
            if isinstance(found, Skipped) or only is None or found.turn.session_id == only:
                yield found


def _is_memory(value: dict[str, object]) -> bool:
    """mem0 calls the sentence ``memory``; OpenMemory calls it ``content``, and has a ``state`` beside it."""
    return "id" in value and ("memory" in value or ("content" in value and "state" in value))


def _memories(record: Record) -> Iterator[Record]:
    value = mapping_of(record.value)
    if _is_memory(value):
        yield record
        return
    name = next(name for name in _LISTS if list_of(value.get(name)))
    for index, each in enumerate(list_of(value[name])):
        yield Record(f"{record.where}#/{name}/{index}", each)


def _relations(record: Record) -> Iterator[Skipped]:
    """What is said of the relations that ``get_all`` answers beside the memories they were read from."""
    if not _is_memory(value := mapping_of(record.value)) and list_of(value.get("relations")):
        yield Skipped(f"{record.where}#/relations", "relations of entities: they are read from the memories anew")


def _turn(record: Record, *, ids: IdAssigner, times: Times) -> FoundTurn | Skipped:
    value = mapping_of(record.value)
    text = text_of(value.get("memory")) or text_of(value.get("content"))
    state = text_of(value.get("state")) or _ACTIVE
    if state != _ACTIVE:
        return Skipped(record.where, f"a memory that is {state} there")
    if not text:
        return Skipped(record.where, "a memory without words")
    at = times.read_first(value, ("updated_at", "created_at"))
    ends = times.read(value.get("expiration_date"), consequence="when the memory ends is not known")
    text = f"{text} (This holds until {ends:%Y-%m-%d}.)" if ends is not None else text
    owner = next((label for name in _OWNERS if (label := label_of(value.get(name)))), "")
    session = identifier(f"mem0:{owner or 'memories'}")
    message = Message(Speaker.THOUGHT, text, at, None, label_of(value.get("id")) or None)
    found = ids.turn_ids(session, messages=(message,))  # not its own: mem0 writes a changed memory under the same one
    metadata = {**metadata_of(value.get("metadata")), "source": "mem0"}
    if categories := [name for each in list_of(value.get("categories")) if (name := text_of(each))]:
        metadata["categories"] = categories
    turn = Turn(found.turn_id, session, (message,), kind=TurnKind.IMPORT, metadata=metadata)
    return FoundTurn(turn, record.where, found.earlier)
