"""
Literal search in the log: every message that was stored, newest first, with the messages around it.

It needs neither graph nor index. Erased turns and turns off the record hold no words, so none of them is found.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import InvalidRequest, TranscriptUnreadable
from consolidation.text.noise import is_blank
from consolidation.transcript.search import in_blocks, span_of, turns_holding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from consolidation.kernel.turns import Message, Speaker, StoredTurn
    from consolidation.transcript.positions import Place
    from service.mind.minds import Mind
    from service.retrieval.remember import TimeWindow

CURSOR = r"^[0-9]{1,16}\.[0-9]{1,6}$"
_SECONDS = 3.0  # after which a search says how far it came
_LONGEST_TEXT, _LONGEST_CONTEXT = 600, 300  # characters
_MOST_AHEAD = timedelta(days=1)  # that a message may say it is from the future
_FIRST_SEQUENCE, _ALL = 2**53, 2**20


@dataclass(frozen=True, slots=True)
class LogQuery:
    """
    What to look for in the log.

    ``exclude_from`` leaves out what was said at that instant and later: what the asking agent still sees. ``cursor`` is
    the one of the page before. Raises InvalidRequest where *words* are blank.
    """

    words: str
    window: TimeWindow
    session_id: str | None = None
    role: Speaker | None = None
    exclude_from: datetime | None = None
    limit: int = 5
    context: int = 1
    cursor: str | None = None

    def __post_init__(self) -> None:
        if is_blank(self.words):
            raise InvalidRequest("must not be blank", pointer="query/query")

    def holds(self, message: Message, at: datetime) -> bool:
        """Whether a message that was said *at* this instant is asked for, apart from its words."""
        is_before = self.exclude_from is None or at < self.exclude_from
        return is_before and self.window.holds(at) and (self.role is None or message.role is self.role)


@dataclass(frozen=True, slots=True)
class LogLine:
    """A message as the log has it; ``text`` is cut, with "…" where something is left out."""

    role: Speaker
    name: str | None
    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class LogHit:
    """A message that holds the words, and the messages before and after it in its session, oldest first."""

    turn: StoredTurn
    line: LogLine
    before: tuple[LogLine, ...]
    after: tuple[LogLine, ...]


@dataclass(frozen=True, slots=True)
class LogPage:
    """Hits, newest first; where to go on, None at the end; and whether time ran out before the page was full."""

    hits: tuple[LogHit, ...]
    next_cursor: str | None
    is_late: bool


@dataclass(frozen=True, slots=True)
class _Found:
    turn: StoredTurn
    index: int
    span: tuple[int, int]


async def search_log(mind: Mind, query: LogQuery, *, monotonic: Callable[[], float]) -> LogPage:
    """
    One page of the messages that hold the words, in the order of arrival, newest first.

    A search that takes longer than three seconds by the *monotonic* clock ends there. Raises TranscriptUnreadable.
    """
    try:
        found, next_cursor, is_late = await anyio.to_thread.run_sync(partial(_find, mind, query, monotonic))
    except OSError as error:
        raise TranscriptUnreadable(f"the log can not be read: {error.strerror}") from error
    hits = [await _with_context(mind, one, most=query.context) for one in found]
    return LogPage(tuple(hits), next_cursor, is_late)


def cycles_since(_at: datetime) -> int | None:
    """How many sleeps of the agent lie between an instant and now; None as long as no cycle is known."""
    return None


def _find(mind: Mind, query: LogQuery, monotonic: Callable[[], float]) -> tuple[list[_Found], str | None, bool]:
    """At most ``limit`` messages; where the next page begins; whether time ran out."""
    found: list[_Found] = []
    until = monotonic() + _SECONDS
    first, below = map(int, query.cursor.split(".")) if query.cursor else (_FIRST_SEQUENCE, _ALL)
    for block in in_blocks(_places(mind, first, query)):
        if monotonic() > until:
            return found, f"{block[0][0] + 1}.0", True
        for turn in turns_holding(query.words, block, role=query.role):
            for one in _in_turn(turn, query, below=below if turn.sequence == first else _ALL):
                if len(found) == query.limit:
                    last = found[-1]
                    return found, f"{last.turn.sequence}.{last.index}", False
                found.append(one)
    return found, None, False


def _places(mind: Mind, first: int, query: LogQuery) -> Iterator[tuple[int, Place]]:
    """The lines that may hold what is asked for, newest first."""
    since = query.window.since
    month = f"{since - _MOST_AHEAD:%Y-%m}" if since is not None else ""
    for sequence, place in mind.transcript.positions.backwards(first, session_id=query.session_id):
        if place.file.stem < month:
            return
        yield sequence, place


def _in_turn(turn: StoredTurn, query: LogQuery, *, below: int) -> Iterator[_Found]:
    """The messages of a turn that are asked for, last one first, from those before the place *below*."""
    for index in range(min(below, len(turn.turn.messages)) - 1, -1, -1):
        message = turn.turn.messages[index]
        if query.holds(message, _said_at(message, turn)):
            span = span_of(query.words, message.content)
            if span is not None:
                yield _Found(turn, index, span)


async def _with_context(mind: Mind, found: _Found, *, most: int) -> LogHit:
    turn, transcript = found.turn, mind.transcript
    session_id, sequence, messages = turn.turn.session_id, turn.sequence, turn.turn.messages
    before = list(_lines((turn, one) for one in messages[: found.index]))
    after = list(_lines((turn, one) for one in messages[found.index + 1 :]))
    if len(before) < most:
        earlier = await transcript.before_in_session(session_id, sequence, limit=most)
        before = [*_lines((one, message) for one in earlier for message in one.turn.messages), *before]
    if len(after) < most:
        later = await transcript.after_in_session(session_id, sequence, limit=most)
        after += _lines((one, message) for one in later for message in one.turn.messages)
    said = messages[found.index]
    line = LogLine(said.role, said.name, _said_at(said, turn), _cut(said.content, *found.span))
    return LogHit(turn, line, tuple(before[max(len(before) - most, 0) :]), tuple(after[:most]))


def _lines(said: Iterable[tuple[StoredTurn, Message]]) -> Iterator[LogLine]:
    """Messages with words as lines."""
    for turn, message in said:
        if message.content:
            short = message.content[:_LONGEST_CONTEXT]
            text = short if len(short) == len(message.content) else f"{short.rstrip()} …"
            yield LogLine(message.role, message.name, _said_at(message, turn), text)


def _said_at(message: Message, turn: StoredTurn) -> datetime:
    return message.timestamp or turn.accepted_at


def _cut(text: str, start: int, end: int) -> str:
    """*text*, or what stands around a part of it, cut between words where there are any."""
    if len(text) <= _LONGEST_TEXT:
        return text
    room = max(_LONGEST_TEXT - (end - start), 0) // 2
    first, last = max(start - room, 0), min(max(end + room, _LONGEST_TEXT), len(text))
    first = min(first, max(last - _LONGEST_TEXT, 0)) if last == len(text) else first
    if first > 0 and (blank := text.find(" ", first, start)) > 0:
        first = blank + 1
    if last < len(text) and (blank := text.rfind(" ", end, last)) > 0:
        last = blank
    return ("… " if first > 0 else "") + text[first:last].strip() + (" …" if last < len(text) else "")
