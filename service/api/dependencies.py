"""What a route may ask for."""

from typing import Annotated

from fastapi import Depends, Path, Request

from service.container import Memory


def _memory(request: Request) -> Memory:
    memory: Memory = request.state.memory
    return memory


MemoryDep = Annotated[Memory, Depends(_memory)]
MindId = Annotated[str, Path(description="1 to 63 of a-z, 0-9, - and _.", examples=["global-user-memory"])]
