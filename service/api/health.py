"""Is it alive, and is it whole?"""

from fastapi import APIRouter, Response, status

from consolidation.kernel.errors import MemoryFault
from service.api.dependencies import CallerDep, MemoryDep
from service.api.documented import answers
from service.wire.examples import ALIVE, READY
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
    parts: dict[str, str] = {}
    try:
        await memory.graph.ping()
        parts["graph"] = "ready"
    except MemoryFault as error:
        parts["graph"] = str(error)
    is_ready = all(state == "ready" for state in parts.values())
    response.status_code = status.HTTP_200_OK if is_ready else status.HTTP_503_SERVICE_UNAVAILABLE
    return Ready(status="ready" if is_ready else "degraded", parts=parts if caller.sees_all else {})
