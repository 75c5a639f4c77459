"""Search and read the journal: MEMORY.md and memory/**/*.md. Only people write it."""

from typing import Annotated

from fastapi import APIRouter, Query

from service.http.dependencies import MemoryDep, MindId
from service.http.openapi import answers
from service.http.schemas.fields import Question
from service.http.schemas.journal import JOURNAL_FILE, JOURNAL_FOUND, JournalFileOut, JournalFound, JournalSearchOut
from service.index.journal_files import LONGEST_PATH

router = APIRouter(prefix="/v1/minds/{mind_id}/journal", tags=["journal"])

_MOST_LINES = 1_000_000

# How OpenAPI describes the rules of index/journal_files.py, whose error messages help more than a pattern would.
_NEVER = r"/\\\x00-\x1f\x7f-\x9f\u2028\u2029"
_STEP = rf"[^.{_NEVER}][^{_NEVER}]*"
_PATTERN = rf"^(MEMORY\.md|memory(/{_STEP}){{0,14}}/{_STEP}\.md)$"

Score = Annotated[
    float | None,
    Query(ge=0, le=1, allow_inf_nan=False, description="The minimum score, instead of the configured one."),
]
JournalPath = Annotated[
    str,
    Query(
        min_length=1,
        max_length=LONGEST_PATH,
        description="`MEMORY.md`, or a `.md` file below `memory/`, as a search names it.",
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
    found, degraded = await memory.journal.search(mind, query, max_results=max_results, min_score=min_score)
    return JournalSearchOut(
        results=[JournalFound.model_validate(passage) for passage in found], degraded=list(degraded)
    )


@router.get("/file", summary="Read lines of the journal", responses=answers(JOURNAL_FILE, 404, 422, 503))
async def file(
    mind_id: MindId,
    memory: MemoryDep,
    path: JournalPath,
    from_line: Annotated[int, Query(ge=1, le=_MOST_LINES, description="The first line to return, counted from 1.")] = 1,
    lines: Annotated[
        int | None, Query(ge=1, le=_MOST_LINES, description="The number of lines; all remaining ones if left out.")
    ] = None,
) -> JournalFileOut:
    """Read lines of one file as a person wrote them. Bytes that are not UTF-8 become replacement characters."""
    mind = await memory.minds.find(mind_id)
    page = await memory.journal.read(mind, path, from_line=from_line, lines=lines)
    return JournalFileOut.model_validate(page)
