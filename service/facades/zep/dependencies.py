"""What each call of Zep's clients needs."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from service.facades.zep.thread_places import ThreadPlaces
from service.facades.zep.users import Caller
from service.http.dependencies import CallerDep, MemoryDep


async def _caller(request: Request, memory: MemoryDep, principal: CallerDep) -> Caller:
    state = request.app.state
    if not hasattr(state, "zep_threads"):
        state.zep_threads = ThreadPlaces()
    return Caller(memory, principal, state.zep_threads)


CallerOfZep = Annotated[Caller, Depends(_caller)]
