"""
How far full text and vectors are behind the turns that were accepted, and whether they are worth waiting for.

A turn is indexed some milliseconds after it was accepted, and has its vectors some tenths of a second after. An import,
or a copy that was just made, leaves more to do.
"""

from __future__ import annotations

import asyncio
from itertools import count
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import IndexUnusable
from service.mind.health import LaneName

if TYPE_CHECKING:
    from datetime import datetime

    from service.mind.minds import Mind

INDEX_BEHIND = "index_behind"  # the rung of an answer that lacks turns which full text, or vectors, do not have yet
_LOOK_SECONDS = 0.005
_FEW_TURNS = 32  # full text has them in one step, soon
_TRIAL_SECONDS, _TRIAL_LOOKS = 0.2, 20  # once both have passed, the pace of full text tells whether it comes in time
_OPENING_SECONDS = 0.2  # that the opening of a mind waits for its full text, which somebody else may have locked
_VECTORS_SECONDS = 2.0  # after a turn was accepted, in which its vectors are waited for
_PATIENCE, _PATIENCE_SECONDS = 0.5, 2.0  # how long to wait without any progress: a share of the time allowed, at most


async def until_indexed(mind: Mind, *, seconds: float) -> bool:
    """
    Whether full text has every turn accepted so far; it is waited for, *seconds* at the longest.

    Where it is far behind, and so slow that it would not come in time, it is not waited for any longer; nor where it
    has not come nearer after half of that time, or two seconds. Raises IndexUnusable.
    """
    clock, newest = asyncio.get_running_loop().time, mind.transcript.positions.last
    began, first, left = clock(), -1, 0
    patience = min(_PATIENCE * seconds, _PATIENCE_SECONDS)
    for looks in count():
        cursor = await anyio.to_thread.run_sync(mind.text.cursor, "turns")
        left, elapsed = newest - cursor, clock() - began
        if left <= 0 or elapsed >= seconds:
            break
        first = cursor if looks == 0 else first
        trial = max(_TRIAL_SECONDS, patience if cursor == first else 0)
        is_tried = elapsed >= trial and looks >= _TRIAL_LOOKS
        if left > _FEW_TURNS and is_tried and (cursor - first) * (seconds - elapsed) < left * elapsed:
            break
        await asyncio.sleep(_LOOK_SECONDS)
    return left <= 0


async def until_followed(mind: Mind, *, seconds: float) -> bool:
    """
    Whether vectors were made of the turns of another machine, as far as the graph has them; they are waited for.

    That takes *seconds* at the longest. Nothing that fails is waited for: it is told by its rung.
    """
    clock = asyncio.get_running_loop().time
    until, saving = clock() + seconds, mind.health.lanes[LaneName.SAVING]
    while mind.health.has_news and saving.waiting_for is None:
        if clock() >= until:
            return False
        await asyncio.sleep(_LOOK_SECONDS)
    return True


async def has_lost_text(mind: Mind) -> bool:
    """
    Whether full text lacks turns that a mind at rest had in it: a new version makes it anew, or its file has gone.

    The lane is set back to what is there. A file that does not open soon may lack some; the lane will meet it.
    """
    lane = mind.health.lanes[LaneName.INDEXING]
    try:
        async with asyncio.timeout(_OPENING_SECONDS):
            cursor = await anyio.to_thread.run_sync(mind.text.cursor, "turns", abandon_on_cancel=True)
    except (IndexUnusable, TimeoutError):
        return True
    is_behind, lane.cursor = cursor < lane.cursor, min(cursor, lane.cursor)
    return is_behind


async def until_saved(mind: Mind, *, now: datetime) -> None:
    """
    Return once the newest turn can be found by its meaning, if it was accepted in the last two seconds.

    A graph that does not take it is not waited for.
    """
    clock, newest = asyncio.get_running_loop().time, mind.transcript.positions.last
    saving = mind.health.lanes[LaneName.SAVING]
    if saving.cursor >= newest:
        return
    last = await anyio.to_thread.run_sync(mind.transcript.read_now, [newest])
    age = (now - last[0].accepted_at).total_seconds() if last else _VECTORS_SECONDS
    until = clock() + min(_VECTORS_SECONDS, _VECTORS_SECONDS - age)
    for _ in count():
        if saving.cursor >= newest or saving.waiting_for is not None or clock() >= until:
            return
        await asyncio.sleep(_LOOK_SECONDS)
