"""The example life: load it, and see how far it is. It is erased like any mind."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response, status

from consolidation.workspace import no_such_mind
from service.example.loader import EXAMPLE, Loaded
from service.http.dependencies import CallerDep, MemoryDep
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.example import EXAMPLE_READY, ExampleOut

router = APIRouter(prefix="/v1/example", tags=["minds"], route_class=KnownQuery)


async def _sees_example(caller: CallerDep) -> None:
    """The path names no mind, so access to it is not decided yet."""
    if not caller.sees(EXAMPLE):
        raise no_such_mind(EXAMPLE)


SeesExample = Annotated[None, Depends(_sees_example)]


@router.post(
    "",
    summary="Load the example life",
    responses=answers(EXAMPLE_READY, 404, 409, 503, 507)
    | {201: {"description": "Loading has begun", "model": ExampleOut}},
)
async def load(memory: MemoryDep, caller: CallerDep, _: SeesExample, response: Response) -> ExampleOut:
    """
    Load a made-up life into the mind `example`: seven months of talk, as if the last was yesterday.

    Answers at once; loading goes on in the background. No hosted language model reads it. Once loaded, this does
    nothing. `DELETE /v1/minds/example` erases it.
    """
    await memory.new_minds.check(EXAMPLE, by=caller)
    with memory.minds.gate.enter(EXAMPLE):
        loaded, is_new = await memory.example.begin()
    if is_new:
        response.status_code = status.HTTP_201_CREATED
    return _answer(loaded)


@router.get("", summary="How far the example is loaded", responses=answers(EXAMPLE_READY, 404))
async def read(memory: MemoryDep, _: SeesExample) -> ExampleOut:
    """Whether the example life is loading or ready, and how many of its turns are stored."""
    with memory.minds.gate.enter(EXAMPLE):
        return _answer(await memory.example.read())


def _answer(loaded: Loaded) -> ExampleOut:
    return ExampleOut(mind_id=EXAMPLE, state=loaded.state, turns=loaded.turns, of=loaded.of)
