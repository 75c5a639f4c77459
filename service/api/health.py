"""Is it alive, and is it whole?"""

from importlib import import_module
from importlib.metadata import version

import anyio.to_thread
from fastapi import APIRouter, Response, status
from fastapi.responses import PlainTextResponse

from consolidation.kernel.errors import MemoryFault
from service.api.dependencies import CallerDep, MemoryDep
from service.api.documented import answers
from service.dependency import GRAPH, WELL
from service.figures import figures
from service.metrics import CONTENT_TYPE, exposition
from service.wire.examples import ALIVE, METRICS, READY
from service.wire.health import Alive, Ready

router = APIRouter(tags=["health"])


@router.get("/healthz", summary="Alive", responses=answers(ALIVE))
async def healthz() -> Alive:
    """Answers as soon as the service accepts turns, before graph and models are ready."""
    return Alive(status="alive")


@router.get(
    "/readyz",
    summary="Whole, dependency by dependency",
    responses=answers(READY) | {503: {"model": Ready, "description": "Something is missing"}},
)
async def readyz(memory: MemoryDep, caller: CallerDep, response: Response) -> Ready:
    """503 while something is missing; turns are accepted all the same. The parts only with a key for all minds."""
    graph = memory.dependencies.named(GRAPH)
    parts = {name: one.trouble or WELL for name, one in memory.dependencies.all.items()}
    if graph.trouble is None:
        try:
            await memory.graph.ping()
        except MemoryFault as error:
            parts[GRAPH] = str(error)
    is_ready = all(state == WELL for state in parts.values())
    response.status_code = status.HTTP_200_OK if is_ready else status.HTTP_503_SERVICE_UNAVAILABLE
    return Ready(status="ready" if is_ready else "degraded", parts=parts if caller.sees_all else {})


@router.get(
    "/metrics",
    summary="Figures for Prometheus",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {"example": METRICS}}}},
)
async def metrics(memory: MemoryDep) -> PlainTextResponse:
    """How it stands, what was done and how long it took, what it cost and what it was good for; nobody's words."""
    await anyio.to_thread.run_sync(import_module, "prometheus_client")
    told = figures(
        version=version("mind-memory"),
        tally=memory.tally,
        spending=memory.ledger.snapshot(),
        dependencies=memory.dependencies,
        minds=memory.minds.opened(),
        storytelling=memory.stories.telling,
    )
    return PlainTextResponse(exposition(told), media_type=CONTENT_TYPE)
