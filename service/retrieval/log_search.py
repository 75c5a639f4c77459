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

from consolidation.dreams.actions import action_of
from consolidation.dreams.sleep_state import read_sleep_state
from consolidation.kernel.errors import InvalidRequest, TranscriptUnreadable
from consolidation.text.noise import is_blank
from consolidation.transcript.search import in_blocks, span_of, turns_holding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from consolidation.dreams.dream_log import Dreams
    from consolidation.dreams.sleep_state import SleepState
    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import Message, Speaker, StoredTurn
    from consolidation.transcript.positions import Place
    from service.mind.minds import Mind
    from service.retrieval.time_window import TimeWindow

CURSOR = r"^[0-9]{1,16}\.[0-9]{1,6}$"
_SECONDS = 3.0  # after which a search says how far it came
_LONGEST_TEXT, _LONGEST_CONTEXT = 600, 300  # characters
_MOST_AHEAD = timedelta(days=1)  # by which a message's own time may be later than its arrival
_FIRST_SEQUENCE, _ALL = 2**53, 2**20


@dataclass(frozen=True, slots=True)
class LogQuery:
    """
    What to look for in the log.

    ``exclude_from`` leaves out what was said at that instant and later, ``excludes_cycle`` what was stored since the
    agent woke: what it still sees. ``cursor`` is the one of the page before. Raises InvalidRequest where *words* are
    blank.
    """

    words: str
    window: TimeWindow
    session_id: str | None = None
    role: Speaker | None = None
    exclude_from: datetime | None = None
    excludes_cycle: bool = False
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
    """
    A message that holds the words, and the messages before and after it in its session, oldest first.

    ``cycles_ago`` is how many sleeps of the agent lie between it and now; None for one that never slept.
    """

    turn: StoredTurn
    line: LogLine
    before: tuple[LogLine, ...]
    after: tuple[LogLine, ...]
    cycles_ago: int | None = None


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
    text: str
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Cycles:
    """The agent's cycles: those that were dreamt, the state of its last sleep, and the number of the present one."""

    dreams: Dreams
    state: SleepState
    present: int

    def ago(self, turn: StoredTurn) -> int | None:
        """How many cycles before the present one *turn* was stored; None for an agent that never slept."""
        return self.present - self._of(turn) if self.state.asleep_at is not None else None

    def is_present(self, turn: StoredTurn) -> bool:
        """Whether *turn* was stored in the cycle that goes on, which for an agent that never slept is its first."""
        return self._of(turn) >= self.present

    def _of(self, turn: StoredTurn) -> int:
        asleep_at = self.state.asleep_at
        is_before = asleep_at is not None and turn.accepted_at < asleep_at  # its dream may not be written yet
        return self.dreams.cycle_of(turn.sequence, present=self.state.cycle if is_before else self.present)


async def search_log(mind: Mind, query: LogQuery, *, clock: Clock) -> LogPage:
    """
    One page of the messages that hold the words, in the order of arrival, newest first.

    What a tool printed is searched beyond what memory shows of it. A search that takes longer than three seconds ends
    there. Raises TranscriptUnreadable.
    """
    try:
        cycles = await anyio.to_thread.run_sync(_cycles, mind, clock.now())
        found, next_cursor, is_late = await anyio.to_thread.run_sync(partial(_find, mind, query, cycles, clock))
    except OSError as error:
        raise TranscriptUnreadable(f"the log can not be read: {error.strerror}") from error
    hits = [await _with_context(mind, one, cycles, most=query.context) for one in found]
    return LogPage(tuple(hits), next_cursor, is_late)


def _cycles(mind: Mind, now: datetime) -> _Cycles:
    state = read_sleep_state(mind.workspace.sleep_state)
    return _Cycles(mind.dreams.newest(), state, state.cycle_at(now))


def _find(mind: Mind, query: LogQuery, cycles: _Cycles, clock: Clock) -> tuple[list[_Found], str | None, bool]:
    """At most ``limit`` messages; where the next page begins; whether time ran out."""
    found: list[_Found] = []
    until = clock.monotonic() + _SECONDS
    first, below = map(int, query.cursor.split(".")) if query.cursor else (_FIRST_SEQUENCE, _ALL)
    for block in in_blocks(_places(mind, first, query)):
        if clock.monotonic() > until:
            return found, f"{block[0][0] + 1}.0", True
        for turn in turns_holding(query.words, block, role=query.role):
            if query.excludes_cycle and cycles.is_present(turn):
                continue
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
                yield _Found(turn, index, message.content, span)
            elif (printed := _printed(turn, query.words)) is not None:
                yield _Found(turn, index, *printed)


def _printed(turn: StoredTurn, words: str) -> tuple[str, tuple[int, int]] | None:
    """The line of what a tool printed that holds *words*, and where in it; None for any other turn."""
    action = action_of(turn)
    span = span_of(words, action.output) if action is not None else None
    if action is None or span is None:
        return None
    start = action.output.rfind("\n", 0, span[0]) + 1
    end = action.output.find("\n", span[1])
    line = action.output[start : end if end >= 0 else None]
    return line, (span[0] - start, span[1] - start)


async def _with_context(mind: Mind, found: _Found, cycles: _Cycles, *, most: int) -> LogHit:
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
    line = LogLine(said.role, said.name, _said_at(said, turn), _cut(found.text, *found.span))
    around = tuple(before[max(len(before) - most, 0) :]), tuple(after[:most])
    return LogHit(turn, line, *around, cycles_ago=cycles.ago(turn))


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
