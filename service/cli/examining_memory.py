"""The part of an examination that asks the service: does the graph answer, and how is each mind?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio

from consolidation.kernel.clock import SystemClock
from service.cli.findings import Finding, broken, doubtful, noted, sound
from service.cli.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from service.cli.client import MemoryClient

_LOOK_SECONDS = 5  # what a home that was just opened may take to catch up, or to find out what it waits for
_POLL_SECONDS = 0.1
_MISMATCH = "EmbedderMismatch"


async def examine_graph_answer(memory: MemoryClient, *, seconds: float) -> list[Finding]:
    """Whether the graph answers within *seconds*."""
    clock = SystemClock()
    until = clock.monotonic() + seconds
    while True:
        parts = await memory.readiness()
        wrong = {name: state for name, state in parts.items() if state != "ready"}
        if not wrong:
            return [sound(name, "answers") for name in parts]
        if clock.monotonic() > until:
            mend = "see the graph above, and redis.log in the home's graph folder"
            return [broken(name, state, mend=mend) for name, state in wrong.items()]
        await anyio.sleep(_POLL_SECONDS)


async def examine_minds(memory: MemoryClient) -> list[Finding]:
    """Each mind: how much, how far behind and why, parked turns, damaged lines."""
    minds = await memory.minds()
    if not minds:
        return [noted("minds", "none yet: the first turn begins one")]
    clock = SystemClock()
    until = clock.monotonic() + (_LOOK_SECONDS if memory.is_own else 0)
    found = [await memory.mind(mind_id) for mind_id in minds]
    while any(map(_is_behind, found)) and clock.monotonic() < until:
        await anyio.sleep(_POLL_SECONDS)
        found = [await memory.mind(mind_id) for mind_id in minds]
    return [finding for mind in found for finding in _mind(mind)]


def _is_behind(mind: Mapping[str, Any]) -> bool:
    return bool(mind["graph"]["waiting_for"] or mind["graph"]["lag"])


def _mind(mind: Mapping[str, Any]) -> Iterator[Finding]:
    name, graph = mind["mind_id"], mind["graph"]
    held, waiting = counted(mind["turns"], "turn"), graph["waiting_for"]
    behind = f", {counted(graph['lag'], 'turn')} not read yet" if graph["lag"] else ", all read"
    if waiting is not None and _MISMATCH in waiting:
        mend = "configure that embedder again, or run `mind-memory reindex`"
        yield broken(name, waiting, mend=mend)
    elif waiting is not None:
        yield broken(name, f"{held}{behind}: waits for {waiting}", mend="it goes on by itself once that answers")
    else:
        yield sound(name, f"{held}{behind}")
    if graph["parked"]:
        first = graph["parked"][0]
        found = f"{counted(len(graph['parked']), 'turn')} parked; turn {first['sequence']}: {first['error']}"
        yield doubtful(name, found, mend=f"`mind-memory retry --mind {name}` once that is mended")
    if mind["damaged"]:
        files = ", ".join(sorted({one["file"] for one in mind["damaged"]}))
        found = f"{counted(len(mind['damaged']), 'damaged line')} in {files}"
        mend = f"their bytes are kept in minds/{name}/transcript/torn; see what a person can read there"
        yield broken(name, found, mend=mend)
