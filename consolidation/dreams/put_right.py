"""
What people put right goes into dreams: one that saw such a turn loses its words and is owed.

It is dreamt again of the turn as it was put right. Lines of observations.md stay, since people edit them too; whoever
reads them leaves out those that rest on what was put right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from consolidation.dreams.dream_files import DreamFiles
    from consolidation.dreams.dream_log import DreamRecord


def put_right_in_dreams(files: DreamFiles, sequences: frozenset[int]) -> int:
    """
    Let the dreams that saw one of these turns be dreamt again; returns how many.

    Blocking. Raises DreamUnwritable.
    """
    return files.replace_all(lambda one: _owed(one) if _has_seen(one, sequences) else one)


def _has_seen(one: DreamRecord, sequences: frozenset[int]) -> bool:
    return any(one.first_sequence <= sequence <= one.last_sequence for sequence in sequences)


def _owed(one: DreamRecord) -> DreamRecord:
    if not (one.reflection or one.priority):
        return one
    return one.model_copy(update={"reflection": "", "priority": "", "is_owed": True})
