"""
Erase one session or one turn: first from files and memory, then from the graph.

The transcript comes first: requests and jobs that start later can no longer read the words. Those that started before
are waited for, and then what they may have left behind is removed. Every step may be repeated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import batched
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.corrections.record import Correction, beginning_of
from consolidation.dreams.dream_files import DreamFiles
from consolidation.dreams.erasure import erase_from_dreams
from consolidation.kernel.errors import SessionNotFound, TurnErased, TurnNotFound
from consolidation.kernel.turns import TurnKind
from consolidation.story.chapter_turns import ErasedTurns
from service.erasure.pending import DoomedTurn, ErasurePlan
from service.erasure.unique_words import UniqueWords, is_doomed, is_doomed_correction
from service.erasure.verify import delete_half_written, files_with, in_none_of
from service.index.trace_index import CallFilter
from service.ingest.knowledge_index import index_knowledge
from service.ingest.parking import READ_AGAIN
from service.mind.mind_gate import Paused
from service.ports.graph import Extracted, Parked, episode_uuid

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from consolidation.corrections.record import Target
    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import StoredTurn
    from consolidation.workspace import Workspace
    from service.access.audit_log import AuditLog
    from service.erasure.ports import ErasableGraph
    from service.erasure.receipt import ErasedCounts, ErasureRequest
    from service.ingest.indexing_lane import IndexingLane
    from service.ingest.saving_lane import SavingLane
    from service.mind.events import Publish
    from service.mind.minds import Mind, Minds
    from service.mind.outcomes import OutcomeRecord
    from service.runtime.background import Background
    from service.story.writer import StoryWriter

_PAGE = 500
# Full text keeps a turn's words with its next 2 turns; leaning vectors mix a passage with its next 3.
_AFTER_WORDS, _AFTER_LEANING = 2, 3
MOST_SEARCHED_FORMS = 12
GRACE_SECONDS = 2.0  # for jobs that need no model: the graph still obeys a statement that was cancelled half-way
LEAVE_SECONDS = 30.0  # longer than any request takes, unless it asked to wait
_RECALL_JOBS = ("seeds", "narration")


@dataclass(frozen=True, slots=True)
class ErasureContext:
    """
    What both kinds of erasure work with.

    *adopt_graph* gives an imported mind the graph that was built for it, if it has not taken it yet.
    *forget_in_memory* drops what only memory holds of a mind. *forget_events* drops the events of a plan's turns, or of
    its mind, that wait to be sent to other services. *dream_again* begins dreams that are owed. *publish* tells the
    listeners of a mind.
    """

    minds: Minds
    background: Background
    clock: Clock
    indexing_lane: IndexingLane
    saving_lane: SavingLane
    story_writer: StoryWriter
    graph_of: Callable[[str], ErasableGraph]
    adopt_graph: Callable[[Workspace], Awaitable[None]]
    forget_in_memory: Callable[[str], None]
    forget_events: Callable[[ErasurePlan], Awaitable[None]]
    dream_again: Callable[[Mind], Awaitable[None]]
    audit_log: AuditLog
    publish: Publish

    def other_transcripts(self, mind_id: str) -> list[Path]:
        """The transcripts of all other minds. A word that they contain does not point to this mind."""
        minds = (self.minds.workspace(other) for other in self.minds.ids() if other != mind_id)
        return [file for workspace in minds for file in workspace.transcript.glob("*.jsonl")]


class TurnEraser:
    """Erases sessions and turns of a mind."""

    def __init__(self, context: ErasureContext) -> None:
        self._context = context

    async def plan(self, mind: Mind, request: ErasureRequest) -> ErasurePlan:
        """
        Find the turns to erase, and the words that only they contain.

        Of a session without turns, what its pre-turn calls left goes. Raises SessionNotFound, TurnNotFound, TurnErased.
        """
        session_id = request.session_id
        is_untold = session_id is not None and not mind.transcript.positions.in_session(session_id)
        if is_untold and await anyio.to_thread.run_sync(_has_calls, mind, session_id):
            return ErasurePlan(request, self._context.clock.now())
        turns = await mind.transcript.read_many(_sequences(mind, request))
        if request.turn_id is not None and turns:  # a failed write that could not be cut away may have left it twice
            turns = await mind.transcript.read_many(mind.transcript.positions.in_session(turns[0].turn.session_id))
            turns = tuple(stored for stored in turns if stored.turn.turn_id == request.turn_id)
        turns = tuple(stored for stored in turns if stored.turn.kind is not TurnKind.ERASED)
        if not turns:
            raise TurnNotFound("its lines in the transcript can not be read any more")
        sequences = frozenset(stored.sequence for stored in turns)
        unique = await anyio.to_thread.run_sync(UniqueWords, turns)
        after = 0
        while page := await mind.transcript.after(after, limit=_PAGE):
            after = page[-1].sequence
            others = [one for one in page if one.sequence not in sequences and one.turn.kind is not TurnKind.ERASED]
            await anyio.to_thread.run_sync(unique.subtract, others)
        return ErasurePlan(
            request,
            self._context.clock.now(),
            tuple(_doomed(mind, stored) for stored in turns),
            unique.words,
            unique.forms,
            tuple(message.content for stored in turns for message in stored.turn.messages),
        )

    async def erase_files(self, mind: Mind, plan: ErasurePlan, counts: ErasedCounts) -> None:
        """
        Erase the turns from the mind's files. Its background jobs are stopped meanwhile.

        Raises HomeFault, StoryFault, OSError.
        """
        context, gate = self._context, self._context.minds.gate
        sequences = [turn.sequence for turn in plan.turns]
        gate.set_paused(mind.mind_id, Paused.ALL)
        await context.background.drain(mind.mind_id, seconds=GRACE_SECONDS)
        await context.background.stop(mind.mind_id)
        before, after = await _neighbours(mind, plan, most_after=_AFTER_WORDS)
        if plan.request.session_id is not None:
            gate.erase_from_visits(mind.mind_id, session_id=plan.request.session_id)
        erased = await mind.transcript.erase(sequences, session_id=plan.request.session_id)
        counts.add("transcript", turns=erased)
        await context.background.stop(mind.mind_id)  # jobs that a request has started meanwhile
        await gate.until_left(mind.mind_id, seconds=LEAVE_SECONDS)
        await anyio.to_thread.run_sync(lambda: mind.text.forget_turns(sequences, before=before))
        await context.indexing_lane.index_again(mind, after)
        counts.add("text index", turns=erased)
        told = ErasedTurns(frozenset(sequences), plan.forms, frozenset(plan.words))
        story = await context.story_writer.erase(mind, told)
        counts.add("story", chapters=story.chapters, turns_owed=story.owed)
        counts.add("story history", versions=story.versions)
        counts.edited_by_person.update(dict.fromkeys(story.edited))
        files = DreamFiles(mind.workspace, mind.dreams, clock=context.clock)
        session_id = plan.request.session_id
        dreams = await anyio.to_thread.run_sync(lambda: erase_from_dreams(files, told, session_id=session_id))
        counts.add("dreams", dreams_owed=dreams.dreams, lines=dreams.lines, versions=dreams.versions)
        counts.edited_by_person.update(dict.fromkeys(dreams.edited))
        await self._forget_traces(mind, plan, counts)
        await context.forget_events(plan)
        await anyio.to_thread.run_sync(delete_half_written, mind.workspace)
        gate.set_paused(mind.mind_id, Paused.GRAPH)

    async def erase_graph(self, mind: Mind, plan: ErasurePlan, counts: ErasedCounts, *, is_repeated: bool) -> None:
        """
        Erase the turns from the graph, and from what was derived from it.

        *is_repeated* says that an earlier attempt broke off. Raises GraphUnavailable, EmbedderFault.
        """
        context = self._context
        await context.adopt_graph(mind.workspace)
        if await mind.graph.identity() is not None:
            await self._forget_knowledge(mind, plan, counts)
        if is_repeated:  # the graph may have forgotten what full text still holds: full text reads it all again
            await anyio.to_thread.run_sync(mind.text.clear_knowledge)
        await anyio.to_thread.run_sync(mind.text.compact)
        await anyio.to_thread.run_sync(mind.journal.reset)  # it may still hold notes that a person has deleted
        await context.background.stop(mind.mind_id, prefixes=_RECALL_JOBS)
        await context.minds.gate.until_left(mind.mind_id, seconds=LEAVE_SECONDS)
        await anyio.to_thread.run_sync(lambda: mind.workspace.themes.unlink(missing_ok=True))
        await self._forget_traces(mind, plan, counts)

    async def search(self, mind: Mind, plan: ErasurePlan, counts: ErasedCounts) -> tuple[str, ...]:
        """Name the places where something of the turns is still found."""
        stored = await mind.transcript.read_many([turn.sequence for turn in plan.turns])
        found = ["transcript"] if any(one.turn.kind is not TurnKind.ERASED for one in stored) else []
        # What another turn, a correction that stays, or another mind says does not point to the erased turns.
        own_log = (*mind.workspace.transcript.glob("*.jsonl"), mind.workspace.corrections)
        unique = await anyio.to_thread.run_sync(lambda: in_none_of(own_log, forms=plan.forms))
        forms = unique[:MOST_SEARCHED_FORMS]
        graph = self._context.graph_of(mind.mind_id)
        if await graph.remains([turn.episode for turn in plan.turns], forms=forms):
            found.append("graph")
        ours, peoples = await anyio.to_thread.run_sync(lambda: files_with(forms, workspace=mind.workspace))
        counts.left.update(dict.fromkeys(peoples))
        others = self._context.other_transcripts(mind.mind_id)
        server_forms = await anyio.to_thread.run_sync(lambda: in_none_of(others, forms=forms))
        return (*found, *ours, *await anyio.to_thread.run_sync(graph.search_files, server_forms))

    async def _forget_knowledge(self, mind: Mind, plan: ErasurePlan, counts: ErasedCounts) -> None:
        """Remove episodes, facts and entities. Episodes that stated them as well are marked to be extracted again."""
        context, graph = self._context, self._context.graph_of(mind.mind_id)
        episodes = [turn.episode for turn in plan.turns]
        before, after = await _neighbours(mind, plan, most_after=_AFTER_LEANING)
        near = _episodes_of(mind, after)
        tainted = await graph.tainted(episodes, near, words=frozenset(plan.words))
        again = 0
        for page in batched(tainted.again, _PAGE):
            found = await anyio.to_thread.run_sync(mind.text.sequences, page)
            again += len(found)
            for stored in await mind.transcript.read_many(tuple(found.values())):
                await mind.graph.park(Parked(stored.sequence, stored.turn.turn_id, READ_AGAIN, 0, context.clock.now()))
        gone = await graph.forget(episodes, tainted)
        facts = await mind.graph.facts(gone.changed_facts)
        entities = await mind.graph.entities(gone.changed_entities)
        await anyio.to_thread.run_sync(mind.text.remove_knowledge, gone.facts, gone.entities)
        await anyio.to_thread.run_sync(index_knowledge, mind, Extracted(facts, entities), 0)
        neighbours = [*await mind.transcript.read_many(before), *after]
        await graph.set_leaning(await context.saving_lane.lean_again(mind, neighbours))
        counts.add("graph", episodes=gone.episodes, passages=gone.passages, facts=len(gone.facts))
        counts.add("graph", entities=len(gone.entities), summaries_made_again=len(gone.changed_entities))
        counts.add("graph", turns_read_again=again)

    async def _forget_traces(self, mind: Mind, plan: ErasurePlan, counts: ErasedCounts) -> None:
        gone = await anyio.to_thread.run_sync(mind.trace_log.forget, lambda trace: is_doomed(trace, plan=plan))
        counts.add("traces", traces=gone)
        gone = await anyio.to_thread.run_sync(mind.outcomes.forget, lambda record: _is_of(record, plan))
        counts.add("outcomes", outcomes=gone)
        first = await first_words(mind, plan)
        gone = await anyio.to_thread.run_sync(mind.corrections.forget, lambda made: left_of(made, plan, first))
        counts.add("corrections", corrections=gone)
        self._context.forget_in_memory(mind.mind_id)


def _is_of(record: OutcomeRecord, plan: ErasurePlan) -> bool:
    """Whether an outcome was reported in an erased session, or of a memory that rests on an erased turn."""
    if plan.request.session_id is not None and record.session_id == plan.request.session_id:
        return True
    return any(turn.sequence in record.sequences for turn in plan.turns)


async def first_words(mind: Mind, plan: ErasurePlan) -> dict[str, str]:
    """The beginnings of the turns that become the first of a decision about whole turns, by their ids."""
    made = await anyio.to_thread.run_sync(mind.corrections.lines)
    targets = [one.target for one in made if isinstance(one, Correction) and one.target.kind == "turn"]
    first = {left[0] for one in targets if (left := _staying(one, plan)) and left[0] != one.turn_ids[0]}
    found = (mind.transcript.positions.sequence_of(turn_id) for turn_id in first)
    turns = await mind.transcript.read_many(sorted(one for one in found if one is not None))
    return {one.turn.turn_id: beginning_of(one.text) for one in turns if one.is_remembered}


def left_of(made: Correction, plan: ErasurePlan, first_words: Mapping[str, str]) -> Correction | None:
    """
    A correction without the erased turns; None where only they told its memory, or what it says.

    A decision about whole turns stays with those that stay: where it named itself by an erased one, it begins with the
    *first_words* of the next.
    """
    target, turns = made.target, _staying(made.target, plan)
    if target.turn_ids and not turns:
        return None
    begins_anew = target.kind == "turn" and turns[:1] != target.turn_ids[:1]
    text = first_words.get(turns[0], "") if begins_anew else target.text
    left = replace(made, target=replace(target, text=text, turn_ids=turns))
    return None if is_doomed_correction(left, plan=plan) else left


def _staying(target: Target, plan: ErasurePlan) -> tuple[str, ...]:
    erased = {turn.turn_id for turn in plan.turns}
    return tuple(one for one in target.turn_ids if one not in erased)


async def near_turns(mind: Mind, plan: ErasurePlan) -> list[str]:
    """The episodes (uuids) of the turns that follow the erased ones: their passages lean on them."""
    return _episodes_of(mind, (await _neighbours(mind, plan, most_after=_AFTER_LEANING))[1])


def _episodes_of(mind: Mind, turns: tuple[StoredTurn, ...]) -> list[str]:
    return [_doomed(mind, stored).episode for stored in turns]


def _doomed(mind: Mind, stored: StoredTurn) -> DoomedTurn:
    uuid = episode_uuid(mind.mind_id, stored.turn.turn_id)
    return DoomedTurn(stored.sequence, stored.turn.turn_id, stored.turn.session_id, uuid)


def _has_calls(mind: Mind, session_id: str | None) -> bool:
    """Whether pre-turn calls of a session left a trace, or what came of one. Raises OSError, IndexUnusable."""
    mind.trace_log.write()
    if mind.trace_log.count(CallFilter(session_id=session_id)):
        return True
    return mind.outcomes.has(lambda record: record.session_id == session_id)


def _sequences(mind: Mind, request: ErasureRequest) -> tuple[int, ...]:
    """The sequences of the requested session or turn. Raises SessionNotFound, TurnNotFound, TurnErased."""
    positions = mind.transcript.positions
    if request.session_id is not None:
        found = positions.in_session(request.session_id)
        if not found and positions.erased_in(request.session_id):
            raise TurnErased("this session was erased before")
        if not found:
            raise SessionNotFound("the transcript has no turn of this session")
        return found
    turn_id = request.turn_id or ""
    sequence = positions.sequence_of(turn_id)
    if sequence is None and positions.is_erased(turn_id):
        raise TurnErased("this turn was erased before")
    if sequence is None:
        raise TurnNotFound("the transcript has no turn with this id")
    return (sequence,)


async def _neighbours(
    mind: Mind, plan: ErasurePlan, *, most_after: int
) -> tuple[tuple[int, ...], tuple[StoredTurn, ...]]:
    """
    The turns whose index entries contain words of the erased ones, within their sessions.

    Returns the sequence of the turn just before each of them, and the remembered turns after it, at most *most_after*.
    """
    erased = {turn.sequence for turn in plan.turns}
    before: set[int] = set()
    after: dict[int, StoredTurn] = {}
    for session_id in {turn.session_id for turn in plan.turns}:
        staying = [one for one in mind.transcript.positions.in_session(session_id) if one not in erased]
        turns = [stored for stored in await mind.transcript.read_many(staying) if stored.is_remembered]
        for gone in (turn.sequence for turn in plan.turns if turn.session_id == session_id):
            before.update([stored.sequence for stored in turns if stored.sequence < gone][-1:])
            after |= {stored.sequence: stored for stored in [one for one in turns if one.sequence > gone][:most_after]}
    return tuple(sorted(before)), tuple(after[sequence] for sequence in sorted(after))
