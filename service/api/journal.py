"""The journal: MEMORY.md and memory/**/*.md, searched and read. Only people write it."""

from typing import Annotated

from fastapi import APIRouter, Query

from service.api.dependencies import MemoryDep, MindId
from service.api.documented import answers
from service.journal.places import LONGEST_PATH
from service.wire.fields import Question
from service.wire.journal import JOURNAL_FILE, JOURNAL_FOUND, JournalFileOut, JournalFound, JournalSearchOut

router = APIRouter(prefix="/v1/minds/{mind_id}/journal", tags=["journal"])

_MOST_LINES = 1_000_000

# The rules of `places.py`, as OpenAPI can tell them: they are kept there, in words that help more than a pattern's.
_NEVER = r"/\\\x00-\x1f\x7f-\x9f\u2028\u2029"
_STEP = rf"[^.{_NEVER}][^{_NEVER}]*"
_PATTERN = rf"^(MEMORY\.md|memory(/{_STEP}){{0,14}}/{_STEP}\.md)$"

Score = Annotated[
    float | None, Query(ge=0, le=1, allow_inf_nan=False, description="The least score; the configured one else.")
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
    """Chunks of the files by meaning and words, best first, recent ones before old ones, none that say the same."""
    mind = await memory.minds.find(mind_id)
    found, degraded = await memory.journal.search(mind, query, max_results=max_results, min_score=min_score)
    results = [
        JournalFound(
            path=one.path, start_line=one.start_line, end_line=one.end_line, score=one.score, snippet=one.snippet
        )
        for one in found
    ]
    return JournalSearchOut(results=results, degraded=list(degraded))


@router.get("/file", summary="Read lines of the journal", responses=answers(JOURNAL_FILE, 404, 422, 503))
async def file(
    mind_id: MindId,
    memory: MemoryDep,
    path: JournalPath,
    from_line: Annotated[int, Query(ge=1, le=_MOST_LINES, description="The first line, counted from 1.")] = 1,
    lines: Annotated[int | None, Query(ge=1, le=_MOST_LINES, description="How many; to the end when left out.")] = None,
) -> JournalFileOut:
    """Lines of one file as a person wrote them; what is no UTF-8 is shown as replacement characters."""
    mind = await memory.minds.find(mind_id)
    page = await memory.journal.read(mind, path, from_line=from_line, lines=lines)
    return JournalFileOut(
        path=page.path, text=page.text, from_line=page.from_line, lines=page.lines, total_lines=page.total_lines
    )
