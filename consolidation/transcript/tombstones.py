"""
What stays of an erased turn: its place in the order, and digests that recognise it when it is posted again.

It holds neither ids nor words. The digests of the words are salted, with a salt for each turn, and short: enough to
keep out what a backend sends again, too little to be looked up in a table.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from consolidation.kernel.turns import StoredTurn, Turn, TurnKind
from consolidation.text.injected_blocks import without_injected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from consolidation.kernel.turns import Message

_LONG, _SHORT = 16, 8  # bytes
_OFF_THE_RECORD = "~"  # begins the digests of a message's id and time, by which one without words is recognised
_NEVER = datetime.fromtimestamp(0, UTC)  # when an erased turn was accepted is erased, too


def tombstone_of(kept: StoredTurn, *, salt: str) -> StoredTurn:
    """The tombstone of a turn; *salt* is new each time."""
    salt = salt[: _SHORT * 2]
    said = [one for message in kept.turn.messages for one in _known_by(message, salt)]
    return as_tombstone(kept.sequence, id_digest(kept.turn.turn_id), session_digest(kept.turn.session_id), salt, said)


def as_tombstone(sequence: int, turn: str, session: str, salt: str, said: Sequence[str]) -> StoredTurn:
    """A tombstone from the fields of its line in the transcript."""
    metadata: dict[str, object] = {"salt": salt, "said": list(said)}
    return StoredTurn(sequence, _NEVER, Turn(turn, session, (), TurnKind.ERASED, metadata))


def id_digest(turn_id: str) -> str:
    """What stays of a turn's id."""
    return hashlib.blake2b(f"turn\n{turn_id}".encode("utf-8", "surrogatepass"), digest_size=_LONG).hexdigest()


def session_digest(session_id: str) -> str:
    """What stays of a session's id."""
    return hashlib.blake2b(f"session\n{session_id}".encode("utf-8", "surrogatepass"), digest_size=_SHORT).hexdigest()


def not_erased(
    posted: Sequence[Message], tombstones: Iterable[StoredTurn], *, cleaned: Callable[[str], str] = without_injected
) -> tuple[int, ...]:
    """
    The places of the messages of *posted* that no tombstone of their session recognises, ascending.

    Each erased message matches one posted message: what is said once more after it was erased is new. *cleaned* returns
    a text as it would be stored. A message off the record is recognised by its id or its time, however often it comes.
    """
    return ErasedMessages(tombstones, cleaned=cleaned).others(posted)


class ErasedMessages:
    """What the tombstones of one session still recognise, of messages that are posted bit by bit."""

    def __init__(self, tombstones: Iterable[StoredTurn], *, cleaned: Callable[[str], str] = without_injected) -> None:
        """*cleaned* as for ``not_erased``."""
        self._cleaned = cleaned
        self._gone = [(one.turn.turn_id, str(one.turn.metadata["salt"]), Counter(_digests(one))) for one in tombstones]

    def leave_out(self, turn_ids: Iterable[str]) -> None:
        """Recognise no message of the erased turns among these: who posts one of them is refused by its id."""
        known = set(map(id_digest, turn_ids))
        self._gone = [one for one in self._gone if one[0] not in known]

    def others(self, posted: Sequence[Message]) -> tuple[int, ...]:
        """The places of the messages of *posted* that are not recognised, as ``not_erased`` finds them."""
        words = {at: self._cleaned(message.content) for at, message in enumerate(posted)}
        left = {at: (message, _bare(words[at])) for at, message in enumerate(posted) if words[at]}
        for _, salt, gone in self._gone:
            is_silent = any(one.startswith(_OFF_THE_RECORD) for one in gone)
            for at in list(left) if gone else ():
                message, bare = left[at]
                digest = _said(message, bare, salt)
                if digest in gone:
                    gone -= Counter([digest])
                    del left[at]
                elif is_silent and any(one in gone for one in _silenced_by(message, salt)):
                    del left[at]
        return tuple(at for at in range(len(posted)) if at in left or not words[at])


def _digests(tombstone: StoredTurn) -> list[str]:
    said = tombstone.turn.metadata["said"]
    assert isinstance(said, list)  # noqa: S101 - as_tombstone
    return said


def _known_by(message: Message, salt: str) -> list[str]:
    """The digests that recognise a stored message: of its words; off the record, of its id and its time."""
    return [_said(message, _bare(message.content), salt)] if message.content else _silenced_by(message, salt)


def _silenced_by(message: Message, salt: str) -> list[str]:
    signs = [f"id\n{message.id}"] if message.id is not None else []
    signs += [f"time\n{message.timestamp.isoformat()}"] if message.timestamp is not None else []
    return [_digest(f"{message.role.value}\n{sign}", salt, mark=_OFF_THE_RECORD) for sign in signs]


def _bare(words: str) -> str:
    """*words* as they are told apart: without what was injected, and without how they are spaced."""
    return " ".join(without_injected(words).split())


def _said(message: Message, bare: str, salt: str) -> str:
    return _digest(f"{message.role.value}\n{bare}", salt)


def _digest(text: str, salt: str, *, mark: str = "") -> str:
    whole = text.encode("utf-8", "surrogatepass")
    return mark + hashlib.blake2b(whole, digest_size=_SHORT, key=salt.encode()).hexdigest()
