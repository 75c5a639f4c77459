"""A mind as one archive, out and in; and what is derived of it, built anew."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated

import anyio
from fastapi import APIRouter, Query, Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from service.api.dependencies import CallerName, MemoryDep, MindId
from service.api.documented import answers, answers_to_archive, archive_of
from service.moving.exporting import Export
from service.moving.faults import ArchiveTooLarge, ArchiveUnreadable
from service.wire.examples import IMPORTED, REBUILDING
from service.wire.moving import ImportedOut, RebuildingOut

ZIP = "application/zip"
UPLOADS = r"/v1/minds/[^/]+/import/?$"
_MOST_DRAINED = 16 << 20  # bytes let go, so that the client hears the refusal instead of a reset

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["moving"])

Reembed = Annotated[bool, Query(description="Make its vectors anew with the embedder that is configured here.")]


class _Archive(StreamingResponse):
    """Lets go of what was set aside, however the sending ends."""

    def __init__(self, export: Export) -> None:
        name = f"{export.mind_id}-{export.made_at:%Y-%m-%d}.zip"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        super().__init__(export.chunks(), media_type=ZIP, headers=headers)
        self._export = export

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._export.close()


@router.get(
    "/export", summary="A mind as one archive", response_class=StreamingResponse, responses=archive_of(404, 422, 503)
)
async def export(mind_id: MindId, memory: MemoryDep, by: CallerName) -> StreamingResponse:
    """A zip of all that a mind is: see ARCHIVE.md. Turns are kept meanwhile; what is in it rests on turns that are."""
    archive = _Archive(await memory.moves.exporting.export(await memory.minds.find(mind_id)))
    await memory.audit.note("mind.exported", by=by, mind_id=mind_id)
    return archive


@router.post(
    "/import",
    status_code=201,
    summary="A mind of an archive",
    responses=answers_to_archive(IMPORTED),
    openapi_extra={
        "requestBody": {"required": True, "content": {ZIP: {"schema": {"type": "string", "format": "binary"}}}}
    },
)
async def bring_in(
    mind_id: MindId, memory: MemoryDep, by: CallerName, request: Request, *, reembed: Reembed = False
) -> ImportedOut:
    """All of it or nothing: built aside and checked, then moved in under this id. There must be no such mind yet."""
    if not _has_body(request):
        raise ArchiveUnreadable("the archive is empty: send it as the body of the request")
    async with memory.moves.restoring.incoming.spooled(mind_id) as folder:
        archive = folder / "archive.zip"
        await _spool(request.stream(), archive, most_bytes=memory.settings.archive.max_bytes)
        restored = await memory.moves.restoring.restore(mind_id, archive, reembeds=reembed)
    manifest, planted = restored.manifest, restored.planted.by_kind
    await memory.audit.note("mind.imported", by=by, mind_id=mind_id, turns=restored.turns)
    return ImportedOut(
        mind_id=mind_id,
        from_mind_id=manifest.mind_id,
        made_at=manifest.made_at,
        turns=restored.turns,
        last_sequence=manifest.last_sequence,
        episodes=planted.get("Episodic", 0),
        entities=planted.get("Entity", 0),
        facts=planted.get("RELATES_TO", 0) + planted.get("RELATED_TO", 0),
        reembedded=restored.planted.is_reembedded,
    )


@router.post(
    "/rebuild",
    status_code=202,
    summary="Build graph and full text anew",
    responses=answers(REBUILDING, 404, 422, 503, status=202),
)
async def rebuild(mind_id: MindId, memory: MemoryDep, by: CallerName) -> RebuildingOut:
    """Both are dropped, and fill again from the transcript, read by models anew; the mind's status tells how far."""
    turns = await memory.moves.rebuilding.rebuild(await memory.minds.find(mind_id))
    await memory.audit.note("mind.rebuilt", by=by, mind_id=mind_id, turns=turns)
    return RebuildingOut(mind_id=mind_id, turns=turns)


def _has_body(request: Request) -> bool:
    """By what its head says (RFC 9112, 6.3)."""
    return "transfer-encoding" in request.headers or request.headers.get("content-length", "0") != "0"


async def _spool(body: AsyncIterator[bytes], file: Path, *, most_bytes: int) -> None:
    """The body in *file*. Raises ArchiveTooLarge."""
    size = 0
    async with await anyio.open_file(file, "wb") as to:
        async for chunk in body:
            size += len(chunk)
            if size > most_bytes + _MOST_DRAINED:
                break
            if size <= most_bytes:
                await to.write(chunk)
    if size > most_bytes:
        raise ArchiveTooLarge(f"an archive may have {most_bytes} bytes")
