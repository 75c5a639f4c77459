"""From a path to turns: recognise each record's format by its shape, and hand it to that format's reader."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Protocol

from service.importing.agent_jsonl import is_agents, read_agents
from service.importing.chatgpt import is_chatgpt, read_chatgpt
from service.importing.fields import clean
from service.importing.found import Found, FoundTurn, ImportUnreadable, Skipped
from service.importing.locomo import is_locomo, read_locomo
from service.importing.naming import Naming, identifier
from service.importing.own_jsonl import is_own, read_own
from service.importing.records import Record, records
from service.importing.sources import sources_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from service.importing.sources import Source

_PATIENCE = 1000  # records, none of a known format, after which a file is given up
_KEYS_SHOWN = 8
_NAMES = {list: "a list", str: "a text", bool: "a boolean", int: "a number", float: "a number"}


class _Read(Protocol):
    """A format's reader."""

    def __call__(self, records: Iterable[Record], *, naming: Naming, only: str | None) -> Iterator[Found]: ...


@dataclass(frozen=True, slots=True)
class _Format:
    """A format: how an object of it is recognised, and how it is read."""

    is_ours: Callable[[dict[str, object]], bool]
    read: _Read


_FORMATS = (
    _Format(is_chatgpt, read_chatgpt),
    _Format(is_locomo, read_locomo),
    _Format(is_own, read_own),
    _Format(is_agents, read_agents),
)


def read_conversations(path: Path, *, only: str | None = None) -> Iterator[Found]:
    """
    Every turn of a file, a folder or a zip, as it is read; ``only`` narrows to one conversation.

    ``only`` is LoCoMo's ``sample_id``, ChatGPT's conversation id or our session id. In a folder, a file that
    can not be read is skipped, as long as another can; else ``ImportUnreadable``.
    """
    has_turns = False
    for found in _read_all(path, only=only):
        has_turns = has_turns or isinstance(found, FoundTurn)
        yield found
    if only is not None and not has_turns:
        yield Skipped(clean(str(path)), f"no conversation {identifier(only)!r} in it")


def _read_all(path: Path, *, only: str | None) -> Iterator[Found]:
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
    return ImportUnreadable(clean(str(path)), found=f"none of its {len(faults)} files is a known export")


def _read(source: Source, *, only: str | None) -> Iterator[Found]:
    """One source, by runs of records of one format."""
    naming = Naming(stem=source.path.stem)
    with source.open() as stream:
        flow = records(stream, where=source.where, is_lines=source.is_lines)
        unknown, first = _head(flow, where=source.where)
        yield from unknown
        for form, run in groupby(chain((first,), flow), key=_format_of):
            if form is None:
                yield from map(_unrecognised, run)
            else:
                yield from form.read(_readable(run), naming=naming, only=only)


def _head(flow: Iterator[Record | Skipped], *, where: str) -> tuple[list[Skipped], Record | Skipped]:
    """What precedes the first record of a known format, and that record."""
    unknown: list[Skipped] = []
    for record in islice(flow, _PATIENCE):
        if _format_of(record) is not None:
            return unknown, record
        unknown.append(_unrecognised(record))
    raise ImportUnreadable(where, found=unknown[0].reason if unknown else "nothing in it")


def _format_of(record: Record | Skipped) -> _Format | None:
    if isinstance(record, Skipped) or not isinstance(record.value, dict):
        return None
    value = record.value
    return next((form for form in _FORMATS if form.is_ours(value)), None)


def _readable(run: Iterable[Record | Skipped]) -> Iterator[Record]:
    return (record for record in run if isinstance(record, Record))


def _unrecognised(record: Record | Skipped) -> Skipped:
    return record if isinstance(record, Skipped) else Skipped(record.where, _shape(record.value))


def _shape(value: object) -> str:
    """What an unknown value is, in words."""
    if isinstance(value, dict):
        keys = ", ".join(identifier(clean(key)) for key in list(value)[:_KEYS_SHOWN])
        return f"an object of no known format, with the keys {keys}" if keys else "an empty object"
    return f"{_NAMES.get(type(value), 'null')} where an object was expected"
