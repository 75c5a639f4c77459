"""
Makes turns that can be stored of an exchange: it is cut where it is too long, and what is stored of it is left out.

The first part has the id of the exchange. Each later one has this id and the place of its first message ("t1+200"), and
so has what a later export adds. So the same message gets no second id, wherever the cuts were at an earlier import.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from consolidation.kernel.turns import TurnKind
from consolidation.secrets.privacy_filter import PrivacyFilter
from service.importing.citations import without_citations
from service.importing.ids import digest_of, identifier

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from consolidation.kernel.turns import Message, Turn
    from consolidation.transcript.known import KnownMessages
    from service.importing.results import FoundTurn

_MOST_MESSAGES, _MOST_BYTES = 200, 300_000  # of a part; a message that is longer is one by itself
_LONGEST, _LONGEST_BYTES = 400_000, 900_000  # of a message, in characters and as JSON
_PIECE = 200_000  # characters of a longer one
_CLEANED = PrivacyFilter().cleaned
ID_TAKEN = "a turn before it has its id, in another session or with other words"


@dataclass(frozen=True, slots=True)
class NewParts:
    """The turns that are to be stored of an exchange, and, where there are none, as how many it is known."""

    turns: tuple[Turn, ...]
    known: int = 0


def parts_of(turn: Turn) -> tuple[Turn, ...]:
    """The turns of an exchange of which nothing is stored. One that is short is itself."""
    return tuple(_cut(replace(turn, messages=tuple(_short(turn.messages))), start=0))


class TakenIds:
    """
    The ids of the turns that an import has read so far of each file, and what these say.

    Of two turns with one id, the second can not be stored, unless it says what the first does, or goes on from it.
    """

    def __init__(self) -> None:
        self._said: dict[tuple[str, str], bytes] = {}

    def conflict_with(self, found: FoundTurn) -> bool:
        """Whether a turn that was read before in its file has the id of *found*, and says something else."""
        key, now = (found.file, found.turn.turn_id), _fingerprint(found.turn)
        before = self._said.get(key, b"")
        least = min(len(before), len(now))
        if before[:least] != now[:least]:
            return True
        self._said[key] = max(before, now, key=len)
        return False


class Beginnings:
    """
    Which turn of a file is stored under an id, in one import.

    Where "yes" was answered twice, one stored "yes" is the beginning of one of these exchanges, and not of the other.
    """

    def __init__(self) -> None:
        self._of: dict[tuple[str, str], str] = {}

    def is_free(self, turn_id: str, *, found: FoundTurn) -> bool:
        """Whether no other turn of the file of *found* is stored under this id."""
        return self._of.get((found.file, turn_id), found.turn.turn_id) == found.turn.turn_id

    def take(self, turn_id: str, *, found: FoundTurn) -> None:
        """*found* is stored under this id, and no other turn of its file."""
        if found.earlier:  # else no other can have it
            self._of[found.file, turn_id] = found.turn.turn_id


async def new_parts(
    found: FoundTurn, *, stored: Callable[[str], Awaitable[Turn | None]], beginnings: Beginnings
) -> NewParts:
    """
    The turns of an exchange without the messages that are stored already. *beginnings* are of the whole import.

    *stored* gives the turn that has an id, None where there is none, or it was erased. Messages are the same that have
    the same words: an exchange is known by its id, and titles, names and times may have been read otherwise.
    """
    whole = replace(found.turn, messages=tuple(_short(found.turn.messages)))
    at = 0
    for own in (whole.turn_id, *found.earlier):
        kept = await stored(own) if beginnings.is_free(own, found=found) else None
        if kept is not None and _goes_on(kept, whole, at=0):
            whole = replace(whole, turn_id=own)
            break
    beginnings.take(whole.turn_id, found=found)
    while at < len(whole.messages) and (kept := await stored(_part_id(whole, at))) and _goes_on(kept, whole, at=at):
        at += len(kept.messages)
    if at >= len(whole.messages):
        return NewParts((), known=len(parts_of(found.turn)))
    return NewParts(tuple(_cut(whole, start=at)))


def rest_of(turn: Turn, left: Sequence[int], *, turn_id: Callable[[tuple[Message, ...]], str]) -> Turn | None:
    """
    *turn* with the messages at the places in *left* alone; None where none of them has words of its own.

    *turn_id* makes the id of what is left, where that is not all.
    """
    if len(left) == len(turn.messages):
        return turn
    messages = tuple(turn.messages[at] for at in left)
    if not any(map(_as_stored, messages)):
        return None
    return replace(turn, messages=messages, turn_id=turn_id(messages))


def not_stored(turn: Turn, known: KnownMessages, *, turn_id: Callable[[tuple[Message, ...]], str]) -> Turn | None:
    """
    *turn* without messages that its session holds in other turns, told live for example, as ``rest_of`` has it.

    What is left of it is known then, by the ids of its messages.
    """
    is_off_the_record = any(map(known.is_off_the_record, turn.messages))
    rest = rest_of(turn, known.others(turn.messages), turn_id=turn_id)
    known.add(one for one in (rest.messages if rest is not None else ()) if one.id is not None)
    return replace(rest, kind=TurnKind.OFF_THE_RECORD) if rest is not None and is_off_the_record else rest


def _short(messages: tuple[Message, ...]) -> Iterator[Message]:
    """The messages; one that is too long to be stored is several, none of whose words is lost."""
    for one in messages:
        if len(one.content) <= _LONGEST and _bytes(one) <= _LONGEST_BYTES:
            yield one
            continue
        start = 0
        while start < len(one.content):
            end = _end(one.content, start)
            if words := one.content[start:end].strip():
                yield replace(one, content=words)
            start = end


def _end(text: str, start: int) -> int:
    """Where a piece of a long text ends: behind a line, or behind a word."""
    end = start + _PIECE
    if end >= len(text):
        return len(text)
    line = text.rfind("\n", start + _PIECE // 2, end)
    word = text.rfind(" ", start + _PIECE // 2, end)
    return (line if line >= 0 else word) + 1 or end


def _cut(turn: Turn, *, start: int) -> Iterator[Turn]:
    """The parts of a turn from its message at *start* on."""
    first, size = start, 0
    for at in range(start, len(turn.messages)):
        more = _bytes(turn.messages[at])
        if at > first and (at - first >= _MOST_MESSAGES or size + more > _MOST_BYTES):
            yield _part(turn, first, at)
            first, size = at, 0
        size += more
    yield _part(turn, first, len(turn.messages))


def _part(turn: Turn, start: int, end: int) -> Turn:
    return replace(turn, turn_id=_part_id(turn, start), messages=turn.messages[start:end])


def _part_id(turn: Turn, start: int) -> str:
    return identifier(f"{turn.turn_id}+{start}") if start else turn.turn_id


def _fingerprint(turn: Turn) -> bytes:
    """What the turn says and where, so that the fingerprint of one that goes on from it begins with this one."""
    said = ((one.role, one.content) for one in turn.messages)
    parts = (digest_of(*one) for one in ((turn.session_id, turn.kind), *said))
    return b"".join(map(bytes.fromhex, parts))


def _goes_on(kept: Turn, turn: Turn, *, at: int) -> bool:
    """Whether a stored turn holds the messages of *turn* from *at* on, as far as either goes."""
    if kept.kind is not turn.kind or kept.session_id != turn.session_id:
        return False
    pairs = list(zip(kept.messages, turn.messages[at:], strict=False))
    return bool(pairs) and all(one.role is other.role and _same_words(one, other) for one, other in pairs)


def _same_words(one: Message, other: Message) -> bool:
    return one.content == other.content or _as_stored(one) == _as_stored(other)


def _as_stored(message: Message) -> str:
    return _CLEANED(without_citations(message.content)).strip()


def _bytes(message: Message) -> int:
    return len(json.dumps(message.content, ensure_ascii=False).encode("utf-8", "surrogatepass"))
