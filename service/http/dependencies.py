"""What a route may depend on. All dependencies are async, since FastAPI starts a thread for each one that is not."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Path, Request

from consolidation.workspace import MIND_ID
from service.access.principal import Principal
from service.composition.container import Memory


async def _memory(request: Request) -> Memory:
    memory: Memory = request.state.memory
    return memory


async def _caller(request: Request) -> Principal:
    caller: Principal = request.state.caller
    return caller


async def _caller_name(request: Request) -> str:
    return (await _caller(request)).name


MemoryDep = Annotated[Memory, Depends(_memory)]
MindName = Annotated[
    str,
    Path(
        description="1 to 63 characters of a-z, 0-9, - and _.",
        json_schema_extra={"pattern": f"^{MIND_ID}$"},
        examples=["global-user-memory"],
    ),
]


async def _inside_mind(mind_id: MindName, memory: MemoryDep) -> AsyncIterator[str]:
    """Enter the mind until the request is answered. An erase waits for that."""
    with memory.minds.gate.enter(mind_id):
        yield mind_id


MindId = Annotated[str, Depends(_inside_mind)]
CallerDep = Annotated[Principal, Depends(_caller)]
CallerName = Annotated[str, Depends(_caller_name)]  # for the audit log: a key's id, ``owner`` or ``local``
TraceId = Annotated[str, Path(description="The id of a trace.", examples=["123a9221c574418e9e73e0d4b95b30b0"])]
VersionName = Annotated[
    str, Path(max_length=60, description="A version as the history lists it.", examples=["2026-01-09T18-31-00-000000Z"])
]
