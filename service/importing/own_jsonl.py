"""
JSONL of our own: lines of a transcript, bodies of ``POST …/turns``, or bare messages, one a line.

Bare messages become turns as they were said: a user's message with all that follows it until the next. A line
that can not be used is reported alone; it ends a turn only if it may have been a user's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Kind, Message, Speaker, Turn
from service.importing.exchanges import exchanges
from service.importing.fields import instant_of, label_of, list_of, mapping_of, metadata_of, text_of
from service.importing.found import Found, FoundTurn, Skipped
from service.importing.naming import identifier

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.importing.naming import Naming
    from service.importing.records import Record

_KEPT_KINDS = {Kind.HEARTBEAT.value: Kind.HEARTBEAT, Kind.PROBE.value: Kind.PROBE}


@dataclass(frozen=True, slots=True)
class _Line:
    """A bare line: its message, or why there is none; ``role`` is known even where the rest is not."""

    where: str
    session: str
    role: Speaker | None
    heard: Message | str


def is_own(value: dict[str, object]) -> bool:
    """Whether the object is a turn or a message as we write them."""
    return "messages" in value or _is_bare(value)


def read_own(records: Iterable[Record], *, naming: Naming, only: str | None) -> Iterator[Found]:
    """The turns of every line, or of those whose session is ``only``."""
    found = _found(records, naming=naming)
    return (each for each in found if only is None or not isinstance(each, FoundTurn) or each.turn.session_id == only)


def _found(records: Iterable[Record], *, naming: Naming) -> Iterator[Found]:
    for is_bare, run in groupby(records, key=lambda record: _is_bare(mapping_of(record.value))):
        if is_bare:
            yield from _messages(run, naming=naming)
        else:
            for record in run:
                yield from _turn(mapping_of(record.value), where=record.where, naming=naming)


def _is_bare(value: dict[str, object]) -> bool:
    return "messages" not in value and "role" in value and "content" in value


def _turn(value: dict[str, object], *, where: str, naming: Naming) -> Iterator[Found]:
    """A transcript's line or a body: one turn, without the messages that can not be used."""
    heard = [_heard(mapping_of(message)) for message in list_of(value.get("messages"))]
    for index, each in enumerate(heard):
        if isinstance(each, str):
            yield Skipped(f"{where} messages[{index}]", each)
    messages = _dated(tuple(each for each in heard if isinstance(each, Message)), accepted_at=value.get("accepted_at"))
    if not messages:
        yield Skipped(where, "a turn without messages")
        return
    session = identifier(label_of(value.get("session_id"))) or naming.session(messages[0])
    given = label_of(value.get("turn_id"))
    turn_id = identifier(given) if given else naming.turn(session, messages=messages)
    kind = _KEPT_KINDS.get(text_of(value.get("kind")), Kind.IMPORT)
    kind = Kind.OFF_THE_RECORD if value.get("off_the_record") is True else kind
    yield FoundTurn(Turn(turn_id, session, messages, kind=kind, metadata=metadata_of(value.get("metadata"))), where)


def _dated(messages: tuple[Message, ...], *, accepted_at: object) -> tuple[Message, ...]:
    """The messages; where none has a time, each has the one at which the turn was first accepted."""
    if any(message.timestamp for message in messages):
        return messages
    return tuple(replace(message, timestamp=instant_of(accepted_at)) for message in messages)


def _messages(records: Iterable[Record], *, naming: Naming) -> Iterator[Found]:
    """Bare lines as turns."""
    for exchange in exchanges((_line(record) for record in records), opens=_opens):
        yield from (Skipped(line.where, line.heard) for line in exchange if isinstance(line.heard, str))
        said = [(line, line.heard) for line in exchange if isinstance(line.heard, Message)]
        if said:
            yield _exchange(said[0][0], messages=tuple(message for _, message in said), naming=naming)


def _exchange(first: _Line, *, messages: tuple[Message, ...], naming: Naming) -> FoundTurn:
    session = identifier(first.session) or naming.session(messages[0])
    own = f"{session}:{messages[0].id}" if messages[0].id else ""
    turn_id = naming.turn(session, own=own, messages=messages)
    return FoundTurn(Turn(turn_id, session, messages, kind=Kind.IMPORT), first.where)


def _line(record: Record) -> _Line:
    value = mapping_of(record.value)
    return _Line(record.where, label_of(value.get("session_id")), _role(value), _heard(value))


def _opens(before: _Line, now: _Line) -> bool:
    return now.role in (None, Speaker.USER) or now.session != before.session


def _heard(value: dict[str, object]) -> Message | str:
    """The message, or why it can not be used."""
    role, content = _role(value), value.get("content")
    if role is None:
        return f"a message whose role is none of {', '.join(Speaker)}"
    if not isinstance(content, str):
        return "a message whose content is not text"
    text = text_of(content)
    if not text:
        return "an empty message"
    name, own_id = text_of(value.get("name")) or None, label_of(value.get("id")) or None
    return Message(role, text, instant_of(value.get("timestamp")), name, own_id)


def _role(value: dict[str, object]) -> Speaker | None:
    role = value.get("role")
    return Speaker(role) if isinstance(role, str) and role in Speaker else None
