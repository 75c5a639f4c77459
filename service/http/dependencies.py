"""What a route may depend on. All dependencies are async, since FastAPI starts a thread for each one that is not."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Path
from pydantic import JsonValue
from starlette.requests import HTTPConnection, Request

from consolidation.kernel.errors import InvalidRequest
from consolidation.workspace import LONGEST_MIND_NAME
from service.access.principal import Principal
from service.composition.container import Memory


async def _memory(connection: HTTPConnection) -> Memory:
    memory: Memory = connection.state.memory
    return memory


async def _caller(connection: HTTPConnection) -> Principal:
    caller: Principal = connection.state.caller
    return caller


async def _caller_name(connection: HTTPConnection) -> str:
    return (await _caller(connection)).name


NAME_OF_MIND = (
    f"A mind's id (a-z, 0-9, - and _), or any printable text of 1 to {LONGEST_MIND_NAME} characters, such as your own "
    "id of a user, from which the same mind's id is derived each time."
)
MIND_SCHEMA: dict[str, JsonValue] = {"format": "printable-text", "minLength": 1, "maxLength": LONGEST_MIND_NAME}

MemoryDep = Annotated[Memory, Depends(_memory)]
MindName = Annotated[
    str,
    Path(
        description=f"{NAME_OF_MIND} Percent-encoded.",
        json_schema_extra=MIND_SCHEMA,
        examples=["global-user-memory"],
    ),
]


async def _inside_mind(mind_id: MindName, memory: MemoryDep) -> AsyncIterator[str]:
    """Enter the mind until the request is answered. An erase waits for that."""
    with memory.minds.gate.enter(mind_id):
        yield mind_id


def text_of_header(value: str) -> str:
    """The value of a header: UTF-8, as most clients send it, else Latin-1, as browsers do."""
    try:
        return value.encode("latin-1").decode("utf-8").strip()
    except UnicodeError:
        return value.strip()


MindId = Annotated[str, Depends(_inside_mind)]
CallerDep = Annotated[Principal, Depends(_caller)]
CallerName = Annotated[str, Depends(_caller_name)]  # for the audit log: a key's id, ``owner`` or ``local``
TraceId = Annotated[str, Path(description="The id of a trace.", examples=["123a9221c574418e9e73e0d4b95b30b0"])]
VersionName = Annotated[
    str, Path(max_length=60, description="A version as the history lists it.", examples=["2026-01-09T18-31-00-000000Z"])
]


async def _sent_file(request: Request) -> AsyncIterator[bytes]:
    if request.headers.get("content-type", "").strip().lower().startswith("multipart/"):
        raise InvalidRequest(
            "send the file itself as the body, not a form with it: `curl --data-binary @file`, not `-F file=@file`",
            pointer="#",
        )
    return request.stream()


SentFile = Annotated[AsyncIterator[bytes], Depends(_sent_file)]  # a body that is a file, piece by piece
