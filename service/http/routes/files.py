"""The files of a mind that only people write, whole: for whoever holds copies of them, as `mind-memory mount` does."""

from typing import Annotated

from fastapi import APIRouter, Header, Path, Request, Response

from consolidation.text.surrogates import as_text, encodable
from service.http.dependencies import CallerDep, MemoryDep, MindId
from service.http.entity_tags import is_held
from service.http.known_query import KnownQuery
from service.http.markdown import posted_text, wants_markdown
from service.http.openapi import MARKDOWN, answers, answers_with_markdown
from service.http.schemas.files import FILE, FILE_LISTED, FILE_PUT, FILES, FileIn, FileListedOut, FileOut, FilesOut
from service.index.journal_files import LONGEST_PATH
from service.journal.mind_files import SETTINGS, WholeFile
from service.mind.also_read import checked_minds
from service.mind.own_settings import understood

router = APIRouter(prefix="/v1/minds/{mind_id}/files", tags=["files"], route_class=KnownQuery)

Tag = Annotated[str | None, Header(max_length=400)]
FilePath = Annotated[
    str,
    Path(
        max_length=LONGEST_PATH,
        description="`SOUL.md`, `PURPOSE.md`, `MEMORY.md`, `settings.toml`, a `.md` file below `memory/`, or one of "
        "`prompts/` that has the name of a prompt.",
        examples=["memory/2026-01-09.md"],
    ),
]


@router.get("", summary="List people's files", response_model=FilesOut, responses=answers(FILES, 404, 422, 503))
async def files(
    mind_id: MindId, memory: MemoryDep, response: Response, if_none_match: Tag = None
) -> FilesOut | Response:
    """Each with its ETag. The list has one, too, except within two seconds of a change: 304 while nothing changed."""
    found = await memory.files.files(await memory.minds.find(mind_id), known=if_none_match)
    if found is None:
        return Response(status_code=304, headers={"ETag": if_none_match or ""})
    if found.etag is not None:
        response.headers["ETag"] = found.etag
    return FilesOut(files=[FileListedOut.model_validate(one) for one in found.files], etag=found.etag)


@router.get(
    "/{path:path}",
    summary="One of people's files",
    response_model=FileOut,
    responses=answers_with_markdown(FILE, 404, 422, 503),
)
async def read(
    mind_id: MindId,
    path: FilePath,
    memory: MemoryDep,
    response: Response,
    accept: Annotated[str, Header(max_length=400)] = "",
    if_none_match: Tag = None,
) -> FileOut | Response:
    """The file as JSON, or byte for byte with `Accept: text/markdown`."""
    found = await memory.files.read(await memory.minds.find(mind_id), path)
    headers = {"ETag": found.listed.etag, "Vary": "Accept"}
    if is_held(found.listed.etag, if_none_match=if_none_match):
        return Response(status_code=304, headers=headers)
    if wants_markdown(accept):
        return Response(found.content, media_type=MARKDOWN, headers=headers)
    response.headers.update(headers)
    return _file_out(found)


@router.put(
    "/{path:path}",
    summary="Make or replace one of people's files",
    responses=answers(FILE, 400, 404, 409, 412, 413, 422, 428, 503),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                MARKDOWN: {"schema": {"type": "string"}},
                "application/json": {"schema": FileIn.model_json_schema(), "example": FILE_PUT},
            },
        }
    },
)
async def put(
    mind_id: MindId,
    path: FilePath,
    memory: MemoryDep,
    caller: CallerDep,
    request: Request,
    response: Response,
    if_match: Tag = None,
    if_none_match: Tag = None,
) -> FileOut:
    """Send `text/markdown` or JSON, with the ETag of the file it replaces, or `If-None-Match: *` for a new one."""
    mind = await memory.minds.find(mind_id)
    text = await posted_text(request, FileIn)
    if path == SETTINGS:
        checked_minds(understood(text).own.also_read or (), mind_id=mind_id, sees=caller.sees)
    is_new = if_match is None and (if_none_match or "").strip() == "*"
    written = await memory.files.put(mind, path, text, expected=if_match, is_new=is_new)
    details = {"is_new": is_new, "bytes": written.listed.bytes, "etag": written.listed.etag}
    await memory.audit_log.note("file.written", by=caller.name, mind_id=mind_id, **details)
    response.headers["ETag"] = written.listed.etag
    return _file_out(written)


@router.delete(
    "/{path:path}",
    summary="Delete one of people's files",
    responses=answers(FILE_LISTED, 404, 409, 412, 422, 428, 503),
)
async def delete(
    mind_id: MindId, path: FilePath, memory: MemoryDep, caller: CallerDep, if_match: Tag = None
) -> FileListedOut:
    """With the ETag of the file, so that nobody's last words are deleted unseen. The answer says what was deleted."""
    gone = await memory.files.delete(await memory.minds.find(mind_id), path, expected=if_match)
    await memory.audit_log.note("file.deleted", by=caller.name, mind_id=mind_id, bytes=gone.bytes, etag=gone.etag)
    return FileListedOut.model_validate(gone)


def _file_out(found: WholeFile) -> FileOut:
    listed, text = found.listed, as_text(found.content)
    return FileOut(
        path=listed.path, etag=listed.etag, bytes=listed.bytes, changed_at=listed.changed_at, text=encodable(text)
    )
