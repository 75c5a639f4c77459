"""From a path to turns: recognises each record's format by its shape, and gives it to that format's reader."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Protocol

from consolidation.kernel.errors import ImportUnreadable
from consolidation.kernel.speaker_names import fault_in
from service.importing.agent_jsonl import is_agents, read_agents
from service.importing.chatgpt import is_chatgpt, read_chatgpt
from service.importing.chatgpt_memories import (
    is_chatgpt_memories,
    is_list_of_memories,
    read_chatgpt_memories,
    read_lines,
)
from service.importing.claude import is_claude, read_claude
from service.importing.fields import clean
from service.importing.gemini import is_gemini, read_gemini
from service.importing.graphiti import is_graphiti, read_graphiti
from service.importing.ids import LONGEST_ID, IdAssigner, identifier
from service.importing.mem0 import is_mem0, read_mem0
from service.importing.oldest_first import OldestFirst
from service.importing.own_jsonl import is_own, read_own
from service.importing.records import NOT_JSON, Record, records
from service.importing.results import FoundTurn, ImportItem, Skipped, unreadable
from service.importing.sources import sources_of
from service.importing.times import Times
from service.importing.whatsapp import is_whatsapp, read_whatsapp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import tzinfo
    from pathlib import Path
    from typing import TextIO

    from consolidation.kernel.turns import Message
    from service.importing.sources import ImportSource

_MOST_UNKNOWN = 1000  # records of unknown format after which a file is given up
_KEYS_SHOWN = 8
_AS_LINES = "A table or a text, such as CSV or Markdown, comes in as JSONL of our own, one message a line"
_LOOKED_AT = 8_000  # characters in which a text shows what it is
_TEXT_ENDINGS = frozenset({".txt", ".md"})
_NAMES = {list: "a list", str: "a text", bool: "a boolean", int: "a number", float: "a number"}


class _Read(Protocol):
    """A format's reader."""

    def __call__(
        self, records: Iterable[Record], *, ids: IdAssigner, times: Times, only: str | None
    ) -> Iterator[ImportItem]: ...


@dataclass(frozen=True, slots=True)
class _Format:
    """A format: what it is called, how an object of it is recognised, how it is read, and which is first in a file."""

    name: str
    matches: Callable[[dict[str, object]], bool]
    read: _Read
    is_newest_first: bool = False


_FORMATS = (
    _Format("chatgpt", is_chatgpt, read_chatgpt, is_newest_first=True),
    _Format("claude", is_claude, read_claude, is_newest_first=True),
    _Format("gemini", is_gemini, read_gemini),
    _Format("graphiti", is_graphiti, read_graphiti),
    _Format("mem0", is_mem0, read_mem0),
    _Format("chatgpt_memories", is_chatgpt_memories, read_chatgpt_memories),
    _Format("jsonl", is_own, read_own),
    _Format("agent_sessions", is_agents, read_agents),
)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which conversation is wanted, and in which zone times without one are."""

    only: str | None
    zone: tzinfo | None


def read_conversations(path: Path, *, only: str | None = None, zone: tzinfo | None = None) -> Iterator[ImportItem]:
    """
    Every turn of a file, a folder or a zip, as it is read; those of ChatGPT and Claude.ai by the times of their
    conversations, oldest first. ``only`` narrows to one conversation.

    ``only`` is the conversation id of ChatGPT or Claude.ai, or our session id. Times that name no zone are in *zone*,
    UTC without one. A name that its speaker may not have is left out: the role is shown instead. In a folder, a file
    that can not be read is skipped, as long as another can; else ``ImportUnreadable``.
    """
    has_turns = False
    for found in _read_all(path, _Wanted(only, zone)):
        if isinstance(found, FoundTurn):
            has_turns = True
            messages = tuple(map(_fitting, found.turn.messages))
            yield replace(found, turn=replace(found.turn, messages=messages))
        else:
            yield found
    if only is not None and not has_turns:
        yield Skipped(clean(str(path)), f"no conversation {identifier(only)!r} in it")


def _fitting(message: Message) -> Message:
    """The message with a name that its speaker may have, or none, an id that can be stored, and its time in UTC."""
    if message.name is not None and fault_in(message.name, role=message.role):
        message = replace(message, name=None)
    if message.id is not None and len(message.id) > LONGEST_ID:
        message = replace(message, id=identifier(message.id))
    if message.timestamp is not None and message.timestamp.tzinfo is not UTC:
        message = replace(message, timestamp=message.timestamp.astimezone(UTC))
    return message


def format_name(path: Path) -> str:
    """The format of the first known record, or of a text: whatsapp or chatgpt_memories. Raises ImportUnreadable."""
    fault = None
    for source in sources_of(path):
        try:
            with source.open() as stream:
                if (text := _text_format(stream, source)) is not None:
                    return text
                _, first = _head(records(stream, where=source.where, is_lines=source.is_lines), where=source.where)
        except ImportUnreadable as unreadable_source:
            fault = fault or unreadable_source
            continue
        known = _format_of(first)
        assert known is not None  # noqa: S101 - _head returns no other record
        return known.name
    raise fault or unreadable(clean(str(path)), found="nothing in it")


def _read_all(path: Path, wanted: _Wanted) -> Iterator[ImportItem]:
    sources = sources_of(path)
    unreadable: list[ImportUnreadable] = []
    held = OldestFirst()
    for source in sources:
        try:
            yield from _read(source, wanted, held)
        except ImportUnreadable as fault:
            unreadable.append(fault)
            if len(sources) > 1:
                yield Skipped(fault.where, fault.found)
    yield from held.rest()
    if len(unreadable) == len(sources):
        raise _none_readable(path, unreadable)


def _none_readable(path: Path, faults: list[ImportUnreadable]) -> ImportUnreadable:
    if len(faults) == 1:
        return faults[0]
    return unreadable(clean(str(path)), found=f"none of its {len(faults)} files is a known export")


def _read(source: ImportSource, wanted: _Wanted, held: OldestFirst) -> Iterator[ImportItem]:
    """Read one source: a text, or by runs of records of one format. Turns of a file with the newest first are held."""
    zone, only = wanted.zone or UTC, wanted.only
    ids = IdAssigner(stem=source.path.stem, zone=zone)
    if (foreign := source.foreign()) is not None:
        yield foreign
    with source.open() as stream:
        match _text_format(stream, source):
            case "whatsapp":
                items = read_whatsapp(stream, where=source.where, chat=source.stem, ids=ids, only=only, zone=zone)
                yield from _of_file(source, items)
                return
            case "chatgpt_memories":
                yield from _of_file(source, read_lines(stream, where=source.where, ids=ids, only=only))
                return
        found_records = records(stream, where=source.where, is_lines=source.is_lines)
        unknown, first = _head(found_records, where=source.where)
        yield from unknown
        times = Times(zone)
        for format_, run in groupby(chain((first,), found_records), key=_format_of):
            if format_ is None:
                yield from map(_unrecognised, run)
            else:
                read = format_.read(_readable(run, times), ids=ids, times=times, only=only)
                items = _of_file(source, _with_unread(read, times))
                yield from held.take(items) if format_.is_newest_first else items


def _of_file(source: ImportSource, items: Iterable[ImportItem]) -> Iterator[ImportItem]:
    for item in items:
        yield replace(item, file=source.where) if isinstance(item, FoundTurn) else item


def _with_unread(items: Iterable[ImportItem], times: Times) -> Iterator[ImportItem]:
    """The items, and among them what is to be said of times that can not be read."""
    for item in items:
        yield from times.unread()
        yield item
    yield from times.unread()


def _text_format(stream: TextIO, source: ImportSource) -> str | None:
    """The format of a text that is no JSON, if it is known; the stream is at its beginning again."""
    beginning = stream.read(_LOOKED_AT)
    stream.seek(0)
    if is_whatsapp(beginning):
        return "whatsapp"
    is_json = beginning.lstrip()[:1] in {"{", "["}
    is_text = source.path.suffix.lower() in _TEXT_ENDINGS and source.member is None
    return "chatgpt_memories" if is_text and not is_json and is_list_of_memories(source.stem) else None


def _head(found_records: Iterator[Record | Skipped], *, where: str) -> tuple[list[Skipped], Record | Skipped]:
    """The records before the first one of a known format, and that record."""
    unknown: list[Skipped] = []
    for record in islice(found_records, _MOST_UNKNOWN):
        if _format_of(record) is not None:
            return unknown, record
        unknown.append(_unrecognised(record))
    reason = unknown[0].reason if unknown else "nothing in it"
    raise unreadable(where, found=f"{reason}. {_AS_LINES}" if reason.startswith(NOT_JSON) else reason)


def _format_of(record: Record | Skipped) -> _Format | None:
    if isinstance(record, Skipped) or not isinstance(record.value, dict):
        return None
    value = record.value
    return next((format_ for format_ in _FORMATS if format_.matches(value)), None)


def _readable(run: Iterable[Record | Skipped], times: Times) -> Iterator[Record]:
    for record in run:
        if isinstance(record, Record):
            times.where = record.where
            yield record


def _unrecognised(record: Record | Skipped) -> Skipped:
    return record if isinstance(record, Skipped) else Skipped(record.where, _shape(record.value))


def _shape(value: object) -> str:
    """A description of an unknown value."""
    if isinstance(value, dict):
        keys = ", ".join(identifier(clean(key)) for key in list(value)[:_KEYS_SHOWN])
        if not any(value.values()):
            return f"an object with nothing in it, under the keys {keys}" if keys else "an empty object"
        if isinstance(value.get("content"), str) and "role" not in value:
            return f"a message without a role, which says who spoke; its keys are {keys}"
        return f"an object of no known format, with the keys {keys}"
    return f"{_NAMES.get(type(value), 'null')} where an object was expected"
