"""
Our own JSONL: lines of a transcript, bodies of ``POST …/turns``, or bare messages, one per line.

A message's content is text, or a list of parts of which the texts are read. Bare messages become turns: a user's
message with everything up to the next one. A line that can not be used is reported by itself. It ends a turn only if it
may have been a user's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from service.importing.exchanges import exchanges
from service.importing.fields import label_of, list_of, mapping_of, metadata_of, text_of
from service.importing.ids import TurnIds, identifier
from service.importing.results import FoundTurn, ImportItem, Skipped
from service.importing.times import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from service.importing.ids import IdAssigner
    from service.importing.records import Record
    from service.importing.times import Times

_OTHER_KINDS = {TurnKind.HEARTBEAT.value: TurnKind.HEARTBEAT, TurnKind.PROBE.value: TurnKind.PROBE}
_OF_OPENAI = {"developer": Speaker.SYSTEM.value, "function": Speaker.TOOL.value}  # what its API calls them, too
_MOST_WAITING = 50  # items of a file whose beginning has no time

OPENS = "opens_exchange"  # of a message that is not a user's, and yet begins an exchange


@dataclass(frozen=True, slots=True)
class _Line:
    """A bare line: its message, or why there is none. ``may_open``: it is a user's, or may have been one."""

    where: str
    session: str
    may_open: bool
    parsed: Message | str


def is_own(value: dict[str, object]) -> bool:
    """Whether the object is a turn or a message as we write them."""
    return "messages" in value or _is_single_message(value)


def read_own(records: Iterable[Record], *, ids: IdAssigner, times: Times, only: str | None) -> Iterator[ImportItem]:
    """The turns of every line, or of those with the session ``only``."""
    items = _placed_in_time(_items(records, ids=ids, times=times))
    return (each for each in items if only is None or not isinstance(each, FoundTurn) or each.turn.session_id == only)


def _placed_in_time(items: Iterable[ImportItem]) -> Iterator[ImportItem]:
    """
    The items in order; a turn is near the newest time that its session had so far.

    One at the beginning of a session, such as a prompt, waits for the first time in it, for so many items.
    """
    first: dict[str, datetime] = {}
    newest: dict[str, datetime] = {}
    waiting: list[ImportItem] = []
    for item in items:
        waiting.append(_near_own(item, first, newest) if isinstance(item, FoundTurn) else item)
        if not _waits(waiting[0], first) or len(waiting) >= _MOST_WAITING:
            yield from (_near_first(one, first) for one in waiting)
            waiting = []
    yield from (_near_first(one, first) for one in waiting)


def _near_own(found: FoundTurn, first: dict[str, datetime], newest: dict[str, datetime]) -> FoundTurn:
    session = found.turn.session_id
    if said := [one.timestamp for one in found.turn.messages if one.timestamp]:
        first.setdefault(session, said[0])
        newest[session] = said[-1]
    return replace(found, near=newest.get(session))


def _near_first(item: ImportItem, first: dict[str, datetime]) -> ImportItem:
    if isinstance(item, FoundTurn) and item.near is None:
        return replace(item, near=first.get(item.turn.session_id))
    return item


def _waits(item: ImportItem, first: dict[str, datetime]) -> bool:
    return isinstance(item, FoundTurn) and item.near is None and item.turn.session_id not in first


def _items(records: Iterable[Record], *, ids: IdAssigner, times: Times) -> Iterator[ImportItem]:
    for is_single, run in groupby(records, key=lambda record: _is_single_message(mapping_of(record.value))):
        if is_single:
            yield from _single_messages(run, ids=ids, times=times)
        else:
            for record in run:
                yield from _turn(mapping_of(record.value), where=record.where, ids=ids, times=times)


def _is_single_message(value: dict[str, object]) -> bool:
    return "messages" not in value and "role" in value and "content" in value


def _turn(value: dict[str, object], *, where: str, ids: IdAssigner, times: Times) -> Iterator[ImportItem]:
    """
    A transcript's line or a body as one turn, without the messages that can not be used.

    If none has a time, each gets that of the turn: when it was accepted first.
    """
    parsed = [_parse(mapping_of(message), times) for message in list_of(value.get("messages"))]
    for index, each in enumerate(parsed):
        if isinstance(each, str):
            yield Skipped(f"{where} messages[{index}]", each)
    messages = tuple(each for each in parsed if isinstance(each, Message))
    if not any(message.timestamp for message in messages):
        accepted_at = times.read_first(value, ("accepted_at", *NAMES))
        messages = tuple(replace(message, timestamp=accepted_at) for message in messages)
    if not messages:
        yield Skipped(where, "a turn without messages")
        return
    named = identifier(label_of(value.get("session_id")))
    session = named or ids.session(messages[0])
    own_id = label_of(value.get("turn_id"))
    found = TurnIds(identifier(own_id)) if own_id else ids.turn_ids(session, messages=messages)
    kind = _OTHER_KINDS.get(text_of(value.get("kind")), TurnKind.IMPORT)
    kind = TurnKind.OFF_THE_RECORD if value.get("off_the_record") is True else kind
    turn = Turn(found.turn_id, session, messages, kind=kind, metadata=metadata_of(value.get("metadata")))
    yield FoundTurn(turn, where, found.earlier, alike="" if named else ids.former_session)


def _single_messages(records: Iterable[Record], *, ids: IdAssigner, times: Times) -> Iterator[ImportItem]:
    """Bare lines as turns."""
    for exchange in exchanges((_line(record, times) for record in records), opens=_opens):
        yield from (Skipped(line.where, line.parsed) for line in exchange if isinstance(line.parsed, str))
        lines = [(line, line.parsed) for line in exchange if isinstance(line.parsed, Message)]
        if lines:
            yield _exchange(lines[0][0], messages=tuple(message for _, message in lines), ids=ids)


def _exchange(first: _Line, *, messages: tuple[Message, ...], ids: IdAssigner) -> FoundTurn:
    named = identifier(first.session)
    session = named or ids.session(messages[0])
    own = f"{session}:{messages[0].id}" if messages[0].id else ""
    found = ids.turn_ids(session, own=own, messages=messages)
    turn = Turn(found.turn_id, session, messages, kind=TurnKind.IMPORT)
    return FoundTurn(turn, first.where, found.earlier, alike="" if named else ids.former_session)


def _line(record: Record, times: Times) -> _Line:
    value = mapping_of(record.value)
    may_open = _role(value) in {None, Speaker.USER} or value.get(OPENS) is True
    return _Line(record.where, label_of(value.get("session_id")), may_open, _parse(value, times))


def _opens(before: _Line, now: _Line) -> bool:
    return now.may_open or now.session != before.session


def _parse(value: dict[str, object], times: Times) -> Message | str:
    """The message, or why it can not be used."""
    role, content = _role(value), _words(value.get("content"))
    if role is None:
        return f"a message whose role is none of {', '.join(Speaker)}"
    if content is None:
        return "a message whose content is not text"
    text = text_of(content)
    if not text:
        return "an empty message"
    name, own_id = text_of(value.get("name")) or None, label_of(value.get("id")) or None
    return Message(role, text, times.read_first(value, NAMES), name, own_id)


def _words(content: object) -> str | None:
    """The text of a message's content, which may be a list of parts; None where it has no text."""
    parts = (one if isinstance(one, str) else mapping_of(one).get("text") for one in list_of(content))
    texts = [one for one in parts if isinstance(one, str)]
    return content if isinstance(content, str) else "\n".join(texts) if texts else None


def _role(value: dict[str, object]) -> Speaker | None:
    role = value.get("role")
    named = _OF_OPENAI.get(role, role) if isinstance(role, str) else ""
    return Speaker(named) if named in Speaker else None
