"""
The calls that mem0's clients before version 2, and before 3 in TypeScript, make otherwise than its newest ones.

They read memories as a list, as ``results`` where they ask for ``output_format="v1.1"``, or in pages.
"""

from __future__ import annotations

from typing import Annotated, Any, NoReturn

from fastapi import APIRouter, Query, Request

from service.facades.mem0 import routes
from service.facades.mem0.bodies import AddIn, ListIn, SearchIn
from service.facades.mem0.routes import Page, memories_of, page_of_memories
from service.facades.mem0.scope import EndOfMem0, Scope, TimeOfMem0, scope_of_query
from service.facades.translation import refuse
from service.http.dependencies import CallerDep, MemoryDep
from service.http.routes.turns import IdempotencyKey

Size = Annotated[int | None, Query(ge=1, le=500)]
_BESIDES = frozenset({"page", "page_size", "output_format", "version", "start_date", "end_date"})  # the ids in a query

router = APIRouter(prefix="/mem0", include_in_schema=False)


@router.post("/v1/memories/")
async def add(
    posted: AddIn, memory: MemoryDep, caller: CallerDep, idempotency_key: IdempotencyKey = None
) -> dict[str, Any] | list[Any]:
    """Keep the messages as a turn; it is on disk when this answers."""
    return _as_asked(await routes.add(posted, memory, caller, idempotency_key), posted.output_format)


@router.post("/v1/memories/search/")
@router.post("/v2/memories/search/")
async def search(posted: SearchIn, memory: MemoryDep, caller: CallerDep) -> dict[str, Any] | list[Any]:
    """What answers a query, best first."""
    return _as_asked(await routes.search(posted, memory, caller), posted.output_format)


@router.post("/v2/memories/")
async def get_all(
    posted: ListIn,
    memory: MemoryDep,
    caller: CallerDep,
    request: Request,
    page: Page | None = None,
    page_size: Size = None,
) -> dict[str, Any] | list[Any]:
    """The memories that hold, newest first."""
    return await _listed(memory, caller, posted.scope, request, page, page_size, posted.output_format)


@router.get("/v1/memories/")
async def get_all_of_v1(
    memory: MemoryDep,
    caller: CallerDep,
    request: Request,
    page: Page | None = None,
    page_size: Size = None,
    start_date: TimeOfMem0 | None = None,
    end_date: EndOfMem0 | None = None,
    output_format: str | None = None,
) -> dict[str, Any] | list[Any]:
    """The same, asked for by the parameters of a query."""
    scope = scope_of_query(request.query_params, besides=_BESIDES).within(since=start_date, until=end_date)
    return await _listed(memory, caller, scope, request, page, page_size, output_format)


@router.api_route("/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], response_model=None)
async def not_served(path: str) -> NoReturn:
    """Every other call of mem0."""
    refuse(f"{path.strip('/')} is not served", page="mem0.md")


async def _listed(
    memory: MemoryDep,
    caller: CallerDep,
    scope: Scope,
    request: Request,
    page: int | None,
    page_size: int | None,
    output_format: str | None,
) -> dict[str, Any] | list[Any]:
    if page is not None or page_size is not None:
        return await page_of_memories(memory, caller, scope, request, page or 1, page_size or 100)
    return _as_asked({"results": await memories_of(memory, caller, scope)}, output_format)


def _as_asked(found: dict[str, Any], output_format: str | None) -> dict[str, Any] | list[Any]:
    results: list[Any] = found["results"]
    return found if output_format == "v1.1" else results
