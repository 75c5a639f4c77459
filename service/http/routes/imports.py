"""Conversations from elsewhere: send a file, see what it holds, see how far it is stored."""

from dataclasses import asdict
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Path, Query, Response, status

from consolidation.text.surrogates import encodable
from service.http.dependencies import CallerDep, MemoryDep, MindId, SentFile
from service.http.known_query import KnownQuery
from service.http.openapi import Answers, answers
from service.http.schemas.imports import (
    IMPORT_BEGUN,
    IMPORT_PROGRESS,
    SURVEYED,
    HowToImport,
    ImportBegunOut,
    ImportProgressOut,
    SkippedOut,
    SurveyOut,
    postable,
)

UPLOADS = r"/v1/minds/[^/]+/import/conversations/?$"
_BINARY = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_SURVEYED: Answers = {
    200: {
        "description": "What the file holds, with `dry_run`",
        "model": SurveyOut,
        "content": {"application/json": {"example": SURVEYED}},
    }
}

router = APIRouter(prefix="/v1/minds/{mind_id}/import/conversations", tags=["moving"], route_class=KnownQuery)


@router.post(
    "",
    status_code=status.HTTP_202_ACCEPTED,
    summary="Import conversations",
    responses=answers(IMPORT_BEGUN, 413, 422, 503, status=202) | _SURVEYED,
    openapi_extra={"requestBody": {"required": True, "content": _BINARY}},
)
async def bring_in(
    mind_id: MindId,
    how: Annotated[HowToImport, Query()],
    memory: MemoryDep,
    caller: CallerDep,
    file: SentFile,
    response: Response,
) -> ImportBegunOut | SurveyOut:
    """
    Send a file as the body: the export of ChatGPT, Claude.ai or Gemini (the zip, or the JSON in it), a WhatsApp chat,
    memories of ChatGPT, mem0 or OpenMemory, a graph of Graphiti or Zep, our JSONL, or session files of agents.

    Its turns are stored in the background. The same file again stores nothing twice, and goes on where it was stopped.
    """
    zone, name = ZoneInfo(how.timezone), how.filename
    if how.dry_run:
        response.status_code = status.HTTP_200_OK
        found = await memory.imports.survey(mind_id, file, filename=name, checked=postable, zone=zone)
        return SurveyOut.model_validate(found)
    await memory.new_minds.check(mind_id, by=caller)
    begun = await memory.imports.begin(mind_id, file, filename=name, checked=postable, zone=zone)
    await memory.audit_log.note("conversations.imported", by=caller.name, mind_id=mind_id, turns=begun.survey.turns)
    return ImportBegunOut.model_validate({**asdict(begun.survey), "import_id": begun.import_id})


@router.get("/{import_id}", summary="How far an import is", responses=answers(IMPORT_PROGRESS, 404, 422))
async def progress(
    mind_id: MindId,
    import_id: Annotated[str, Path(max_length=64, examples=["9b1f0a7c3d5e24689b1f0a7c3d5e2468"])],
    memory: MemoryDep,
) -> ImportProgressOut:
    """A restart of the service forgets it. What was stored is stored, and the same file again goes on."""
    found = memory.imports.progress(mind_id, import_id)
    return ImportProgressOut(
        mind_id=mind_id,
        import_id=import_id,
        state=found.state,
        stored=found.stored,
        of=found.survey.turns,
        duplicates=found.duplicates,
        erased=found.erased,
        refused=found.refused,
        skipped=[SkippedOut.model_validate(one) for one in found.survey.skipped],
        detail=encodable(found.detail),
    )
