"""What an erasure would take, counted before it begins. Nothing is changed, and nothing is written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.corrections.record import Correction
from consolidation.kernel.errors import GraphUnavailable
from consolidation.story.anchor import without_marks
from consolidation.story.chapter_turns import ErasedTurns
from consolidation.story.chapters import parse
from consolidation.story.erasure import doomed_chapters
from consolidation.story.ledger import read_ledger
from service.erasure.erase_turns import first_words, left_of, near_turns
from service.erasure.unique_words import is_doomed
from service.erasure.verify import files_of, files_with
from service.index.journal_files import OWN_WRITINGS
from service.index.trace_index import CallFilter
from service.story.writer import story_of

if TYPE_CHECKING:
    from service.erasure.erase_turns import ErasureContext, TurnEraser
    from service.erasure.pending import ErasurePlan
    from service.erasure.receipt import ErasureRequest
    from service.mind.minds import Mind


@dataclass(frozen=True, slots=True)
class DoomedChapter:
    """A chapter that would go. One that a person edited stays where only a part of the mind is erased."""

    heading: str
    is_edited: bool


@dataclass(frozen=True, slots=True)
class ErasurePreview:
    """
    How much would go; ``facts`` and ``entities`` are None while the graph is unavailable.

    ``files`` are people's files, the agent's writings and traces in which something would go or is found; ``left`` are
    those of them that stay as they are, since they are people's.
    """

    request: ErasureRequest
    turns: int
    facts: int | None
    entities: int | None
    chapters: tuple[DoomedChapter, ...]
    files: tuple[str, ...]
    left: tuple[str, ...]
    traces: int
    corrections: int


class ErasurePreviewer:
    """Previews erasures of any mind."""

    def __init__(self, context: ErasureContext, *, turn_eraser: TurnEraser) -> None:
        self._context = context
        self._turn_eraser = turn_eraser

    async def preview(self, request: ErasureRequest) -> ErasurePreview:
        """
        What the erasure would take now. Reads the whole transcript.

        Raises InvalidMindId, NotFound, TurnErased, StoryFault, HomeFault, OSError.
        """
        with self._context.minds.gate.enter(request.mind_id):
            mind = await self._context.minds.find(request.mind_id)
            return await (self._of_mind(mind, request) if request.is_whole else self._of_turns(mind, request))

    async def _of_mind(self, mind: Mind, request: ErasureRequest) -> ErasurePreview:
        try:
            size = await mind.graph.size()
        except GraphUnavailable:
            size = None
        made = await anyio.to_thread.run_sync(mind.corrections.lines)
        return ErasurePreview(
            request,
            turns=len(mind.transcript.positions),
            facts=size.facts if size is not None else None,
            entities=size.entities if size is not None else None,
            chapters=await anyio.to_thread.run_sync(_all_chapters, mind),
            files=await anyio.to_thread.run_sync(_peoples_files, mind),
            left=(),
            traces=await anyio.to_thread.run_sync(mind.trace_log.count, CallFilter()),
            corrections=sum(isinstance(one, Correction) for one in made),
        )

    async def _of_turns(self, mind: Mind, request: ErasureRequest) -> ErasurePreview:
        plan = await self._turn_eraser.plan(mind, request)
        facts, entities = await self._knowledge(mind, plan)
        told = ErasedTurns(frozenset(turn.sequence for turn in plan.turns), plan.forms, frozenset(plan.words))
        removed, edited = await doomed_chapters(story_of(mind, clock=self._context.clock), told)
        traces, trace_files = await anyio.to_thread.run_sync(
            mind.trace_log.count_doomed, lambda trace: is_doomed(trace, plan=plan)
        )
        first = await first_words(mind, plan)
        _, found = await anyio.to_thread.run_sync(lambda: files_with(plan.forms, workspace=mind.workspace))
        showing = tuple(name for name in found if name != mind.workspace.story.name)
        return ErasurePreview(
            request,
            turns=len(plan.turns),
            facts=facts,
            entities=entities,
            chapters=(
                *(DoomedChapter(heading, is_edited=False) for heading in removed),
                *(DoomedChapter(heading, is_edited=True) for heading in edited),
            ),
            files=(*showing, *trace_files),
            left=tuple(name for name in showing if name not in OWN_WRITINGS),
            traces=traces,
            corrections=await anyio.to_thread.run_sync(
                mind.corrections.count_doomed, lambda made: left_of(made, plan, first)
            ),
        )

    async def _knowledge(self, mind: Mind, plan: ErasurePlan) -> tuple[int | None, int | None]:
        """How many facts and entities would go; None while the graph is unavailable, or not adopted yet."""
        episodes, graph = [turn.episode for turn in plan.turns], self._context.graph_of(mind.mind_id)
        if await anyio.to_thread.run_sync(mind.workspace.arriving.exists):
            return None, None
        try:
            if await mind.graph.identity() is None:
                return 0, 0
            near = await near_turns(mind, plan)
            tainted = await graph.tainted(episodes, near, words=frozenset(plan.words))
            return await graph.only_of(episodes, tainted)
        except GraphUnavailable:
            return None, None


def _all_chapters(mind: Mind) -> tuple[DoomedChapter, ...]:
    workspace = mind.workspace
    ours = read_ledger(workspace.published).digests
    story = parse(without_marks(workspace.read(workspace.story, most_characters=-1)))
    return tuple(DoomedChapter(chapter.heading, chapter.digest not in ours) for chapter in story.chapters)


def _peoples_files(mind: Mind) -> tuple[str, ...]:
    return tuple(name for _, name, is_ours in files_of(mind.workspace) if not is_ours)
