"""How near the turns of a call are to each other, as far as its deadline lets the graph answer."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from consolidation.kernel.errors import GraphFault
from service.ports.graph import episode_uuid

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from consolidation.kernel.turns import StoredTurn
    from service.resonance.call import PreTurnCall

_SHARE = 0.7  # of the time there is


async def cosines_between(
    call: PreTurnCall, turns: Mapping[int, StoredTurn], *, of: Collection[int], among: Collection[int]
) -> dict[int, dict[int, float]]:
    """
    The cosines of the turns *of* to those *among*, both sequences in *turns*; what has no vector is left out.

    Nothing where the graph fails or is late.
    """
    episodes = {one: episode_uuid(call.mind.mind_id, turns[one].turn.turn_id) for one in {*of, *among}}
    every = {episodes[one]: one for one in among}
    with suppress(GraphFault, TimeoutError):
        async with asyncio.timeout(call.deadline.left(share=_SHARE)):
            found = await call.mind.graph.likeness([episodes[one] for one in of], among=list(every))
        return {one: {every[key]: cosine for key, cosine in near.items()} for one, near in zip(of, found, strict=True)}
    return {}
