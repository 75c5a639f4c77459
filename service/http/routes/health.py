"""Liveness, readiness and metrics."""

from importlib import import_module

import anyio.to_thread
from fastapi import APIRouter, Response, status
from fastapi.responses import PlainTextResponse

from consolidation.kernel.errors import MemoryFault
from consolidation.kernel.release import installed_version
from service.http.dependencies import CallerDep, MemoryDep
from service.http.metrics import metric_series
from service.http.openapi import answers
from service.http.prometheus import CONTENT_TYPE, exposition
from service.http.schemas.examples import ALIVE, METRICS, READY
from service.http.schemas.health import Alive, Ready
from service.observability.dependency_health import GRAPH, NO_TROUBLE, WARM_UP

router = APIRouter(tags=["health"])


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz", summary="Alive", responses=answers(ALIVE))
async def healthz() -> Alive:
    """Answers as soon as the service accepts turns, before graph and models are ready."""
    return Alive(status="alive")


@router.head("/readyz", include_in_schema=False)
@router.get(
    "/readyz",
    summary="Ready, dependency by dependency",
    responses=answers(READY) | {503: {"model": Ready, "description": "A dependency fails"}},
)
async def readyz(memory: MemoryDep, caller: CallerDep, response: Response) -> Ready:
    """
    503 while a dependency fails; turns are still accepted. Details are shown only to keys that see all minds.

    Of a graph in shards, one that fails is named and makes nothing unready: the minds of the others are served.
    """
    dependencies = memory.telemetry.dependencies
    graph = dependencies.get(GRAPH)
    parts = {name: one.trouble or NO_TROUBLE for name, one in dependencies.all.items()}
    parts[WARM_UP] = NO_TROUBLE if memory.warmed.is_set() else "loading what the first pre-turn call needs"
    if graph.trouble is None:
        try:
            await memory.graphs.ping()
        except MemoryFault as error:
            parts[GRAPH] = str(error)
    is_ready = all(state == NO_TROUBLE for state in parts.values())
    parts = {name: one.trouble or NO_TROUBLE for name, one in dependencies.with_shards.items()} | parts
    response.status_code = status.HTTP_200_OK if is_ready else status.HTTP_503_SERVICE_UNAVAILABLE
    return Ready(status="ready" if is_ready else "degraded", parts=parts if caller.sees_all else {})


@router.get(
    "/metrics",
    summary="Metrics for Prometheus",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {"example": METRICS}}}},
)
async def metrics(memory: MemoryDep) -> PlainTextResponse:
    """Counters and timings of the service in Prometheus's text format. They contain no names and no words."""
    await anyio.to_thread.run_sync(import_module, "prometheus_client")
    series = metric_series(
        version=installed_version(),
        tally=memory.telemetry.tally,
        spending=memory.telemetry.usage.snapshot(),
        dependencies=memory.telemetry.dependencies,
        minds=await memory.minds.totals(),
    )
    return PlainTextResponse(exposition(series), media_type=CONTENT_TYPE)
