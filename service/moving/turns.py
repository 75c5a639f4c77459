"""
The transcript of an archive, read once before it is believed: each turn such as we would have kept it.

A line that is damaged stays what it is, as in the home it comes from; a line that is whole and says nonsense was never
ours, and would stop the mind at each start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.transcript.recovery import Damage, scan
from service.moving.faults import ArchiveUnreadable
from service.moving.members import TRANSCRIPT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from consolidation.kernel.turns import Kept

_MOST = 2**53
_LONGEST_ID = 1_000


def turns_in(mind: Path) -> Iterator[Kept]:
    """Every whole turn below the unpacked folder *mind*. Raises ArchiveUnreadable."""
    for file in sorted((mind / TRANSCRIPT).glob("*.jsonl")):
        name = f"{TRANSCRIPT}/{file.name}"
        try:
            for found in scan(file):
                if not isinstance(found, Damage):
                    _check(found[0], name=name)
                    yield found[0]
        except (RecursionError, AttributeError, TypeError, OverflowError) as error:
            raise ArchiveUnreadable(f"{name} holds a line that is no turn", pointer=name) from error


def _check(kept: Kept, *, name: str) -> None:
    turn = kept.turn
    texts: list[object] = [turn.turn_id, turn.session_id, *(said.content for said in turn.messages)]
    texts += [text for said in turn.messages for text in (said.name, said.id) if text is not None]
    metadata: object = turn.metadata
    is_ours = (
        _is_count(kept.sequence)
        and kept.sequence > 0
        and _is_count(kept.tokens)
        and all(_is_text(text) for text in texts)
        and 0 < len(turn.turn_id) <= _LONGEST_ID
        and isinstance(metadata, dict)
        and all(at is None or at.tzinfo is not None for at in (kept.accepted_at, *(m.timestamp for m in turn.messages)))
        and bool(turn.messages)
    )
    if not is_ours:
        raise ArchiveUnreadable(f"{name}: the turn of sequence {str(kept.sequence)[:30]} is no turn", pointer=name)


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < _MOST


def _is_text(value: object) -> bool:
    if not isinstance(value, str) or "\x00" in value:
        return False
    return not any("\ud800" <= letter <= "\udfff" for letter in value)
