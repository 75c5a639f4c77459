"""
One session, or one turn, out of everything that holds it: here (files and memory), then there (the graph).

The transcript first: from then on nobody who begins can see the words. Who began before is waited for, and then what
they may have left is cleaned. Every step may be repeated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import NotFound, TurnNotFound
from consolidation.kernel.turns import Kind
from consolidation.transcript.tombstones import TurnErased
from service.digestion.extracting import READ_AGAIN, index_knowledge
from service.erasing.plans import Doomed, Plan
from service.erasing.remains import drop_litter, not_in, showing
from service.erasing.words import OnlySaid, traced
from service.fence import Hold
from service.ports import Extracted, Parked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import Kept
    from service.background import Background
    from service.digestion.saving import Saving
    from service.erasing.ports import ErasableGraph
    from service.erasing.receipt import Tally, Wish
    from service.minds import Mind, Minds
    from service.ports import EpisodicGraph
    from service.storytelling.runs import Storytelling

_PAGE = 500
_AFTER_WORDS, _AFTER_LEANING = 2, 3  # turns behind one that went, that hold something of it
_SEARCHED = 12
GRACE_SECONDS = 2.0  # for what needs no model: a statement that is let go half-way is obeyed all the same
_GONE_SECONDS = 30.0  # more than any request takes that was not told to wait
_RECALLING = ("seeds", "narration")


class SessionNotFound(NotFound):
    """No turn of this session is in the transcript."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What both kinds of erase work with; *forget* empties what is only in memory of a mind."""

    minds: Minds
    background: Background
    clock: Clock
    saving: Saving
    storytelling: Storytelling
    graph: EpisodicGraph
    erasable: ErasableGraph
    uuid_of: Callable[[str, str], str]
    forget: Callable[[str], None]

    def others(self, mind_id: str) -> list[Path]:
        """The transcripts of all other minds: what they say, too, is no sign of this one."""
        minds = (self.minds.workspace(other) for other in self.minds.ids() if other != mind_id)
        return [file for workspace in minds for file in workspace.transcript.glob("*.jsonl")]


class Part:
    """Erases a part of a mind."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def plan(self, mind: Mind, wish: Wish) -> Plan:
        """What is to go, and by what it is known. Raises SessionNotFound, TurnNotFound, TurnErased."""
        turns = await mind.transcript.read_many(_sequences(mind, wish))
        if wish.turn_id is not None and turns:  # a write that failed and could not be cut away may have left it twice
            turns = await mind.transcript.read_many(mind.transcript.positions.in_session(turns[0].turn.session_id))
            turns = tuple(kept for kept in turns if kept.turn.turn_id == wish.turn_id)
        turns = tuple(kept for kept in turns if kept.turn.kind is not Kind.ERASED)
        if not turns:
            raise TurnNotFound("what there was of it can not be read any more")
        doomed = frozenset(kept.sequence for kept in turns)
        only = await anyio.to_thread.run_sync(OnlySaid, turns)
        after = 0
        while page := await mind.transcript.after(after, limit=_PAGE):
            after = page[-1].sequence
            others = [kept for kept in page if kept.sequence not in doomed and kept.turn.kind is not Kind.ERASED]
            await anyio.to_thread.run_sync(only.not_by, others)
        return Plan(
            wish,
            self._tools.clock.now(),
            tuple(self._doomed(mind, kept) for kept in turns),
            only.words,
            only.forms,
            tuple(message.content for kept in turns for message in kept.turn.messages),
        )

    async def here(self, mind: Mind, plan: Plan, tally: Tally) -> None:
        """Out of the mind's files; its background work rests meanwhile. Raises HomeFault, StoryFault, OSError."""
        tools, fence = self._tools, self._tools.minds.fence
        sequences = [one.sequence for one in plan.turns]
        fence.hold(mind.mind_id, Hold.ALL)
        await tools.background.settle(mind.mind_id, seconds=GRACE_SECONDS)
        await tools.background.stop(mind.mind_id)
        before, behind = await _neighbours(mind, plan)
        turns = await mind.transcript.erase(sequences, session_id=plan.wish.session_id)
        tally.add("transcript", turns=turns)
        await tools.background.stop(mind.mind_id)  # what a request has begun meanwhile
        await fence.emptied(mind.mind_id, seconds=_GONE_SECONDS)
        await anyio.to_thread.run_sync(lambda: mind.text.forget_turns(sequences, before=before))
        await tools.saving.index_again(mind, behind)
        tally.add("text index", turns=turns)
        taken = await tools.storytelling.take_out(mind, frozenset(sequences), words=plan.forms)
        tally.add("story", chapters=taken.chapters, turns_owed=taken.owed)
        tally.add("story history", versions=taken.versions)
        tally.edited.update(dict.fromkeys(taken.edited))
        await self._forget_traces(mind, plan, tally)
        await anyio.to_thread.run_sync(drop_litter, mind.workspace)
        fence.hold(mind.mind_id, Hold.GRAPH)

    async def there(self, mind: Mind, plan: Plan, tally: Tally, *, is_again: bool) -> None:
        """
        Out of the graph, and of what was read of it; *is_again* when that broke off before.

        Raises GraphUnavailable, EmbedderFault.
        """
        tools = self._tools
        episodes = [one.episode for one in plan.turns]
        if await tools.graph.identity(mind.mind_id) is not None:
            await self._forget_knowledge(mind, plan, episodes, tally)
        if is_again:  # the graph may have forgotten what full text still holds: it is read into it again, all of it
            await anyio.to_thread.run_sync(mind.text.forget_knowledge)
        await anyio.to_thread.run_sync(mind.text.leave_nothing)
        await anyio.to_thread.run_sync(mind.journal.begin_anew)  # notes that a person has taken out may still be in it
        await tools.background.stop(mind.mind_id, named=_RECALLING)
        await tools.minds.fence.emptied(mind.mind_id, seconds=_GONE_SECONDS)
        await self._forget_traces(mind, plan, tally)

    async def search(self, mind: Mind, plan: Plan, tally: Tally) -> tuple[str, ...]:
        """Where something of it is still found, by name; nothing is what is hoped for."""
        kept = await mind.transcript.read_many([one.sequence for one in plan.turns])
        found = ["transcript"] if any(one.turn.kind is not Kind.ERASED for one in kept) else []
        own_log = tuple(
            mind.workspace.transcript.glob("*.jsonl")
        )  # what another has said meanwhile is no sign any more
        forms = (await anyio.to_thread.run_sync(not_in, plan.forms, own_log))[:_SEARCHED]
        if await self._tools.erasable.left(mind.mind_id, [one.episode for one in plan.turns], forms=forms):
            found.append("graph")
        ours, people = await anyio.to_thread.run_sync(showing, mind.workspace, forms)
        tally.left.update(dict.fromkeys(people))
        own = await anyio.to_thread.run_sync(not_in, forms, self._tools.others(mind.mind_id))
        return (*found, *ours, *await anyio.to_thread.run_sync(self._tools.erasable.search, own))

    async def _forget_knowledge(self, mind: Mind, plan: Plan, episodes: Sequence[str], tally: Tally) -> None:
        tools = self._tools
        before, behind = await _neighbours(mind, plan, most=_AFTER_LEANING)
        near = [self._doomed(mind, kept).episode for kept in behind]
        tainted = await tools.erasable.tainted(mind.mind_id, episodes, near, words=frozenset(plan.words))
        again = await anyio.to_thread.run_sync(mind.text.sequences, tainted.again)
        for kept in await mind.transcript.read_many(tuple(again.values())):
            parked = Parked(kept.sequence, kept.turn.turn_id, READ_AGAIN, 0, tools.clock.now())
            await tools.graph.park(mind.mind_id, parked)
        gone = await tools.erasable.forget(mind.mind_id, episodes, tainted)
        facts = await tools.graph.facts(mind.mind_id, gone.changed_facts)
        entities = await tools.graph.entities(mind.mind_id, gone.changed_entities)
        await anyio.to_thread.run_sync(mind.text.forget_these, gone.facts, gone.entities)
        await anyio.to_thread.run_sync(index_knowledge, mind, Extracted(facts, entities), 0)
        leaned = [*await mind.transcript.read_many(before), *behind]
        await tools.erasable.lean(mind.mind_id, await tools.saving.lean_anew(mind, leaned))
        tally.add("graph", episodes=gone.episodes, passages=gone.passages, facts=len(gone.facts))
        tally.add("graph", entities=len(gone.entities), summaries_made_again=len(gone.changed_entities))
        tally.add("graph", turns_read_again=len(again))

    async def _forget_traces(self, mind: Mind, plan: Plan, tally: Tally) -> None:
        gone = await anyio.to_thread.run_sync(mind.ledger.forget, lambda trace: traced(plan, trace))
        tally.add("traces", traces=gone)
        self._tools.forget(mind.mind_id)

    def _doomed(self, mind: Mind, kept: Kept) -> Doomed:
        uuid = self._tools.uuid_of(mind.mind_id, kept.turn.turn_id)
        return Doomed(kept.sequence, kept.turn.turn_id, kept.turn.session_id, uuid)


def _sequences(mind: Mind, wish: Wish) -> tuple[int, ...]:
    positions = mind.transcript.positions
    if wish.session_id is not None:
        found = positions.in_session(wish.session_id)
        if not found and positions.erased_in(wish.session_id):
            raise TurnErased("this session was erased before")
        if not found:
            raise SessionNotFound("no turn of this session is kept")
        return found
    turn_id = wish.turn_id or ""
    sequence = positions.sequence_of(turn_id)
    if sequence is None and positions.is_erased(turn_id):
        raise TurnErased("this turn was erased before")
    if sequence is None:
        raise TurnNotFound("no turn of this id is kept")
    return (sequence,)


async def _neighbours(mind: Mind, plan: Plan, *, most: int = _AFTER_WORDS) -> tuple[tuple[int, ...], tuple[Kept, ...]]:
    """The sequences just before what goes, in its sessions, and the remembered turns behind it, *most* of each."""
    doomed = {one.sequence for one in plan.turns}
    before: set[int] = set()
    behind: dict[int, Kept] = {}
    for session_id in {one.session_id for one in plan.turns}:
        stays = [one for one in mind.transcript.positions.in_session(session_id) if one not in doomed]
        turns = [kept for kept in await mind.transcript.read_many(stays) if kept.is_remembered]
        for gone in (one.sequence for one in plan.turns if one.session_id == session_id):
            before.update([kept.sequence for kept in turns if kept.sequence < gone][-1:])
            behind |= {kept.sequence: kept for kept in [kept for kept in turns if kept.sequence > gone][:most]}
    return tuple(sorted(before)), tuple(behind[sequence] for sequence in sorted(behind))
