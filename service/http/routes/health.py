"""Liveness, readiness and metrics."""

from importlib import import_module

import anyio.to_thread
from fastapi import APIRouter, Response, status
from fastapi.responses import PlainTextResponse

from service.http.dependencies import CallerDep, MemoryDep
from service.http.openapi import answers
from service.http.processes import all_series, readiness
from service.http.prometheus import CONTENT_TYPE, exposition
from service.http.schemas.examples import ALIVE, METRICS, READY
from service.http.schemas.health import Alive, Ready

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
    is_ready, parts = await readiness(memory)
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
    return PlainTextResponse(exposition(await all_series(memory)), media_type=CONTENT_TYPE)
