"""What a route may ask for. All of it is async: FastAPI gives a thread to what is not."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Path, Request

from consolidation.workspace import MIND_ID
from service.access.caller import Caller
from service.container import Memory


async def _memory(request: Request) -> Memory:
    memory: Memory = request.state.memory
    return memory


async def _caller(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


async def _by(request: Request) -> str:
    return (await _caller(request)).name


MemoryDep = Annotated[Memory, Depends(_memory)]
MindName = Annotated[
    str,
    Path(
        description="1 to 63 of a-z, 0-9, - and _.",
        json_schema_extra={"pattern": f"^{MIND_ID}$"},
        examples=["global-user-memory"],
    ),
]


async def _at_work(mind_id: MindName, memory: MemoryDep) -> AsyncIterator[str]:
    """Be at work in the mind until it is answered: an erase waits for that."""
    with memory.minds.fence.inside(mind_id):
        yield mind_id


MindId = Annotated[str, Depends(_at_work)]
CallerDep = Annotated[Caller, Depends(_caller)]
CallerName = Annotated[str, Depends(_by)]  # for the audit: a key's id, ``owner`` or ``local``
TraceId = Annotated[str, Path(description="Of a resonance.", examples=["123a9221c574418e9e73e0d4b95b30b0"])]
VersionName = Annotated[
    str, Path(max_length=60, description="As the history lists it.", examples=["2026-01-09T18-31-00-000000Z"])
]
