"""
What people put right goes into dreams: one that saw such a turn loses its words and is owed.

It is dreamt again of the turn as it was put right. sleep.json names the last line of the corrections that dreams
follow, so that a process that dies in between loses nothing. Lines of observations.md stay, since people edit them too;
whoever reads them leaves out those that rest on what was put right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.corrections.record import Line
    from consolidation.dreams.dream_files import DreamFiles
    from consolidation.dreams.dream_log import DreamRecord


def is_behind(files: DreamFiles, lines: Sequence[Line]) -> bool:
    """Whether there are dreams that do not follow all *lines* of the corrections yet. It blocks, as all here does."""
    return bool(lines and files.dreams().records) and files.state().put_right != lines[-1].id


def put_right_in_dreams(files: DreamFiles, sequences: frozenset[int]) -> int:
    """
    Let the dreams that saw one of these turns be dreamt again; returns how many.

    Raises DreamUnwritable.
    """
    return files.replace_all(lambda one: _owed(one) if _has_seen(one, sequences) else one)


def follow(files: DreamFiles, sequences: frozenset[int], *, last: str) -> None:
    """
    Let dreams follow the corrections, up to the line with the id *last*, in what was decided of these turns.

    Raises DreamUnwritable.
    """
    put_right_in_dreams(files, sequences)
    files.set_state(files.state().model_copy(update={"put_right": last}))


def _has_seen(one: DreamRecord, sequences: frozenset[int]) -> bool:
    return any(one.first_sequence <= sequence <= one.last_sequence for sequence in sequences)


def _owed(one: DreamRecord) -> DreamRecord:
    """It is owed also where it has no words: it may get some back, when a decision is taken back."""
    return one.model_copy(update={"reflection": "", "priority": "", "intent": "", "is_owed": True})
