"""
WhatsApp's exported chats (`_chat.txt`, `WhatsApp Chat with Ann.txt`, or the zip with one) as turns.

Read: what people said, with a mark where a file was. Skipped: lines of WhatsApp itself and deleted messages. Messages
that follow one another within a quarter of an hour are one turn. Times are of the phone that exported the chat.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from consolidation.kernel.speaker_names import fault_in
from consolidation.kernel.turns import FIRST_YEAR, LAST_YEAR, Message, Speaker, Turn, TurnKind
from service.importing.fields import clean
from service.importing.ids import identifier, one_spelling
from service.importing.results import FoundTurn, ImportItem, Skipped
from service.importing.times import OUTSIDE, UNREADABLE, without_time
from service.importing.whatsapp_lines import instant, order_of, parsed, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo
    from typing import TextIO

    from service.importing.ids import IdAssigner
    from service.importing.whatsapp_lines import DateOrder, Line

_PAUSE = timedelta(minutes=15)
_MOST_MESSAGES = 40  # of a turn
_LONGEST_LINE = 1 << 20
_LOOKED_AT = 8_000  # characters of a file in which a chat shows itself
_FIRST_LINES = 5
_AGAIN = re.compile(r" ?\(\d{1,2}\)$")  # a browser's mark of a second download
_GENERIC = re.compile(r"_chat|chat|conversations", re.IGNORECASE)
_WITH = re.compile(r"whatsapp[ -]*(?:chat)?(?:[ -]+(?:with|con|mit|avec|com|met|med|-))?[ -]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Said:
    """A message, and the number of its line."""

    message: Message
    number: int


def is_whatsapp(beginning: str) -> bool:
    """Whether a text begins like an exported chat."""
    lines = [one for one in beginning[:_LOOKED_AT].splitlines() if one.strip()]
    return any(parsed(one) is not None for one in lines[:_FIRST_LINES])


def read_whatsapp(
    stream: TextIO, *, where: str, chat: str, ids: IdAssigner, only: str | None, zone: tzinfo
) -> Iterator[ImportItem]:
    """The turns of a seekable text. ``chat`` is what the file is called."""
    order = order_of([line.head for text in _lines(stream) if (line := parsed(text)) is not None])
    stream.seek(0)
    session, former = _session(one_spelling(chat)), _session(chat)
    alike = former if former != session else ""
    if only is not None and only != session:
        return
    run: list[_Said] = []
    for item in _messages(stream, where=where, order=order, zone=zone):
        if isinstance(item, Skipped):
            yield item
            continue
        if run and _opens(run, item):
            yield replace(_turn(run, session=session, where=where, ids=ids), alike=alike)
            run = []
        run.append(item)
    if run:
        yield replace(_turn(run, session=session, where=where, ids=ids), alike=alike)


def _lines(stream: TextIO) -> Iterator[str]:
    while line := stream.readline(_LONGEST_LINE):
        yield line


def _messages(stream: TextIO, *, where: str, order: DateOrder, zone: tzinfo) -> Iterator[_Said | Skipped]:
    begun: Line | None = None
    more: list[str] = []
    number = 0
    for at, text in enumerate(_lines(stream), start=1):
        line = parsed(text)
        if line is None and begun is None and text.strip():
            yield Skipped(f"{where}:{at}", "a line before the first message")
        elif line is None:
            more.append(text.rstrip("\r\n"))
        else:
            if begun is not None:
                yield from _message(begun, more, where=f"{where}:{number}", number=number, order=order, zone=zone)
            begun, more, number = line, [], at
    if begun is not None:
        yield from _message(begun, more, where=f"{where}:{number}", number=number, order=order, zone=zone)


def _message(
    line: Line, more: list[str], *, where: str, number: int, order: DateOrder, zone: tzinfo
) -> Iterator[_Said | Skipped]:
    if not line.speaker:
        yield Skipped(where, "a line of WhatsApp itself")
        return
    words = clean(spoken(line, more))
    if not words:
        yield Skipped(where, "a message that was deleted, or a line of WhatsApp itself")
        return
    at = instant(line.head, order=order, zone=zone)
    if at is None or not FIRST_YEAR <= at.year <= LAST_YEAR:
        value = "/".join(map(str, line.head.numbers))
        yield without_time(where, fault=UNREADABLE if at is None else OUTSIDE, value=value)
        at = None
    name = clean(line.speaker.lstrip("~ "))
    is_name = name and not fault_in(name, role=Speaker.USER)
    content = words if is_name else f"{name}: {words}"
    said = Message(Speaker.USER, content, at, name if is_name else None)
    yield _Said(said, number)


def _opens(run: list[_Said], now: _Said) -> bool:
    before, after = run[-1].message.timestamp, now.message.timestamp
    is_later = before is not None and after is not None and after - before >= _PAUSE
    return is_later or len(run) >= _MOST_MESSAGES


def _turn(run: list[_Said], *, session: str, where: str, ids: IdAssigner) -> FoundTurn:
    messages = tuple(one.message for one in run)
    found = ids.turn_ids(session, messages=messages)
    turn = Turn(found.turn_id, session, messages, kind=TurnKind.IMPORT, metadata={"source": "whatsapp"})
    return FoundTurn(turn, f"{where}:{run[0].number}", found.earlier)


def _session(chat: str) -> str:
    """The session of a chat: by whom it is with, where the file's name says so."""
    name = _WITH.sub("", _AGAIN.sub("", chat), count=1).strip(" -_.")
    return identifier(f"whatsapp:{clean(name) if name and not _GENERIC.fullmatch(name) else 'chat'}")
