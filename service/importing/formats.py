"""From a path to turns: recognises each record's format by its shape, and gives it to that format's reader."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Protocol

from consolidation.kernel.errors import ImportUnreadable
from service.importing.agent_jsonl import is_agents, read_agents
from service.importing.chatgpt import is_chatgpt, read_chatgpt
from service.importing.claude import is_claude, read_claude
from service.importing.fields import clean
from service.importing.ids import IdAssigner, identifier
from service.importing.mem0 import is_mem0, read_mem0
from service.importing.own_jsonl import is_own, read_own
from service.importing.records import Record, records
from service.importing.results import FoundTurn, ImportItem, Skipped, unreadable
from service.importing.sources import sources_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from service.importing.sources import ImportSource

_MOST_UNKNOWN = 1000  # records of unknown format after which a file is given up
_KEYS_SHOWN = 8
_NAMES = {list: "a list", str: "a text", bool: "a boolean", int: "a number", float: "a number"}


class _Read(Protocol):
    """A format's reader."""

    def __call__(self, records: Iterable[Record], *, ids: IdAssigner, only: str | None) -> Iterator[ImportItem]: ...


@dataclass(frozen=True, slots=True)
class _Format:
    """A format: what it is called, how an object of it is recognised, and how it is read."""

    name: str
    matches: Callable[[dict[str, object]], bool]
    read: _Read


_FORMATS = (
    _Format("chatgpt", is_chatgpt, read_chatgpt),
    _Format("claude", is_claude, read_claude),
    _Format("mem0", is_mem0, read_mem0),
    _Format("jsonl", is_own, read_own),
    _Format("agent_sessions", is_agents, read_agents),
)


def read_conversations(path: Path, *, only: str | None = None) -> Iterator[ImportItem]:
    """
    Every turn of a file, a folder or a zip, as it is read; ``only`` narrows to one conversation.

    ``only`` is the conversation id of ChatGPT or Claude.ai, or our session id. In a folder, a file that
    can not be read is skipped, as long as another can; else ``ImportUnreadable``.
    """
    has_turns = False
    for found in _read_all(path, only=only):
        has_turns = has_turns or isinstance(found, FoundTurn)
        yield found
    if only is not None and not has_turns:
        yield Skipped(clean(str(path)), f"no conversation {identifier(only)!r} in it")


def format_name(path: Path) -> str:
    """The format of the first known record: chatgpt, claude, mem0, jsonl or agent_sessions. Raises ImportUnreadable."""
    fault = None
    for source in sources_of(path):
        try:
            with source.open() as stream:
                _, first = _head(records(stream, where=source.where, is_lines=source.is_lines), where=source.where)
        except ImportUnreadable as unreadable_source:
            fault = fault or unreadable_source
            continue
        known = _format_of(first)
        assert known is not None  # noqa: S101 - _head returns no other record
        return known.name
    raise fault or unreadable(clean(str(path)), found="nothing in it")


def _read_all(path: Path, *, only: str | None) -> Iterator[ImportItem]:
    sources = sources_of(path)
    unreadable: list[ImportUnreadable] = []
    for source in sources:
        try:
            yield from _read(source, only=only)
        except ImportUnreadable as fault:
            unreadable.append(fault)
            if len(sources) > 1:
                yield Skipped(fault.where, fault.found)
    if len(unreadable) == len(sources):
        raise _none_readable(path, unreadable)


def _none_readable(path: Path, faults: list[ImportUnreadable]) -> ImportUnreadable:
    if len(faults) == 1:
        return faults[0]
    return unreadable(clean(str(path)), found=f"none of its {len(faults)} files is a known export")


def _read(source: ImportSource, *, only: str | None) -> Iterator[ImportItem]:
    """Read one source, by runs of records of one format."""
    ids = IdAssigner(stem=source.path.stem)
    with source.open() as stream:
        found_records = records(stream, where=source.where, is_lines=source.is_lines)
        unknown, first = _head(found_records, where=source.where)
        yield from unknown
        for format_, run in groupby(chain((first,), found_records), key=_format_of):
            if format_ is None:
                yield from map(_unrecognised, run)
            else:
                yield from format_.read(_readable(run), ids=ids, only=only)


def _head(found_records: Iterator[Record | Skipped], *, where: str) -> tuple[list[Skipped], Record | Skipped]:
    """The records before the first one of a known format, and that record."""
    unknown: list[Skipped] = []
    for record in islice(found_records, _MOST_UNKNOWN):
        if _format_of(record) is not None:
            return unknown, record
        unknown.append(_unrecognised(record))
    raise unreadable(where, found=unknown[0].reason if unknown else "nothing in it")


def _format_of(record: Record | Skipped) -> _Format | None:
    if isinstance(record, Skipped) or not isinstance(record.value, dict):
        return None
    value = record.value
    return next((format_ for format_ in _FORMATS if format_.matches(value)), None)


def _readable(run: Iterable[Record | Skipped]) -> Iterator[Record]:
    return (record for record in run if isinstance(record, Record))


def _unrecognised(record: Record | Skipped) -> Skipped:
    return record if isinstance(record, Skipped) else Skipped(record.where, _shape(record.value))


def _shape(value: object) -> str:
    """A description of an unknown value."""
    if isinstance(value, dict):
        keys = ", ".join(identifier(clean(key)) for key in list(value)[:_KEYS_SHOWN])
        return f"an object of no known format, with the keys {keys}" if keys else "an empty object"
    return f"{_NAMES.get(type(value), 'null')} where an object was expected"
