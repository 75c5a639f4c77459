"""Search and read the journal: MEMORY.md and memory/**/*.md. Only people write it."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response

from service.http.dependencies import CallerName, MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.markdown import posted_text
from service.http.openapi import MARKDOWN, answers
from service.http.schemas.fields import Question
from service.http.schemas.journal import (
    JOURNAL_FILE,
    JOURNAL_FILES,
    JOURNAL_FOUND,
    JOURNAL_PUT,
    JournalEntryOut,
    JournalFileOut,
    JournalFilesOut,
    JournalFound,
    JournalIn,
    JournalSearchOut,
)
from service.index.journal_files import LISTED, LONGEST_PATH, NOTES, OWN_WRITINGS
from service.mind.copies import outage

router = APIRouter(prefix="/v1/minds/{mind_id}/journal", tags=["journal"], route_class=KnownQuery)

_MOST_LINES = 1_000_000

# How OpenAPI describes the rules of index/journal_files.py, whose error messages help more than a pattern would.
_NEVER = r"/\\\x00-\x1f\x7f-\x9f\u2028\u2029"
_STEP = rf"[^.{_NEVER}][^{_NEVER}]*"
_BESIDE = "|".join(name.removesuffix(".md") for name in (NOTES, *LISTED, *OWN_WRITINGS))
_PATTERN = rf"^(({_BESIDE})\.md|memory(/{_STEP}){{0,14}}/{_STEP}\.md)$"

IfMatch = Annotated[str | None, Header(max_length=400, description="The ETag of the file that is replaced.")]
Score = Annotated[
    float | None,
    Query(ge=0, le=1, allow_inf_nan=False, description="The minimum score, instead of the configured one."),
]
JournalPath = Annotated[
    str,
    Query(
        min_length=1,
        max_length=LONGEST_PATH,
        description="`MEMORY.md`, `SOUL.md`, `PURPOSE.md`, a file that an agent writes of itself, such as `diary.md`, "
        "or a `.md` file below `memory/`, as a search names it.",
        examples=["memory/2026-01-09.md"],
        json_schema_extra={"pattern": _PATTERN},
    ),
]


@router.get("/search", summary="Search the journal", responses=answers(JOURNAL_FOUND, 404, 422, 503))
async def search(
    mind_id: MindId,
    memory: MemoryDep,
    query: Annotated[Question, Query(description="In words.", examples=["What colour is the hall?"])],
    max_results: Annotated[int, Query(ge=1, le=50)] = 6,
    min_score: Score = None,
) -> JournalSearchOut:
    """Find chunks by meaning and words, best first. Newer ones rank higher, and near-duplicates are left out."""
    mind = await memory.minds.find(mind_id)
    lacking = outage(memory.minds.copies)
    found, degraded = await memory.journal.search(mind, query, max_results=max_results, min_score=min_score)
    return JournalSearchOut(
        results=[JournalFound.model_validate(passage) for passage in found], degraded=[*degraded, *lacking]
    )


@router.get("", summary="List the journal", responses=answers(JOURNAL_FILES, 404, 422, 503))
async def files(mind_id: MindId, memory: MemoryDep) -> JournalFilesOut:
    """Every file, the newest first, with SOUL.md, PURPOSE.md and briefing.md. Links are left out."""
    found = await memory.journal.files(await memory.minds.find(mind_id))
    return JournalFilesOut(files=[JournalEntryOut.model_validate(one) for one in found])


@router.put(
    "/file",
    summary="Replace a person's file",
    responses=answers(JOURNAL_FILE, 400, 404, 409, 412, 413, 422, 428, 503),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                MARKDOWN: {"schema": {"type": "string"}},
                "application/json": {"schema": JournalIn.model_json_schema(), "example": JOURNAL_PUT},
            },
        }
    },
)
async def put(
    mind_id: MindId,
    memory: MemoryDep,
    by: CallerName,
    request: Request,
    response: Response,
    path: JournalPath,
    if_match: IfMatch = None,
) -> JournalFileOut:
    """Send `text/markdown` or JSON, with the ETag of the file it replaces. A search finds the new words at once."""
    mind = await memory.minds.find(mind_id)
    page = await memory.journal.put(mind, path, await posted_text(request, JournalIn), expected=if_match)
    await memory.audit_log.note("journal.edited", by=by, mind_id=mind_id, lines=page.total_lines, etag=page.etag)
    response.headers["ETag"] = page.etag
    return JournalFileOut.model_validate(page)


@router.get("/file", summary="Read lines of the journal", responses=answers(JOURNAL_FILE, 404, 422, 503))
async def file(
    mind_id: MindId,
    memory: MemoryDep,
    response: Response,
    path: JournalPath,
    from_line: Annotated[int, Query(ge=1, le=_MOST_LINES, description="The first line to return, counted from 1.")] = 1,
    lines: Annotated[
        int | None, Query(ge=1, le=_MOST_LINES, description="The number of lines; all remaining ones if left out.")
    ] = None,
) -> JournalFileOut:
    """Read lines of one file as a person wrote them. Bytes that are not UTF-8 become replacement characters."""
    mind = await memory.minds.find(mind_id)
    page = await memory.journal.read(mind, path, from_line=from_line, lines=lines)
    response.headers["ETag"] = page.etag
    return JournalFileOut.model_validate(page)
