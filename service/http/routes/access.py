"""Who may call and who changed what, for people who look after the service: keys and the audit log."""

from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Path, Query, status

from service.catalog.cursors import cursor_of, place_in
from service.http.dependencies import CallerName, MemoryDep
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.access import AUDIT, KEYS, AuditOut, KeysOut, audit_line_out, keys_out

router = APIRouter(prefix="/v1", tags=["access"], route_class=KnownQuery)

KeyId = Annotated[str, Path(description="The id of a key.", examples=["1a2b3c4d"])]

_LIST = "audit"


@router.get("/keys", summary="API keys", responses=answers(KEYS, 404, 503))
async def keys(memory: MemoryDep) -> KeysOut:
    """List the keys that were not revoked. `mind-memory keys create` makes them; no route does."""
    return keys_out(memory.keys.keys())


@router.delete(
    "/keys/{key_id}",
    status_code=status.HTTP_204_NO_CONTENT,
    summary="Revoke an API key",
    responses={number: one for number, one in answers(None, 404, 422, 503).items() if number != status.HTTP_200_OK},
)
async def revoke(key_id: KeyId, memory: MemoryDep, by: CallerName) -> None:
    """Close a key at once and for ever, and end its sessions."""
    await memory.keys.revoke(key_id, by=by)


@router.get("/audit", summary="Who changed what", responses=answers(AUDIT, 404, 422, 503))
async def audit(
    memory: MemoryDep,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(max_length=200, description="`next_cursor` of the page before.")] = None,
) -> AuditOut:
    """List changes from the audit log, newest first, and check the whole log."""
    place = place_in(_LIST, cursor, int)
    page = await anyio.to_thread.run_sync(
        lambda: memory.audit_log.page(before=place[0] if place is not None else None, limit=limit)
    )
    return AuditOut(
        items=[audit_line_out(entry) for entry in page.entries],
        is_intact=page.chain.broken_at is None,
        fault=page.chain.fault,
        next_cursor=cursor_of(_LIST, page.entries[-1].line) if page.has_more else None,
    )
