"""Ids of memories that name their mind as well, since the calls by id of other memories name no user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Response

from consolidation.kernel.errors import MemoryNotFound
from consolidation.workspace import mind_id_of, mind_of_others
from service.facades.entries import EPISODE, turn_named
from service.facades.worker_of_mind import in_worker_of_mind
from service.http.routes import corrections, erasure
from service.http.schemas.corrections import CorrectionIn

if TYPE_CHECKING:
    from service.access.principal import Principal
    from service.composition.container import Memory


def id_of(mind_id: str, entry_id: str) -> str:
    """The id of a memory outside of its mind."""
    return f"{mind_id}:{entry_id}"


def mind_for(name: str, caller: Principal, *, pointer: str = "path/mind_id") -> str:
    """The mind of a user or a group. Raises InvalidMindId, and MindNotFound for one that *caller* may not see."""
    mind_id = mind_id_of(name, pointer=pointer)
    if not caller.sees(mind_id):
        raise mind_of_others(mind_id)
    return mind_id


def parts_of(memory_id: str, caller: Principal) -> tuple[str, str]:
    """The mind, and the memory within it. Raises MemoryNotFound, and MindNotFound for one that *caller* may not see."""
    name, colon, entry_id = memory_id.partition(":")
    if not colon or not entry_id:
        raise MemoryNotFound("no memory has this id")
    return mind_for(name, caller), entry_id


async def edit(memory_id: str, text: str, memory: Memory, caller: Principal) -> None:
    """Put new words in a memory's place."""
    mind_id, entry_id = parts_of(memory_id, caller)
    await _correct(memory, mind_id, entry_id, {"what": "edit", "to": text}, caller)


async def delete(memory_id: str, memory: Memory, caller: Principal) -> None:
    """Erase a turn; of a fact, say that it is wrong, so that it does not come up."""
    mind_id, entry_id = parts_of(memory_id, caller)
    await _delete(memory, mind_id, entry_id, caller)


@in_worker_of_mind
async def _delete(memory: Memory, mind_id: str, entry_id: str, caller: Principal) -> None:
    if entry_id.startswith(EPISODE):
        with memory.minds.gate.enter(mind_id):
            mind = await memory.minds.find(mind_id)
            turn_id = (await turn_named(memory, mind, entry_id)).turn.turn.turn_id
        await erasure.erase_turn(mind_id, turn_id, memory, caller.name, Response(), erasure.HowToErase())
    else:
        await _correct(memory, mind_id, entry_id, {"what": "wrong"}, caller)


@in_worker_of_mind
async def _correct(memory: Memory, mind_id: str, entry_id: str, decision: dict[str, str], caller: Principal) -> None:
    with memory.minds.gate.enter(mind_id):
        mind = await memory.minds.find(mind_id)
        target = {"kind": "fact", "id": entry_id}
        if entry_id.startswith(EPISODE):
            sequence = (await turn_named(memory, mind, entry_id)).turn.sequence
            target = {"kind": "turn", "id": f"{EPISODE}{sequence}"}
        posted = CorrectionIn.model_validate({**decision, "target": target})
        await corrections.correct(mind_id, posted, memory, caller.name)
