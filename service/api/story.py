"""The story in people's hands: read it, change it, look back, go back."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from consolidation.story.editing import etag_of
from service.api.dependencies import CallerName, MemoryDep, MindId, VersionName
from service.api.documented import MARKDOWN, answers, markdown_too
from service.container import Memory
from service.minds import Mind
from service.storytelling.editing import saved_at
from service.wire.examples import DIFFERENCE, HISTORY, STORY, VERSION
from service.wire.story import (
    STORY_PUT,
    ChapterOut,
    DifferenceOut,
    HistoryOut,
    RestoreIn,
    StoryIn,
    StoryTold,
    VersionListed,
    VersionOut,
)

router = APIRouter(prefix="/v1/minds/{mind_id}/story", tags=["story"])

IfMatch = Annotated[str | None, Header(max_length=400, description="The ETag of the story that this one replaces.")]


@router.get(
    "", summary="The story as it stands", response_model=StoryTold, responses=markdown_too(STORY, 404, 409, 422)
)
async def read(
    mind_id: MindId,
    memory: MemoryDep,
    response: Response,
    accept: Annotated[str, Header(max_length=400)] = "",
    if_none_match: Annotated[str | None, Header(max_length=400)] = None,
) -> StoryTold | Response:
    """STORY.md to the last byte with `Accept: text/markdown`, else with its chapters and how far it is."""
    mind = await memory.minds.find(mind_id)
    told, raw = await _told(mind, memory)
    headers = {"ETag": told.etag, "Vary": "Accept"}
    if if_none_match is not None and told.etag in if_none_match:
        return Response(status_code=304, headers=headers)
    if MARKDOWN in accept:
        return Response(raw.encode("utf-8", "surrogateescape"), media_type=MARKDOWN, headers=headers)
    response.headers.update(headers)
    return told


@router.put(
    "",
    summary="Put another story in its place",
    responses=answers(STORY, 400, 404, 409, 412, 413, 422, 428, 503),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                MARKDOWN: {"schema": {"type": "string"}},
                "application/json": {"schema": StoryIn.model_json_schema(), "example": STORY_PUT},
            },
        }
    },
)
async def put(
    mind_id: MindId, memory: MemoryDep, by: CallerName, request: Request, response: Response, if_match: IfMatch = None
) -> StoryTold:
    """As `text/markdown`, or as JSON; only with the ETag of the story it replaces, so that nobody's edit is lost."""
    mind = await memory.minds.find(mind_id)
    await memory.stories.editing.put(mind, await _text(request), expected=if_match)
    told = await _answered(mind, memory, response)
    await memory.audit.note("story.edited", by=by, mind_id=mind_id, words=told.words, etag=told.etag)
    return told


@router.get("/history", summary="Earlier stories", responses=answers(HISTORY, 404, 422))
async def history(mind_id: MindId, memory: MemoryDep) -> HistoryOut:
    """The last 50 versions, newest first."""
    found = await memory.stories.editing.versions(await memory.minds.find(mind_id))
    return HistoryOut(
        versions=[VersionListed(version=one.name, saved_at=saved_at(one.name), size=one.size) for one in found]
    )


@router.get(
    "/history/{version}",
    summary="An earlier story",
    response_model=VersionOut,
    responses=markdown_too(VERSION, 404, 422),
)
async def version(
    mind_id: MindId, version: VersionName, memory: MemoryDep, accept: Annotated[str, Header(max_length=400)] = ""
) -> VersionOut | Response:
    """As it was, to the last byte with `Accept: text/markdown`."""
    text = await memory.stories.editing.version(await memory.minds.find(mind_id), version)
    if MARKDOWN in accept:
        return Response(text.encode("utf-8", "surrogateescape"), media_type=MARKDOWN, headers={"Vary": "Accept"})
    return VersionOut(version=version, saved_at=saved_at(version), text=_speakable(text))


@router.get("/diff", summary="What changed", responses=answers(DIFFERENCE, 404, 422))
async def diff(
    mind_id: MindId,
    memory: MemoryDep,
    since: Annotated[str, Query(alias="from", max_length=60, examples=["2026-01-09T18-31-00-000000Z"])],
    until: Annotated[str | None, Query(alias="to", max_length=60, description="The story as it stands.")] = None,
) -> DifferenceOut:
    """From one version to another, or to the story as it stands, as a unified diff."""
    found = await memory.stories.editing.difference(await memory.minds.find(mind_id), since=since, until=until)
    return DifferenceOut(since=found.since, until=found.until, diff=_speakable(found.diff))


@router.post("/restore", summary="Go back to an earlier story", responses=answers(STORY, 400, 404, 409, 413, 422, 503))
async def restore(
    mind_id: MindId, posted: RestoreIn, memory: MemoryDep, by: CallerName, response: Response
) -> StoryTold:
    """The story that is replaced is kept as a version, too."""
    mind = await memory.minds.find(mind_id)
    await memory.stories.editing.restore(mind, posted.version, retells=posted.retell)
    told = await _answered(mind, memory, response)
    details = {"version": posted.version, "retold": posted.retell, "words": told.words, "etag": told.etag}
    await memory.audit.note("story.restored", by=by, mind_id=mind_id, **details)
    return told


async def _answered(mind: Mind, memory: Memory, response: Response) -> StoryTold:
    told, _ = await _told(mind, memory)
    response.headers["ETag"] = told.etag
    return told


async def _told(mind: Mind, memory: Memory) -> tuple[StoryTold, str]:
    state = await memory.stories.telling.state(mind)
    told = StoryTold(
        mind_id=mind.mind_id,
        text=_speakable(state.text),
        etag=etag_of(state.text),
        last_processed=state.last_processed,
        last_sequence=state.sequence,
        words=state.book.words,
        chapters=[
            ChapterOut(
                heading=_speakable(chapter.heading),
                since=chapter.first,
                until=chapter.last,
                words=chapter.words,
                edited_by_person=chapter.digest not in state.ours,
            )
            for chapter in state.book.chapters
        ],
    )
    return told, state.text


async def _text(request: Request) -> str:
    """The story in a request's body, which is UTF-8 by then."""
    body = (await request.body()).decode()
    if not request.headers.get("content-type", "").startswith("application/json"):
        return body
    try:
        return StoryIn.model_validate_json(body).text
    except ValidationError as error:
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in error.errors()]) from error


def _speakable(text: str) -> str:
    """*text* as JSON can carry it: bytes that are no UTF-8 become U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
