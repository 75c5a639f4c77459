"""
Check the transcript of an archive: each turn must be one that we would have accepted.

A damaged line stays as it is, as in the home that it comes from. So does the tombstone of an erased turn. A line with a
valid checksum and an invalid turn was never ours, and would stop the mind at each start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.kernel.errors import ArchiveUnreadable
from consolidation.kernel.turns import TurnKind
from consolidation.transcript.recovery import Damage, scan
from service.archive.layout import TRANSCRIPT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from consolidation.kernel.turns import StoredTurn

_MOST = 2**53  # what a JSON number can hold exactly
_LONGEST_ID = 1_000
_LONGEST_SALT = 64  # bytes of a key of BLAKE2


def turns_in(mind: Path) -> Iterator[StoredTurn]:
    """Every turn below the unpacked folder *mind* that is whole and not erased. Raises ArchiveUnreadable."""
    for file in sorted((mind / TRANSCRIPT).glob("*.jsonl")):
        name = f"{TRANSCRIPT}/{file.name}"
        try:
            for found in scan(file):
                if isinstance(found, Damage):
                    continue
                stored, _ = found
                _check(stored, name=name)
                if stored.turn.kind is not TurnKind.ERASED:
                    yield stored
        except (RecursionError, AttributeError, TypeError, OverflowError) as error:
            raise ArchiveUnreadable(f"{name} contains a line that is not a turn", pointer=name) from error


def _check(stored: StoredTurn, *, name: str) -> None:
    turn = stored.turn
    texts: list[object] = [turn.turn_id, turn.session_id, *(message.content for message in turn.messages)]
    texts += [text for message in turn.messages for text in (message.name, message.id) if text is not None]
    metadata: object = turn.metadata
    is_erased = turn.kind is TurnKind.ERASED
    is_ours = (
        _is_count(stored.sequence)
        and stored.sequence > 0
        and _is_count(stored.tokens)
        and all(_is_text(text) for text in texts)
        and 0 < len(turn.turn_id) <= _LONGEST_ID
        and isinstance(metadata, dict)
        and (not is_erased or _is_tombstone(metadata))
        and all(
            at is None or at.tzinfo is not None for at in (stored.accepted_at, *(m.timestamp for m in turn.messages))
        )
        and bool(turn.messages) is not is_erased
    )
    if not is_ours:
        raise ArchiveUnreadable(f"{name}: the turn of sequence {str(stored.sequence)[:30]} is not a turn", pointer=name)


def _is_tombstone(metadata: dict[str, object]) -> bool:
    salt, said = metadata.get("salt"), metadata.get("said")
    is_salt = isinstance(salt, str) and salt.isascii() and len(salt) <= _LONGEST_SALT
    return is_salt and isinstance(said, list) and all(isinstance(digest, str) for digest in said)


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < _MOST


def _is_text(value: object) -> bool:
    if not isinstance(value, str) or "\x00" in value:
        return False
    return not any("\ud800" <= letter <= "\udfff" for letter in value)
