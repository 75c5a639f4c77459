"""Read and edit the story; its earlier versions."""

from collections.abc import Mapping
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Header, Query, Request, Response

from consolidation.kernel.turns import StoredTurn, TurnKind
from consolidation.story.anchor import places_in_marked
from consolidation.story.sentence_sources import SentenceSource
from consolidation.text.surrogates import as_bytes, encodable
from service.composition.container import Memory
from service.http.dependencies import CallerName, MemoryDep, MindId, VersionName
from service.http.entity_tags import is_held
from service.http.known_query import KnownQuery
from service.http.markdown import posted_text, wants_markdown
from service.http.openapi import MARKDOWN, answers, answers_with_markdown
from service.http.schemas.examples import DIFFERENCE, HISTORY, SOURCES, STORY, VERSION
from service.http.schemas.story import (
    STORY_PUT,
    ChapterOut,
    DifferenceOut,
    FidelityOut,
    HistoryOut,
    NotedPersonOut,
    OpenMatterOut,
    RestoreIn,
    SentenceOut,
    SourcedChapterOut,
    SourcesOut,
    SourceTurnOut,
    StoryIn,
    StoryTold,
    VersionListed,
    VersionOut,
)
from service.mind.minds import Mind
from service.story.reader import StorySnapshot, saved_at
from service.story.sources import SourcedChapter, SourcedStory

router = APIRouter(prefix="/v1/minds/{mind_id}/story", tags=["story"], route_class=KnownQuery)

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
    if is_held(story.etag, if_none_match=if_none_match):
        return Response(status_code=304, headers=headers)
    if wants_markdown(accept):
        return Response(as_bytes(story.text), media_type=MARKDOWN, headers=headers)
    response.headers.update(headers)
    return await _story_out(mind, story, memory)


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
    return await _written(mind, story, memory, response)


@router.get("/sources", summary="Where its sentences come from", responses=answers(SOURCES, 404, 409, 422, 503))
async def sources(
    mind_id: MindId,
    memory: MemoryDep,
    after: Annotated[int, Query(ge=0, le=1_000_000, description="How many chapters to leave out.")] = 0,
    limit: Annotated[int, Query(ge=1, le=100, description="Chapters in one answer.")] = 20,
) -> SourcesOut:
    """For each sentence the turns that carry it, and the words that no turn has. New chapters take a moment each."""
    mind = await memory.minds.find(mind_id)
    found = await memory.story.sources.read(mind, first=after, limit=limit)
    return await to_thread.run_sync(_sources_out, found)


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
    if wants_markdown(accept):
        return Response(as_bytes(text), media_type=MARKDOWN, headers={"Vary": "Accept"})
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
    return await _written(mind, story, memory, response)


async def _written(mind: Mind, story: StorySnapshot, memory: Memory, response: Response) -> StoryTold:
    """The answer of a route that wrote *story*: body and ETag belong to exactly that text."""
    response.headers["ETag"] = story.etag
    return await _story_out(mind, story, memory)


async def _story_out(mind: Mind, story: StorySnapshot, memory: Memory) -> StoryTold:
    fidelity = await memory.story.sources.fidelity(mind, story)
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
                digest=chapter.digest,
            )
            for chapter in story.book.chapters
        ],
        people=[NotedPersonOut(name=one.name, who=one.who) for one in story.notes.people],
        open=[OpenMatterOut(what=one.what, since=one.since, last=one.last) for one in story.notes.open],
        fidelity=FidelityOut.model_validate(fidelity) if fidelity is not None else None,
    )


def _sources_out(found: SourcedStory) -> SourcesOut:
    place_of, text = places_in_marked(found.story.text), found.story.text
    is_plain = encodable(text) == text

    def place(chapter: SourcedChapter, at: int) -> int:
        marked = place_of(chapter.start + at)
        return marked if is_plain else len(encodable(text[:marked]))

    return SourcesOut(
        etag=found.story.etag,
        fidelity=FidelityOut.model_validate(found.fidelity) if found.fidelity is not None else None,
        chapters=[
            SourcedChapterOut(
                index=one.index,
                heading=encodable(one.chapter.heading),
                digest=one.chapter.digest,
                sentences=[
                    _sentence_out(source, one, found.turns).model_copy(
                        update={"start": place(one, source.start), "end": place(one, source.end - 1) + 1}
                    )
                    for source in one.sentences
                ],
            )
            for one in found.chapters
        ],
        next=found.following,
    )


def _sentence_out(source: SentenceSource, chapter: SourcedChapter, stored: Mapping[int, StoredTurn]) -> SentenceOut:
    turns = [stored[one] for one in source.turns if one in stored]
    return SentenceOut(
        start=source.start,
        end=source.end,
        text=encodable(chapter.chapter.text[source.start : source.end]),
        state=source.state.value,
        turns=[
            SourceTurnOut(
                sequence=one.sequence,
                turn_id=one.turn.turn_id,
                session_id=one.turn.session_id,
                occurred_at=one.occurred_at,
            )
            for one in turns
            if one.turn.kind is not TurnKind.ERASED
        ],
        missing=[encodable(word) for word in source.missing],
    )
