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
from service.importing.fields import instant_of, label_of, list_of, mapping_of, metadata_of, text_of
from service.importing.ids import identifier
from service.importing.results import FoundTurn, ImportItem, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.importing.ids import IdAssigner
    from service.importing.records import Record

_OTHER_KINDS = {TurnKind.HEARTBEAT.value: TurnKind.HEARTBEAT, TurnKind.PROBE.value: TurnKind.PROBE}


@dataclass(frozen=True, slots=True)
class _Line:
    """A bare line: its message, or why there is none. ``role`` is known even if the rest is not."""

    where: str
    session: str
    role: Speaker | None
    parsed: Message | str


def is_own(value: dict[str, object]) -> bool:
    """Whether the object is a turn or a message as we write them."""
    return "messages" in value or _is_single_message(value)


def read_own(records: Iterable[Record], *, ids: IdAssigner, only: str | None) -> Iterator[ImportItem]:
    """The turns of every line, or of those with the session ``only``."""
    items = _items(records, ids=ids)
    return (each for each in items if only is None or not isinstance(each, FoundTurn) or each.turn.session_id == only)


def _items(records: Iterable[Record], *, ids: IdAssigner) -> Iterator[ImportItem]:
    for is_single, run in groupby(records, key=lambda record: _is_single_message(mapping_of(record.value))):
        if is_single:
            yield from _single_messages(run, ids=ids)
        else:
            for record in run:
                yield from _turn(mapping_of(record.value), where=record.where, ids=ids)


def _is_single_message(value: dict[str, object]) -> bool:
    return "messages" not in value and "role" in value and "content" in value


def _turn(value: dict[str, object], *, where: str, ids: IdAssigner) -> Iterator[ImportItem]:
    """A transcript's line or a body as one turn, without the messages that can not be used."""
    parsed = [_parse(mapping_of(message)) for message in list_of(value.get("messages"))]
    for index, each in enumerate(parsed):
        if isinstance(each, str):
            yield Skipped(f"{where} messages[{index}]", each)
    messages = _with_times(
        tuple(each for each in parsed if isinstance(each, Message)), accepted_at=value.get("accepted_at")
    )
    if not messages:
        yield Skipped(where, "a turn without messages")
        return
    session = identifier(label_of(value.get("session_id"))) or ids.session(messages[0])
    own_id = label_of(value.get("turn_id"))
    turn_id = identifier(own_id) if own_id else ids.turn(session, messages=messages)
    kind = _OTHER_KINDS.get(text_of(value.get("kind")), TurnKind.IMPORT)
    kind = TurnKind.OFF_THE_RECORD if value.get("off_the_record") is True else kind
    yield FoundTurn(Turn(turn_id, session, messages, kind=kind, metadata=metadata_of(value.get("metadata"))), where)


def _with_times(messages: tuple[Message, ...], *, accepted_at: object) -> tuple[Message, ...]:
    """The messages. If none has a time, each gets the time at which the turn was first accepted."""
    if any(message.timestamp for message in messages):
        return messages
    return tuple(replace(message, timestamp=instant_of(accepted_at)) for message in messages)


def _single_messages(records: Iterable[Record], *, ids: IdAssigner) -> Iterator[ImportItem]:
    """Bare lines as turns."""
    for exchange in exchanges((_line(record) for record in records), opens=_opens):
        yield from (Skipped(line.where, line.parsed) for line in exchange if isinstance(line.parsed, str))
        lines = [(line, line.parsed) for line in exchange if isinstance(line.parsed, Message)]
        if lines:
            yield _exchange(lines[0][0], messages=tuple(message for _, message in lines), ids=ids)


def _exchange(first: _Line, *, messages: tuple[Message, ...], ids: IdAssigner) -> FoundTurn:
    session = identifier(first.session) or ids.session(messages[0])
    own = f"{session}:{messages[0].id}" if messages[0].id else ""
    turn_id = ids.turn(session, own=own, messages=messages)
    return FoundTurn(Turn(turn_id, session, messages, kind=TurnKind.IMPORT), first.where)


def _line(record: Record) -> _Line:
    value = mapping_of(record.value)
    return _Line(record.where, label_of(value.get("session_id")), _role(value), _parse(value))


def _opens(before: _Line, now: _Line) -> bool:
    return now.role in (None, Speaker.USER) or now.session != before.session


def _parse(value: dict[str, object]) -> Message | str:
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
    return Message(role, text, instant_of(value.get("timestamp")), name, own_id)


def _words(content: object) -> str | None:
    """The text of a message's content, which may be a list of parts; None where it has no text."""
    parts = (one if isinstance(one, str) else mapping_of(one).get("text") for one in list_of(content))
    texts = [one for one in parts if isinstance(one, str)]
    return content if isinstance(content, str) else "\n".join(texts) if texts else None


def _role(value: dict[str, object]) -> Speaker | None:
    role = value.get("role")
    return Speaker(role) if isinstance(role, str) and role in Speaker else None
