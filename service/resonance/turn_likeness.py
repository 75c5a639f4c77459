"""How like the turns of a call are to each other: how near, as far as its deadline lets the graph answer."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from consolidation.kernel.errors import GraphFault
from service.ports.graph import episode_uuid
from service.retrieval.answer_types import answer_types
from service.retrieval.other_subjects import may_be_about_another, told_in
from service.retrieval.successors import LEAST_LATER, Likeness, common_words
from service.retrieval.tellers import asker_of, may_change, tellers_in

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from consolidation.kernel.turns import StoredTurn
    from service.resonance.call import PreTurnCall
    from service.retrieval.put_right import PutRight

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


def likeness_to(
    call: PreTurnCall,
    older: Sequence[int],
    turns: Mapping[int, StoredTurn],
    cosines: Mapping[int, Mapping[int, float]],
    questions: Sequence[str],
    put_right: PutRight,
) -> dict[int, Likeness]:
    """How like each of *older* those of *turns* are that may answer, and may say what holds now of it."""
    text, moment = call.mind.text, call.moment
    wanted = answer_types(moment.message, language=moment.language)
    traits = text.traits(tuple(turns))
    telling = {
        sequence: one.occurred_at
        for sequence, one in traits.items()
        if not one.only_asks and (not wanted or wanted & one.answers)
    }
    words = text.own_stems(tuple(telling.keys() | set(older)))
    counts = text.turn_counts(tuple({word for one in older for word in words.get(one, ())}))
    said = {sequence: (one.turn.messages, (sequence,)) for sequence, one in turns.items()}
    tellers = tellers_in(said, call.mind, put_right, asker=asker_of(moment))
    told = {sequence: told_in(one.turn.messages) for sequence, one in turns.items()}
    found = {}
    for one in older:
        near = cosines.get(one, {})
        common = common_words(words, older=one, counts=counts, turns=len(call.mind.transcript.positions))
        later = [
            sequence
            for sequence, at in telling.items()
            if one in traits and at - traits[one].occurred_at >= LEAST_LATER
            if may_change(tellers[sequence], tellers[one])
            if not may_be_about_another(told[sequence], told[one], questions=questions, language=moment.language)
        ]
        found[one] = Likeness(
            {sequence: near[sequence] for sequence in later if sequence in near},
            {sequence: common[sequence] for sequence in later if sequence in common},
        )
    return found
