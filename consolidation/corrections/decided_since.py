"""
What people decided behind a line of the log that somebody followed: of which turns, and which names are muted by it.

A name is muted by more than a mute: merged with a muted one, or given to it, it is muted too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.corrections.record import Correction
from consolidation.corrections.standing import Standing
from consolidation.corrections.taken_out import is_by_any, turns_naming
from consolidation.corrections.wording import tells_of_any

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from consolidation.corrections.record import Line
    from consolidation.kernel.turns import StoredTurn
    from consolidation.transcript.log import Transcript


def followed(lines: Sequence[Line], *, last: str) -> int:
    """How many lines there are up to the one with the id *last*; 0 where an erasure took it, or there never was one."""
    return next((number for number, one in enumerate(lines, start=1) if one.id == last), 0)


async def names_since(lines: Sequence[Line], *, known: int) -> tuple[frozenset[str], frozenset[str]]:
    """The names that are muted since the first *known* lines, and of those that are not any more."""
    before, now = await anyio.to_thread.run_sync(lambda: (_muted(lines[:known]), _muted(lines)))
    return now - before, before - now


async def turns_of(transcript: Transcript, lines: Sequence[Line], *, correction_id: str) -> frozenset[int]:
    """The turns that a decision is about which was made, or taken back, last in *lines*. Raises as ``turns_since``."""
    of = [one.id if isinstance(one, Correction) else one.of for one in lines]
    known = max((at for at, one in enumerate(of) if one == correction_id), default=len(lines))
    return await turns_since(transcript, lines[: known + 1], known=known)


async def turns_since(transcript: Transcript, lines: Sequence[Line], *, known: int) -> frozenset[int]:
    """
    The turns of which something was decided behind the first *known* lines; of names that are muted since, or not any
    more, those that name them, or in which they speak.

    Raises TranscriptUnreadable.
    """
    found = (transcript.positions.sequence_of(turn_id) for turn_id in _turn_ids(lines, known=known))
    names = frozenset[str]().union(*await names_since(lines, known=known))
    naming = await turns_naming(transcript, names) if names else frozenset[int]()
    return naming | {one for one in found if one is not None}


def is_decided_since(
    turns: Sequence[StoredTurn], lines: Sequence[Line], *, since: datetime, statements: Collection[str] = ()
) -> bool:
    """
    Whether something was decided *since* a time of one of these *turns* or *statements*, or of a name in it. It blocks.

    *statements* are ids of what people said; others among them count for nothing.
    """
    known = next((number for number, one in enumerate(lines) if one.at >= since), len(lines))
    if not _turn_ids(lines, known=known).isdisjoint(one.turn.turn_id for one in turns):
        return True
    said = {one.id for one in lines if isinstance(one, Correction)}.intersection(statements)
    told = _told_still(lines) if said else {}
    if not said <= told.keys():
        return True
    names = _muted(lines[:known]) ^ _muted(lines) if known < len(lines) else frozenset[str]()
    texts = (*(message.content for one in turns for message in one.turn.messages), *(told[one] for one in said))
    is_own = any(is_by_any(message, names) for one in turns for message in one.turn.messages)
    return bool(names) and (is_own or any(tells_of_any(text, names) for text in texts))


def _told_still(lines: Sequence[Line]) -> dict[str, str]:
    """The words of what people said that may be told, by id."""
    standing = Standing.of(lines)
    return {one.id: one.text for one in standing.statements if not standing.reason_against(one)}


def _turn_ids(lines: Sequence[Line], *, known: int) -> set[str]:
    """The ids of turns of which something was decided behind the first *known* lines."""
    made = {one.id: one for one in lines if isinstance(one, Correction)}
    decided = (one if isinstance(one, Correction) else made.get(one.of) for one in lines[known:])
    return {turn_id for one in decided if one is not None for turn_id in one.target.turn_ids}


def _muted(lines: Sequence[Line]) -> frozenset[str]:
    of_names = (one for one in lines if not isinstance(one, Correction) or one.target.kind == "entity")
    return Standing.of(of_names).muted_names
