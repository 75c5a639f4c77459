"""Read and edit the story; its earlier versions."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response

from service.http.dependencies import CallerName, MemoryDep, MindId, VersionName
from service.http.markdown import encodable, posted_text
from service.http.openapi import MARKDOWN, answers, answers_with_markdown
from service.http.schemas.examples import DIFFERENCE, HISTORY, STORY, VERSION
from service.http.schemas.story import (
    STORY_PUT,
    ChapterOut,
    DifferenceOut,
    HistoryOut,
    NotedPersonOut,
    OpenMatterOut,
    RestoreIn,
    StoryIn,
    StoryTold,
    VersionListed,
    VersionOut,
)
from service.mind.minds import Mind
from service.story.reader import StorySnapshot, saved_at

router = APIRouter(prefix="/v1/minds/{mind_id}/story", tags=["story"])

IfMatch = Annotated[str | None, Header(max_length=400, description="The ETag of the story that is replaced.")]


@router.get(
    "", summary="The current story", response_model=StoryTold, responses=answers_with_markdown(STORY, 404, 409, 422)
)
async def read(
    mind_id: MindId,
    memory: MemoryDep,
    response: Response,
    accept: Annotated[str, Header(max_length=400)] = "",
    if_none_match: Annotated[str | None, Header(max_length=400)] = None,
) -> StoryTold | Response:
    """The current story as JSON, with its chapters, or STORY.md byte for byte with `Accept: text/markdown`."""
    mind = await memory.minds.find(mind_id)
    story = await memory.story.reader.snapshot(mind)
    headers = {"ETag": story.etag, "Vary": "Accept"}
    if if_none_match is not None and story.etag in if_none_match:
        return Response(status_code=304, headers=headers)
    if MARKDOWN in accept:
        return Response(story.text.encode("utf-8", "surrogateescape"), media_type=MARKDOWN, headers=headers)
    response.headers.update(headers)
    return _story_out(mind, story)


@router.put(
    "",
    summary="Replace the story",
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
    """Send `text/markdown` or JSON, with the ETag of the story that it replaces, so that nobody's edit is lost."""
    mind = await memory.minds.find(mind_id)
    story = await memory.story.editor.put(mind, await posted_text(request, StoryIn), expected=if_match)
    await memory.audit_log.note("story.edited", by=by, mind_id=mind_id, words=story.book.words, etag=story.etag)
    return _written(mind, story, response)


@router.get("/history", summary="Earlier versions", responses=answers(HISTORY, 404, 422))
async def history(mind_id: MindId, memory: MemoryDep) -> HistoryOut:
    """The last 50 versions, newest first."""
    found = await memory.story.reader.versions(await memory.minds.find(mind_id))
    return HistoryOut(
        versions=[VersionListed(version=one.name, saved_at=saved_at(one.name), size=one.size) for one in found]
    )


@router.get(
    "/history/{version}",
    summary="An earlier version",
    response_model=VersionOut,
    responses=answers_with_markdown(VERSION, 404, 422),
)
async def version(
    mind_id: MindId, version: VersionName, memory: MemoryDep, accept: Annotated[str, Header(max_length=400)] = ""
) -> VersionOut | Response:
    """The text of a version, byte for byte with `Accept: text/markdown`."""
    text = await memory.story.reader.version(await memory.minds.find(mind_id), version)
    if MARKDOWN in accept:
        return Response(text.encode("utf-8", "surrogateescape"), media_type=MARKDOWN, headers={"Vary": "Accept"})
    return VersionOut(version=version, saved_at=saved_at(version), text=encodable(text))


@router.get("/diff", summary="Compare two versions", responses=answers(DIFFERENCE, 404, 422))
async def diff(
    mind_id: MindId,
    memory: MemoryDep,
    since: Annotated[str, Query(alias="from", max_length=60, examples=["2026-01-09T18-31-00-000000Z"])],
    until: Annotated[str | None, Query(alias="to", max_length=60, description="The current story if left out.")] = None,
) -> DifferenceOut:
    """A unified diff from one version to another, or to the current story."""
    found = await memory.story.reader.difference(await memory.minds.find(mind_id), since=since, until=until)
    return DifferenceOut(since=found.since, until=found.until, diff=encodable(found.diff))


@router.post("/restore", summary="Restore an earlier version", responses=answers(STORY, 400, 404, 409, 413, 422, 503))
async def restore(
    mind_id: MindId, posted: RestoreIn, memory: MemoryDep, by: CallerName, response: Response
) -> StoryTold:
    """Make an earlier version the current story. The replaced story becomes a version itself."""
    mind = await memory.minds.find(mind_id)
    story = await memory.story.editor.restore(mind, posted.version, retells=posted.retell)
    details = {"version": posted.version, "retold": posted.retell, "words": story.book.words, "etag": story.etag}
    await memory.audit_log.note("story.restored", by=by, mind_id=mind_id, **details)
    return _written(mind, story, response)


def _written(mind: Mind, story: StorySnapshot, response: Response) -> StoryTold:
    """The answer of a route that wrote *story*: body and ETag belong to exactly that text."""
    response.headers["ETag"] = story.etag
    return _story_out(mind, story)


def _story_out(mind: Mind, story: StorySnapshot) -> StoryTold:
    return StoryTold(
        mind_id=mind.mind_id,
        text=encodable(story.text),
        etag=story.etag,
        last_processed=story.last_processed,
        last_sequence=story.sequence,
        words=story.book.words,
        chapters=[
            ChapterOut(
                heading=encodable(chapter.heading),
                since=chapter.first,
                until=chapter.last,
                words=chapter.words,
                edited_by_person=chapter.digest not in story.ours,
            )
            for chapter in story.book.chapters
        ],
        people=[NotedPersonOut(name=one.name, who=one.who) for one in story.notes.people],
        open=[OpenMatterOut(what=one.what, since=one.since, last=one.last) for one in story.notes.open],
    )
