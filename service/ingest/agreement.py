"""
Finds where the graph, or full text, holds other turns than the transcript does.

That happens where a turn was read from a store that lost it, and its sequence was given to another turn. What is above
the last turn that both have is other turns' then. An erased turn, and one whose line can not be read any more, says
nothing: it is not another one. A graph that holds an erased turn was away while that was erased: an older copy was put
back, or another FalkorDB is configured again. What came after it is read anew.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.sharing_errors import DatabaseUnavailable
from consolidation.kernel.turns import TurnKind
from service.ingest.episodes import uuid_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from consolidation.kernel.turns import StoredTurn
    from service.mind.minds import Mind
    from service.ports.graph import Progress
    from service.ports.shared_home import Custody

    type EpisodesUntil = Callable[[int], Awaitable[Sequence[tuple[int, str]]]]

PAGE = 100  # episodes that are compared at once


async def graph_parts_at(mind: Mind, progress: Progress, *, custody: Custody) -> int | None:
    """
    The first sequence at which the graph has another turn than the transcript; None where they agree.

    The graph goes on behind the transcript's end where an older transcript was put back: nothing of that has a source.
    Damaged lines at that end say nothing. *custody* says where the end is of a transcript that several machines share.
    """
    cursors = ((progress.saved, progress.saved_turn), (progress.extracted, progress.extracted_turn))
    others = [sequence for sequence, turn_id in cursors if await _is_another(mind, sequence, turn_id)]
    reached = max(progress.saved, progress.extracted)
    last = await _last_turn(mind, custody) if reached > mind.transcript.reserved else None
    if last is not None and last < reached:
        others.append(last + 1)
    if not others:
        return None
    first = min(others)
    found = await first_other(mind, first - 1, lambda until: mind.graph.episodes_until(until, limit=PAGE))
    return first if found is None else found


async def erased_turn_in_graph(mind: Mind) -> int | None:
    """The lowest sequence of an erased turn that the graph holds; None where it holds none."""
    erased = mind.transcript.positions.tombstones
    return await mind.graph.lowest_saved(erased) if erased else None


async def first_other(mind: Mind, until: int, episodes_until: EpisodesUntil) -> int | None:
    """
    The lowest sequence up to *until* that has another episode than the transcript; None where the highest is the same.

    *episodes_until* reads episodes (sequences and uuids) downwards. Those below the first that agrees are not read.
    """
    first: int | None = None
    while page := await episodes_until(until):
        turns = {turn.sequence: turn for turn in await _turns(mind, [sequence for sequence, _ in page])}
        for sequence, episodes in groupby(page, key=lambda one: one[0]):
            if sequence not in turns:
                continue
            if all(episode == uuid_of(mind, turns[sequence]) for _, episode in episodes):
                return first
            first = sequence
        until = page[-1][0] - 1
    return first


async def turn_id_at(mind: Mind, sequence: int) -> str:
    """The id of the turn of a sequence; empty where the transcript does not say."""
    return next((turn.turn.turn_id for turn in await _turns(mind, (sequence,))), "")


async def _is_another(mind: Mind, sequence: int, turn_id: str) -> bool:
    """Whether the transcript has another turn at *sequence*. Nothing is read where it has this one."""
    if not turn_id or mind.transcript.positions.sequence_of(turn_id) == sequence:
        return False
    return any(turn.turn.turn_id != turn_id for turn in await _turns(mind, (sequence,)))


async def _last_turn(mind: Mind, custody: Custody) -> int | None:
    """The sequence of the last turn, whichever machine accepted it; None while nobody can say."""
    if not custody.is_shared:
        return mind.transcript.positions.last
    try:  # after the graph was asked, and a turn is stored before it gets there; the copy here may be behind
        return await anyio.to_thread.run_sync(custody.last_turn, mind.mind_id)
    except DatabaseUnavailable:
        return None


async def _turns(mind: Mind, sequences: Sequence[int]) -> tuple[StoredTurn, ...]:
    known = [one for one in dict.fromkeys(sequences) if mind.transcript.positions.place(one) is not None]
    return tuple(turn for turn in await mind.transcript.read_many(known) if turn.turn.kind is not TurnKind.ERASED)
