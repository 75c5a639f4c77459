"""Export and import of a mind as one archive, and rebuilding what is derived from its transcript."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated

import anyio
from fastapi import APIRouter, Query, Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from consolidation.kernel.errors import AccessRefused, ArchiveTooLarge, ArchiveUnreadable
from service.archive.export import Export
from service.http.dependencies import CallerDep, CallerName, MemoryDep, MindId, SentFile
from service.http.known_query import KnownQuery
from service.http.middleware.body_limit import MOST_DRAINED
from service.http.openapi import answers, answers_to_archive, answers_with_archive
from service.http.schemas.archive import ImportedOut, RebuildingOut
from service.http.schemas.examples import IMPORTED, REBUILDING

ZIP = "application/zip"
UPLOADS = r"/v1/minds/[^/]+/import/?$"

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["moving"], route_class=KnownQuery)

Reembed = Annotated[bool, Query(description="Make new vectors with the embedder configured here.")]

TakesPrompts = Annotated[
    bool,
    Query(
        description="Take the archive's own prompts too, which decide what models are told. Not with a key for certain "
        "minds."
    ),
]


class _Archive(StreamingResponse):
    """A response that deletes the prepared archive however the sending ends."""

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
    "/export",
    summary="Export a mind",
    response_class=StreamingResponse,
    responses=answers_with_archive(404, 409, 422, 503, 507),
)
async def export(mind_id: MindId, memory: MemoryDep, by: CallerName) -> StreamingResponse:
    """Export the whole mind as one zip, consistent while turns go on. docs/archive-format.md describes the format."""
    archive = _Archive(await memory.archive.exporter.export(await memory.minds.find(mind_id)))
    await memory.audit_log.note("mind.exported", by=by, mind_id=mind_id)
    return archive


@router.post(
    "/import",
    status_code=201,
    summary="Import a mind",
    responses=answers_to_archive(IMPORTED),
    openapi_extra={
        "requestBody": {"required": True, "content": {ZIP: {"schema": {"type": "string", "format": "binary"}}}}
    },
)
async def bring_in(
    mind_id: MindId,
    memory: MemoryDep,
    caller: CallerDep,
    request: Request,
    file: SentFile,
    *,
    reembed: Reembed = False,
    prompts: TakesPrompts = False,
) -> ImportedOut:
    """
    Make a mind from an archive: all of it or nothing. It is built aside, checked, and moved in under this id, which
    must be free. Its own prompts are left out unless `prompts` is true.
    """
    if prompts and not caller.sees_all:
        raise AccessRefused("a key for certain minds can not import prompts: leave `prompts` out")
    await memory.new_minds.check(mind_id, by=caller)
    if not _has_body(request):
        raise ArchiveUnreadable("the archive is empty: send it as the body of the request")
    async with memory.archive.restorer.staging.spooled(mind_id) as folder:
        archive = folder / "archive.zip"
        await _spool(file, archive, most_bytes=memory.settings.archive.max_bytes)
        restored = await memory.archive.restorer.restore(mind_id, archive, reembeds=reembed, takes_prompts=prompts)
    manifest, imported = restored.manifest, restored.graph.by_kind
    mind = await memory.minds.find(mind_id)
    memory.sleep.sleeper.begin(mind)  # a dream that was owed where it comes from
    memory.story.sources.begin(mind)
    await memory.audit_log.note("mind.imported", by=caller.name, mind_id=mind_id, turns=restored.turns)
    return ImportedOut(
        mind_id=mind_id,
        from_mind_id=manifest.mind_id,
        made_at=manifest.made_at,
        turns=restored.turns,
        last_sequence=manifest.last_sequence,
        episodes=imported.get("Episodic", 0),
        entities=imported.get("Entity", 0),
        facts=imported.get("RELATES_TO", 0) + imported.get("RELATED_TO", 0),
        reembedded=restored.graph.is_reembedded,
        prompts_left_out=restored.prompts_left_out,
    )


@router.post(
    "/rebuild",
    status_code=202,
    summary="Rebuild graph and full text",
    responses=answers(REBUILDING, 404, 422, 503, status=202),
)
async def rebuild(mind_id: MindId, memory: MemoryDep, by: CallerName) -> RebuildingOut:
    """
    Delete graph and full text. They fill again from the transcript, and models read every turn again. The mind's status
    shows the progress.
    """
    turns = await memory.archive.rebuilder.rebuild(await memory.minds.find(mind_id))
    await memory.audit_log.note("mind.rebuilt", by=by, mind_id=mind_id, turns=turns)
    return RebuildingOut(mind_id=mind_id, turns=turns)


def _has_body(request: Request) -> bool:
    """Whether the request has a body, by its headers (RFC 9112, section 6.3)."""
    return "transfer-encoding" in request.headers or request.headers.get("content-length", "0") != "0"


async def _spool(body: AsyncIterator[bytes], file: Path, *, most_bytes: int) -> None:
    """Write the body to *file*. Raises ArchiveTooLarge."""
    size = 0
    async with await anyio.open_file(file, "wb") as to:
        async for chunk in body:
            size += len(chunk)
            if size > most_bytes + MOST_DRAINED:
                break
            if size <= most_bytes:
                await to.write(chunk)
    if size > most_bytes:
        raise ArchiveTooLarge(f"an archive may have {most_bytes} bytes")
